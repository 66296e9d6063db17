//! Fates under autocast on the CPU against the dtypes that operators of PyTorch 2.9.0 got when it cast
//! to bfloat16.

use std::collections::BTreeSet;

use opatlas_dispatch::Observed;
use opatlas_verdict::View;
use opatlas_verdict::ways::{Fate, Way};
use serde_json::Value;

use super::ways_golden::with_view;

/// Dtypes that autocast leaves alone are not listed by a fate.
const CAST: [&str; 2] = ["bfloat16", "float32"];

fn fate(view: View<'_>, operator: &str) -> Option<Fate> {
    let id = view.inputs.catalogue.find(operator)?;
    Some(view.way(id, Way::AutocastCpu)?.fate)
}

/// The dtypes of an operator in a row, of those that autocast may cast.
fn dtypes<'a>(of: &'a Value, operator: &str) -> BTreeSet<&'a str> {
    let names = of[operator].as_array().into_iter().flatten();
    let names = names.filter_map(Value::as_str);
    names.filter(|name| CAST.contains(name)).collect()
}

/// Returns true if the fate allows these dtypes, given those without autocast.
fn may_get(fate: Fate, seen: &BTreeSet<&str>, plain: &BTreeSet<&str>) -> bool {
    match fate {
        Fate::LowerPrecisionFp => seen.iter().all(|name| *name == "bfloat16"),
        Fate::Fp32 | Fate::Fp32SetOptDtype | Fate::Fp32AppendDtype => {
            seen.iter().all(|name| *name == "float32")
        }
        Fate::Promote => seen.len() <= 1,
        Fate::Passes => seen == plain,
        _ => false,
    }
}

/// Autocast is off below a kernel that casts, and a composite calls others with what it was given. So
/// an operator is judged where the test calls it and nothing else that casts.
#[test]
fn operators_get_the_dtype_that_is_reported() {
    with_view(&Observed::default(), |view| {
        let (mut judged, mut wrong) = (BTreeSet::new(), Vec::new());
        for row in opatlas_conformance::golden("autocast_runs_2.9.0.jsonl.gz") {
            let (seen, plain) = (&row["seen"], &row["plain"]);
            let base = |name: &str| name.split('.').next().unwrap().to_owned();
            let called = row["op"].as_str().unwrap();
            let called = called.rsplit('.').next().unwrap();
            let of_function = fate(view, called).unwrap_or(Fate::Passes);
            let operators = seen.as_object().unwrap().keys();
            let casting: BTreeSet<&String> = operators
                .clone()
                .filter(|name| fate(view, name).is_some_and(|fate| fate != Fate::Passes))
                .collect();
            for operator in operators {
                let Some(fate) = fate(view, operator) else {
                    continue;
                };
                let is_called = base(operator) == called;
                let is_covered = !is_called && of_function != Fate::Passes;
                let is_alone = casting.iter().all(|name| *name == operator);
                if is_covered || (fate == Fate::Passes && !(is_called && is_alone)) {
                    continue;
                }
                let (got, given) = (dtypes(seen, operator), dtypes(plain, operator));
                judged.insert(operator.clone());
                if !may_get(fate, &got, &given) {
                    wrong.push(format!(
                        "{called}: {operator}, {fate}, got {got:?}, not {given:?}"
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
        assert!(judged.len() > 250, "only {} operators", judged.len());
    });
}
