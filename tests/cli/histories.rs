//! Whole histories on the command line: releases and commits in one go, and what can be asked of
//! them.

use std::path::{Path, PathBuf};

use crate::cli::program::{refusal, run, stderr, stdout, succeeds};
use crate::common::git::git;
use crate::common::index::{Index, ONE, OPERATORS, Reply, name, serve, wheel};

/// An index with four releases, of which one cannot be downloaded until a file is there.
fn of_four_releases(mended: PathBuf) -> Index {
    let entry = |rest: &str| format!("- func: one(Tensor self{rest}\n");
    let releases = [
        ("2.7.0", ONE.to_owned()),
        ("2.8.0", entry(", int n=0) -> Tensor")),
        ("2.9.0", entry(", int n=0, int m=0) -> Tensor")),
        (
            "2.10.0",
            entry(", int n=0, int m=0) -> Tensor\n  tags: core"),
        ),
    ];
    let wheels = releases.map(|(version, text)| (name(version), wheel(&[(OPERATORS, &text)])));
    Index::start(move |path, _| match path {
        path if path.contains("2.8.0") && !mended.exists() => {
            Reply::Status("403 Forbidden", String::new())
        }
        path => serve(&wheels, path),
    })
}

#[test]
fn all_releases_come_with_one_command_which_goes_on_after_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let index = of_four_releases(folder.join("mended"));
    index.write_configuration(folder);
    let import = ["import", "torch==2.7.0..latest"];
    let output = run(folder, &import);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("403 Forbidden") && said.contains("1 of 4 releases"),
        "{said}"
    );
    assert_eq!(stdout(&output).lines().count(), 3);
    std::fs::write(folder.join("mended"), "").unwrap();
    let before = index.paths().len();
    assert!(succeeds(folder, &import).contains("pytorch 2.8.0"));
    let wheel = format!("/files/{}", name("2.8.0"));
    assert_eq!(
        index.paths()[before..],
        ["/simple/torch/".to_owned(), wheel]
    );
    insta::assert_snapshot!(succeeds(folder, &["history", "one"]));
    let part = succeeds(
        folder,
        &["history", "one", "--from", "2.8", "--to", "2.9.0"],
    );
    assert!(
        !part.contains("core") && !part.contains("first revision"),
        "{part}"
    );
    let json = succeeds(
        folder,
        &["history", "one", "--key", "CPU", "--format", "json"],
    );
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["ranges"][1]["reason"], "math kernel");
    let said = refusal(folder, &["import", "torch==2.7.0..2.99.0"]);
    assert!(
        said.contains("no torch 2.99.0") && said.contains("2.10.0"),
        "{said}"
    );
    assert!(refusal(folder, &["history", "onee"]).contains("Did you mean `one`?"));
    assert!(refusal(folder, &["history", "one", "--from", "2.3"]).contains("has no `2.3`"));
    let gaps = succeeds(folder, &["gaps", "MPS", "--since", "2.7.0"]);
    assert!(
        gaps.contains("1 are unknown") && gaps.contains("core"),
        "{gaps}"
    );
}

fn commit(repository: &Path, text: &str, subject: &str) {
    let file = repository.join("ops/native_functions.yaml");
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
    git(repository, &["add", "-A"]);
    let date = "2026-02-03T04:05:06Z";
    git(
        repository,
        &[
            "commit",
            "-q",
            "--date",
            date,
            "-m",
            subject,
            "--allow-empty",
        ],
    );
}

