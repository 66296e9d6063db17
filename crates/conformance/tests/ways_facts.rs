//! The recorded facts of ways to run an operator against the registries of a PyTorch 2.9.0 process
//! (`data/README.md`).

use std::collections::BTreeMap;

use opatlas_pytorch::ways::{self, Facts, Registry};
use opatlas_pytorch::{Release, release::ParsedRelease};
use serde_json::Value;

type Members = BTreeMap<String, String>;

fn facts() -> Facts {
    ways::facts(Release::V2_9).expect("2.9 is recorded")
}

/// The members of every recorded registry, with the value of each.
fn recorded() -> BTreeMap<String, Members> {
    let rows = opatlas_conformance::golden("ways_2.9.0.jsonl.gz");
    rows.iter()
        .map(|row| {
            let members = match &row["members"] {
                Value::Array(names) => names
                    .iter()
                    .map(|name| (text(name), String::new()))
                    .collect(),
                Value::Object(values) => values
                    .iter()
                    .map(|(name, value)| (name.clone(), text(value)))
                    .collect(),
                other => panic!("members are a list or an object, not {other}"),
            };
            (text(&row["fact"]), members)
        })
        .collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[test]
fn registries_have_the_recorded_members() {
    let recorded = recorded();
    for registry in Registry::ALL {
        let members = facts().members(*registry);
        let members: Members = members
            .map(|(name, value)| (name.to_owned(), value.unwrap_or_default().to_owned()))
            .collect();
        assert_eq!(
            facts().absent(*registry).is_none(),
            recorded.contains_key(registry.name())
        );
        assert_eq!(
            members,
            recorded.get(registry.name()).cloned().unwrap_or_default(),
            "{registry:?}"
        );
    }
}

#[test]
fn operators_are_in_the_registries_that_hold_them() {
    let recorded = recorded();
    let operators: Vec<&String> = recorded["operators"].keys().collect();
    assert!(operators.len() > 3_000);
    for name in operators {
        let operator = facts().operator(name);
        for registry in Registry::ALL {
            let held = recorded
                .get(registry.name())
                .is_some_and(|members| members.contains_key(name));
            assert_eq!(operator.is_in(*registry), held, "{name} in {registry:?}");
        }
    }
}

#[test]
fn functions_have_the_recorded_dtypes() {
    let mut found: BTreeMap<String, Members> = BTreeMap::new();
    for function in facts().functions() {
        let variant = function
            .variant
            .map(|variant| format!("/{variant}"))
            .unwrap_or_default();
        let name = format!("{}{variant}", function.name);
        let mut add = |fact: String, value: &str| {
            found
                .entry(fact)
                .or_default()
                .insert(name.clone(), value.to_owned());
        };
        add("dtypes_operator".to_owned(), function.operator());
        if let Some(measured) = function.measured_dtypes() {
            add("ran_dtypes_cpu".to_owned(), measured.forward);
            add("ran_backward_dtypes_cpu".to_owned(), measured.backward);
        }
        for dtypes in function.claimed_dtypes() {
            add(format!("dtypes_{}", dtypes.device), dtypes.forward);
            add(
                format!("backward_dtypes_{}", dtypes.device),
                dtypes.backward,
            );
        }
    }
    assert_eq!(found, of_kind(|fact| fact.contains("dtypes_")));
}

#[test]
fn the_shim_has_the_recorded_declarations() {
    let mut found: BTreeMap<String, Members> = BTreeMap::new();
    for shim in facts().shims() {
        let of_device = found.entry(format!("shim_{}", shim.device)).or_default();
        of_device.insert(shim.function.to_owned(), shim.parameters.to_owned());
        assert!(facts().shim(shim.function).any(|one| one == shim));
    }
    assert_eq!(found, of_kind(|fact| fact.starts_with("shim_")));
    assert_eq!(ways::shim_function("fill_.Scalar"), "fill__Scalar");
}

fn of_kind(is_wanted: impl Fn(&str) -> bool) -> BTreeMap<String, Members> {
    let mut recorded = recorded();
    recorded.retain(|fact, _| is_wanted(fact));
    recorded
}

/// Every release has facts of its own, so a registry that it lacks is not taken for an empty one.
#[test]
fn releases_say_what_they_lack() {
    for release in Release::all() {
        let Some(facts) = ways::facts(release) else {
            continue;
        };
        for registry in Registry::ALL {
            if let Some(reason) = facts.absent(*registry) {
                assert!(!reason.is_empty() && facts.members(*registry).next().is_none());
            }
        }
    }
    let ParsedRelease { release, .. } = Release::parse("2.9.1").expect("a release");
    assert_eq!(
        ways::facts(release).map(Facts::release),
        Some(Release::V2_9)
    );
}
