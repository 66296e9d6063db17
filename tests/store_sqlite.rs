//! What only the SQLite store has: addresses, files, damage, and processes that are killed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use opatlas_source::{Bundle, Digest};
use opatlas_store::{
    LabelName, LabelRequest, Missing, NewProject, ProjectName, SqliteStore, Store, StoreError,
};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{Connection as _, Executor as _, SqliteConnection};

fn url(folder: &tempfile::TempDir) -> String {
    format!("sqlite://{}", folder.path().join("opatlas.db").display())
}

fn project() -> ProjectName {
    ProjectName::parse("pytorch").unwrap()
}

async fn with_project(url: &str) -> SqliteStore {
    let store = SqliteStore::open(url).await.unwrap();
    let new = NewProject {
        name: project(),
        description: None,
        policy: None,
    };
    store.create_project(&new, 1).await.unwrap();
    store
}

/// A connection past the store, to look or to do damage.
async fn raw(url: &str) -> SqliteConnection {
    let options: SqliteConnectOptions = url.parse().unwrap();
    SqliteConnection::connect_with(&options.foreign_keys(false))
        .await
        .unwrap()
}

async fn refusal(url: &str) -> String {
    SqliteStore::open(url).await.unwrap_err().to_string()
}

#[tokio::test]
async fn addresses_that_cannot_be_used_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let shown = folder.path().display();
    for (url, reason) in [
        (
            "mysql://host/db".to_owned(),
            "does not start with `sqlite:`",
        ),
        ("sqlite://".to_owned(), "does not name a file"),
        (
            format!("sqlite://{shown}/a.db?mode=ro"),
            "needs write access",
        ),
        (format!("sqlite://{shown}/a.db?colour=red"), "colour"),
        (
            format!("sqlite://{shown}/none/a.db"),
            "none` does not exist",
        ),
        (format!("sqlite://{shown}"), "is a folder"),
        (
            format!("sqlite://{shown}/a.db?mode=rw"),
            "a.db`: its files cannot be opened",
        ),
    ] {
        let said = refusal(&url).await;
        assert!(said.contains(reason), "{url}: {said}");
    }
    std::fs::write(folder.path().join("a.db"), "Not a database. ".repeat(100)).unwrap();
    let said = refusal(&format!("sqlite://{shown}/a.db")).await;
    assert!(said.contains("not an SQLite database"), "{said}");
}

#[tokio::test]
async fn a_database_that_cannot_be_written_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    with_project(&url(&folder)).await.close().await;
    let file = folder.path().join("opatlas.db");
    let mut rights = std::fs::metadata(&file).unwrap().permissions();
    rights.set_readonly(true);
    std::fs::set_permissions(&file, rights).unwrap();
    if std::fs::OpenOptions::new().write(true).open(&file).is_ok() {
        println!("skipped: this user may write to any file");
        return;
    }
    let said = refusal(&url(&folder)).await;
    assert!(said.contains("read-only"), "{said}");
}

#[tokio::test]
async fn a_newer_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    with_project(&url(&folder)).await.close().await;
    let mut past = raw(&url(&folder)).await;
    past.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'from the future', TRUE, x'00', 0)",
    )
    .await
    .unwrap();
    let error = SqliteStore::open(&url(&folder)).await.unwrap_err();
    assert!(
        matches!(error, StoreError::TooNew { found: 9999, known } if known < 9999),
        "{error}"
    );
    past.execute("DELETE FROM _sqlx_migrations WHERE version = 9999")
        .await
        .unwrap();
    let store = SqliteStore::open(&url(&folder)).await.unwrap();
    assert_eq!(store.project(&project()).await.unwrap().name, project());
}

#[tokio::test(flavor = "multi_thread")]
async fn many_may_open_a_new_database_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut openers = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let url = url(&folder);
        openers.spawn(async move { with_project(&url).await.project(&project()).await.unwrap() });
    }
    assert_eq!(openers.join_all().await.len(), 8);
}

