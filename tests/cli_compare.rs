//! `opatlas compare` and `opatlas exception` as a user runs them.

use std::path::Path;
use std::process::{Command, Output};

use crate::common::folder::write;
use crate::common::git::git;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use tempfile::TempDir;

const OLD: &str = "- func: can_cast(ScalarType from, ScalarType to) -> bool\n";
const NEW: &str = "- func: can_cast(ScalarType from_, ScalarType to) -> bool\n";

pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        place.write("old.yaml", OLD);
        place.write("new.yaml", NEW);
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        write(self.path(), name, text);
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Output {
        Command::new(program)
            .args(arguments)
            .current_dir(self.path())
            .env("OPATLAS_DATABASE", "sqlite://test.db")
            .env("NO_COLOR", "1")
            .output()
            .unwrap()
    }

    /// The exit code, and what was written to standard output and standard error.
    pub(crate) fn opatlas(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = self.run(env!("CARGO_BIN_EXE_opatlas"), arguments);
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        let code = output.status.code().unwrap();
        (code, text(&output.stdout), text(&output.stderr))
    }

    fn git(&self, arguments: &[&str]) {
        git(self.path(), arguments);
    }
}

#[test]
fn exit_codes_follow_the_policy() {
    let place = Place::new();
    let compare =
        |more: &[&str]| place.opatlas(&[&["compare", "old.yaml", "new.yaml"], more].concat());
    let (code, text, _) = compare(&[]);
    assert_eq!(code, 1);
    assert!(text.contains("argument-renamed"), "{text}");
    assert_eq!(compare(&["--fail-on", "never"]).0, 0);
    assert_eq!(compare(&["--profile", "cpp"]).0, 0);
    assert_eq!(place.opatlas(&["compare", "old.yaml", "old.yaml"]).0, 0);
    for format in [
        "text", "json", "markdown", "csv", "sarif", "junit", "github", "gitlab",
    ] {
        let (code, text, error) = compare(&["--format", format]);
        assert_eq!(code, 1, "{format}: {error}");
        assert!(text.contains("can_cast"), "{format}: {text}");
    }
}

#[test]
fn what_cannot_be_read_is_no_pass() {
    let place = Place::new();
    place.write("bad.yaml", "- func: [\n");
    place.write("opatlas.toml", "[policy]\nfail-on = \"sometimes\"\n");
    for arguments in [
        &["compare", "old.yaml", "bad.yaml", "--config", "none.toml"][..],
        &["compare", "old.yaml", "nowhere.yaml"],
        &["compare", "old.yaml", "new.yaml"],
        &["compare", "old.yaml", "git:HEAD"],
        &["compare", "old.yaml"],
    ] {
        let (code, text, error) = place.opatlas(arguments);
        assert_eq!((code, &*text), (2, ""), "{arguments:?}: {error}");
        assert!(error.contains("error"), "{arguments:?}: {error}");
    }
}

#[test]
fn commits_are_compared() {
    let place = Place::new();
    let file = "aten/src/ATen/native/native_functions.yaml";
    place.write(file, OLD);
    place.git(&["init", "-q"]);
    place.git(&["add", "aten"]);
    place.git(&["commit", "-qm", "one"]);
    place.write(file, NEW);
    place.git(&["commit", "-qam", "two"]);
    let (code, text, error) = place.opatlas(&["compare", "git:HEAD~1", "git:HEAD"]);
    assert_eq!(code, 1, "{error}");
    assert!(text.contains(&format!("{file}:1")), "{text}");
    let there = format!("git:HEAD:{file}");
    assert_eq!(place.opatlas(&["compare", &there, "new.yaml"]).0, 0);
    let (code, _, error) = place.opatlas(&["compare", "git:HEAD:nothing", "new.yaml"]);
    assert_eq!(code, 2);
    assert!(error.contains("set the path with --path"), "{error}");
}

