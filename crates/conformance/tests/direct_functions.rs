//! Functions that bypass the dispatcher, against the headers of a built torch.

use std::collections::{BTreeMap, BTreeSet};

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::faces::FaceMaker;
use opatlas_pytorch::release::Release;

type ByHeader = BTreeMap<(String, String), BTreeSet<String>>;

/// Headers by base name and namespace.
fn recorded(version: &str) -> ByHeader {
    let rows = opatlas_conformance::golden(&format!("direct_functions_{version}.jsonl.gz"));
    let mut headers = ByHeader::new();
    for row in &rows {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let functions = row["functions"].as_array().unwrap().iter();
        let functions = functions.map(|it| it.as_str().unwrap().to_owned());
        headers
            .entry((text("name"), text("namespace")))
            .or_default()
            .extend(functions);
    }
    headers
}

fn computed(catalogue: &Catalogue) -> ByHeader {
    let maker = FaceMaker::new(catalogue);
    let mut headers = ByHeader::new();
    for (id, operator) in catalogue.iter() {
        let root = operator.name().stem().to_owned();
        for direct in maker.direct_functions(id) {
            headers
                .entry((root.clone(), direct.namespace))
                .or_default()
                .extend(direct.declarations);
        }
        let kernels = maker.kernels(id).into_iter();
        let built = kernels.filter(|it| !it.is_structured && is_built(&it.key));
        for text in built.flat_map(|it| it.declarations) {
            let text = text.strip_prefix("TORCH_API ").unwrap();
            headers
                .entry((root.clone(), "native".to_owned()))
                .or_default()
                .insert(text.trim_end_matches(';').to_owned());
        }
    }
    headers
}

/// The recorded build is for CPU and CUDA.
fn is_built(key: &str) -> bool {
    !["MPS", "XPU", "MTIA"]
        .iter()
        .any(|other| key.ends_with(other))
}

#[test]
fn functions_are_those_of_the_headers() {
    for version in opatlas_conformance::recorded("direct_functions") {
        let Some(bundle) = opatlas_conformance::release(&version) else {
            continue;
        };
        let release = Release::from_label(&version).unwrap().release;
        let ours = computed(&Catalogue::read(&bundle, release, None));
        let recorded = recorded(&version);
        let built: BTreeSet<&str> = recorded.keys().map(|(_, space)| &**space).collect();
        let mut ours: ByHeader = ours
            .into_iter()
            .filter(|((_, space), _)| built.contains(&**space))
            .collect();
        for (header, functions) in &recorded {
            let computed = ours.remove(header).unwrap_or_default();
            assert_eq!(&computed, functions, "{version} {header:?}");
        }
        assert!(ours.is_empty(), "{version}: {:?}", ours.keys().next());
        assert!(recorded.len() > 3_000, "{}", recorded.len());
    }
}