/// How many descriptors of this process are open on files in a folder.
#[cfg(target_os = "linux")]
fn times_open(folder: &tempfile::TempDir) -> usize {
    let descriptors = std::fs::read_dir("/proc/self/fd").unwrap();
    let targets = descriptors.filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok());
    targets.filter(|it| it.starts_with(folder.path())).count()
}

/// SQLite's busy timeout does not cover the switch to WAL mode.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn opening_waits_for_whoever_is_making_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let url = url(&folder);
    let mut other = raw(&format!("{url}?mode=rwc")).await;
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let before = times_open(&folder);
    let opening = tokio::spawn(async move { SqliteStore::open(&url).await });
    while times_open(&folder) == before {
        tokio::task::yield_now().await;
    }
    assert!(!opening.is_finished());
    other.execute("ROLLBACK").await.unwrap();
    assert!(opening.await.unwrap().is_ok());
}

#[tokio::test]
async fn databases_in_memory_are_apart() {
    let one = with_project("sqlite::memory:").await;
    let two = SqliteStore::open("sqlite::memory:").await.unwrap();
    assert!(one.project(&project()).await.is_ok());
    assert!(two.project(&project()).await.is_err());
}

#[tokio::test]
async fn damage_is_noticed_wherever_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_project(&url(&folder)).await;
    let text: String = (0..50)
        .map(|at| format!("- func: op{at}(Tensor self) -> Tensor\n  variants: method\n"))
        .collect();
    let files = Bundle::of_native_functions(text.into_bytes());
    let digest = store
        .ingest(&project(), &files, None, 1)
        .await
        .unwrap()
        .digest;
    let mut past = raw(&url(&folder)).await;
    for (what, damage) in [
        (
            "other bytes",
            "UPDATE pieces SET content = x'2D' WHERE id = 7",
        ),
        ("lacks a chunk", "DELETE FROM pieces WHERE id = 7"),
        ("not a list", "UPDATE runs SET pieces = x'80' WHERE id = 1"),
        ("lacks a group", "DELETE FROM runs WHERE id = 1"),
        ("not a list of groups", "UPDATE files SET runs = x'80'"),
        ("-1 bytes", "UPDATE files SET bytes = -1"),
        ("a digest has 1 bytes", "UPDATE files SET digest = x'00'"),
        ("differ from those stored", "DELETE FROM revision_files"),
    ] {
        past.execute(damage).await.unwrap();
        let error = store.bundle(&project(), digest).await.unwrap_err();
        assert!(
            matches!(&error, StoreError::Corrupt { .. }),
            "{damage}: {error}"
        );
        assert!(error.to_string().contains(what), "{damage}: {error}");
    }
}

#[tokio::test]
async fn a_writer_in_another_process_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_project(&url(&folder)).await;
    let mut other = raw(&url(&folder)).await;
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let files = Bundle::of_native_functions(*b"- a\n");
    let project = project();
    let (ingest, ()) = tokio::join!(store.ingest(&project, &files, None, 1), async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        other.execute("COMMIT").await.unwrap();
    });
    assert!(ingest.unwrap().created);
}

#[tokio::test]
async fn an_ingest_given_up_leaves_nothing_and_the_store_usable() {
    let folder = tempfile::tempdir().unwrap();
    let store = with_project(&url(&folder)).await;
    for at in 0..30 {
        let files = release_like(1000 + at);
        let project = project();
        let ingest = store.ingest(&project, &files, None, 1);
        let limit = Duration::from_micros(at * 1500);
        let acknowledged = tokio::time::timeout(limit, ingest).await.is_ok();
        match store.bundle(&project, files.digest()).await {
            Ok(loaded) => assert_eq!(loaded, files),
            Err(error) => {
                assert!(!acknowledged);
                assert!(
                    matches!(error, StoreError::NotFound(Missing::Revision { .. })),
                    "{error}"
                );
            }
        }
    }
    assert_whole(&store, &url(&folder)).await;
}

/// When to kill a process.
#[derive(Clone, Copy)]
enum Kill {
    /// This long after its start: while it opens the store, or in its first ingest.
    Early(Duration),
    /// This long after its first answer.
    Late(Duration),
}

