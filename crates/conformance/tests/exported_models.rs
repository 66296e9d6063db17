//! Predicted missing operators against what exported programs of real models missed on the bare
//! device, one after the other, each served before the next run.

use opatlas_dispatch::{Observed, ObservedRegistration};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::release::Release;
use opatlas_verdict::View;
use serde_json::Value;

use super::release_view::with_view_of;

const KEY: &str = "PrivateUse1";

/// The kernels of the bare device, and the one with which the CPU fallback writes its results.
const OWN: [&str; 7] = [
    "_copy_from",
    "_copy_from_and_resize",
    "as_strided",
    "empty.memory_format",
    "empty_strided",
    "resize_",
    "view",
];

/// Shares that must be right, in tenths of a percent: of the first missing operators of the models,
/// and of all that they miss.
const FIRST: usize = 970;
const ALL: usize = 840;

fn texts(values: &Value) -> Vec<&str> {
    let values = values.as_array().unwrap().iter();
    values.map(|value| value.as_str().unwrap()).collect()
}

fn observed(served: &[&str]) -> Observed {
    let rows = OWN
        .iter()
        .chain(served)
        .map(|operator| ObservedRegistration {
            operator: (*operator).into(),
            key: KEY.into(),
            file: None,
            fallthrough: false,
            boxed: false,
        });
    Observed::new(rows.collect())
}

/// The operators of a model, in the order in which it first calls them.
fn operators(view: View<'_>, model: &Value) -> Vec<OperatorId> {
    let rows = model["operators"].as_array().unwrap().iter();
    let names = rows.filter_map(|row| {
        let name = row[0].as_str().unwrap().strip_prefix("aten.")?;
        Some(name.strip_suffix(".default").unwrap_or(name))
    });
    names
        .map(|name| view.inputs.catalogue.find(name).unwrap())
        .collect()
}

/// What a model may miss first on a device with these kernels: what calls need that fail in some
/// cases, up to the first one that always fails.
#[derive(Debug, Default)]
struct Predicted {
    sometimes: Vec<OperatorId>,
    always: Option<OperatorId>,
}

fn predicted(view: View<'_>, model: &Value) -> Predicted {
    let slot = view.keys().slot(KEY).unwrap();
    let mut predicted = Predicted::default();
    for operator in operators(view, model) {
        let support = view.support(operator, slot);
        if support.verdict.fails() {
            predicted.always = view.first_needed(operator, slot, &support);
            break;
        }
        if support.verdict.lacks() {
            predicted.sometimes.extend(&support.needs);
        }
    }
    predicted
}

/// What is missing of a model, in the order in which its device asked for it.
fn missing(model: &Value) -> Vec<&str> {
    let missing = texts(&model["missing"]).into_iter();
    missing
        .map(|name| name.trim_start_matches("aten::"))
        .collect()
}

#[test]
fn what_a_model_misses_is_predicted() {
    let Some(bundle) = opatlas_conformance::release("2.9.0") else {
        return;
    };
    let models = opatlas_conformance::golden("exported_models_2.9.0.jsonl.gz");
    assert!(models.len() >= 40);
    let catalogue = Catalogue::read(&bundle, Release::V2_9, None);
    let (mut first, mut all, mut right) = (0, 0, 0);
    let (mut exact_first, mut exact_all) = (0, 0);
    for model in &models {
        let missing = missing(model);
        for (at, &real) in missing.iter().enumerate() {
            let observed = observed(&missing[..at]);
            let predicted = with_view_of(&bundle, &catalogue, &observed, |view| {
                predicted(view, model)
            });
            let real = catalogue.find(real).unwrap();
            let is_right = predicted.always == Some(real) || predicted.sometimes.contains(&real);
            if !is_right {
                let name = |id| catalogue.operator(id).qualified_name().to_owned();
                println!(
                    "{}: {} is missing, not {:?}",
                    model["model"],
                    name(real),
                    predicted.always.map(name)
                );
            }
            let exact = with_view_of(&bundle, &catalogue, &observed, |view| {
                let slot = view.keys().slot(KEY).unwrap();
                let found = view.first_missing(slot, operators(view, model));
                found.and_then(|found| found.missing) == Some(real)
            });
            exact_all += usize::from(exact);
            exact_first += usize::from(exact && at == 0);
            all += 1;
            right += usize::from(is_right);
            first += usize::from(is_right && at == 0);
        }
    }
    println!("exactly: first {exact_first}, all {exact_all}");
    assert!(exact_first * 1000 >= models.len() * FIRST, "{exact_first}");
    println!("first {first} of {}, all {right} of {all}", models.len());
    assert!(first * 1000 >= models.len() * FIRST, "{first}");
    assert!(right * 1000 >= all * ALL, "{right} of {all}");
}
