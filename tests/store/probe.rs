//! Runs of the probe: leases are exclusive and end, the first result is kept, equal dumps are one.

use std::sync::Arc;

use opatlas_source::Digest;
use opatlas_store::{
    Conflict, KEPT_RUNS, LeaseHolder, Leased, Missing, Mode, NewDump, NewProbeRun, ProbeSum,
    ProjectName, Renewal, ShardResult, Store,
};

use crate::store::given::{bundle, conflict, missing, new_project};

const LEASE: i64 = 100;

pub fn run(name: &str, revision: Digest, shards: usize) -> NewProbeRun {
    NewProbeRun {
        name: name.to_owned(),
        revision,
        address: "main".to_owned(),
        torch: "2.9.0".to_owned(),
        device: "cpu".to_owned(),
        lease: LEASE,
        token: None,
        shards: (0..shards)
            .map(|at| ("runs".to_owned(), format!("[\"item{at}\"]")))
            .collect(),
    }
}

pub async fn revision(store: &dyn Store, project: &ProjectName) -> Digest {
    let files = bundle("- func: measured(Tensor self) -> Tensor\n");
    store.ingest(project, &files, None, 1).await.unwrap().digest
}

pub fn result(shard: i64, rows: &str) -> ShardResult {
    ShardResult {
        shard,
        rows: rows.to_owned(),
        digest: Digest::of(rows.as_bytes()),
        rank: 3,
        outcomes: "{}".to_owned(),
        durations: vec![("item0".to_owned(), 70), ("né".to_owned(), 5)],
    }
}

pub fn holder(secret: &str, token: Option<&str>) -> LeaseHolder {
    LeaseHolder {
        secret: Digest::of(secret.as_bytes()),
        token: token.map(str::to_owned),
    }
}

async fn leased(
    store: &dyn Store,
    project: &ProjectName,
    name: &str,
    secret: &str,
    now: i64,
) -> Leased {
    let holder = holder(secret, None);
    let leased = store.lease_shard(project, name, &holder, "{}", now).await;
    leased.unwrap().0
}

pub fn shard_of(leased: Leased) -> i64 {
    match leased {
        Leased::Shard { shard, .. } => shard,
        other => panic!("{other:?}"),
    }
}

pub async fn leases_end_and_the_first_result_is_kept(store: &dyn Store) {
    let project = &new_project(store, "probed").await;
    let digest = revision(store, project).await;
    let holders = ["1", "2", "3"].map(|secret| holder(secret, None));
    let [first, second, third] = &holders;
    let gone = store.lease_shard(project, "r", first, "{}", 1).await;
    assert_eq!(missing(gone), Missing::ProbeRun("r".to_owned()));
    let new = run("r", digest, 1);
    let made = store.open_probe_run(project, &new, 1).await.unwrap();
    assert_eq!((made.shards, made.revision), (1, digest));
    let again = NewProbeRun {
        device: "cuda".to_owned(),
        ..new
    };
    assert_eq!(
        store.open_probe_run(project, &again, 2).await.unwrap(),
        made
    );

    shard_of(leased(store, project, "r", "1", 10).await);
    let wait = leased(store, project, "r", "x", 109).await;
    assert_eq!(wait, Leased::Wait(110));
    let begun = Renewal {
        begun: Some("item0"),
        ..Renewal::default()
    };
    store
        .renew_lease(project, ("r", 0), first, begun, 109)
        .await
        .unwrap();
    let wait = leased(store, project, "r", "x", 208).await;
    assert_eq!(wait, Leased::Wait(209));
    assert_eq!(shard_of(leased(store, project, "r", "2", 209).await), 0);
    let lost = store.renew_lease(project, ("r", 0), first, begun, 210);
    assert_eq!(conflict(lost.await), Conflict::LeaseLost(0));
    let lost = store
        .finish_shard(project, "r", first, &result(0, "[1]"), 210)
        .await;
    assert_eq!(conflict(lost), Conflict::LeaseLost(0));
    for kills in [Some(1), Some(1), None] {
        let killed = Renewal {
            begun: None,
            killed: Some("item0"),
            kills,
        };
        store
            .renew_lease(project, ("r", 0), second, killed, 211)
            .await
            .unwrap();
    }
    store
        .release_lease(project, ("r", 0), second, 212)
        .await
        .unwrap();
    shard_of(leased(store, project, "r", "3", 213).await);
    let mine = result(0, "[2]");
    for (now, is_new) in [(214, true), (215, false)] {
        let finished = store.finish_shard(project, "r", third, &mine, now);
        assert_eq!(finished.await.unwrap(), is_new);
    }
    let other = store
        .finish_shard(project, "r", third, &result(0, "[3]"), 216)
        .await;
    assert_eq!(conflict(other), Conflict::ShardDone(0));
    assert_eq!(leased(store, project, "r", "x", 900).await, Leased::Done);

    let progress = store.probe_progress(project, "r", 900).await.unwrap();
    let item = &progress.items[0];
    assert_eq!((&*item.item, item.kills, item.losses), ("item0", 2, 1));
    assert_eq!(progress.shards[0].rank, Some(3));
    let results = store.probe_results(project, "r", 100).await.unwrap();
    assert_eq!(results, Some(vec![("runs".to_owned(), "[2]".to_owned())]));
    assert_eq!(store.probe_results(project, "r", 2).await.unwrap(), None);
    let durations = store.probe_durations(project, "cpu").await.unwrap();
    let durations: Vec<_> = durations
        .iter()
        .map(|it| (&*it.item, it.milliseconds))
        .collect();
    assert_eq!(durations, [("item0", 70), ("né", 5)]);
    let shard = store.probe_shard(project, "r", 1).await;
    assert!(matches!(
        missing(shard),
        Missing::ProbeShard { shard: 1, .. }
    ));
}

