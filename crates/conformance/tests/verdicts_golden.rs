//! Verdicts on tags.yaml, on `symint` of backend files and on sizes of lists, against those that
//! torchgen of several releases gave on the same documents (`recorders/README.md`).

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules as rules;
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::{Bundle, TAGS};
use serde_json::Value;

fn errors(bundle: &Bundle, release: Release) -> Vec<Finding> {
    let mut found = rules::check(&Catalogue::read(bundle, release, None)).into_kept();
    // The recordings end with torchgen: nothing was compiled or loaded.
    found.retain(|finding| {
        let stage = rules::registry::of(finding.rule).stage;
        finding.severity == Severity::Error && stage <= rules::Stage::Codegen
    });
    found
}

fn text<'v>(row: &'v Value, key: &str) -> &'v str {
    row[key].as_str().unwrap()
}

/// Compares the verdicts of all releases that the rows have one of.
fn compare(rows: &[Value], bundle: impl Fn(&Value) -> Bundle) {
    let mut wrong = Vec::new();
    for row in rows {
        let bundle = bundle(row);
        for (release, verdict) in row["verdicts"].as_object().unwrap() {
            let release = Release::parse(release).unwrap().release;
            let found = errors(&bundle, release);
            if (verdict == "accept") != found.is_empty() {
                let said: Vec<&str> = found.iter().map(|found| found.rule.as_str()).collect();
                wrong.push(format!("{release}: {verdict}, but {said:?}: {row}"));
            }
        }
    }
    let shown = &wrong[..wrong.len().min(5)];
    assert!(wrong.is_empty(), "{}: {shown:#?}", wrong.len());
}

#[test]
fn tags_yaml_is_judged_as_torchgen_does() {
    compare(&opatlas_conformance::golden("tags.jsonl.gz"), |row| {
        let mut bundle = Bundle::of_native_functions(text(row, "yaml").as_bytes());
        bundle.insert(TAGS, text(row, "tags_yaml").as_bytes());
        bundle
    });
}

#[test]
fn kernels_with_symbolic_sizes_are_judged_as_torchgen_does() {
    let rows = opatlas_conformance::golden("backend_symint.jsonl.gz");
    let (base, rows) = rows.split_first().unwrap();
    compare(rows, |row| {
        let native = text(base, "native_functions_yaml");
        let mut bundle = Bundle::of_native_functions(native.as_bytes());
        bundle.insert("backends/xla.yaml", text(row, "yaml").as_bytes());
        bundle
    });
}

#[test]
fn list_sizes_are_judged_as_torchgen_does() {
    compare(&opatlas_conformance::golden("list_sizes.jsonl.gz"), |row| {
        Bundle::of_native_functions(text(row, "yaml").as_bytes())
    });
}

/// A size of any length is printed as it was written.
#[test]
fn long_list_sizes_print_back() {
    for digits in ["2", "18446744073709551616", &"9".repeat(4300)] {
        let schema = format!("pad(Tensor self, int[{digits}] amount) -> Tensor");
        let bundle = Bundle::of_native_functions(format!("- func: {schema}\n").as_bytes());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        let (_, operator) = catalogue.iter().next().unwrap();
        assert_eq!(operator.canonical(), schema);
    }
}
