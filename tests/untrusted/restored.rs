//! Backups whose names no command could have given.

use std::fs;

use sqlx::{Connection as _, SqliteConnection};

use crate::folder::write;
use crate::{OLD, run};

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
    // The last one is read where it is: its files have no path outside the folder either.
    let bad = url("bad.backup");
    let export = ["export", "one", "--project", "acme", "--out", "d/out"];
    let arguments = [&export[..], &["--database", &bad]].concat();
    let (code, said) = run(folder.path(), &arguments);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("sources/../x.py"), "{said}");
    assert!(!path("d/out").exists());
    let (code, said) = run(
        folder.path(),
        &["restore", "good.backup", "--database", &last],
    );
    assert_eq!(code, 0, "{said}");
}