/// Many workers ask at once: no shard is leased twice.
pub async fn a_shard_has_one_worker(store: &Arc<dyn Store>) {
    let project = new_project(&**store, "probed-at-once").await;
    let digest = revision(&**store, &project).await;
    let new = run("many", digest, 40);
    store.open_probe_run(&project, &new, 1).await.unwrap();
    let workers = (0..8).map(|_| {
        let (store, project) = (Arc::clone(store), project.clone());
        tokio::spawn(async move {
            let mut shards = Vec::new();
            for _ in 0..5 {
                shards.push(shard_of(leased(&*store, &project, "many", "x", 1).await));
            }
            shards
        })
    });
    let mut shards = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        shards.extend(worker.await.unwrap());
    }
    shards.sort_unstable();
    assert!(shards.into_iter().eq(0..40));
}

pub async fn equal_dumps_are_stored_once(store: &dyn Store) {
    let project = &new_project(store, "dumped").await;
    let digest = revision(store, project).await;
    let text = format!("[{}]", "0,".repeat(5000) + "0");
    let dump = |text: &str, device: &str| NewDump {
        revision: digest,
        digest: Digest::of(text.as_bytes()),
        torch: "2.9.0".to_owned(),
        device: device.to_owned(),
        text: text.to_owned(),
    };
    assert!(
        store
            .add_dump(project, &dump(&text, "cpu"), 5)
            .await
            .unwrap()
    );
    assert!(
        !store
            .add_dump(project, &dump(&text, "cpu"), 6)
            .await
            .unwrap()
    );
    assert!(
        store
            .add_dump(project, &dump("[1]", "cuda"), 7)
            .await
            .unwrap()
    );
    let dumps = store.dumps(project, digest).await.unwrap();
    let dumps: Vec<_> = dumps
        .iter()
        .map(|it| (&*it.device, it.recorded_at))
        .collect();
    assert_eq!(dumps, [("cuda", 7), ("cpu", 5)]);
    let found = store
        .dump(project, digest, Digest::of(text.as_bytes()))
        .await;
    assert_eq!(found.unwrap(), text);
    let gone = store.dump(project, digest, Digest::of(b"x")).await;
    assert!(matches!(missing(gone), Missing::Dump(_)));
    store.delete_revision(project, digest).await.unwrap();
    store.collect(Some(project), 0, Mode::Do).await.unwrap();
    missing(store.dumps(project, digest).await);
}

