//! `opatlas watch` over the commits of a clone.

use std::path::{Path, PathBuf};

use serde_json::Value;
use tempfile::TempDir;

use crate::cli_sources::{folder, run};
use crate::common::git::git;

const TILT: &str = "- func: tilt(Tensor self, int dim) -> Tensor\n  dispatch:\n    CPU: tilt_cpu\n";
const TILT_WITH_Q: &str =
    "- func: tilt(Tensor self, int dim, float q) -> Tensor\n  dispatch:\n    CPU: tilt_cpu\n";
const LEAN: &str =
    "- func: lean(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: lean_cpu\n";
const REST: &str = "- func: rest(Tensor self) -> Tensor\n  dispatch:\n    CPU: rest_cpu\n";
const REST_RENAMED: &str = "- func: rest(Tensor input) -> Tensor\n  dispatch:\n    CPU: rest_cpu\n";
/// PyTorch's `square`, which calls `pow`.
const SQUARE: &str = "- func: square(Tensor self) -> Tensor\n";
const SQUARE_ON_CPU: &str =
    "- func: square(Tensor self) -> Tensor\n  dispatch:\n    CPU: square_cpu\n";
const POW: &str = "- func: pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor\n  dispatch:\n    \
                   CPU: pow_cpu\n";

const FILE: &str = "backend: PrivateUse1\ncpp_namespace: acme\nsupported:\n- tilt\n- lean\n- rest\n- pow.Tensor_Scalar\n";

const KERNELS: &str = "#include <torch/library.h>\n\
    at::Tensor tilt(const at::Tensor& self, int64_t dim) { return self; }\n\
    at::Tensor lean(const at::Tensor& self, const Other& other) { return self; }\n\
    TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {\n\
    \x20 m.impl(\"tilt\", tilt);\n\
    \x20 m.impl(\"lean\", lean);\n\
    }\n";

/// A clone of PyTorch with one commit for each text, and a backend beside it.
struct Clone {
    folder: TempDir,
}