/// Kills a process that ingests, again and again, at moments spread over an ingest.
#[tokio::test]
async fn a_killed_process_loses_nothing_that_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut acknowledged = Vec::new();
    for round in 0..24 {
        let delay = Duration::from_millis(round * 7);
        let kill = match round % 2 {
            0 => Kill::Early(delay),
            _ => Kill::Late(delay),
        };
        acknowledged.extend(killed(folder.path(), round, kill));
        let store = with_project(&url(&folder)).await;
        for digest in &acknowledged {
            store.bundle(&project(), *digest).await.unwrap();
        }
        assert_whole(&store, &url(&folder)).await;
        store.close().await;
    }
    println!("{} ingests acknowledged over 24 kills", acknowledged.len());
    assert!(acknowledged.len() >= 12);
}

/// Runs [`ingest_until_killed`] in a process of its own, kills it, and gives the digests that it had
/// answered with.
fn killed(folder: &Path, round: u64, kill: Kill) -> Vec<Digest> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "store_sqlite::ingest_until_killed",
            "--nocapture",
        ])
        .env("OPATLAS_TEST_CRASH_FOLDER", folder)
        .env("OPATLAS_TEST_CRASH_ROUND", round.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let digest = |line: String| Digest::parse(line.strip_prefix("acknowledged ")?);
    let (first, delay) = match kill {
        Kill::Early(delay) => (None, delay),
        Kill::Late(delay) => (lines.by_ref().find_map(digest), delay),
    };
    std::thread::sleep(delay);
    child.kill().unwrap();
    child.wait().unwrap();
    first.into_iter().chain(lines.filter_map(digest)).collect()
}

/// The other process of the test above; by itself it does nothing.
#[tokio::test]
async fn ingest_until_killed() {
    let Some(folder) = std::env::var_os("OPATLAS_TEST_CRASH_FOLDER") else {
        return;
    };
    let round: u64 = std::env::var("OPATLAS_TEST_CRASH_ROUND")
        .unwrap()
        .parse()
        .unwrap();
    let path = Path::new(&folder).join("opatlas.db");
    let store = with_project(&format!("sqlite://{}", path.display())).await;
    println!();
    for at in 0.. {
        let files = release_like(round * 1_000_000 + at);
        let label = LabelRequest::new(LabelName::parse("main").unwrap(), None);
        let outcome = store
            .ingest(&project(), &files, Some(&label), 1)
            .await
            .unwrap();
        println!("acknowledged {}", outcome.digest);
    }
}

/// A bundle of two files, a few hundred entries of which are like those of no other seed.
fn release_like(seed: u64) -> Bundle {
    let entry = |at: u64| {
        let own = if at.is_multiple_of(7) { seed } else { 0 };
        format!(
            "- func: op{at}.v{own}(Tensor self) -> Tensor\n  variants: function, method\n  dispatch:\n    CPU: op{at}\n"
        )
    };
    let text: String = (0..1500).map(entry).collect();
    let mut files = Bundle::of_native_functions(text.into_bytes());
    files.insert("tags.yaml", format!("- tag: t{seed}\n").into_bytes());
    files
}

/// SQLite's own checks, and that all that is stored is whole and reached.
async fn assert_whole(store: &SqliteStore, url: &str) {
    let mut past = raw(url).await;
    let integrity: String = sqlx::query_scalar("PRAGMA integrity_check")
        .fetch_one(&mut past)
        .await
        .unwrap();
    assert_eq!(integrity, "ok");
    let dangling = past.fetch_all("PRAGMA foreign_key_check").await.unwrap();
    assert!(dangling.is_empty());
    let counts: (i64, i64) = sqlx::query_as(
        "SELECT (SELECT count(*) FROM files), (SELECT count(DISTINCT file) FROM revision_files)",
    )
    .fetch_one(&mut past)
    .await
    .unwrap();
    assert_eq!(counts.0, counts.1, "files that no revision has");
    for record in store.revisions(&project(), None, 1000).await.unwrap().items {
        assert_eq!(record.files.len(), 2);
        let files = store.bundle(&project(), record.digest).await.unwrap();
        assert_eq!(files.digest(), record.digest);
    }
}