/// A version in the list of the head keeps the functions of the C shim. A list that does not parse is
/// replaced by that of the release.
#[test]
fn the_list_of_a_commit_gives_the_functions_of_the_c_shim() {
    let place = Place::new();
    let file = "aten/src/ATen/native/native_functions.yaml";
    let list = "torchgen/aoti/fallback_ops.py";
    let entry = "- func: cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor\n  dispatch:\n    CPU: cumprod\n";
    let line = "\"aten.cumprod.default\": {\"v2\": {\"new_args\": [\"reverse\"]}}";
    place.write(file, entry);
    place.write(
        list,
        "inductor_fallback_ops = {\"aten.cumprod.default\": {}}\n",
    );
    place.git(&["init", "-q"]);
    place.git(&["add", "aten", "torchgen"]);
    place.git(&["commit", "-qm", "one"]);
    place.write(file, &entry.replace(") ->", ", bool reverse=False) ->"));
    place.git(&["commit", "-qam", "two"]);
    let compare = ["compare", "git:HEAD~1", "git:HEAD"];
    let (code, text, error) = place.opatlas(&compare);
    assert_eq!(code, 1, "{error}");
    assert!(text.contains("aoti_torch_cpu_cumprod"), "{text}");
    assert!(text.contains(line), "{text}");

    place.write(list, &format!("inductor_fallback_ops = {{{line}}}\n"));
    place.git(&["commit", "-qam", "three"]);
    let (code, text, error) = place.opatlas(&["compare", "git:HEAD~2", "git:HEAD"]);
    assert_eq!(code, 0, "{error}{text}");
    assert!(text.contains("aoti_torch_cpu_cumprod_v2"), "{text}");

    place.write(list, "inductor_fallback_ops = {\n    made(): {},\n}\n");
    place.git(&["commit", "-qam", "four"]);
    let (code, text, error) = place.opatlas(&["compare", "git:HEAD~3", "git:HEAD"]);
    assert_eq!(code, 1, "{error}");
    let note = "fallback_ops.py does not parse (line 2, column 5: ";
    assert!(text.contains(note), "{text}");
}

/// A companion that cannot be read is not one that the commit does not have.
#[test]
fn an_unreadable_file_of_a_commit_is_an_error() {
    let place = Place::new();
    let folder = "aten/src/ATen/native";
    place.write(&format!("{folder}/native_functions.yaml"), OLD);
    place.write(&format!("{folder}/tags.yaml"), "- tag: core\n  desc: x\n");
    place.git(&["init", "-q"]);
    place.git(&["add", "aten"]);
    place.git(&["commit", "-qm", "one"]);
    let compare = ["compare", "git:HEAD", "new.yaml"];
    assert_eq!(place.opatlas(&compare).0, 1);
    let tags = format!("HEAD:{folder}/tags.yaml");
    let id = place.run("git", &["rev-parse", &tags]).stdout;
    let id = String::from_utf8(id).unwrap();
    let object = format!(".git/objects/{}/{}", &id[..2], id[2..].trim());
    std::fs::remove_file(place.path().join(object)).unwrap();
    let (code, _, error) = place.opatlas(&compare);
    assert_eq!(code, 2, "{error}");
    assert!(error.contains("tags.yaml"), "{error}");
}

#[test]
fn a_checked_in_file_excuses() {
    let place = Place::new();
    let exception = |more: &str| {
        let text = format!(
            "[[exception]]\noperator = \"can_cast\"\nrule = \"argument-renamed\"\nreason = \"a keyword\"\n{more}"
        );
        place.write("opatlas.toml", &text);
        place.opatlas(&["compare", "old.yaml", "new.yaml"])
    };
    let (code, text, _) = exception("");
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("a keyword"), "{text}");
    // One that has ended counts again and says so.
    let (code, text, _) = exception("until = \"2020-01-31\"\n");
    assert_eq!(code, 1);
    assert!(text.contains("allow-list-expired"), "{text}");
    assert_eq!(exception("argument = \"to\"\n").0, 1);
    // One that ends soon warns with its reason.
    let (code, text, _) = exception("until = \"2.15\"\n");
    assert_eq!(code, 0, "{text}");
    let warning = "exceptions end soon: `can_cast` (until 2.15: a keyword)";
    assert!(text.contains(warning), "{text}");
    // What can excuse nothing is named.
    let second = "[[exception]]\noperator = \"can_cats\"\nrule = \"*\"\nreason = \"r\"\n";
    let (_, text, error) = exception(second);
    assert!(error.contains("did you mean `can_cast`"), "{error}");
    assert!(text.contains("1 accepted change"), "{text}");
    let second = format!(
        "{}until = \"2001-01-31\"\n",
        second.replace("cats", "cast.x")
    );
    let (code, _, error) = exception(&second);
    assert_eq!(code, 0);
    assert!(error.contains("ended with 2001-01-31"), "{error}");
    assert_eq!(exception("rul = \"typo\"\n").0, 2);
}

