//! Questions about several real releases, asked of one database.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::program::succeeds;

const LABELS: [&str; 4] = ["2.9.0", "2.12.1", "2.14.1", "2.15.0"];

/// A folder with a database of [`LABELS`]; `None` where they were not fetched.
fn stored() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    for label in LABELS {
        opatlas_conformance::release(label)?;
        import(folder.path(), label, label);
    }
    Some(folder)
}

fn files(release: &str) -> PathBuf {
    opatlas_conformance::releases_dir().join(release)
}

fn import(folder: &Path, release: &str, label: &str) {
    let files = files(release);
    let files = files.to_str().unwrap();
    succeeds(folder, &["import", "--dir", files, "--label", label]);
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    let text = succeeds(folder, &[arguments, &["--format", "json"]].concat());
    serde_json::from_str(&text).unwrap()
}

fn has(list: &Value, name: &str) -> bool {
    list.as_array().unwrap().iter().any(|item| item == name)
}

/// Steps of a history are rows, too, and the first of a timeline has no base.
#[test]
fn a_database_with_histories_can_be_restored() {
    let Some(folder) = stored() else { return };
    let folder = folder.path();
    succeeds(folder, &["history", "bmm"]);
    succeeds(folder, &["trends", "--key", "MPS"]);
    succeeds(folder, &["backup", "saved.backup"]);
    let restore = ["restore", "saved.backup", "--database", "sqlite://new.db"];
    assert!(succeeds(folder, &restore).contains("4 labels"));
    assert!(succeeds(folder, &["doctor"]).contains("no faults"));
}

#[test]
fn a_key_keeps_the_events_of_operators_that_follow() {
    let Some(folder) = stored() else { return };
    for operator in ["gcd", "linalg_eigh", "linalg_svd"] {
        let of_key = succeeds(folder.path(), &["history", operator, "-k", "MPS"]);
        assert!(of_key.contains("it now works on MPS"), "{of_key}");
        let other = succeeds(folder.path(), &["history", operator, "-k", "CPU"]);
        assert!(other.contains("never changed"), "{other}");
    }
}

#[test]
fn gains_are_verdicts_that_improved() {
    let Some(folder) = stored() else { return };
    let gaps = json(folder.path(), &["gaps", "MPS", "--since", "2.9.0"]);
    let since = &gaps["since"];
    for gained in ["linalg_svd", "logspace", "frexp.Tensor", "_cdist_backward"] {
        assert!(has(&since["gained"], gained), "{gained}");
    }
    // It has a kernel of its own now, and worked before.
    assert!(!has(&since["gained"], "native_group_norm"));
    let back = json(
        folder.path(),
        &["gaps", "MPS", "-r", "2.9.0", "--since", "2.15.0"],
    );
    assert_eq!(back["since"]["lost"], since["gained"]);
    assert_eq!(back["since"]["gained"], since["lost"]);
}

#[test]
fn what_was_unknown_is_not_gained() {
    let Some(folder) = stored() else { return };
    let folder = folder.path();
    let gaps = json(folder, &["gaps", "XPU", "--since", "2.12.1"]);
    assert!(!has(&gaps["since"]["gained"], "add.Tensor"));
    assert!(has(&gaps["since"]["was_unknown"], "add.Tensor"));
    let text = succeeds(folder, &["gaps", "XPU", "--since", "2.12.1"]);
    assert!(text.contains("that work now were unknown"), "{text}");
    let support = ["support", "add.Tensor", "linalg_svd", "-k", "XPU,MPS"];
    let text = succeeds(folder, &support);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = text.lines().map(words).collect();
    assert_eq!(
        lines[2],
        "add.Tensor XPU yes 2.14.1 or before 2.14.1 or before"
    );
    assert!(
        lines.contains(&"linalg_svd MPS yes 2.14.1 -".to_owned()),
        "{text}"
    );
    let csv = succeeds(folder, &[&support[..], &["--format", "csv"]].concat());
    assert!(csv.contains("add.Tensor,XPU,true,2.14.1,2.14.1,") && csv.contains(",yes,true,true"));
    let markdown = succeeds(folder, &[&support[..], &["--format", "markdown"]].concat());
    assert!(
        markdown.contains("kernel since 2.14.1 or earlier"),
        "{markdown}"
    );
}

#[test]
fn counts_of_gaps_do_not_depend_on_the_limit() {
    let Some(folder) = stored() else { return };
    let folder = folder.path();
    for format in ["text", "markdown"] {
        let gaps = ["gaps", "PrivateUse1", "-n", "3", "-f", format];
        let text = succeeds(folder, &gaps);
        assert!(text.contains("whether 2590 operators work"), "{text}");
        assert!(text.lines().count() < 30, "{text}");
    }
    let gaps = succeeds(folder, &["gaps", "MPS", "-r", "2.9.0", "-n", "1"]);
    let trends = succeeds(folder, &["trends", "-k", "MPS", "--to", "2.9.0"]);
    let last: Vec<&str> = trends.lines().last().unwrap().split_whitespace().collect();
    assert!(gaps.contains("30 work in part, 267 fail,"), "{gaps}");
    assert!(last.contains(&"267") && last.contains(&"30"), "{trends}");
}
