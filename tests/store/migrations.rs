//! Both databases have the same tables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use opatlas_store::{ProjectName, Store};
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqliteConnection};

use crate::common::postgres;
use crate::store::probe::{holder, shard_of};

fn folder(database: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("migrations").join(database)
}

fn names(database: &str) -> Vec<String> {
    let files = std::fs::read_dir(folder(database)).unwrap();
    let mut names: Vec<_> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn migrations_have_the_same_numbers_and_names() {
    assert_eq!(names("sqlite"), names("postgres"));
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_have_the_same_columns() {
    let Some(cluster) = postgres::shared() else {
        return;
    };
    let url = cluster.database().await;
    opatlas_store::open(&url).await.unwrap().close().await;
    let mut there = PgConnection::connect(&url).await.unwrap();
    let there: Vec<(String, String)> = sqlx::query_as(
        "SELECT table_name::text, column_name::text FROM information_schema.columns \
         WHERE table_schema = 'public' ORDER BY table_name, ordinal_position",
    )
    .fetch_all(&mut there)
    .await
    .unwrap();

    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    opatlas_store::open(&url).await.unwrap().close().await;
    let mut here = SqliteConnection::connect(&url).await.unwrap();
    let here: Vec<(String, String)> = sqlx::query_as(
        "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c \
         WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY t.name, c.cid",
    )
    .fetch_all(&mut here)
    .await
    .unwrap();
    assert_eq!(by_table(here), by_table(there));
}

fn by_table(columns: Vec<(String, String)>) -> BTreeMap<String, Vec<String>> {
    let mut tables: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (table, column) in columns {
        tables.entry(table).or_default().push(column);
    }
    tables
}

/// The migrations of a database up to `last`.
async fn migrations_until(database: &str, last: i64) -> Migrator {
    let all = Migrator::new(folder(database)).await.unwrap();
    let first = all.iter().filter(|migration| migration.version <= last);
    Migrator::with_migrations(first.cloned().collect())
}

/// The first migrations of a database, and what fills it with a project that has steps in the form
/// of that time.
async fn former(database: &str, bytes: &str) -> (Migrator, String) {
    let rows = format!(
        "INSERT INTO projects (name, created_at, stamp) VALUES ('p', 1, 5); \
         INSERT INTO revisions (project, digest, ingested_at) \
         VALUES (1, CAST('{:032}' AS {bytes}), 1); \
         INSERT INTO commits (project, id, position, revision, author_date, subject) \
         VALUES (1, 'aa', 2, 1, 7, 'Second'), (1, 'bb', 1, 1, 7, 'First'); \
         INSERT INTO steps (project, base, head, base_release, head_release, program, facts) \
         VALUES (1, 0, 1, '', '2.9', 6, '{{}}'); \
         INSERT INTO step_operators (project, operator, step, says) VALUES (1, 'add', 1, '{{}}'); \
         INSERT INTO probe_runs (project, name, revision, address, torch, device, lease, created_at) \
         VALUES (1, 'r', 1, '2.9.0', '2.9.0', 'cpu', 100, 1); \
         INSERT INTO probe_shards (run, number, part, items, leases, until, begun, worker) \
         VALUES (1, 0, 'runs', '[\"a\"]', 1, 9000000000000000, 'a', '{{}}')",
        0
    );
    (migrations_until(database, 6).await, rows)
}

/// Steps in a former form are deleted and readers notice; commits keep their order.
async fn is_brought_up_to_date(url: &str) {
    let store = opatlas_store::open(url).await.unwrap();
    let project = ProjectName::parse("p").unwrap();
    assert!(store.steps(&project, 6, None).await.unwrap().is_empty());
    let said = store.steps_said(&project, (0, 9), ("", 0), 9).await;
    assert!(said.unwrap().is_empty());
    let stamp = store.stamp(&project).await.unwrap();
    assert_eq!((stamp.now, stamp.commits, stamp.revisions), (6, 6, 6));
    let commits = store.commits(&project, None).await.unwrap();
    let commits = commits
        .iter()
        .map(|place| (&*place.commit.id, place.position));
    assert_eq!(commits.collect::<Vec<_>>(), [("bb", 1), ("aa", 2)]);
    let last = store.last_commit(&project).await.unwrap().unwrap();
    assert_eq!(last.commit.subject, "Second");
    store
        .place_commits(&project, &[("aa".to_owned(), 0)])
        .await
        .unwrap();
    let first = store.commits(&project, None).await.unwrap().remove(0);
    assert_eq!(first.commit.id, "aa");
    has_no_lease(&*store, &project).await;
    store.close().await;
}

/// Leases without a secret have ended, and count nothing against their items.
async fn has_no_lease(store: &dyn Store, project: &ProjectName) {
    let progress = store.probe_progress(project, "r", 1).await.unwrap();
    assert!(!progress.shards[0].is_leased && progress.items.is_empty());
    let own = holder("secret", None);
    let leased = store.lease_shard(project, "r", &own, "{}", 1).await;
    assert_eq!(shard_of(leased.unwrap().0), 0);
    let released = store.release_lease(project, ("r", 0), &own, 2).await;
    released.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_in_a_former_form_are_taken_away() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let (migrator, rows) = former("sqlite", "BLOB").await;
    let mut old = SqliteConnection::connect(&format!("{url}?mode=rwc"))
        .await
        .unwrap();
    migrator.run(&mut old).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(rows))
        .execute(&mut old)
        .await
        .unwrap();
    old.close().await.unwrap();
    is_brought_up_to_date(&url).await;

    let Some(cluster) = postgres::shared() else {
        return;
    };
    let url = cluster.database().await;
    let (migrator, rows) = former("postgres", "BYTEA").await;
    let mut old = PgConnection::connect(&url).await.unwrap();
    migrator.run(&mut old).await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(rows))
        .execute(&mut old)
        .await
        .unwrap();
    old.close().await.unwrap();
    is_brought_up_to_date(&url).await;
}

