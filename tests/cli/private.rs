//! Only the owner of a database can read it, and `opatlas doctor` reports everything else.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use opatlas_source::Bundle;
use opatlas_store::{LabelName, LabelRequest, ProjectName, SqliteStore, Store as _};

use crate::cli::program::{clean, opatlas, run, stdout, succeeds};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o7777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// The program under another umask.
fn under(umask: &str, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = clean("sh", folder);
    let script = format!("umask {umask}; exec \"$@\"");
    let program = opatlas(folder).get_program().to_owned();
    command.args(["-c", &script, "sh"]).arg(program);
    command.args(arguments);
    command
}

#[test]
fn a_database_and_its_backup_are_private_under_any_umask() {
    for umask in ["000", "022", "077"] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let restore = ["restore", "saved.backup", "--database", "sqlite://new.db"];
        for arguments in [
            &["import", "--sample"][..],
            &[
                "token",
                "create",
                "ci",
                "--all-projects",
                "--action",
                "read",
            ],
            &["backup", "saved.backup"],
            &restore,
        ] {
            let done = under(umask, folder, arguments).output().unwrap();
            assert!(done.status.success(), "{umask} {arguments:?}: {done:?}");
        }
        for file in ["opatlas.db", "saved.backup", "new.db"] {
            assert_eq!(mode(&folder.join(file)), 0o600, "{file} with umask {umask}");
        }
        assert!(succeeds(folder, &["doctor"]).contains("no faults"));
    }
}

#[test]
fn the_files_of_an_open_database_are_private() {
    use std::io::{BufRead as _, BufReader};
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut serve = under("000", folder, &["serve", "--listen", "127.0.0.1:0"]);
    let serve = serve.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = serve.spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    lines.next().unwrap().unwrap();
    let modes = ["opatlas.db", "opatlas.db-wal", "opatlas.db-shm"].map(|file| {
        let path = folder.join(file);
        (file, path.exists().then(|| mode(&path)))
    });
    server.kill().unwrap();
    server.wait().unwrap();
    for (file, mode) in modes {
        assert_eq!(mode, Some(0o600), "{file}");
    }
}

#[test]
fn doctor_reports_other_modes_until_the_database_is_opened_to_change_it() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["import", "--sample"]);
    let database = folder.join("opatlas.db");
    set_mode(&database, 0o644);
    set_mode(folder, 0o777);
    let found = run(folder, &["doctor"]);
    let said = stdout(&found);
    assert_eq!(found.status.code(), Some(1), "{said}");
    assert!(
        said.contains("has mode 0644") && said.contains("chmod 600"),
        "{said}"
    );
    assert!(
        said.contains("every user can write in the folder"),
        "{said}"
    );
    assert_eq!(
        mode(&database),
        0o644,
        "a command that reads changes nothing"
    );
    set_mode(folder, 0o700);
    succeeds(folder, &["import", "--sample"]);
    assert_eq!(mode(&database), 0o600);
    succeeds(folder, &["doctor"]);
}

/// A dangling link to a database is followed.
#[test]
fn a_database_behind_a_link_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    std::fs::create_dir(folder.join("data")).unwrap();
    std::os::unix::fs::symlink("data/real.db", folder.join("opatlas.db")).unwrap();
    let done = under("000", folder, &["import", "--sample"])
        .output()
        .unwrap();
    assert!(done.status.success(), "{done:?}");
    assert_eq!(mode(&folder.join("data/real.db")), 0o600);
}

/// An earlier version accepted labels that look like commits. A backup keeps them.
#[tokio::test]
async fn a_backup_keeps_a_label_that_looks_like_a_commit() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    succeeds(folder, &["import", "--sample"]);
    let url = format!("sqlite://{}", folder.join("opatlas.db").display());
    let store = SqliteStore::open(&url).await.unwrap();
    let project = ProjectName::parse("pytorch").unwrap();
    let files = Bundle::of_native_functions(b"- func: named(Tensor self) -> Tensor\n".as_slice());
    let label = LabelRequest::new(LabelName::parse("c0ffee1").unwrap(), None);
    store
        .ingest(&project, &files, Some(&label), 1)
        .await
        .unwrap();
    store.close().await;

    succeeds(folder, &["backup", "saved.backup"]);
    let there = ["--database", "sqlite://new.db"];
    let restored = succeeds(folder, &[&["restore", "saved.backup"][..], &there].concat());
    assert!(restored.contains("2 labels"), "{restored}");
    let reported = run(folder, &[&["doctor"][..], &there].concat());
    for said in [&restored, &stdout(&reported)] {
        assert!(
            said.contains("label `c0ffee1` of project `pytorch`"),
            "{said}"
        );
    }
    assert_eq!(reported.status.code(), Some(1));
    let file = ["export", "c0ffee1", "--file", "native_functions.yaml"];
    assert!(succeeds(folder, &[&file[..], &there].concat()).contains("named"));
}
