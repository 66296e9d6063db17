//! Questions about several real releases, asked of one database.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::program::{refusal, run, stderr, stdout, succeeds};

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

#[test]
fn a_search_for_what_a_way_lacks_lists_the_gaps() {
    let Some(folder) = stored() else { return };
    let folder = folder.path();
    let found = json(folder, &["search", "core", "without", "lowering"]);
    let items = found["items"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{found}");
    assert_eq!(items[0]["operator"], "_fft_c2r");
    assert_eq!(items[0]["present"][0]["from"]["label"], "2.9.0");
    let gaps = json(folder, &["gaps", "--way", "vmap", "--tag", "core"]);
    let missing = gaps["counts"]["missing"].as_u64().unwrap();
    let searched = json(folder, &["search", "core", "without", "vmap", "-n", "500"]);
    let items = searched["items"].as_array().unwrap();
    assert_eq!(items.len() as u64, missing);
    for (found, gap) in items.iter().zip(gaps["items"].as_array().unwrap()) {
        assert_eq!(found["operator"], gap["operator"]);
    }
    let part = succeeds(folder, &["search", "fft", "without", "lowering"]);
    assert!(part.contains("_fft_c2r"), "{part}");
}

#[test]
fn a_label_does_not_hide_another_spelling_of_a_version() {
    let Some(folder) = stored() else { return };
    let folder = folder.path();
    for label in ["v2.15.0", "2.15"] {
        let said = refusal(folder, &["label", "set", label, "2.14.1"]);
        assert!(said.contains("another spelling of `2.15.0`"), "{said}");
    }
    let files = files("2.14.1");
    let import = [
        "import",
        "--dir",
        files.to_str().unwrap(),
        "--label",
        "v2.15.0",
    ];
    assert!(refusal(folder, &import).contains("protected"));
    let gaps = succeeds(folder, &["gaps", "MPS", "-r", "v2.15.0", "-n", "1"]);
    assert!(gaps.contains("in pytorch 2.15.0:"), "{gaps}");
    succeeds(folder, &["label", "set", "candidate", "label:v2.14.1"]);
}

#[test]
fn a_filter_finds_operators_that_follow() {
    let Some(folder) = stored() else { return };
    let folder = folder.path();
    let compare = |operator| {
        let sides = ["compare", "2.9.0", "2.15.0", "--operator", operator];
        stdout(&run(folder, &sides))
    };
    let text = compare("linalg_svd");
    assert!(
        text.contains("_linalg_svd.U") && !text.contains("showing 0 of"),
        "{text}"
    );
    let text = compare("linalg_svdd");
    assert!(
        text.contains(
            "neither revision declares an operator `linalg_svdd`; similar names: `linalg_svd`"
        ),
        "{text}"
    );
}

/// The same bytes do not differ, whatever release their names say.
#[test]
fn a_side_without_a_release_takes_that_of_the_other() {
    let Some(folder) = stored() else { return };
    let folder = folder.path();
    let copy = folder.join("mine");
    std::fs::create_dir(&copy).unwrap();
    for file in std::fs::read_dir(files("2.9.0")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), copy.join(file.file_name())).unwrap();
    }
    for sides in [["2.9.0", "mine"], ["mine", "2.9.0"]] {
        let text = succeeds(folder, &[&["compare"][..], &sides].concat());
        assert!(text.starts_with("no changes"), "{text}");
        assert!(text.contains("mine names no release"), "{text}");
    }
}

#[test]
fn removals_beside_those_of_a_type_are_named_so() {
    let Some(folder) = stored() else { return };
    let output = run(folder.path(), &["compare", "2.12.1", "2.14.1"]);
    let text = stdout(&output);
    assert!(text.contains("overloads with `Dimname` and "), "{text}");
    assert!(text.contains(" beside them removed: "), "{text}");
}

#[test]
fn options_are_checked_and_named_as_they_are_written() {
    let Some(folder) = stored() else { return };
    let folder = folder.path();
    let said = refusal(folder, &["gaps", "MPS", "--tag", "croe"]);
    assert!(said.contains("croe"), "{said}");
    let said = refusal(folder, &["trends", "-n", "1"]);
    assert!(said.contains("--limit must be between 2 and"), "{said}");
    let said = stderr(&run(folder, &["trends", "--to", ""]));
    assert!(said.contains("name a revision"), "{said}");
    let trends = succeeds(
        folder,
        &["trends", "--from", "label:2.12.1", "--to", "label:2.14.1"],
    );
    assert_eq!(trends.lines().count(), 3, "{trends}");
    succeeds(folder, &["history", "bmm", "--to", "label:2.14.1"]);
}

#[test]
fn an_exception_for_every_operator_must_be_broad() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let add = |operator, more: &[&str]| {
        let add = [
            "exception",
            "add",
            operator,
            "overload-removed",
            "--reason",
            "named",
        ];
        run(folder, &[&add[..], more].concat())
    };
    for operator in ["*", "*.out", "aten::*"] {
        let refused = add(operator, &[]);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains("mark the exception as broad"));
    }
    assert!(stdout(&add("*", &["--broad"])).contains("broad"));
    assert!(stderr(&add("add*", &[])).contains("--broad allows that"));
    assert!(stderr(&add("add.*", &[])).is_empty());
    let listed = succeeds(folder, &["exception", "list"]);
    assert_eq!(listed.matches(", broad:").count(), 1, "{listed}");
    let config = "[[exception]]\noperator = \"*\"\nrule = \"*\"\nreason = \"x\"\n";
    std::fs::write(folder.join("opatlas.toml"), config).unwrap();
    std::fs::write(folder.join("a.yaml"), "- func: f(Tensor self) -> Tensor\n").unwrap();
    let said = refusal(folder, &["compare", "a.yaml", "a.yaml"]);
    assert!(
        said.contains("matches operators of every base name"),
        "{said}"
    );
}

/// An operator that went earlier existed once.
#[test]
fn a_backend_with_an_old_operator_is_told_what_is_known() {
    let Some(folder) = stored() else { return };
    let folder = folder.path();
    let backend = "backend: PrivateUse1\ncpp_namespace: at::acme\nsupported:\n- qr\n- bmm\n";
    std::fs::write(folder.join("acme.yaml"), backend).unwrap();
    let sides = ["compare", "--backend", "acme.yaml", "2.14.1", "2.15.0"];
    let text = stdout(&run(folder, &sides));
    assert!(
        text.contains("`qr`: neither revision declares it"),
        "{text}"
    );
}
