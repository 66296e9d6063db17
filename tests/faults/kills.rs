//! `kill -9` at moments spread over starts and ingests.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::postgres;
use crate::served::{self, Served};
use crate::{assert_whole, digest, text};

const KILLS: usize = 15;
const MANY_KILLS: usize = 100;
const CALLERS: usize = 4;

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_keeps_what_was_acknowledged() {
    survive_on_sqlite(KILLS).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_keeps_what_was_acknowledged() {
    survive_on_postgresql(KILLS).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes: make test-long"]
async fn sqlite_survives_a_hundred_kills() {
    survive_on_sqlite(MANY_KILLS).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes: make test-long"]
async fn postgresql_survives_a_hundred_kills() {
    survive_on_postgresql(MANY_KILLS).await;
}

async fn survive_on_sqlite(kills: usize) {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    survive(&url, kills).await;
}

async fn survive_on_postgresql(kills: usize) {
    let Some(cluster) = postgres::shared() else {
        return;
    };
    survive(&cluster.database().await, kills).await;
}

async fn survive(database: &str, kills: usize) {
    let acknowledged = Mutex::new(Vec::new());
    {
        let mut first = Served::start(database);
        first.project("pytorch");
        first.kill();
    }
    for round in 0..kills {
        let mut server = Served::start(database);
        let url = server.url.clone();
        std::thread::scope(|scope| {
            for caller in 0..CALLERS {
                let (url, acknowledged) = (&url, &acknowledged);
                scope.spawn(move || ingest_until_killed(url, round, caller, acknowledged));
            }
            // Every other round in the first ingests, or before; the others after an answer.
            let before = acknowledged.lock().unwrap().len();
            if round % 2 == 1 {
                let begun = Instant::now();
                while acknowledged.lock().unwrap().len() == before {
                    assert!(begun.elapsed() < Duration::from_secs(30), "no answer");
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
            std::thread::sleep(Duration::from_micros((round as u64 * 7919) % 90_000));
            server.kill();
        });
        if round % 10 == 9 || round + 1 == kills {
            let store = opatlas_store::open(database).await.unwrap();
            let acknowledged = acknowledged.lock().unwrap().clone();
            assert_whole(&*store, "pytorch", &acknowledged).await;
            store.close().await;
        }
    }
    let acknowledged = acknowledged.into_inner().unwrap();
    println!(
        "{} ingests acknowledged over {kills} kills",
        acknowledged.len()
    );
    assert!(
        acknowledged.len() >= kills / 2,
        "the kills came too early to say anything"
    );
}

fn ingest_until_killed(
    url: &str,
    round: usize,
    caller: usize,
    acknowledged: &Mutex<Vec<opatlas_source::Digest>>,
) {
    for at in 0.. {
        // Every other revision is brought by all callers at once.
        let own = if at % 2 == 0 { caller + 1 } else { 0 };
        let seed = 1 + own + 10 * (at + 1000 * round);
        let query = format!("label=main-{caller}");
        match served::ingest(url, "pytorch", &query, &text(seed)) {
            Some(answer) if answer.status < 300 => {
                acknowledged.lock().unwrap().push(digest(seed));
            }
            Some(answer) => panic!("{answer:?}"),
            None => return,
        }
    }
}
