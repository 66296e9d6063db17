//! Damaged pages, and databases of newer programs.

use std::os::unix::fs::FileExt as _;

use sqlx::{Connection as _, Executor as _, SqliteConnection};

use crate::postgres::Cluster;
use crate::served::{Served, opatlas};
use crate::{digest, text};

/// Runs `opatlas doctor`, and gives its exit code and what it said.
fn doctor(database: &str) -> (Option<i32>, String) {
    let output = opatlas()
        .args(["doctor", "--database", database])
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_page_of_sqlite_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("opatlas.db");
    let database = format!("sqlite://{}", file.display());
    {
        let mut server = Served::start(&database);
        server.project("p");
        assert_eq!(server.ingest("p", "label=main", &text(1)).status, 201);
        server.kill();
    }
    // Opening it folds what is still in the log into the file.
    opatlas_store::open(&database).await.unwrap().close().await;
    assert_eq!(doctor(&database).0, Some(0));
    let page: i64 = {
        let mut past = SqliteConnection::connect(&database).await.unwrap();
        let page = sqlx::query_scalar("SELECT rootpage FROM sqlite_schema WHERE name = 'pieces'");
        page.fetch_one(&mut past).await.unwrap()
    };
    let damaged = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
    let at = u64::try_from(page - 1).unwrap() * 4096;
    damaged.write_all_at(&[0xAA; 4096], at).unwrap();
    let (code, said) = doctor(&database);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("damaged"), "{said}");
    let server = Served::start(&database);
    assert_eq!(server.get("/healthz").status, 200);
    assert_eq!(server.get("/v1/projects/p/labels/main").status, 200);
    let problem = server
        .get("/v1/projects/p/revisions/main")
        .problem(500, "internal");
    assert!(
        !problem["detail"].as_str().unwrap().contains("pieces"),
        "{problem}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_page_of_postgresql_is_noticed() {
    let Some(cluster) = Cluster::start_new() else {
        return;
    };
    let database = cluster.database().await;
    {
        let server = Served::start(&database);
        server.project("p");
        assert_eq!(server.ingest("p", "label=main", &text(1)).status, 201);
    }
    assert_eq!(doctor(&database).0, Some(0));
    let page = cluster.file_of(&database, "pieces").await;
    cluster.stop();
    let damaged = std::fs::OpenOptions::new().write(true).open(&page).unwrap();
    damaged.write_all_at(&[0xAA; 512], 0).unwrap();
    cluster.start();
    let (code, said) = doctor(&database);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("damage"), "{said}");
    let server = Served::start(&database);
    assert_eq!(server.get("/v1/projects/p/labels/main").status, 200);
    let path = format!("/v1/projects/p/revisions/sha256:{}", digest(1));
    server.get(&path).problem(500, "internal");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_database_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    opatlas_store::open(&database).await.unwrap().close().await;
    let mut past = SqliteConnection::connect(&database).await.unwrap();
    past.execute(
        "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
         VALUES (9999, 'from the future', TRUE, x'00', 0)",
    )
    .await
    .unwrap();
    let refused = Served::command(&database, &[]).output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(2));
    assert!(said.contains("a newer version of Opatlas wrote"), "{said}");
}

/// What `restore` would refuse, `doctor` reports.
#[tokio::test(flavor = "multi_thread")]
async fn a_name_that_no_command_gives_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let database = format!("sqlite://{}", folder.path().join("opatlas.db").display());
    {
        let server = Served::start(&database);
        server.project("p");
        assert_eq!(server.ingest("p", "label=main", &text(1)).status, 201);
    }
    assert_eq!(doctor(&database).0, Some(0));
    let mut past = SqliteConnection::connect(&database).await.unwrap();
    past.execute("UPDATE labels SET release = '2/9'")
        .await
        .unwrap();
    let (code, said) = doctor(&database);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("`2/9` is not a release"), "{said}");
}