#[test]
fn commits_of_a_clone_make_a_history() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let repository = folder.join("repo");
    std::fs::create_dir(&repository).unwrap();
    git(&repository, &["init", "-q"]);
    let one = "- func: one(Tensor self) -> Tensor\n";
    let two = "- func: two(Tensor self) -> Tensor\n";
    commit(&repository, one, "Begin; with \"quotes\" and\tmore");
    commit(&repository, &format!("{one}{two}"), "Add two");
    commit(&repository, &format!("{one}{two}"), "Touch nothing");
    commit(&repository, "{ no list", "Break it");
    let import = [
        "import",
        "--git",
        "repo",
        "--path",
        "ops/native_functions.yaml",
    ];
    let output = run(folder, &import);
    let said = stderr(&output);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("skipped commit"), "{said}");
    let told = stdout(&output);
    assert!(
        told.contains("2 commits stored, 0 already stored, 1 skipped"),
        "{told}"
    );
    commit(&repository, two, "Drop one");
    let told = succeeds(folder, &import);
    assert!(
        told.contains("1 commits stored, 2 already stored, 1 skipped"),
        "{told}"
    );
    let json = succeeds(folder, &["history", "one", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["line"], "commits");
    let event = &json["events"][0];
    assert_eq!(
        (event["kind"].as_str(), event["commit"]["subject"].as_str()),
        (Some("removed"), Some("Drop one"))
    );
    assert_eq!(event["date"], "2026-02-03T04:05:06Z");
    assert_eq!(
        json["from"]["commit"]["subject"],
        "Begin; with \"quotes\" and\tmore"
    );
    let said = refusal(
        folder,
        &["import", "--git", "repo", "--path", "nowhere.yaml"],
    );
    assert!(
        said.contains("touches nowhere.yaml") && said.contains("--path"),
        "{said}"
    );
    let said = refusal(folder, &["import", "--git", "repo", "--range", "v1..v2"]);
    assert!(said.contains("has no commits v1..v2"), "{said}");
    let said = refusal(folder, &["import", "--git", "nowhere"]);
    assert!(said.contains("nowhere"), "{said}");
}

#[test]
fn a_vendor_sees_what_an_upgrade_costs() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write(
        "old.yaml",
        "- func: scale(Tensor self) -> Tensor\n  dispatch:\n    CPU: scale\n- func: old(Tensor self) -> Tensor\n  dispatch:\n    CPU: old\n",
    );
    write(
        "new.yaml",
        "- func: scale(Tensor self, int n=0) -> Tensor\n  dispatch:\n    CPU: scale\n- func: olden(Tensor self) -> Tensor\n  dispatch:\n    CPU: olden\n- func: any_of(Tensor self) -> Tensor\n",
    );
    write(
        "acme.yaml",
        "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n- scale\n- old\n",
    );
    let compare = ["compare", "--backend", "acme.yaml", "old.yaml", "new.yaml"];
    let output = run(folder, &compare);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    insta::assert_snapshot!(stdout(&output));
    // As a project of its own, over a stored revision.
    std::fs::create_dir(folder.join("base")).unwrap();
    std::fs::rename(
        folder.join("old.yaml"),
        folder.join("base/native_functions.yaml"),
    )
    .unwrap();
    succeeds(folder, &["import", "--dir", "base", "--label", "2.9.0"]);
    let lay = [
        "import",
        "--project",
        "acme-npu",
        "--backend",
        "acme.yaml",
        "--over",
        "2.9.0",
    ];
    assert!(succeeds(folder, &lay).contains("acme-npu 2.9.0: 2 declared"));
    let table = succeeds(
        folder,
        &["table", "--backend", "PrivateUse1", "--project", "acme-npu"],
    );
    assert!(table.contains("2  kernel"), "{table}");
    write(
        "odd.yaml",
        "backend: Acme\ncpp_namespace: acme\nsupported:\n- scale\n",
    );
    let said = refusal(
        folder,
        &["compare", "--backend", "odd.yaml", "2.9.0", "new.yaml"],
    );
    assert!(
        said.contains("no dispatch key `Acme`") && said.contains("Did you mean"),
        "{said}"
    );
    // The profile of opatlas.toml says what the name means.
    write(
        "opatlas.toml",
        "[vendor]\nname = \"Acme\"\nkey = \"PrivateUse1\"\nspellings = [\"Acme\"]\nnamespace = \"acme\"\n",
    );
    let output = run(
        folder,
        &["compare", "--backend", "odd.yaml", "2.9.0", "new.yaml"],
    );
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("scale"), "{}", stdout(&output));
}
