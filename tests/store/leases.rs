//! Leases of the probe: who can use one, and whose runs make room for new ones.

use opatlas_store::{Conflict, KEPT_RUNS, NewProbeRun, Renewal, Store};

use crate::store::given::{conflict, new_project};
use crate::store::probe::{holder, result, revision, run, shard_of};

pub async fn a_lease_is_of_its_secret_and_its_token(store: &dyn Store) {
    let project = &new_project(store, "leases").await;
    let digest = revision(store, project).await;
    let new = run("r", digest, 1);
    store.open_probe_run(project, &new, 1).await.unwrap();
    let own = holder("secret", Some("a"));
    let sent = result(0, "[1]");
    let leased = store.lease_shard(project, "r", &own, "{}", 1).await;
    assert_eq!(shard_of(leased.unwrap().0), 0);
    let killed = Renewal {
        killed: Some("item0"),
        kills: Some(2),
        ..Renewal::default()
    };
    for other in [
        holder("secret", Some("b")),
        holder("secret", None),
        holder("other", Some("a")),
        holder("", Some("a")),
    ] {
        let renewed = store.renew_lease(project, ("r", 0), &other, killed, 2);
        assert_eq!(conflict(renewed.await), Conflict::LeaseLost(0));
        let released = store.release_lease(project, ("r", 0), &other, 2);
        assert_eq!(conflict(released.await), Conflict::LeaseLost(0));
        let finished = store.finish_shard(project, "r", &other, &sent, 2);
        assert_eq!(conflict(finished.await), Conflict::LeaseLost(0));
    }
    let progress = store.probe_progress(project, "r", 2).await.unwrap();
    assert!(progress.items.is_empty() && progress.shards[0].is_leased);
    let finished = store.finish_shard(project, "r", &own, &sent, 2);
    assert!(finished.await.unwrap());
}

pub async fn a_token_evicts_its_own_runs_alone(store: &dyn Store) {
    let project = &new_project(store, "quotas").await;
    let digest = revision(store, project).await;
    let of = |token: Option<&str>, name: String| NewProbeRun {
        token: token.map(str::to_owned),
        ..run(&name, digest, 0)
    };
    for token in [Some("a"), None] {
        let own = of(token, format!("own {token:?}"));
        store.open_probe_run(project, &own, 1).await.unwrap();
    }
    for at in 0..KEPT_RUNS + 10 {
        let new = of(Some("b"), format!("b{at}"));
        store.open_probe_run(project, &new, 2).await.unwrap();
    }
    for token in [Some("a"), None] {
        let name = format!("own {token:?}");
        let kept = store.probe_run(project, &name).await.unwrap();
        assert!(kept.is_some(), "{name}");
    }
    assert!(store.probe_run(project, "b9").await.unwrap().is_none());
    assert!(store.probe_run(project, "b10").await.unwrap().is_some());
}
