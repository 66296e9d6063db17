//! Backups whose names no command could have given.

use std::fs;

use opatlas_source::Bundle;
use sqlx::{Connection as _, SqliteConnection};

use crate::common::folder::write;
use crate::untrusted::{OLD, run};

/// A change of a backup, and what the refusal says of it.
const CHANGES: [(&str, &str); 6] = [
    ("UPDATE projects SET name = '../../x'", "../../x"),
    (
        "UPDATE projects SET name = 'a' || char(27) || 'b'",
        "a\u{fffd}b",
    ),
    ("UPDATE labels SET name = 'a/b'", "a/b"),
    ("UPDATE labels SET release = '2.9; rm'", "2.9; rm"),
    (
        "UPDATE revision_files SET name = '../tags.yaml'",
        "../tags.yaml",
    ),
    (
        "UPDATE revision_files SET name = 'sources/../x.py'",
        "sources/../x.py",
    ),
];

#[tokio::test]
async fn a_name_outside_its_grammar_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let url = |name: &str| format!("sqlite://{}", path(name).display());
    write(folder.path(), "d/native_functions.yaml", OLD);
    let (first, last) = (url("first.db"), url("last.db"));
    for arguments in [
        &[
            "import",
            "--dir",
            "d",
            "--label",
            "one",
            "--project",
            "acme",
        ][..],
        &["backup", "good.backup"],
    ] {
        let arguments = [arguments, &["--database", &first]].concat();
        let (code, said) = run(folder.path(), &arguments);
        assert_eq!(code, 0, "{said}");
    }
    for (change, name) in CHANGES {
        fs::copy(path("good.backup"), path("bad.backup")).unwrap();
        let mut backup = SqliteConnection::connect(&url("bad.backup")).await.unwrap();
        sqlx::query(change).execute(&mut backup).await.unwrap();
        backup.close().await.unwrap();
        let restore = ["restore", "bad.backup", "--database", &last];
        let (code, said) = run(folder.path(), &restore);
        assert_eq!(code, 2, "{change}: {said}");
        assert!(said.contains(name), "{change}: {said}");
        assert!(!path("last.db").exists(), "{change} leaves a database");
    }
    let (code, said) = run(
        folder.path(),
        &["restore", "good.backup", "--database", &last],
    );
    assert_eq!(code, 0, "{said}");
}

/// A database may be a file from outside as well, and is read where it is.
#[tokio::test]
async fn a_file_is_written_nowhere_else() {
    const NAME: &str = "sources/../../x.py";
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("o.db").display());
    write(folder.path(), "d/native_functions.yaml", OLD);
    let import = ["import", "--dir", "d", "--label", "one", "--database"];
    let (code, said) = run(folder.path(), &[&import[..], &[&url]].concat());
    assert_eq!(code, 0, "{said}");
    let mut bundle = Bundle::of_native_functions(OLD.as_bytes());
    bundle.insert(NAME, OLD.as_bytes());
    let mut database = SqliteConnection::connect(&url).await.unwrap();
    let added = "INSERT INTO revision_files SELECT revision, ?, file FROM revision_files";
    let added = sqlx::query(added).bind(NAME);
    added.execute(&mut database).await.unwrap();
    let digest = bundle.digest().as_bytes().to_vec();
    let named = sqlx::query("UPDATE revisions SET digest = ?").bind(digest);
    named.execute(&mut database).await.unwrap();
    database.close().await.unwrap();
    let export = ["export", "one", "--out", "deep/out", "--database", &url];
    let (code, said) = run(folder.path(), &export);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains(NAME), "{said}");
    assert!(!folder.path().join("deep").exists());
}
