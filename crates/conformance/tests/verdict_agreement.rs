//! The verdict on a column and the one that comes with its reasons are the same, for every operator
//! and backend.

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{Build, Observed, Source, provenance};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::release::Release;
use opatlas_verdict::{Tables, View};

#[test]
fn reasons_lead_to_the_verdict() {
    for version in ["2.0.0", "2.1.0", "2.9.0", "2.15.0"] {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = Release::from_label(version).unwrap().release;
        let catalogue = Catalogue::read(&bundle, release, None);
        let derivatives = catalogue.derivatives.clone();
        let matches = DerivativeMatches::new(&catalogue, derivatives.as_deref());
        let observed = Observed::default();
        let inputs = Inputs {
            catalogue: &catalogue,
            derivatives: derivatives.as_deref(),
            matches: &matches,
            backends: &[],
            observed: &observed,
            provenance: provenance(&bundle, release),
        };
        let tables = Tables::new(inputs, &Build::ALL, Source::Everything);
        disagreements(version, View::new(inputs, &tables));
    }
}

fn disagreements(version: &str, view: View<'_>) {
    let mut wrong = Vec::new();
    let keys = view.keys();
    for slot in keys.slots().filter(|slot| keys.backend(*slot).is_some()) {
        for (id, operator) in view.inputs.catalogue.iter() {
            let (verdict, support) = (view.verdict(id, slot), view.support(id, slot).verdict);
            if verdict != support {
                let key = keys.name(Key::Runtime(slot));
                let name = operator.name_text();
                wrong.push(format!("{name} on {key}: {verdict:?}, {support:?}"));
            }
        }
    }
    let shown = &wrong[..wrong.len().min(30)];
    assert!(wrong.is_empty(), "{version}: {} of {shown:#?}", wrong.len());
}
