//! What commands that read do to the file that `--database` names: nothing, whatever it is.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use sqlx::{Connection as _, Executor as _, SqliteConnection};

use crate::cli::program::run;

/// Commands that read, and those that change only what is there.
const COMMANDS: [&[&str]; 11] = [
    &["table", "one"],
    &["compare", "main", "latest"],
    &["history", "one"],
    &["gaps", "CUDA"],
    &["export", "latest", "--file", "native_functions.yaml"],
    &["exception", "list"],
    &["exception", "remove", "x"],
    &["doctor"],
    &["backup", "saved.backup"],
    &["token", "list"],
    &["gc", "--dry-run"],
];

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// Every file of a folder with its bytes. SQLite's own notes beside a database say nothing: a reader that
/// ends before its connections are closed leaves them, with an empty log.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = files.filter(|file| {
        let name = file.file_name().into_string().unwrap();
        let is_empty = || file.metadata().unwrap().len() == 0;
        !(name.ends_with("-shm") || name.ends_with("-wal") && is_empty())
    });
    let files = files.map(|file| {
        let name = file.file_name().into_string().unwrap();
        (name, std::fs::read(file.path()).unwrap())
    });
    files.collect()
}

/// Every command says this of the database, leaves all files as they are and adds none.
fn refused_by_all(folder: &Path, reason: &str) {
    let before = files(folder);
    for command in COMMANDS {
        let output = run(
            folder,
            &[command, &["--database", "sqlite://it.db"]].concat(),
        );
        let said = said(&output);
        assert_eq!(output.status.code(), Some(2), "{command:?}: {said}");
        assert!(said.contains(reason), "{command:?}: {said}");
        assert!(said.contains("it.db"), "{command:?}: {said}");
        assert!(files(folder) == before, "{command:?} changed a file");
        let log = folder.join("it.db-wal");
        assert!(!log.exists(), "{command:?} left a log");
    }
}

async fn raw(folder: &Path) -> SqliteConnection {
    let url = format!("sqlite://{}?mode=rwc", folder.join("it.db").display());
    SqliteConnection::connect(&url).await.unwrap()
}

#[test]
fn a_mistyped_name_makes_no_database() {
    let folder = tempfile::tempdir().unwrap();
    refused_by_all(folder.path(), "does not exist");
}

#[tokio::test]
async fn a_database_of_another_program_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = raw(folder.path()).await;
    other
        .execute("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')")
        .await
        .unwrap();
    other.close().await.unwrap();
    refused_by_all(folder.path(), "is not an Opatlas database");
    // Nor is it taken over by a command that makes databases.
    let before = files(folder.path());
    std::fs::create_dir(folder.path().join("new")).unwrap();
    let native = folder.path().join("new/native_functions.yaml");
    std::fs::write(native, "- func: one(Tensor self) -> Tensor\n").unwrap();
    let import = ["import", "--dir", "new", "--label", "main"];
    let database = ["--database", "sqlite://it.db"];
    let output = run(folder.path(), &[&import[..], &database].concat());
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    std::fs::remove_dir_all(folder.path().join("new")).unwrap();
    assert!(files(folder.path()) == before);
}

/// Another program may keep its migrations in a table of the same name.
#[tokio::test]
async fn migrations_of_another_program_are_known_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let mut other = raw(folder.path()).await;
    other
        .execute(
            "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, checksum BLOB NOT NULL); \
             INSERT INTO _sqlx_migrations VALUES (1, x'00')",
        )
        .await
        .unwrap();
    other.close().await.unwrap();
    refused_by_all(folder.path(), "is not an Opatlas database");
}

#[test]
fn files_that_are_no_databases_stay_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("it.db");
    std::fs::write(&file, "- func: one(Tensor self) -> Tensor\n".repeat(100)).unwrap();
    refused_by_all(folder.path(), "not an SQLite database");
    std::fs::write(&file, "").unwrap();
    refused_by_all(folder.path(), "is not an Opatlas database");
}

fn import(folder: &Path) {
    std::fs::create_dir_all(folder.join("new")).unwrap();
    let native = folder.join("new/native_functions.yaml");
    std::fs::write(native, "- func: one(Tensor self) -> Tensor\n").unwrap();
    let import = ["import", "--dir", "new", "--label", "2.9.0"];
    let database = ["--database", "sqlite://it.db"];
    let output = run(folder, &[&import[..], &database].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    std::fs::remove_dir_all(folder.join("new")).unwrap();
}

#[tokio::test]
async fn an_older_database_is_brought_up_to_date_by_no_reader() {
    let folder = tempfile::tempdir().unwrap();
    import(folder.path());
    let mut past = raw(folder.path()).await;
    let last =
        "DELETE FROM _sqlx_migrations WHERE version = (SELECT max(version) FROM _sqlx_migrations)";
    past.execute(last).await.unwrap();
    past.close().await.unwrap();
    refused_by_all(folder.path(), "an older version of Opatlas wrote");
}

#[test]
fn a_reader_leaves_the_database_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    import(folder.path());
    let before = files(folder.path());
    for command in COMMANDS {
        // These two write what was not there before; the last is about an exception.
        if matches!(command[0], "history" | "backup") || command[1..] == ["remove", "x"] {
            continue;
        }
        let output = run(
            folder.path(),
            &[command, &["--database", "sqlite://it.db"]].concat(),
        );
        let said = said(&output);
        assert!(!said.contains("cannot open"), "{command:?}: {said}");
        assert!(files(folder.path()) == before, "{command:?} changed a file");
    }
}
