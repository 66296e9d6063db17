//! The registry of compatibility rules against the recorded table, and its examples against torch's
//! own check.

use std::collections::BTreeSet;

use opatlas_diff::official::{compare, parse};
use opatlas_diff::rules::{
    Audience, Audiences, ChangeRule, Group, Impacts, Level, Official, Profile, RULES, find,
};

/// The impacts of the table, in the order of the audiences.
const IMPACTS: [&str; 8] = [
    "py_keyword",
    "py_positional",
    "saved_model_on_new_runtime",
    "new_model_on_old_runtime",
    "cpp_callers",
    "out_of_tree_backends",
    "derivatives_autograd",
    "functionalization_compile",
];

fn impact(rule: &ChangeRule, audience: Audience) -> &'static str {
    match (
        rule.impacts.breaks.contains(audience),
        rule.impacts.risks.contains(audience),
    ) {
        (true, false) => "break",
        (false, true) => "risk",
        (false, false) if rule.level.is_none() => "varies",
        (false, false) => "ok",
        (true, true) => panic!("{}: breaks and risks {audience}", rule.id),
    }
}

#[test]
fn every_rule_of_the_table_is_registered_as_recorded() {
    let rows = opatlas_conformance::golden("change_rules.jsonl.gz");
    let ids: Vec<&str> = rows.iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert_eq!(ids, RULES.map(|rule| rule.id.as_str()));
    assert_eq!(ids.len(), 145);
    for row in &rows {
        let rule = find(row["id"].as_str().unwrap()).unwrap();
        assert_eq!(
            rule.group.as_str(),
            row["group"].as_str().unwrap(),
            "{}",
            rule.id
        );
        let level = rule.level.map_or("max", Level::as_str);
        assert_eq!(level, row["level"].as_str().unwrap(), "{}", rule.id);
        assert_eq!(
            rule.backward.as_str(),
            row["official_bc"].as_str().unwrap(),
            "{}",
            rule.id
        );
        assert_eq!(
            rule.forward.as_str(),
            row["official_fc"].as_str().unwrap(),
            "{}",
            rule.id
        );
        for (audience, key) in Audience::ALL.into_iter().zip(IMPACTS) {
            let recorded = row["impact"][key].as_str().unwrap();
            assert_eq!(impact(rule, audience), recorded, "{}: {audience}", rule.id);
        }
        for audience in Audience::ALL.into_iter().skip(IMPACTS.len()) {
            let recorded = row["impact"][audience.as_str()].as_str().unwrap_or("ok");
            let of_rule = impact(rule, audience).replace("varies", "ok");
            assert_eq!(of_rule, recorded, "{}: {audience}", rule.id);
        }
    }
    assert!(find("no-such-rule").is_none());
}

#[test]
fn documentation_is_complete() {
    let mut texts = BTreeSet::new();
    for rule in &RULES {
        for text in [Some(rule.what), Some(rule.why), rule.instead]
            .into_iter()
            .flatten()
        {
            assert!(text.ends_with('.'), "{}: {text}", rule.id);
            assert!(!text.contains("  "), "{}: {text}", rule.id);
        }
        assert!(texts.insert(rule.what), "{}: said twice", rule.id);
        assert!(!rule.source.is_empty());
        let is_bad = rule.level >= Some(Level::Breaking);
        assert!(
            !is_bad || rule.instead.is_some(),
            "{} offers no alternative",
            rule.id
        );
    }
}

/// What the table says of torch's verdict is what torch says of the example.
#[test]
fn examples_of_schemas_are_judged_as_the_rule_says() {
    let mut judged = 0;
    for rule in &RULES {
        let Some(example) = rule.example else {
            // Examples show `native_functions.yaml` alone.
            let is_of_another = rule.source.starts_with("tools/autograd/")
                && rule.source.ends_with(".yaml")
                || rule.source == "torchgen/aoti/fallback_ops.py"
                || rule.id.as_str().starts_with("tag-member-");
            let is_shown = !is_of_another && rule.group != Group::Policy;
            assert!(!is_shown, "{} has no example", rule.id);
            continue;
        };
        if example.old.starts_with("- func:") {
            continue;
        }
        judged += 1;
        let [old, new] = [example.old, example.new].map(|text| parse(text).unwrap());
        let verdict = compare(&old, &new);
        for (expected, holds, crashes) in [
            (rule.backward, verdict.backward, verdict.backward_crash),
            (rule.forward, verdict.forward, verdict.forward_crash),
        ] {
            let found = match (holds, crashes) {
                (_, true) => Official::Raises,
                (true, false) => Official::Compatible,
                (false, false) => Official::Incompatible,
            };
            let is_expected = expected == Official::Varies || expected == found;
            assert!(is_expected, "{}: {expected:?}, found {verdict:?}", rule.id);
        }
    }
    assert_eq!(judged, 66);
}

