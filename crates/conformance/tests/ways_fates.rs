//! Fates of PyTorch 2.9.0's operators against its registries, resolved here as `docs/spec/ways.md`
//! says.

use std::collections::{BTreeMap, BTreeSet};

use opatlas_dispatch::Observed;
use opatlas_verdict::ways::{Basis, Fate, Way};
use serde_json::Value;

use super::ways_golden::with_view;

/// The registries of a process of 2.9.0, by name.
struct Registries(BTreeMap<String, Value>);

impl Registries {
    fn read() -> Self {
        let rows = opatlas_conformance::golden("ways_2.9.0.jsonl.gz");
        let registries = rows.into_iter().map(|row| {
            let name = row["fact"].as_str().unwrap().to_owned();
            (name, row["members"].clone())
        });
        Self(registries.collect())
    }

    fn names(&self, registry: &str) -> BTreeSet<&str> {
        match self.0.get(registry) {
            Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(Value::Object(values)) => values.keys().map(String::as_str).collect(),
            _ => BTreeSet::new(),
        }
    }

    fn value(&self, registry: &str, name: &str) -> Option<&str> {
        self.0.get(registry)?.get(name)?.as_str()
    }
}

/// The first fate whose registry holds the operator.
fn first<'a>(name: &str, order: &[(&BTreeSet<&str>, &'a str)], otherwise: &'a str) -> &'a str {
    let held = order.iter().find(|(members, _)| members.contains(name));
    held.map_or(otherwise, |(_, fate)| fate)
}

#[test]
fn fates_are_those_of_the_registries() {
    let registries = Registries::read();
    let of = |registry| registries.names(registry);
    let (implicit, explicit) = (of("composite_implicit"), of("composite_explicit"));
    let (python, meta) = (of("meta_python"), of("meta_kernel"));
    let (by_default, core) = (of("core_aten_decompositions"), of("core_tag"));
    let on_request = of("decomp_post_autograd");
    let (table, handler) = (of("inductor_decomp_table"), of("inductor_handler"));
    let (lowerings, allowed) = (of("inductor_lowerings"), of("inductor_allow_list"));
    let (listed, shimified) = (of("aoti_fallback_ops"), of("aoti_shimified_ops"));
    let stable = of("stable_ops");
    let (custom, rules) = (of("dtensor_custom"), of("dtensor_rules"));
    let (strategies, single) = (of("dtensor_strategy"), of("dtensor_single_dim"));
    with_view(&Observed::default(), |view| {
        let mut compared = 0;
        let mut wrong = Vec::new();
        for (id, operator) in view.inputs.catalogue.iter() {
            let name = operator.name_text();
            let base = name.split('.').next().unwrap();
            let packet = format!("{base} (packet)");
            let is_sym = name.starts_with("sym_");
            for way in Way::ALL {
                let expected = match way {
                    Way::Training | Way::Vmap | Way::Functionalize => continue,
                    Way::Meta => first(
                        name,
                        &[
                            (&python, "python"),
                            (&meta, "kernel"),
                            (&implicit, "decomposes"),
                            (&explicit, "decomposes"),
                        ],
                        "none",
                    ),
                    Way::Decomposition if is_sym => continue,
                    Way::Decomposition => first(
                        name,
                        &[
                            (&implicit, "composite"),
                            (&by_default, "by-default"),
                            (&core, "core"),
                            (&on_request, "on-request"),
                        ],
                        "kept",
                    ),
                    // Graphs have the functional form of those.
                    Way::Inductor if operator.canonical().contains('!') => continue,
                    Way::Inductor => {
                        let is_lowered = lowerings.contains(name) || lowerings.contains(&*packet);
                        let is_fallback =
                            handler.contains(name) || allowed.contains(&*format!("aten::{base}"));
                        let decomposed = implicit.contains(name) || table.contains(name);
                        match (decomposed, is_fallback, is_lowered) {
                            (true, ..) => "decomposed",
                            (_, true, _) => "fallback",
                            (_, _, true) => "lowered",
                            _ => "implicit fallback",
                        }
                    }
                    Way::Aoti => first(
                        name,
                        &[(&listed, "shim"), (&shimified, "shim"), (&stable, "stable")],
                        "proxy executor",
                    ),
                    Way::Dtensor => first(
                        name,
                        &[
                            (&custom, "custom"),
                            (&strategies, "rule"),
                            (&rules, "rule"),
                            (&single, "rule"),
                            (&implicit, "decomposes"),
                        ],
                        "none",
                    ),
                    autocast => {
                        let registry = autocast.as_str().replace('-', "_");
                        registries.value(&registry, name).unwrap_or("passes")
                    }
                };
                let answer = view.way(id, way).unwrap();
                compared += 1;
                if answer.fate.as_str() != expected {
                    wrong.push(format!("{name} {way}: {} for {expected}", answer.fate));
                }
                let is_unknown = answer.fate == Fate::Unknown;
                assert_eq!(
                    answer.known_from == Basis::Unknown,
                    is_unknown,
                    "{name} {way}"
                );
            }
        }
        assert!(compared > 25_000, "only {compared} fates");
        assert!(
            wrong.is_empty(),
            "{} wrong: {:#?}",
            wrong.len(),
            &wrong[..wrong.len().min(40)]
        );
    });
}

#[test]
fn ten_mutable_operators_have_no_kernel_at_functionalize() {
    with_view(&Observed::default(), |view| {
        let ids = view.inputs.catalogue.iter();
        let raises = ids.filter_map(|(id, operator)| {
            let answer = view.way(id, Way::Functionalize)?;
            (answer.fate == Fate::Raises).then(|| operator.name_text())
        });
        assert_eq!(
            raises.collect::<Vec<_>>(),
            [
                "_cummax_helper",
                "_cummin_helper",
                "polygamma_",
                "adaptive_avg_pool3d_backward.grad_input",
                "_slow_conv2d_backward.grad_input",
                "record_stream",
                "_fill_mem_eff_dropout_mask_",
                "resize.out",
                "set.source_Tensor_out",
                "lift.out",
            ]
        );
    });
}