/// A revision without files, with findings and a whole file as earlier versions stored them.
fn with_derived_rows(bytes: &str) -> String {
    let empty = opatlas_source::Bundle::default().digest();
    let digest: String = empty
        .as_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let literal = match bytes {
        "BLOB" => format!("X'{digest}'"),
        _ => format!("'\\x{digest}'::bytea"),
    };
    format!(
        "INSERT INTO projects (name, created_at, stamp) VALUES ('p', 1, 5); \
         INSERT INTO revisions (project, digest, ingested_at) VALUES (1, {literal}, 1); \
         INSERT INTO findings (revision, release, program, packed) \
         VALUES (1, '2.9', 'older', CAST('x' AS {bytes})); \
         INSERT INTO files (digest, bytes, runs) VALUES ({literal}, 0, CAST('' AS {bytes})); \
         INSERT INTO whole_files (file, packed) VALUES (1, CAST('x' AS {bytes}))"
    )
}

/// The database opens, and its revision is complete.
async fn has_its_revision(url: &str) {
    let store = opatlas_store::open(url).await.unwrap();
    let project = ProjectName::parse("p").unwrap();
    let empty = opatlas_source::Bundle::default();
    let read = store.bundle(&project, empty.digest()).await.unwrap();
    assert_eq!(read, empty);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_findings_and_whole_files_are_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    let mut old = SqliteConnection::connect(&format!("{url}?mode=rwc"))
        .await
        .unwrap();
    migrations_until("sqlite", 9)
        .await
        .run(&mut old)
        .await
        .unwrap();
    sqlx::raw_sql(AssertSqlSafe(with_derived_rows("BLOB")))
        .execute(&mut old)
        .await
        .unwrap();
    old.close().await.unwrap();
    has_its_revision(&url).await;

    let Some(cluster) = postgres::shared() else {
        return;
    };
    let url = cluster.database().await;
    let mut old = PgConnection::connect(&url).await.unwrap();
    migrations_until("postgres", 9)
        .await
        .run(&mut old)
        .await
        .unwrap();
    sqlx::raw_sql(AssertSqlSafe(with_derived_rows("BYTEA")))
        .execute(&mut old)
        .await
        .unwrap();
    old.close().await.unwrap();
    has_its_revision(&url).await;
}
