//! The verdict on a column and the one that comes with its reasons are the same, for every operator
//! and backend.

use opatlas_dispatch::Observed;
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::release::Release;
use opatlas_verdict::View;

use super::release_view::with_view;

#[test]
fn reasons_lead_to_the_verdict() {
    for version in ["2.0.0", "2.1.0", "2.9.0", "2.15.0"] {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = Release::from_label(version).unwrap().release;
        with_view(&bundle, release, &Observed::default(), |view| {
            disagreements(version, view);
        });
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
