//! Marks: equal ones as long as nothing is committed, another one after every change, whoever made
//! it.

use std::sync::Arc;
use std::time::Duration;

use opatlas_store::{
    CommitRecord, Edit, Expected, KnownParts, LabelRequest, Mark, NewCommit, PostgresStore,
    Prepared, ProjectChange, ProjectName, SqliteStore, Store,
};
use sqlx::{Connection as _, PgConnection};

use crate::common::postgres::{self, Cluster};
use crate::store::given::{bundle, label, name, new_project};

/// The advisory lock that is a lease on what is committed.
const LEASE: i64 = 0x0061_6e73_7765_7273;

/// The mark, once there is one.
async fn mark(store: &dyn Store) -> Mark {
    for _ in 0..6000 {
        if let Some(mark) = store.mark().await {
            return mark;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("there is never a mark")
}

/// A change of what answers are made of.
#[derive(Debug, Clone, Copy)]
enum Change {
    Ingest,
    Move,
    Describe,
    Commit,
    Unlabel,
    Remove,
    Delete,
}

impl Change {
    const ALL: [Self; 7] = [
        Self::Ingest,
        Self::Move,
        Self::Describe,
        Self::Commit,
        Self::Unlabel,
        Self::Remove,
        Self::Delete,
    ];

    async fn make(self, store: &dyn Store, project: &ProjectName) {
        let (first, second) = (bundle("- func: a() -> ()\n"), bundle("- func: b() -> ()\n"));
        let main = LabelRequest::new(label("main"), None);
        match self {
            Self::Ingest => {
                for files in [&first, &second] {
                    let outcome = store.ingest(project, files, Some(&main), 1).await;
                    assert!(outcome.unwrap().created);
                }
            }
            Self::Move => {
                let moved = store.set_label(project, &main, first.digest(), 2).await;
                assert_eq!(moved.unwrap().label.digest, first.digest());
            }
            Self::Describe => {
                let change = ProjectChange {
                    description: Edit::Set(Some("described".to_owned())),
                    ..ProjectChange::default()
                };
                store.update_project(project, change).await.unwrap();
            }
            Self::Commit => {
                let commit = NewCommit {
                    commit: CommitRecord {
                        id: "1".repeat(40),
                        release: None,
                        author_date: 1,
                        subject: "first".to_owned(),
                    },
                    position: 1,
                    files: Prepared::of(&bundle("- func: c() -> ()\n")),
                };
                store
                    .ingest_commits(project, &[commit], &mut KnownParts::default(), 3)
                    .await
                    .unwrap();
            }
            Self::Unlabel => {
                let label = label("main");
                let taken = store.delete_label(project, &label, Expected::Anything);
                taken.await.unwrap();
            }
            Self::Remove => {
                let removed = store.delete_revision(project, second.digest());
                removed.await.unwrap();
            }
            Self::Delete => store.delete_project(project).await.unwrap(),
        }
    }
}

/// Every change through one store is told by the mark of another as soon as it is acknowledged.
async fn changes_are_told(writer: &dyn Store, reader: &dyn Store) {
    let project = new_project(writer, "marked").await;
    reader.watch();
    writer.watch();
    for change in Change::ALL {
        // Marks of two stores cannot be compared.
        let (before, own) = (mark(reader).await, mark(writer).await);
        let _ = reader.labels(&project).await.unwrap();
        let still = reader.mark().await;
        assert!(
            still.is_none_or(|still| still == before),
            "nothing happened"
        );
        change.make(writer, &project).await;
        assert_ne!(reader.mark().await, Some(before), "{change:?}");
        assert_ne!(writer.mark().await, Some(own), "{change:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_tells_what_other_connections_commit() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let [writer, reader] = [
        SqliteStore::open(&url).await.unwrap(),
        SqliteStore::open(&url).await.unwrap(),
    ];
    assert_eq!(reader.mark().await, None, "nobody watches yet");
    changes_are_told(&writer, &reader).await;
    // Its own as well.
    new_project(&reader, "own").await;
    let before = mark(&reader).await;
    let change = ProjectChange {
        description: Edit::Set(Some("own".to_owned())),
        ..ProjectChange::default()
    };
    let own = name("own");
    let changed = reader.update_project(&own, change);
    changed.await.unwrap();
    assert_ne!(reader.mark().await, Some(before));
}

#[tokio::test]
async fn a_log_that_was_deleted_tells_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("opatlas.db");
    let url = format!("sqlite://{}", file.display());
    let store = SqliteStore::open(&url).await.unwrap();
    store.watch();
    assert!(store.mark().await.is_some());
    std::fs::remove_file(folder.path().join("opatlas.db-wal")).unwrap();
    assert_eq!(store.mark().await, None);
    let memory = SqliteStore::open("sqlite::memory:").await.unwrap();
    memory.watch();
    assert_eq!(memory.mark().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn replicas_tell_what_others_commit() {
    let Some(cluster) = postgres::shared() else {
        return;
    };
    let url = cluster.database().await;
    let [writer, reader] = [
        PostgresStore::open(&url).await.unwrap(),
        PostgresStore::open(&url).await.unwrap(),
    ];
    assert_eq!(reader.mark().await, None, "nobody watches yet");
    changes_are_told(&writer, &reader).await;
    reader.close().await;
    assert_eq!(reader.mark().await, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_writers_wait_for_all_replicas() {
    let Some(cluster) = postgres::shared() else {
        return;
    };
    let url = cluster.database().await;
    let mut replicas: Vec<Arc<dyn Store>> = Vec::new();
    for _ in 0..3 {
        let store = PostgresStore::open(&url).await.unwrap();
        store.watch();
        replicas.push(Arc::new(store));
    }
    let project = new_project(&*replicas[0], "many").await;
    let mut writers = tokio::task::JoinSet::new();
    for (at, store) in replicas.iter().enumerate() {
        let (store, others, project) = (Arc::clone(store), replicas.clone(), project.clone());
        writers.spawn(async move {
            let own = label(&format!("main-{at}"));
            for round in 0..20usize {
                let mut marks = Vec::new();
                for other in &others {
                    marks.push(other.mark().await);
                }
                let request = LabelRequest::new(own.clone(), None);
                let files = bundle(format!("- {at} {round}\n"));
                let stored = store.ingest(&project, &files, Some(&request), 1).await;
                stored.unwrap();
                for (other, before) in others.iter().zip(marks) {
                    let now = other.mark().await;
                    assert!(now.is_none() || now != before, "{at} {round}");
                    let seen = other.label(&project, &own).await.unwrap();
                    assert_eq!(seen.digest, files.digest());
                }
            }
        });
    }
    writers.join_all().await;
    // When all is quiet, all may answer from memory again.
    for replica in &replicas {
        mark(&**replica).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_replica_that_hangs_does_not_hold_up_writers() {
    let Some(cluster) = postgres::shared() else {
        return;
    };
    let url = cluster.database().await;
    let store = PostgresStore::open(&url).await.unwrap();
    let project = new_project(&store, "held").await;
    let mut hanging = PgConnection::connect(&url).await.unwrap();
    sqlx::query("SELECT pg_advisory_lock_shared($1)")
        .bind(LEASE)
        .execute(&mut hanging)
        .await
        .unwrap();
    let files = bundle("- func: a() -> ()\n");
    let request = LabelRequest::new(label("main"), None);
    let stored = store.ingest(&project, &files, Some(&request), 1).await;
    assert!(stored.unwrap().created);
    let seen = store.label(&project, &label("main")).await.unwrap();
    assert_eq!(seen.digest, files.digest());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_database_there_is_no_mark() {
    let Some(cluster) = Cluster::start_new() else {
        return;
    };
    let store = PostgresStore::open(&cluster.database().await)
        .await
        .unwrap();
    store.watch();
    let before = mark(&store).await;
    cluster.stop();
    while store.mark().await.is_some() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    cluster.start();
    assert_ne!(mark(&store).await, before);
}