/// Runs are listed newest first, a page at a time, with what came out so far.
pub async fn runs_are_listed_with_their_shards(store: &dyn Store) {
    let project = &new_project(store, "probed-and-listed").await;
    let nobody = ProjectName::parse("nobody").unwrap();
    missing(store.probe_runs(&nobody, None, 1).await);
    let digest = revision(store, project).await;
    for (at, name) in ["a", "b", "c"].into_iter().enumerate() {
        let new = run(name, digest, at + 1);
        store
            .open_probe_run(project, &new, at as i64)
            .await
            .unwrap();
    }
    for at in 0..2 {
        let own = holder("1", None);
        let leased = store.lease_shard(project, "c", &own, "{}", 9).await;
        let shard = shard_of(leased.unwrap().0);
        let sent = ShardResult {
            outcomes: r#"{"runs":1}"#.to_owned(),
            ..result(shard, &format!("[{at}]"))
        };
        let finished = store.finish_shard(project, "c", &own, &sent, 9).await;
        assert!(finished.unwrap());
    }
    let page = store.probe_runs(project, None, 2).await.unwrap();
    let names: Vec<_> = page.items.iter().map(|it| &*it.run.name).collect();
    assert_eq!(names, ["c", "b"]);
    let run = &page.items[0].run;
    assert_eq!((run.revision, run.shards, run.created_at), (digest, 3, 2));
    let mut sums = page.items[0].sums.clone();
    sums.sort_by_key(|sum| sum.shards);
    let sum = |outcomes: Option<&str>, count| ProbeSum {
        outcomes: outcomes.map(str::to_owned),
        shards: count,
        items: count,
    };
    assert_eq!(sums, [sum(None, 1), sum(Some(r#"{"runs":1}"#), 2)]);
    let last = store.probe_runs(project, page.next, 2).await.unwrap();
    assert_eq!(last.items[0].run.name, "a");
    assert_eq!((last.items.len(), last.next), (1, None));
}

/// The progress counts an expired lease without writing that it has.
pub async fn progress_knows_expired_leases(store: &dyn Store) {
    let project = &new_project(store, "probed-and-lost").await;
    let digest = revision(store, project).await;
    let new = run("r", digest, 1);
    store.open_probe_run(project, &new, 1).await.unwrap();
    let own = holder("1", None);
    let begun = Renewal {
        begun: Some("item0"),
        ..Renewal::default()
    };
    for losses in 0..2 {
        let now = 1000 * (losses + 1);
        shard_of(leased(store, project, "r", "1", now).await);
        store
            .renew_lease(project, ("r", 0), &own, begun, now)
            .await
            .unwrap();
        for (after, counted) in [
            (LEASE - 1, losses),
            (LEASE, losses + 1),
            (LEASE, losses + 1),
        ] {
            let progress = store
                .probe_progress(project, "r", now + after)
                .await
                .unwrap();
            let shard = &progress.shards[0];
            assert_eq!(shard.is_leased, counted == losses);
            assert_eq!(shard.begun.is_some(), shard.is_leased);
            let lost = progress.items.iter().map(|item| item.losses);
            assert_eq!(lost.sum::<i64>(), counted);
        }
    }
}

/// Old runs make room for new ones; a project takes all of them along.
pub async fn a_project_keeps_its_last_runs(store: &dyn Store) {
    let project = &new_project(store, "probed-often").await;
    let digest = revision(store, project).await;
    for at in 0..=KEPT_RUNS {
        let new = run(&format!("r{at}"), digest, 1);
        store.open_probe_run(project, &new, at).await.unwrap();
    }
    assert_eq!(store.probe_run(project, "r0").await.unwrap(), None);
    assert!(store.probe_run(project, "r1").await.unwrap().is_some());
    let sent = result(shard_of(leased(store, project, "r1", "1", 1).await), "[]");
    let own = holder("1", None);
    let finished = store.finish_shard(project, "r1", &own, &sent, 2);
    finished.await.unwrap();
    store.delete_project(project).await.unwrap();
    missing(store.probe_run(project, "r1").await);
}
