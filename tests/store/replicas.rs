//! Several replicas on one PostgreSQL database, and a database that goes away and comes back.

use std::sync::Arc;
use std::time::{Duration, Instant};

use opatlas_store::{LabelChange, LabelRequest, PostgresStore, Store, StoreError};
use sqlx::{Connection as _, Executor as _, PgConnection};

use crate::common::postgres::{self, Cluster};
use crate::store::given::{bundle, label, name, new_project};

const REPLICAS: usize = 3;

async fn open(url: &str) -> Arc<dyn Store> {
    Arc::new(PostgresStore::open(url).await.unwrap())
}

async fn replicas(url: &str) -> Vec<Arc<dyn Store>> {
    let mut starting = tokio::task::JoinSet::new();
    for _ in 0..REPLICAS {
        let url = url.to_owned();
        starting.spawn(async move { open(&url).await });
    }
    starting.join_all().await
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_start_at_once_and_ingest_together() {
    let Some(cluster) = postgres::shared() else {
        return;
    };
    let url = cluster.database().await;
    let replicas = replicas(&url).await;
    let project = new_project(&*replicas[0], "shared").await;
    let mut callers = tokio::task::JoinSet::new();
    for caller in 0..30usize {
        let (store, project) = (Arc::clone(&replicas[caller % REPLICAS]), project.clone());
        callers.spawn(async move {
            // Every revision is brought by three callers, through three replicas, and all share
            // most of their entries.
            let revision = caller / REPLICAS;
            let text: String = (0..300)
                .map(|at| format!("- func: op{}() -> ()\n", at + at / 250 * revision * 1000))
                .collect();
            let files = bundle(text);
            let request = LabelRequest::new(label("main"), None);
            let outcome = store.ingest(&project, &files, Some(&request), 1);
            let outcome = outcome.await.unwrap();
            (files, outcome)
        });
    }
    let outcomes = callers.join_all().await;
    let created = outcomes
        .iter()
        .filter(|(_, outcome)| outcome.created)
        .count();
    assert_eq!(created, 10);
    for store in &replicas {
        for (files, _) in &outcomes {
            assert_eq!(
                &store.bundle(&project, files.digest()).await.unwrap(),
                files
            );
        }
    }
    // What is shared is stored once, as if one replica had taken them in one after the other.
    let other = cluster.database().await;
    let store = open(&other).await;
    let project = new_project(&*store, "shared").await;
    for (files, _) in &outcomes {
        store.ingest(&project, files, None, 1).await.unwrap();
    }
    assert_eq!(contents(&url).await, contents(&other).await);
}

/// The digests of all pieces, runs and files.
async fn contents(url: &str) -> Vec<Vec<u8>> {
    let mut past = PgConnection::connect(url).await.unwrap();
    sqlx::query_scalar(
        "SELECT digest FROM pieces UNION ALL SELECT digest FROM runs \
         UNION ALL SELECT digest FROM files ORDER BY digest",
    )
    .fetch_all(&mut past)
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_moved_by_one_replica_is_moved_for_all() {
    let Some(cluster) = postgres::shared() else {
        return;
    };
    let replicas = replicas(&cluster.database().await).await;
    let project = new_project(&*replicas[0], "labels").await;
    let request = LabelRequest::new(label("main"), None);
    for round in 0..30usize {
        let store = &replicas[round % REPLICAS];
        let files = bundle(format!("- {round}\n"));
        let outcome = store
            .ingest(&project, &files, Some(&request), 1)
            .await
            .unwrap();
        assert_ne!(outcome.label.unwrap().change, LabelChange::Unchanged);
        for other in &replicas {
            let seen = other.label(&project, &label("main")).await.unwrap();
            assert_eq!(seen.digest, files.digest());
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_database_is_refused_and_left_alone() {
    let Some(cluster) = postgres::shared() else {
        return;
    };
    let url = cluster.database().await;
    let store = open(&url).await;
    let project = new_project(&*store, "kept").await;
    store.close().await;
    let mut past = PgConnection::connect(&url).await.unwrap();
    past.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'from the future', TRUE, ''::bytea, 0)",
    )
    .await
    .unwrap();
    let error = PostgresStore::open(&url).await.unwrap_err();
    assert!(
        matches!(error, StoreError::TooNew { found: 9999, known } if known < 9999),
        "{error}"
    );
    past.execute("DELETE FROM _sqlx_migrations WHERE version = 9999")
        .await
        .unwrap();
    assert!(open(&url).await.project(&project).await.is_ok());
}

#[tokio::test]
async fn addresses_that_cannot_be_used_are_refused_without_their_password() {
    for (url, reason) in [
        (
            "postgres://user:geheim@127.0.0.1:1/db",
            "`db` at 127.0.0.1:1",
        ),
        ("postgres://user:geheim@host:x/db", "invalid port"),
        (
            "mysql://user:geheim@host/db",
            "must start with `sqlite:` or `postgres:`",
        ),
    ] {
        let said = match opatlas_store::open(url).await {
            Ok(_) => panic!("{url} opens"),
            Err(error) => error.to_string(),
        };
        assert!(said.contains(reason), "{url}: {said}");
        assert!(!said.contains("geheim"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_written_says_so() {
    let Some(cluster) = postgres::shared() else {
        return;
    };
    let url = cluster.database().await;
    let store = open(&url).await;
    let project = new_project(&*store, "kept").await;
    let mut past = PgConnection::connect(&url).await.unwrap();
    // What a full disk or a right taken away look like from outside: statements are refused.
    past.execute("ALTER TABLE revisions ADD CONSTRAINT never CHECK (digest IS NULL) NOT VALID")
        .await
        .unwrap();
    let files = bundle("- a\n");
    assert!(store.ingest(&project, &files, None, 1).await.is_err());
    past.execute("ALTER TABLE revisions DROP CONSTRAINT never")
        .await
        .unwrap();
    let left: i64 =
        sqlx::query_scalar("SELECT (SELECT count(*) FROM pieces) + (SELECT count(*) FROM files)")
            .fetch_one(&mut past)
            .await
            .unwrap();
    assert_eq!(left, 0, "what was refused left nothing behind");
    assert!(
        store
            .ingest(&project, &files, None, 1)
            .await
            .unwrap()
            .created
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_went_away_is_found_again() {
    let Some(cluster) = Cluster::start_new() else {
        return;
    };
    let store = open(&cluster.database().await).await;
    let project = new_project(&*store, "away").await;
    let files = bundle("- a\n");
    store.ingest(&project, &files, None, 1).await.unwrap();
    for _ in 0..2 {
        cluster.stop();
        for _ in 0..20 {
            let error = store.project(&name("away")).await.unwrap_err();
            assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
        }
        // While it is known to be away nobody waits: twenty callers took less than twenty attempts.
        let begun = Instant::now();
        let other = bundle("- b\n");
        let error = store.ingest(&project, &other, None, 1).await.unwrap_err();
        assert!(matches!(error, StoreError::Unavailable { .. }), "{error}");
        assert!(begun.elapsed() < Duration::from_secs(5));
        cluster.start();
        let mut tries = 0;
        while store.ping().await.is_err() {
            tries += 1;
            assert!(tries < 200, "it does not come back");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(store.bundle(&project, files.digest()).await.unwrap(), files);
        assert!(store.ingest(&project, &files, None, 2).await.is_ok());
    }
}
