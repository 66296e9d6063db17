//! `opatlas ways`, and gaps and histories of ways, as their users run them.

use std::path::Path;

use crate::cli::program::{run, stderr, succeeds};

/// Two operators that no registry has, the first one tagged `core`, and one that DTensor has had a
/// strategy for since 2.14.
const OPERATORS: &str = "\
- func: hub(Tensor self) -> Tensor
  dispatch:
    CPU: hub
  tags: core
- func: blend(Tensor self) -> Tensor
  dispatch:
    CPU: blend
- func: argmax.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)
";

/// A folder with a database of two releases.
fn stored() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    std::fs::create_dir(path.join("files")).unwrap();
    std::fs::write(path.join("files/native_functions.yaml"), OPERATORS).unwrap();
    for label in ["2.13.0", "2.14.0"] {
        let import = ["import", "--dir", "files", "--label", label];
        succeeds(path, &import);
    }
    folder
}

fn refusal(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    stderr(&output)
}

#[test]
fn gaps_of_a_way_are_listed() {
    let folder = stored();
    let folder = folder.path();
    assert_eq!(
        succeeds(folder, &["gaps", "--way", "inductor"]),
        "What Inductor lacks in pytorch 2.14.0: 2 of 3 operators, 1 of them core; 0 are unknown\n  \
         hub  implicit fallback: it is tagged `core` and has neither a lowering nor a decomposition: \
         Inductor calls the eager kernel\n  \
         blend  implicit fallback: it has neither a lowering nor a decomposition: Inductor calls the \
         eager kernel without a warning\n"
    );
    let one = succeeds(folder, &["gaps", "--way", "inductor", "--limit", "1"]);
    assert!(
        one.ends_with("  and 1 more; --limit 0 lists all\n"),
        "{one}"
    );
    let core = ["gaps", "--way", "inductor", "--tag", "core"];
    let csv = succeeds(folder, &[&core[..], &["--format", "csv"]].concat());
    assert_eq!(csv.lines().count(), 2, "{csv}");
    let json = succeeds(folder, &[&core[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["counts"]["missing"], 1);
    assert_eq!(json["items"][0]["operator"], "hub");
    let same = ["ways", "--way", "inductor", "--missing", "--format", "csv"];
    assert_eq!(succeeds(folder, &same).lines().count(), 3);
}

#[test]
fn what_does_not_exist_is_refused() {
    let folder = stored();
    let folder = folder.path();
    let said = refusal(folder, &["gaps", "--way", "inducter"]);
    assert!(said.contains("unknown way `inducter`"), "{said}");
    let said = refusal(folder, &["gaps", "--way", "vmap", "--tag", "cor"]);
    assert!(said.contains("cor"), "{said}");
    let said = refusal(folder, &["gaps", "MPS", "--way", "vmap"]);
    assert!(said.contains("cannot be used with"), "{said}");
    assert!(refusal(folder, &["gaps"]).contains("KEY"));
}

#[test]
fn a_history_ends_with_changes_of_fate() {
    let folder = stored();
    let history = succeeds(folder.path(), &["history", "argmax.out"]);
    let (_, ways) = history.split_once("Ways to run it, by release:\n").unwrap();
    assert!(
        ways.contains("  2.14    gained its sharding strategy: `none` became `rule`\n"),
        "{ways}"
    );
    let history = succeeds(folder.path(), &["history", "blend"]);
    assert!(!history.contains("Ways"), "{history}");
}