#[test]
fn words_are_read_as_they_are_written() {
    for level in Level::ALL {
        assert_eq!(Level::parse(level.as_str()), Some(level));
    }
    for audience in Audience::ALL {
        assert_eq!(Audience::parse(audience.as_str()), Some(audience));
    }
    for profile in Profile::ALL {
        assert_eq!(Profile::parse(profile.as_str()), Some(profile));
    }
    assert!(Profile::parse("Strict").is_none());
    assert!(Level::ALL.is_sorted());
    assert_eq!(Profile::default(), Profile::Strict);
}

fn level(profile: Profile, id: &str) -> Level {
    let rule = find(id).unwrap();
    profile.level(rule, rule.level.unwrap(), rule.impacts)
}

#[test]
fn profiles_count_their_audiences_only() {
    for (profile, id, expected) in [
        (Profile::Python, "argument-renamed", Level::Breaking),
        (Profile::Python, "overload-renamed", Level::Info),
        (
            Profile::Python,
            "argument-reordered-kwarg-only",
            Level::Info,
        ),
        (Profile::Python, "argument-type-narrowed", Level::Dangerous),
        (
            Profile::Model,
            "argument-type-widened",
            Level::ForwardBreaking,
        ),
        (Profile::Model, "default-changed", Level::Breaking),
        (Profile::Cpp, "cpp-no-default-args-added", Level::Breaking),
        (Profile::Cpp, "return-renamed", Level::Info),
        (Profile::Backend, "backend-support-lost", Level::Breaking),
        (Profile::Backend, "argument-renamed", Level::Info),
        (
            Profile::Compiler,
            "argument-type-de-symint",
            Level::Breaking,
        ),
        (Profile::Official, "alias-set-renamed", Level::Breaking),
        (Profile::Official, "argument-type-de-symint", Level::Info),
        (
            Profile::Official,
            "argument-added-after-out",
            Level::ForwardBreaking,
        ),
        (Profile::Official, "out-arguments-replaced", Level::Breaking),
    ] {
        assert_eq!(level(profile, id), expected, "{profile}: {id}");
    }
    for rule in RULES.iter().filter(|rule| rule.level.is_some()) {
        let strict = level(Profile::Strict, rule.id.as_str());
        assert_eq!(Some(strict), rule.level);
        for profile in Profile::ALL {
            if matches!(profile, Profile::Official | Profile::Strict) {
                continue;
            }
            let (id, of_profile) = (rule.id.as_str(), level(profile, rule.id.as_str()));
            let broken = profile.audiences().intersection(rule.impacts.breaks);
            let broken = broken.without(Audiences::of(&[Audience::NewModel]));
            let keeps = profile == Profile::Backend && rule.group == Group::Computed;
            match broken.is_empty() || keeps {
                true => assert!(of_profile <= strict, "{profile}: {id}"),
                false => assert_eq!(of_profile, Level::Breaking, "{profile}: {id}"),
            }
        }
    }
}

/// A change may hurt fewer than its rule says, and then weighs less.
#[test]
fn the_impacts_of_the_change_decide() {
    let rule = find("argument-inserted").unwrap();
    let of_callers = |breaks| Impacts {
        breaks,
        ..rule.impacts
    };
    let without_positional = of_callers(rule.impacts.breaks.without(Profile::Python.audiences()));
    let python = |impacts| Profile::Python.level(rule, Level::Breaking, impacts);
    assert_eq!(python(rule.impacts), Level::Breaking);
    assert_eq!(python(without_positional), Level::Dangerous);
}
