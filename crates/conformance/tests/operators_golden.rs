//! Operators, written and generated, against what torchgen made of the real releases.

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;

fn check(version: &str) {
    let Some(bundle) = opatlas_conformance::release(version) else {
        return;
    };
    let release = Release::from_label(version).unwrap().release;
    let catalogue = Catalogue::read(&bundle, release, None);
    let native = &catalogue.native_functions;
    assert_eq!(native.diagnostics, []);
    assert!(
        native
            .entries
            .iter()
            .all(|e| e.entry.diagnostics.is_empty())
    );
    let rows = opatlas_conformance::golden(&format!("operators_{version}.jsonl.gz"));
    assert_eq!(rows.len(), catalogue.operators.len());
    for (row, (id, op)) in rows.iter().zip(catalogue.iter()) {
        let name = row["name"].as_str().unwrap();
        assert_eq!(op.name().as_str(), name);
        assert_eq!(op.canonical(), row["func"].as_str().unwrap());
        assert_eq!(op.kind.as_str(), row["kind"].as_str().unwrap(), "{name}");
        assert_eq!(op.namespace(), row["namespace"].as_str().unwrap(), "{name}");
        let generated = &row["is_generated"];
        assert_eq!(op.is_generated(), generated.as_bool().unwrap(), "{name}");
        let view = &row["is_view_op"];
        assert_eq!(op.is_view, view.as_bool().unwrap(), "{name}");
        let mut tags: Vec<&str> = row["tags"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t.as_str().unwrap())
            .collect();
        tags.sort_unstable();
        let ours: Vec<&str> = op.tags.iter().map(|t| &**t).collect();
        assert_eq!(ours, tags, "{name}");
        let mut kernels: Vec<(String, String)> = row["dispatch"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(k, v)| (k.clone(), v.as_str().unwrap().to_owned()))
            .collect();
        kernels.sort();
        let mut ours: Vec<(String, String)> = catalogue
            .kernels(id)
            .iter()
            .map(|k| (k.key.as_str().to_owned(), k.kernel.name.to_string()))
            .collect();
        ours.sort();
        assert_eq!(ours, kernels, "{name}");
        assert_eq!(
            op.is_structured(),
            row["structured"].as_bool().unwrap(),
            "{name}"
        );
        assert_eq!(
            op.structured_delegate().map(|d| d.as_str()),
            row["structured_delegate"].as_str(),
            "{name}"
        );
        if let Some(signature) = row.get("signature") {
            assert_eq!(op.signature(), signature.as_str().unwrap(), "{name}");
            assert_eq!(
                op.is_abstract(),
                row["is_abstract"].as_bool().unwrap(),
                "{name}"
            );
        }
        let mut variants: Vec<&str> = row["variants"]
            .as_array()
            .unwrap()
            .iter()
            .map(|t| t.as_str().unwrap())
            .collect();
        variants.sort_unstable();
        let mut ours = Vec::new();
        if op.variants().function {
            ours.push("function");
        }
        if op.variants().method {
            ours.push("method");
        }
        assert_eq!(ours, variants, "{name}");
    }
}

#[test]
fn operators_are_those_of_torchgen() {
    let recorded = opatlas_conformance::recorded("operators");
    assert!(recorded.len() >= 4, "{recorded:?}");
    recorded.iter().for_each(|version| check(version));
}