/// A server goes by the day in UTC, and a command judges as it does.
#[test]
fn exceptions_end_by_the_day_in_utc_in_every_time_zone() {
    let place = Place::new();
    let today = || Timestamp::now().to_zoned(TimeZone::UTC).date();
    let codes = |until: Date| {
        let text = format!(
            "[[exception]]\noperator = \"can_cast\"\nrule = \"*\"\nreason = \"r\"\nuntil = \"{until}\"\n"
        );
        place.write("opatlas.toml", &text);
        ["TZ=Etc/GMT-14", "TZ=Etc/GMT+12"].map(|zone| {
            let program = env!("CARGO_BIN_EXE_opatlas");
            let compare = [zone, program, "compare", "old.yaml", "new.yaml"];
            place.run("env", &compare).status.code().unwrap()
        })
    };
    loop {
        let day = today();
        let ended = codes(day.yesterday().unwrap());
        let holds = codes(day);
        // Otherwise midnight passed meanwhile.
        if today() == day {
            assert_eq!((ended, holds), ([1, 1], [0, 0]));
            return;
        }
    }
}

#[test]
fn exceptions_are_kept_in_the_store() {
    let place = Place::new();
    place.write("old/native_functions.yaml", OLD);
    place.write("new/native_functions.yaml", NEW);
    for (dir, label) in [("old", "2.14.0"), ("new", "2.15.0")] {
        let (code, _, error) = place.opatlas(&["import", "--dir", dir, "--label", label]);
        assert_eq!(code, 0, "{error}");
    }
    let compare = || place.opatlas(&["compare", "2.14.0", "2.15.0"]).0;
    assert_eq!(compare(), 1);
    let (code, line, error) = place.opatlas(&[
        "exception",
        "add",
        "can_cast",
        "argument-renamed",
        "--reason",
        "a keyword",
        "--until",
        "2.16",
    ]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(compare(), 0);
    let (_, list, _) = place.opatlas(&["exception", "list"]);
    assert_eq!(list, line);
    let id = line.split_whitespace().next().unwrap();
    // Another end changes nothing else, and cannot be in the past.
    let (code, extended, error) = place.opatlas(&["exception", "extend", id, "--until", "3.0"]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(extended, line.replace("until 2.16", "until 3.0"));
    assert_eq!(place.opatlas(&["exception", "list"]).1, extended);
    for (id, until, why) in [
        (id, "2.9", "is in the past"),
        (id, "2001-01-31", "is in the past"),
        (id, "soon", "soon"),
        ("none", "3.0", "no exception `none`"),
    ] {
        let (code, _, error) = place.opatlas(&["exception", "extend", id, "--until", until]);
        assert_eq!(code, 2);
        assert!(error.contains(why), "{error}");
    }
    assert_eq!(place.opatlas(&["exception", "list"]).1, extended);
    assert_eq!(place.opatlas(&["exception", "remove", id]).0, 0);
    assert_eq!(compare(), 1);
    let (code, _, error) = place.opatlas(&[
        "exception",
        "add",
        "can_cast",
        "argument-rename",
        "--reason",
        "x",
    ]);
    assert_eq!(code, 2);
    assert!(error.contains("did you mean `argument-renamed`"), "{error}");
}

#[test]
fn parts_go_into_a_folder() {
    let place = Place::new();
    let entries = |suffix: &str, more: usize| -> String {
        let entry = |i: usize| {
            let default = 2 * i + more;
            format!("- func: f{i}(Tensor self, int dim{suffix}, int k={default}) -> Tensor\n")
        };
        (0..160).map(entry).collect()
    };
    place.write("a.yaml", &entries("", 0));
    place.write("b.yaml", &entries("ension", 1));
    let compare = [
        "compare",
        "a.yaml",
        "b.yaml",
        "--format",
        "markdown",
        "--max-chars",
        "3000",
    ];
    let (code, _, error) = place.opatlas(&[&compare[..], &["--out", "parts/"]].concat());
    assert_eq!(code, 1, "{error}");
    let parts: Vec<_> = std::fs::read_dir(place.path().join("parts"))
        .unwrap()
        .collect();
    assert!(parts.len() > 1);
    for part in parts {
        let text = std::fs::read_to_string(part.unwrap().path()).unwrap();
        assert!(text.chars().count() <= 3000);
    }
    // Several parts do not go into one file.
    let (code, _, error) = place.opatlas(&[&compare[..], &["--out", "one.md"]].concat());
    assert_eq!(code, 2);
    assert!(error.contains("--out one/"), "{error}");
}

const BEFORE: &str = "\
- func: gone(Tensor self) -> Tensor
- func: scale.Tensor(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU: scale
    CUDA: scale
- func: scale.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
- func: shift(Tensor self, int[2] size) -> Tensor
- func: tagged(Tensor self) -> Tensor
";

const AFTER: &str = "\
- func: scale.Tensor(Tensor self, Tensor other) -> Tensor
  dispatch:
    CPU: scale
- func: scale.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
- func: shift(Tensor self, SymInt[2] size) -> Tensor
- func: tagged(Tensor self) -> Tensor
  tags: core
";

/// A filter restricts what every format lists, and never the conclusion or the first line.
#[test]
fn filters_restrict_the_list_and_not_the_verdict() {
    let place = Place::new();
    place.write("a.yaml", BEFORE);
    place.write("b.yaml", AFTER);
    let compare = |more: &[&str]| {
        let (code, text, error) = place.opatlas(&[&["compare", "a.yaml", "b.yaml"], more].concat());
        assert_eq!(code, 1, "{error}");
        text
    };
    let verdict = "`gone`: operator removed (and 1 more change to revert or accept)";
    for (filter, has, lacks, showing) in [
        (&["--level", "breaking"][..], "gone", "tagged", "2 of 4"),
        (&["--operator", "sh?ft"], "shift", "tagged", "1 of 4"),
        (&["--operator", "scale"], "scale.Tensor", "shift", "1 of 4"),
        (
            &["--operator", "aten::tagged", "--operator", "shift"],
            "tagged",
            "scale",
            "2 of 4",
        ),
        (&["--backend", "CUDA"], "scale.Tensor", "shift", "1 of 4"),
        (&["--backend", "MPS"], "Blocked", "shift", "0 of 4"),
    ] {
        for format in [
            "text", "markdown", "json", "csv", "sarif", "junit", "gitlab", "github",
        ] {
            let text = compare(&[filter, &["--format", format]].concat());
            assert!(!text.contains(lacks), "{filter:?} {format}: {text}");
            let lists_info = !matches!(format, "gitlab" | "github");
            if has != "Blocked" && (lists_info || has == "gone" || has == "scale.Tensor") {
                assert!(text.contains(has), "{filter:?} {format}: {text}");
            }
        }
        let markdown = compare(&[filter, &["--format", "markdown"]].concat());
        assert!(
            markdown.starts_with(&format!("### **Blocked:** {verdict}\n")),
            "{markdown}"
        );
        assert!(
            markdown.contains(&format!("showing {showing} causes (filter: ")),
            "{markdown}"
        );
        let json = compare(&[filter, &["--format", "json"]].concat());
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let shown = format!(
            "{} of {}",
            json["filtered"]["causes"], json["filtered"]["of"]
        );
        assert_eq!(shown, showing);
        assert_eq!(
            json["causes"].as_array().unwrap().len(),
            json["filtered"]["causes"]
        );
        assert_eq!(
            (&json["conclusion"], &json["summary"]["excepted"]),
            (&"fail".into(), &0.into())
        );
    }
    assert!(!compare(&[]).contains("showing"));
    for (given, said) in [
        (&["--backend", "CUDAA"][..], "did you mean `CUDA`?"),
        (
            &["--backend", "acme.yaml", "--level", "breaking"],
            "cannot be used together",
        ),
        (
            &["--backend", "acme.yaml", "--backend", "CUDA"],
            "cannot be used together",
        ),
        (&["--level", "worst"], "invalid value"),
    ] {
        let (code, _, error) = place.opatlas(&[&["compare", "a.yaml", "b.yaml"], given].concat());
        assert_eq!(code, 2, "{given:?}: {error}");
        assert!(error.contains(said), "{given:?}: {error}");
    }
}

const CLEAN: &str = "- func: scale(Tensor self) -> Tensor\n";
const FAULTY: &str = "- func: scale.out(Tensor self, *, Tensor(a!) out) -> Tensor\n";

/// A declaration that PyTorch's generator rejects blocks in every format, whatever the policy.
#[test]
fn new_errors_block() {
    let place = Place::new();
    place.write("clean.yaml", CLEAN);
    place.write(
        "faulty.yaml",
        &format!("{CLEAN}- func: mend.out(Tensor self, *, Tensor(a!) out) -> Tensor\n"),
    );
    for format in [
        "text", "json", "markdown", "sarif", "junit", "github", "gitlab",
    ] {
        let arguments = ["compare", "clean.yaml", "faulty.yaml", "--fail-on", "never"];
        let (code, text, error) = place.opatlas(&[&arguments[..], &["--format", format]].concat());
        assert_eq!(code, 1, "{format}: {error}");
        assert!(text.contains("out-return-matches"), "{format}: {text}");
    }
    let (_, json, _) = place.opatlas(&["compare", "clean.yaml", "faulty.yaml", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(answer["conclusion"], "fail");
    assert_eq!(answer["findings"]["gone"], 0);
    assert!(answer["findings"]["head_errors"].as_u64().unwrap() > 0);
    assert_eq!(answer["findings"]["new"][0]["severity"], "error");
    // The same error on both sides is not new.
    let (code, text, _) = place.opatlas(&["compare", "faulty.yaml", "faulty.yaml"]);
    assert_eq!(code, 0, "{text}");
    // A head of one file keeps the companions of its base.
    place.write("base/native_functions.yaml", CLEAN);
    place.write(
        "base/tags.yaml",
        "- tag: core\n  desc: The core operators.\n",
    );
    let (code, text, _) = place.opatlas(&["compare", "base", "clean.yaml"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("tags.yaml"), "{text}");
}

/// `check --base` reports what the base does not have, and only that decides.
#[test]
fn check_reports_what_is_new() {
    let place = Place::new();
    place.write("old.yaml", FAULTY);
    place.write("new.yaml", &format!("# moved\n{FAULTY}"));
    place.write(
        "worse.yaml",
        &format!("{FAULTY}{}", FAULTY.replace("scale", "mend")),
    );
    assert_eq!(place.opatlas(&["check", "new.yaml"]).0, 1);
    let (code, text, error) = place.opatlas(&["check", "new.yaml", "--base", "old.yaml"]);
    assert_eq!(code, 0, "{text}{error}");
    assert!(text.contains("no findings"), "{text}");
    let arguments = [
        "check",
        "worse.yaml",
        "--base",
        "old.yaml",
        "--format",
        "json",
    ];
    let (code, json, error) = place.opatlas(&arguments);
    assert_eq!(code, 1, "{json}{error}");
    let answer: serde_json::Value = serde_json::from_str(&json).unwrap();
    let new = answer["findings"]["new"].as_array().unwrap();
    assert!(
        new.iter().all(|new| new["operator"] == "mend.out"),
        "{json}"
    );
    assert!(answer["findings"]["head_errors"].as_u64().unwrap() > new.len() as u64);
    place.git(&["init", "-q", "."]);
    place.git(&["add", "old.yaml"]);
    place.git(&["commit", "-q", "-m", "base"]);
    let commit = ["check", "worse.yaml", "--base", "git:HEAD:old.yaml"];
    assert_eq!(place.opatlas(&commit).0, 1);
    let same = ["check", "new.yaml", "--base", "git:HEAD:old.yaml"];
    assert_eq!(place.opatlas(&same).0, 0);
}

/// What people, spreadsheets and logs read, word for word.
#[test]
fn reports_for_people_sheets_and_logs() {
    let place = Place::new();
    let shared = "- func: scale(Tensor self, Scalar by) -> Tensor\n  variants: function\n";
    let added = "- func: blend(Tensor self, Tensor other, *, Scalar weight=1) -> Tensor\n  \
                 variants: function, method\n  dispatch:\n    CPU: blend_cpu\n    CUDA: blend_cuda\n";
    place.write("old.yaml", &format!("{OLD}\n{shared}"));
    let changed = shared.replace("Scalar by)", "Scalar by, bool exact=False)");
    place.write("new.yaml", &format!("{NEW}\n{changed}\n{added}"));
    place.write("same.yaml", &format!("# A comment.\n{OLD}\n{shared}"));
    let compare = |head: &str, format: &str| {
        let arguments = ["compare", "old.yaml", head, "--format", format];
        let (_, text, error) = place.opatlas(&arguments);
        assert_eq!(error, "", "{format}");
        text
    };
    insta::assert_snapshot!("cards", compare("new.yaml", "text"));
    insta::assert_snapshot!("csv", compare("new.yaml", "csv"));
    insta::assert_snapshot!("one_line", compare("same.yaml", "text"));
    assert_eq!(compare("same.yaml", "csv").lines().count(), 1);
    assert_eq!(compare("same.yaml", "markdown").lines().count(), 1);
}
