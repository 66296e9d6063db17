//! Calls under `torch.vmap` by the registries of each release, beyond the table
//! (`docs/spec/support.md`, section 7).

use opatlas_dispatch::Observed;
use opatlas_pytorch::release::Release;
use opatlas_pytorch::ways::{Registry, facts};
use opatlas_verdict::ways::{Fate, Way};
use opatlas_verdict::{Because, Verdict, View};

use super::release_view::with_view;

fn in_each_release(check: impl Fn(View<'_>)) {
    for release in Release::all() {
        let newest = release.data().patches.last().unwrap();
        if let Some(bundle) = opatlas_conformance::release(newest) {
            with_view(&bundle, release, &Observed::default(), &check);
        }
    }
}

fn vmap(view: View<'_>, operator: &str) -> (Verdict, Option<Because>) {
    let slot = view.keys().slot("FuncTorchBatched").unwrap();
    let id = view.inputs.catalogue.find(operator).unwrap();
    let support = view.support(id, slot);
    (support.verdict, support.because)
}

#[test]
fn rules_that_only_raise_fail_in_every_release() {
    in_each_release(|view| {
        for operator in ["item", "nonzero", "masked_select", "rrelu_", "unique_dim"] {
            let expected = (Verdict::Fails, Some(Because::RaisesUnderVmap));
            assert_eq!(vmap(view, operator), expected, "{operator}");
        }
    });
}

#[test]
fn rules_outside_the_table_serve_a_call() {
    in_each_release(|view| {
        // A rule in Python, a random operator, and a replacement.
        for operator in ["addr", "bernoulli.p", "binary_cross_entropy_with_logits"] {
            assert_eq!(vmap(view, operator).0, Verdict::Runs, "{operator}");
        }
        assert_eq!(vmap(view, "geqrf").0, Verdict::Runs);
    });
}

#[test]
fn the_way_says_what_the_verdict_says() {
    in_each_release(|view| {
        let slot = view.keys().slot("FuncTorchBatched").unwrap();
        let facts = facts(view.keys().release()).unwrap();
        for (id, operator) in view.inputs.catalogue.iter() {
            let fate = view.way(id, Way::Vmap).map(|answer| answer.fate);
            let verdict = view.verdict(id, slot);
            let expected = match verdict {
                Verdict::Runs => Fate::Rule,
                Verdict::Decomposes => Fate::Decomposes,
                Verdict::FallsBack => Fate::FallsBack,
                Verdict::Fails => Fate::Raises,
                Verdict::Partly => Fate::Partly,
                Verdict::Unknown => Fate::Unknown,
            };
            let name = operator.qualified_name();
            assert_eq!(fate, Some(expected), "{name}");
            let raises = facts.operator(operator.name_text());
            if raises.is_in(Registry::VmapRaises) {
                assert_eq!(verdict, Verdict::Fails, "{name}");
            }
        }
    });
}
