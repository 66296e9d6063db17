//! Verdicts on tags.yaml, on `symint` of backend files and on sizes of lists, against those that
//! torchgen gave on the same documents.
//!
//! `tags.jsonl.gz` and `list_sizes.jsonl.gz` were recorded with `torchgen.gen` (all of `main`) of
//! 2.0.1, 2.6.0, 2.9.0 and 2.13.0, which agree; the random ones with `parse_tags_yaml` of 2.9.0.
//! `backend_symint.jsonl.gz` was recorded with `torchgen.gen_backend_stubs.run`.

mod common;

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules as rules;
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::{Bundle, TAGS};
use serde_json::Value;

fn errors(bundle: &Bundle, release: Release) -> Vec<Finding> {
    let mut found = rules::check(&Catalogue::read(bundle, release, None));
    found.retain(|finding| finding.severity == Severity::Error);
    found
}

fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().unwrap()
}

fn judge(row: &Value, file: &str, key: &str, release: Release, verdict: &str) -> Option<String> {
    let mut bundle = Bundle::of_native_functions(text(row, "yaml").as_bytes());
    if let Some(more) = row[key].as_str() {
        bundle.insert(file, more.as_bytes());
    }
    let found = errors(&bundle, release);
    let said: Vec<&str> = found.iter().map(|finding| finding.rule.as_str()).collect();
    let differs = (verdict == "accept") != found.is_empty();
    differs.then(|| {
        format!(
            "{} {release}: {verdict}, but {said:?}: {row}",
            text(row, "id")
        )
    })
}

#[test]
fn tags_yaml_is_judged_as_torchgen_does() {
    let rows = common::golden("tags.jsonl.gz");
    let wrong: Vec<String> = rows
        .iter()
        .flat_map(|row| {
            let releases = [Release::V2_0, Release::V2_9, Release::V2_13];
            releases.map(|release| judge(row, TAGS, "tags_yaml", release, text(row, "verdict")))
        })
        .flatten()
        .collect();
    assert!(
        wrong.is_empty(),
        "{}: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(5)]
    );
}

/// Goes through the verdicts of all releases that a row has one of.
fn by_release(golden: &str, file: &str, key: &str) {
    let mut wrong = Vec::new();
    for row in common::golden(golden) {
        for (release, verdict) in row["verdicts"].as_object().unwrap() {
            let release = Release::parse(release).unwrap().release;
            wrong.extend(judge(&row, file, key, release, verdict.as_str().unwrap()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{}: {:#?}",
        wrong.len(),
        &wrong[..wrong.len().min(5)]
    );
}

#[test]
fn kernels_with_symbolic_sizes_are_judged_as_torchgen_does() {
    by_release("backend_symint.jsonl.gz", "backends/xla.yaml", "backend");
}

#[test]
fn list_sizes_are_judged_as_torchgen_does() {
    by_release("list_sizes.jsonl.gz", "", "none");
}

/// A size of any length is printed as it was written.
#[test]
fn long_list_sizes_print_back() {
    for digits in ["2", "18446744073709551616", &"9".repeat(4300)] {
        let schema = format!("pad(Tensor self, int[{digits}] amount) -> Tensor");
        let yaml = format!("- func: {schema}\n");
        let bundle = Bundle::of_native_functions(yaml.as_bytes());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        let (_, operator) = catalogue.iter().next().unwrap();
        assert_eq!(operator.canonical(), schema);
    }
}
