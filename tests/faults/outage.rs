//! PostgreSQL stopped and started again below a running service.

use std::time::{Duration, Instant};

use crate::postgres::Cluster;
use crate::served::Served;
use crate::{assert_whole, digest, text};

#[tokio::test(flavor = "multi_thread")]
async fn a_service_outlives_its_database() {
    let Some(cluster) = Cluster::start_new() else {
        return;
    };
    let database = cluster.database().await;
    let server = Served::start(&database);
    server.project("p");
    assert_eq!(server.ingest("p", "label=main", &text(1)).status, 201);
    assert_eq!(server.ingest("p", "", &text(2)).status, 201);
    let revision = format!("/v1/projects/p/revisions/sha256:{}", digest(1));
    let cached = [
        format!("{revision}/operators"),
        format!("{revision}/operators/op1.v0"),
        format!("{revision}/files/native_functions.yaml"),
        format!("{revision}/findings"),
    ];
    let before: Vec<_> = cached.iter().map(|path| server.get(path).body).collect();
    for _ in 0..2 {
        cluster.stop();
        // What was addressed by its whole digest and is in memory is served as ever.
        for (path, before) in cached.iter().zip(&before) {
            let answer = server.get(path);
            assert_eq!((answer.status, &answer.body), (200, before), "{path}");
        }
        // Another view of a revision in memory can be made as well.
        assert_eq!(server.get(&format!("{revision}/keys")).status, 200);
        // A label may have been moved meanwhile, so it is not answered from memory.
        let mut slowest = Duration::ZERO;
        for path in [
            "/v1/projects/p/labels/main",
            "/v1/projects/p/revisions/main/operators",
            "/v1/projects/p/revisions/latest",
            "/v1/projects",
            "/readyz",
        ] {
            let begun = Instant::now();
            let answer = server.get(path);
            slowest = slowest.max(begun.elapsed());
            answer.problem(503, "store-unavailable");
            assert!(!answer.header("retry-after").is_empty());
        }
        assert!(slowest < Duration::from_secs(10), "{slowest:?}");
        let refused = server.ingest("p", "", &text(3));
        refused.problem(503, "store-unavailable");
        assert_eq!(server.get("/healthz").status, 200);
        assert!(
            server
                .get("/metrics")
                .body
                .contains("opatlas_database_up 0")
        );
        cluster.start();
        server.until("/readyz", |answer| answer.status == 200);
        assert_eq!(server.get("/v1/projects/p/labels/main").status, 200);
    }
    assert_eq!(server.ingest("p", "label=main", &text(3)).status, 201);
    let store = opatlas_store::open(&database).await.unwrap();
    assert_whole(&*store, "p", &[digest(1), digest(2), digest(3)]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_see_each_others_labels_at_once() {
    let Some(cluster) = crate::postgres::shared() else {
        return;
    };
    let database = cluster.database().await;
    let replicas = [Served::start(&database), Served::start(&database)];
    replicas[0].project("p");
    for round in 1..=20 {
        let [one, other] = match round % 2 {
            0 => [&replicas[0], &replicas[1]],
            _ => [&replicas[1], &replicas[0]],
        };
        assert_eq!(one.ingest("p", "label=main", &text(round)).status, 201);
        for server in [one, other] {
            for address in ["main", "latest"] {
                let seen = server.get(&format!("/v1/projects/p/revisions/{address}"));
                assert_eq!(seen.value()["digest"], digest(round).to_string());
            }
        }
    }
    let taken = replicas[0].delete("/v1/projects/p/labels/main");
    assert_eq!(taken.status, 204);
    let gone = replicas[1].get("/v1/projects/p/revisions/main");
    gone.problem(404, "unknown-revision");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_in_memory_is_not_answered_while_the_database_is_away() {
    let Some(cluster) = Cluster::start_new() else {
        return;
    };
    let server = Served::start(&cluster.database().await);
    server.project("p");
    assert_eq!(server.ingest("p", "label=main", &text(1)).status, 201);
    let path = "/v1/projects/p/revisions/main/operators";
    // From memory after a while, since nobody commits anything.
    server.until(path, |answer| {
        let figures = server.get("/metrics").body;
        let is_hit = |line: &str| line.contains("cache=\"answers\"") && line.contains("\"hit\"");
        answer.status == 200 && figures.lines().any(is_hit)
    });
    cluster.stop();
    server.until(path, |answer| answer.status == 503);
    cluster.start();
    server.until(path, |answer| answer.status == 200);
    assert_eq!(server.ingest("p", "label=main", &text(2)).status, 201);
    let operators = server.get(path).body;
    assert!(operators.contains("op20.v2"), "{operators}");
}
