//! Drift: real processes against the files of their releases, and against changed files.

use std::collections::BTreeMap;

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{
    Drift, DriftKind, Observed, ObservedRegistration, Registrations, drift, provenance,
};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS, Stop};
use serde_json::Value;

/// The registrations of a recorded process.
fn process(release: &str) -> Vec<ObservedRegistration> {
    let mut lines =
        opatlas_conformance::golden_lines(&format!("dispatch_runtime_{release}.jsonl.gz"));
    let head: Value = serde_json::from_str(&lines.next().unwrap()).unwrap();
    let files = head["files"].as_array().unwrap();
    let mut rows = Vec::new();
    for line in lines {
        let row: Value = serde_json::from_str(&line).unwrap();
        for (key, made) in row["r"].as_object().unwrap() {
            let made = made.as_array().unwrap();
            let file = files[made[0].as_u64().unwrap() as usize].as_str().unwrap();
            rows.push(ObservedRegistration {
                operator: row["op"].as_str().unwrap().into(),
                key: key.as_str().into(),
                file: (file != "null").then(|| file.into()),
                fallthrough: made.len() > 1,
                boxed: false,
            });
        }
    }
    rows
}

fn with_drift(
    bundle: &Bundle,
    release: &str,
    rows: Vec<ObservedRegistration>,
    then: impl FnOnce(&Drift<'_>),
) {
    let release = Release::parse(release).unwrap().release;
    let catalogue = Catalogue::read(bundle, release, None);
    let observed = Observed::default();
    let matches = DerivativeMatches::new(&catalogue, catalogue.derivatives.as_deref());
    let inputs = Inputs {
        catalogue: &catalogue,
        derivatives: catalogue.derivatives.as_deref(),
        matches: &matches,
        backends: &[],
        observed: &observed,
        provenance: provenance(bundle, release),
    };
    let registrations = Registrations::new(inputs);
    let process = Observed::new(rows);
    then(&drift(inputs, &registrations, &process, &Stop::never()).unwrap());
}

#[test]
fn a_process_of_a_release_does_not_differ_from_its_files() {
    for release in opatlas_conformance::recorded("dispatch_runtime") {
        let Some(bundle) = opatlas_conformance::release(&release) else {
            return;
        };
        let rows = process(&release);
        let count = rows.len();
        with_drift(&bundle, &release, rows, |drift| {
            let shown: Vec<_> = drift.rows.iter().take(5).collect();
            assert!(drift.rows.is_empty(), "{release}: {shown:#?}");
            assert_eq!(drift.same as usize, count, "{release}");
            assert_eq!(drift.elsewhere, 0);
            assert!(drift.left_out.contains(&"MPS"), "{:?}", drift.left_out);
            assert!(!drift.left_out.contains(&"CUDA"), "{:?}", drift.left_out);
        });
    }
}

#[test]
fn what_changes_in_a_process_is_named() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let mut rows = process("2.9.0");
    let at = |rows: &[ObservedRegistration], operator: &str, key: &str| {
        let found = rows
            .iter()
            .position(|row| &*row.operator == operator && &*row.key == key);
        found.unwrap()
    };
    let abs = at(&rows, "abs.out", "CPU");
    rows.remove(abs);
    let mul = at(&rows, "mul.Tensor", "CUDA");
    rows[mul].file = Some("my_kernels.cpp".into());
    let add = at(&rows, "add.Tensor", "CPU");
    rows[add].fallthrough = true;
    rows.retain(|row| &*row.operator != "sin");
    let like = rows[add].clone();
    for (operator, key) in [("cos", "XLA"), ("my_own", "CPU"), ("mine::op", "CPU")] {
        rows.push(ObservedRegistration {
            operator: operator.into(),
            key: key.into(),
            ..like.clone()
        });
    }
    with_drift(&bundle, "2.9.0", rows, |drift| {
        let found: BTreeMap<(&str, &str), DriftKind> = drift
            .rows
            .iter()
            .map(|row| ((&*row.operator, row.key.unwrap_or("")), row.kind))
            .collect();
        let expected = [
            (("abs.out", "CPU"), DriftKind::Absent),
            (("add.Tensor", "CPU"), DriftKind::OtherKernel),
            (("cos", "XLA"), DriftKind::Undeclared),
            (("mul.Tensor", "CUDA"), DriftKind::OtherKernel),
            (("my_own", ""), DriftKind::OperatorUndeclared),
            (("sin", ""), DriftKind::OperatorAbsent),
        ];
        assert_eq!(found, BTreeMap::from(expected));
        assert_eq!(drift.elsewhere, 1);
    });
}

/// A build without CUDA lacks its kernels, which is not drift; an operator that the files do not
/// declare is.
#[test]
fn a_build_may_leave_backends_out() {
    let Some(mut bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let mut rows = process("2.9.0");
    rows.retain(|row| !row.key.contains("CUDA") || row.key.starts_with("Auto"));
    with_drift(&bundle, "2.9.0", rows.clone(), |drift| {
        assert!(drift.rows.is_empty(), "{:#?}", drift.rows.first());
        assert!(drift.left_out.contains(&"CUDA"));
    });
    let text = String::from_utf8(bundle.file(NATIVE_FUNCTIONS).unwrap().to_vec()).unwrap();
    let begin = text.find("- func: chunk(Tensor").unwrap();
    let end = begin + 1 + text[begin + 1..].find("\n- func").unwrap();
    bundle.insert(
        NATIVE_FUNCTIONS,
        (text[..begin].to_owned() + &text[end..]).into_bytes(),
    );
    with_drift(&bundle, "2.9.0", rows, |drift| {
        assert!(drift.count(DriftKind::OperatorUndeclared) >= 1);
        let chunk = drift.rows.iter().find(|row| row.operator == "chunk");
        assert_eq!(chunk.unwrap().kind, DriftKind::OperatorUndeclared);
    });
}