impl Clone {
    fn new(commits: &[(&str, &[&str])]) -> Self {
        let folder = folder(&[("acme.yaml", FILE), ("csrc/k.cpp", KERNELS)]);
        let clone = Self { folder };
        let path = clone.path("pytorch");
        std::fs::create_dir_all(path.join("ops")).unwrap();
        git(&path, &["init", "-q"]);
        for (subject, entries) in commits {
            std::fs::write(path.join("ops/native_functions.yaml"), entries.concat()).unwrap();
            git(&path, &["add", "-A"]);
            let date = "2026-02-03T04:05:06Z";
            git(&path, &["commit", "-q", "--date", date, "-m", subject]);
        }
        clone
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn watch(&self, backend: &[&str], more: &[&str]) -> (Option<i32>, String) {
        let repository = self.path("pytorch");
        let repository = repository.to_str().unwrap();
        let clone = ["--git", repository, "--path", "ops/native_functions.yaml"];
        let watched = run(&[&["watch"], backend, &clone, more].concat());
        let told = String::from_utf8_lossy(&watched.stdout).into_owned();
        let errors = String::from_utf8_lossy(&watched.stderr);
        assert!(watched.status.code() != Some(2), "{errors}");
        (watched.status.code(), told)
    }

    fn of_file(&self, more: &[&str]) -> (Option<i32>, String) {
        let file = self.path("acme.yaml");
        self.watch(&["--backend", file.to_str().unwrap()], more)
    }

    /// The text without ids of commits and the folder.
    fn text(&self, told: &str) -> String {
        let folder = self.folder.path().to_str().unwrap();
        let log = git(&self.path("pytorch"), &["log", "--reverse", "--format=%H"]);
        let ids = log.lines().enumerate();
        ids.fold(told.replace(folder, "…"), |told, (at, id)| {
            told.replace(id, &format!("<{at}>"))
                .replace(&id[..12], &format!("<{at}>"))
        })
    }
}

/// `tilt` changes and changes back, `rest` is renamed inside and then removed, and `square` loses the
/// composite kernel that the backend inherits.
fn history() -> Clone {
    Clone::new(&[
        ("Start", &[POW, TILT, LEAN, REST, SQUARE]),
        (
            "Rename an argument",
            &[POW, TILT, LEAN, REST_RENAMED, SQUARE],
        ),
        (
            "Add q to tilt",
            &[POW, TILT_WITH_Q, LEAN, REST_RENAMED, SQUARE],
        ),
        (
            "Square on CPU",
            &[POW, TILT_WITH_Q, LEAN, REST_RENAMED, SQUARE_ON_CPU],
        ),
        (
            "Revert tilt",
            &[POW, TILT, LEAN, REST_RENAMED, SQUARE_ON_CPU],
        ),
        ("Remove rest", &[POW, TILT, LEAN, SQUARE_ON_CPU]),
    ])
}

#[test]
fn each_commit_that_breaks_a_kernel_is_a_line() {
    let clone = history();
    let (code, told) = clone.of_file(&[]);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(clone.text(&told), @"
    <2> 2026-02-03 Add q to tilt: tilt stops compiling (until <4>)
    <3> 2026-02-03 Square on CPU: square stops working
    <5> 2026-02-03 Remove rest: rest stops compiling
    3 of 5 commits break …/acme.yaml (PrivateUse1, 4 operators)
    ");
}

#[test]
fn a_range_begins_at_the_parent_of_its_first_commit() {
    let clone = history();
    let (code, told) = clone.of_file(&["--range", "HEAD~2..HEAD"]);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!((code, lines.len()), (Some(1), 3), "{told}");
    assert!(
        lines[0].ends_with("Revert tilt: tilt stops compiling"),
        "{told}"
    );
    let (code, told) = clone.of_file(&["--range", "HEAD~4", "--last", "1"]);
    assert_eq!(code, Some(0));
    assert!(told.starts_with("0 of 1 commits break "), "{told}");
}

#[test]
fn a_report_as_json_shows_declarations() {
    let clone = history();
    let (_, told) = clone.of_file(&["--format", "json"]);
    let report: Value = serde_json::from_str(&told).unwrap();
    let tilt = &report["breaking"][0]["breaks"][0];
    assert_eq!(tilt["stops"], "compiling");
    assert_eq!(tilt["certain"], true);
    assert!(
        tilt["new"]
            .as_str()
            .unwrap()
            .ends_with("int64_t dim, double q)")
    );
    let revert = git(&clone.path("pytorch"), &["rev-parse", "HEAD~1"]);
    assert_eq!(tilt["restored_by"], *revert);
    assert_eq!(report["breaking"][0]["author_date"], "2026-02-03T04:05:06Z");
}

/// The type of `tilt` is known and that of `lean` is not.
#[test]
fn kernels_of_sources_are_judged_by_their_types() {
    let lean = LEAN.replace("Tensor other", "Tensor[] other");
    let clone = Clone::new(&[
        ("Start", &[TILT, LEAN]),
        (
            "Accept symbols in tilt",
            &[&TILT.replace("int dim", "SymInt dim"), LEAN],
        ),
        ("Add q to tilt", &[TILT_WITH_Q, LEAN]),
        ("Accept lists in lean", &[TILT_WITH_Q, &lean]),
        ("Remove lean", &[TILT_WITH_Q]),
    ]);
    let sources = clone.path("csrc");
    let (code, told) = clone.watch(&["--sources", sources.to_str().unwrap()], &[]);
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(clone.text(&told), @"
    <2> 2026-02-03 Add q to tilt: tilt stops loading
    <3> 2026-02-03 Accept lists in lean: lean may stop loading
    <4> 2026-02-03 Remove lean: lean stops working
    3 of 4 commits break …/csrc (PrivateUse1, 2 operators)
    ");
}

/// An Atom feed has an id, a title and a time, and each entry has them too (RFC 4287, section 4.1).
#[test]
fn a_feed_escapes_what_others_wrote() {
    let clone = Clone::new(&[
        ("Start", &[TILT, LEAN, REST]),
        ("Add <q> & \"p\" to tilt", &[TILT_WITH_Q, LEAN, REST]),
    ]);
    let (_, told) = clone.of_file(&["--format", "atom"]);
    insta::assert_snapshot!(clone.text(&told), @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom">
    <id>urn:opatlas:watch:…/acme.yaml</id>
    <title>PyTorch commits that break …/acme.yaml</title>
    <subtitle>1 of 1 commits breaks …/acme.yaml (PrivateUse1, 4 operators)</subtitle>
    <updated>2026-02-03T04:05:06Z</updated>
    <author><name>Opatlas</name></author>
    <entry>
    <id>urn:opatlas:watch:…/acme.yaml:<1></id>
    <title>Add &lt;q&gt; &amp; &quot;p&quot; to tilt: tilt stops compiling</title>
    <updated>2026-02-03T04:05:06Z</updated>
    <content type="text">tilt stops compiling: its declaration differs
      old: at::Tensor tilt(const at::Tensor &amp; self, int64_t dim)
      new: at::Tensor tilt(const at::Tensor &amp; self, int64_t dim, double q)
    </content>
    </entry>
    </feed>
    "#);
}

fn refusal(arguments: &[&str]) -> String {
    let refused = run(arguments);
    assert_eq!(refused.status.code(), Some(2));
    String::from_utf8_lossy(&refused.stderr).into_owned()
}

#[test]
fn what_cannot_be_watched_is_an_error() {
    let clone = history();
    let at = |name: &str| clone.path(name).to_str().unwrap().to_owned();
    let (file, pytorch) = (at("acme.yaml"), at("pytorch"));
    let here = ["--git", &pytorch];
    let of_file = ["watch", "--backend", &file];
    let missing = refusal(&[&of_file[..], &here].concat());
    assert!(
        missing.contains("native_functions.yaml; give its path"),
        "{missing}"
    );
    let path = [
        &of_file[..],
        &here,
        &["--path", "ops/native_functions.yaml"],
    ]
    .concat();
    let range = refusal(&[&path[..], &["--range", "nowhere..HEAD"]].concat());
    assert!(range.contains("has no commits nowhere..HEAD"), "{range}");
    assert!(refusal(&[&path[..], &["--range=--all"]].concat()).contains("is not a range"));
    assert!(refusal(&[&path[..], &["--last", "0"]].concat()).contains("0 is not in 1..=10000"));
    assert!(refusal(&[&["watch"], &here[..]].concat()).contains("--backend <FILE>"));
    let folder: &Path = clone.folder.path();
    std::fs::write(
        folder.join("acme.yaml"),
        "backend: Nowhere\ncpp_namespace: a\nsupported: []\n",
    )
    .unwrap();
    assert!(refusal(&path).contains("Nowhere"));
}
