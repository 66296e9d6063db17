//! `opatlas import torch==VERSION`: the label, the progress, and what Ctrl-C leaves.

use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::cli::program::{on_a_terminal, opatlas, refusal, stderr, succeeds};
use crate::common::index::{Index, ONE, OPERATORS, Reply, name, page, wheel};

/// Waits until a file is there.
fn await_file(path: &Path) {
    for _ in 0..6000 {
        if path.exists() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("{} did not appear", path.display());
}

/// An index with torch 2.9.0, which sends the second half of the wheel when the file is there.
fn held(gate: &Path) -> Index {
    let gate = gate.to_owned();
    let wheels = vec![(name("2.9.0"), wheel(&[(OPERATORS, ONE)]))];
    Index::start(move |path, _| match path {
        "/simple/torch/" => Reply::Body("text/html", page(&wheels).into_bytes()),
        _ => Reply::Half(wheels[0].1.clone(), gate.clone()),
    })
}

fn entries(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[cfg(unix)]
#[test]
fn an_interrupted_import_leaves_nothing_behind() {
    for (signal, code) in [("INT", 130), ("TERM", 143)] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        std::fs::create_dir(folder.join("tmp")).unwrap();
        held(&folder.join("go")).write_configuration(folder);
        let child = opatlas(folder)
            .args(["import", "torch==2.9.0"])
            .env("TMPDIR", folder.join("tmp"))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        await_file(&folder.join("go.started"));
        let id = child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
        assert_eq!(entries(&folder.join("tmp")), [""; 0]);
    }
}

#[test]
fn a_release_has_one_label_however_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    Index::of_release("2.9.0", &[(OPERATORS, ONE)]).write_configuration(folder);
    let import = |release: &str| succeeds(folder, &["import", release, "--cache", "cache"]);
    assert!(import("torch==2.9").starts_with("pytorch 2.9.0: "));
    assert!(import("torch==2.9.0").contains("already stored"));
    assert!(import("torch==v2.9").contains("already stored"));
    assert_eq!(entries(&folder.join("cache")), ["2.9.0"]);
    let said = refusal(folder, &["export", "2.9", "--file", "tags.yaml"]);
    assert!(said.contains("pytorch 2.9.0 has no"), "{said}");
}

#[test]
fn progress_promises_nothing_before_something_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let gate = folder.join("go");
    held(&gate).write_configuration(folder);
    let arguments = ["import", "torch==2.9.0"];
    let opening = thread::spawn(move || {
        await_file(&gate.with_extension("started"));
        // Long enough for the progress bar to be drawn.
        thread::sleep(Duration::from_millis(500));
        std::fs::write(gate, "").unwrap();
    });
    let shown = on_a_terminal(folder, &[], &arguments);
    opening.join().unwrap();
    assert!(
        shown.contains("fetching torch 2.9.0 (0 of 1 done, 0s)"),
        "{shown}"
    );
    assert!(!shown.contains("left"), "{shown}");
    // A terminal that cannot change a line shows only the result.
    let shown = on_a_terminal(folder, &[("TERM", "dumb")], &arguments);
    assert!(
        !shown.contains("fetching") && shown.contains("already stored"),
        "{shown}"
    );
}
