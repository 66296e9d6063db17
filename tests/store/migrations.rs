//! Both databases have the same tables.

use std::collections::BTreeMap;
use std::path::Path;

use sqlx::{Connection as _, PgConnection, SqliteConnection};

use crate::postgres;

fn names(database: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("migrations")
        .join(database);
    let files = std::fs::read_dir(folder).unwrap();
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
    opatlas::store::open(&url).await.unwrap().close().await;
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
    opatlas::store::open(&url).await.unwrap().close().await;
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
