//! Deprecated Python signatures against what each release's own generator makes of them.

use std::collections::BTreeSet;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_pytorch::release::Release;
use opatlas_rules::Stage;
use opatlas_source::diagnostic::{RuleId, Severity};
use opatlas_source::{Bundle, DEPRECATED};
use serde_json::{Map, Value, json};

/// The deprecated signatures of all operators as they are recorded, sorted.
fn rows(catalogue: &Catalogue) -> BTreeSet<String> {
    let maker = FaceMaker::new(catalogue);
    let mut rows = BTreeSet::new();
    for (id, operator) in catalogue.iter() {
        for form in maker.deprecated(id) {
            let mut row = Map::new();
            row.insert("operator".into(), json!(operator.name().as_str()));
            row.insert("schema".into(), json!(form.schema));
            let faces = [
                ("python_function", form.python_function),
                ("python_method", form.python_method),
                ("pyi_function", form.pyi_function),
            ];
            for (face, text) in faces {
                if let Some(text) = text {
                    row.insert(face.into(), json!(text));
                }
            }
            rows.insert(Value::Object(row).to_string());
        }
    }
    rows
}

fn recorded(rows: &[Value]) -> BTreeSet<String> {
    rows.iter().map(ToString::to_string).collect()
}

#[test]
fn deprecated_signatures_of_releases_are_those_of_torchgen() {
    let versions = opatlas_conformance::recorded("deprecated_forms");
    assert!(versions.len() >= 3, "{versions:?}");
    for version in versions {
        let Some(bundle) = opatlas_conformance::release(&version) else {
            continue;
        };
        let release = Release::from_label(&version).unwrap().release;
        let catalogue = Catalogue::read(&bundle, release, None);
        let recorded = recorded(&opatlas_conformance::golden(&format!(
            "deprecated_forms_{version}.jsonl.gz"
        )));
        assert_eq!(rows(&catalogue), recorded, "{version}");
    }
}

#[test]
fn files_are_accepted_and_refused_as_by_torchgen() {
    let all = opatlas_conformance::golden("deprecated.jsonl.gz");
    let (base, cases) = all.split_first().unwrap();
    assert!(cases.len() > 60);
    let mut wrong = Vec::new();
    for case in cases {
        let native = base["native_functions_yaml"].as_str().unwrap();
        let mut bundle = Bundle::of_native_functions(native.as_bytes());
        bundle.insert(DEPRECATED, case["yaml"].as_str().unwrap().as_bytes());
        let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
        let findings = opatlas_rules::check(&catalogue).into_kept();
        let errors: Vec<&str> = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .map(|finding| finding.rule)
            // The recordings end with what reads the file.
            .filter(|rule| opatlas_rules::registry::of(*rule).stage <= Stage::Codegen)
            .map(RuleId::as_str)
            .collect();
        let id = case["id"].as_str().unwrap();
        let is_accepted = case["verdict"] == "accept";
        if errors.is_empty() != is_accepted || errors.iter().any(|e| !e.starts_with("deprecated")) {
            wrong.push(format!("{id}: {} but {errors:?}", case["verdict"]));
        }
        // A namespace in the name becomes part of the Python name, which nobody can call.
        if is_accepted && id != "namespace in name" {
            assert_eq!(
                rows(&catalogue),
                recorded(case["forms"].as_array().unwrap()),
                "{id}"
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
