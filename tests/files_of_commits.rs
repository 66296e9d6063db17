//! Files that commits delete, empty, or leave with merge conflicts, as `opatlas compare` reports them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::folder::write;
use crate::common::git::git;
use tempfile::TempDir;

const OLD: &str = "- func: can_cast(ScalarType from, ScalarType to) -> bool\n";
const NEW: &str = "- func: can_cast(ScalarType from_, ScalarType to) -> bool\n";
const ATEN: &str = "aten/src/ATen/native";

struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.git(&["init", "--quiet"]);
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, name: &str, text: &str) {
        write(self.path(), name, text);
    }

    fn git(&self, arguments: &[&str]) {
        git(self.path(), arguments);
    }

    /// Commits everything in the folder, and names the commit.
    fn commit(&self, tag: &str) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", tag]);
        self.git(&["tag", tag]);
    }

    /// The exit code, and what was printed.
    fn opatlas(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_opatlas"));
        let command = command.args(arguments).current_dir(self.path());
        let output = command.env("NO_COLOR", "1").output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        (output.status.code().unwrap(), said)
    }
}

/// A repository in PyTorch's layout; `edit` makes the head of it.
fn pull_request(edit: impl FnOnce(&Place)) -> Place {
    let place = Place::new();
    place.write(&format!("{ATEN}/native_functions.yaml"), OLD);
    place.write(&format!("{ATEN}/tags.yaml"), "- tag: core\n  desc: Core.\n");
    place.write("tools/autograd/derivatives.yaml", "[]\n");
    place.commit("base");
    edit(&place);
    place.commit("head");
    place
}

#[test]
fn a_file_that_a_commit_deletes_is_an_error() {
    for (path, name) in [
        (format!("{ATEN}/tags.yaml"), "tags.yaml"),
        (
            "tools/autograd/derivatives.yaml".to_owned(),
            "derivatives.yaml",
        ),
        (
            format!("{ATEN}/native_functions.yaml"),
            "native_functions.yaml",
        ),
    ] {
        let place = pull_request(|place| fs::remove_file(place.path().join(&path)).unwrap());
        let (code, said) = place.opatlas(&["compare", "git:base", "git:head"]);
        assert_eq!(code, 1, "{said}");
        let expected = format!("new error[deleted-file] the head deletes `{name}`");
        assert!(said.contains(&expected), "{said}");
        let (code, said) = place.opatlas(&["compare", "git:head", "git:base"]);
        assert!(name == "native_functions.yaml" || code == 0, "{said}");
    }
}

#[test]
fn a_file_that_moved_with_the_others_is_not_deleted() {
    let place = pull_request(|place| {
        fs::create_dir_all(place.path().join("old/aten/src/ATen")).unwrap();
        place.git(&["mv", ATEN, "old/aten/src/ATen/native"]);
        place.git(&["mv", "tools", "old/tools"]);
    });
    let moved = "git:head:old/aten/src/ATen/native/native_functions.yaml";
    let (code, said) = place.opatlas(&["compare", "git:base", moved]);
    assert_eq!((code, &*said), (0, "no changes (base → head)\n"));
}

/// A vendor's repository has operators but not PyTorch's other files.
#[test]
fn files_that_the_repository_never_had_are_not_deleted() {
    let place = Place::new();
    place.write("operators.yaml", OLD);
    place.commit("head");
    place.write("base/native_functions.yaml", OLD);
    place.write("base/tags.yaml", "- tag: core\n  desc: Core.\n");
    let (code, said) = place.opatlas(&["compare", "base", "git:head:operators.yaml"]);
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("deletes"), "{said}");
}

#[test]
fn an_emptied_file_is_reported_and_removes_every_operator() {
    let place = pull_request(|place| {
        place.write(&format!("{ATEN}/native_functions.yaml"), "# nothing left\n");
    });
    let compare = ["compare", "git:base", "git:head", "--format", "json"];
    let (code, said) = place.opatlas(&compare);
    assert_eq!(code, 1);
    let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!(answer["findings"]["new"][0]["rule"], "yaml-root-list");
    assert_eq!(answer["changes"][0]["rule"], "operator-removed");
    assert_eq!(answer["unread"], serde_json::json!([]));
    let compare = ["compare", "git:base", "git:head", "--format", "markdown"];
    let (_, report) = place.opatlas(&compare);
    let first = "### **Blocked:** `native_functions.yaml` is empty, but must be a list of entries";
    assert!(report.starts_with(first), "{report}");
}

#[test]
fn a_merge_conflict_is_the_only_error_of_its_entry() {
    let place = pull_request(|place| {
        let conflict = format!("<<<<<<< HEAD\n{OLD}=======\n{NEW}>>>>>>> topic\n");
        place.write(&format!("{ATEN}/native_functions.yaml"), &conflict);
    });
    let compare = ["compare", "git:base", "git:head", "--format", "json"];
    let (code, said) = place.opatlas(&compare);
    assert_eq!(code, 1);
    let answer: serde_json::Value = serde_json::from_str(&said).unwrap();
    let rules = answer["findings"]["new"].as_array().unwrap();
    let rules: Vec<&str> = rules
        .iter()
        .map(|one| one["rule"].as_str().unwrap())
        .collect();
    assert_eq!(rules, ["merge-conflict"]);
    assert_eq!(answer["changes"], serde_json::json!([]));
}
