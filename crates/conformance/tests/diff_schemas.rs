//! Changes between two schemas: agreement with recorded pairs, and properties.

use opatlas_diff::rules::{Audience, Level, Official};
use opatlas_diff::{Change, official, schema};

fn changes(old: &str, new: &str) -> Vec<Change> {
    let (a, b) = (official::parse(old).unwrap(), official::parse(new).unwrap());
    let side = |schema, text| schema::Side {
        schema,
        text,
        has_spans: true,
    };
    schema::compare("op", side(&a, old), side(&b, new))
}

/// Every recorded pair is reported under its rule with its level.
#[test]
fn recorded_pairs() {
    let mut wrong = Vec::new();
    for row in opatlas_conformance::golden("schema_changes.jsonl.gz") {
        let text = |key: &str| row[key].as_str().unwrap();
        let found = changes(text("old"), text("new"));
        let ok = match (text("rule"), text("spec_level")) {
            ("no-change", _) => found.is_empty(),
            // Some of them are one change after all.
            ("compound", _) => match &found[..] {
                [compound, changes @ ..] if !changes.is_empty() => {
                    let worst = changes.iter().map(|c| c.level).max();
                    compound.rule.id == "compound" && Some(compound.level) == worst
                }
                found => found.len() == 1,
            },
            (rule, level) => {
                let level = Level::parse(level).unwrap();
                found.iter().any(|c| c.rule.id == rule && c.level == level)
            }
        };
        if !ok {
            let rules: Vec<_> = found.iter().map(|c| (c.rule.id, c.level)).collect();
            wrong.push(format!("{row}\n  {rules:?}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// A schema compared with itself has not changed.
#[test]
fn nothing_changes_by_itself() {
    for row in opatlas_conformance::golden("official_pairs.jsonl.gz") {
        for key in ["old", "new"] {
            let text = row[key].as_str().unwrap();
            if official::parse(text).is_ok() {
                assert!(changes(text, text).is_empty(), "{text}");
            }
        }
    }
}

/// Whatever torch's own check refuses is reported, under a rule that says that torch refuses it.
#[test]
fn whatever_torch_refuses_is_reported() {
    let mut missed = Vec::new();
    for row in opatlas_conformance::golden("official_pairs.jsonl.gz") {
        let (old, new) = (row["old"].as_str().unwrap(), row["new"].as_str().unwrap());
        if official::parse(old).is_err() || official::parse(new).is_err() {
            continue;
        }
        let found = changes(old, new);
        let refused =
            |verdict: Official| !matches!(verdict, Official::Compatible | Official::NotChecked);
        let hurts_new_models = |change: &Change| {
            let hurt = change.impacts.breaks.union(change.impacts.risks);
            hurt.contains(Audience::NewModel)
        };
        if row["bc"] == false
            && !found
                .iter()
                .any(|c| refused(c.rule.backward) || c.level == Level::Breaking)
        {
            missed.push(format!("backward: {old} => {new}"));
        }
        if row["fc"] == false
            && !found
                .iter()
                .any(|c| refused(c.rule.forward) || hurts_new_models(c))
        {
            missed.push(format!("forward: {old} => {new}"));
        }
    }
    assert!(
        missed.is_empty(),
        "{} missed:\n{}",
        missed.len(),
        missed.join("\n")
    );
}

/// What undoes a change of this rule.
fn inverse(rule: &str) -> &str {
    const PAIRS: [(&str, &str); 16] = [
        ("argument-type-widened", "argument-type-narrowed"),
        ("argument-type-symint", "argument-type-de-symint"),
        ("argument-became-kwarg-only", "argument-became-positional"),
        ("argument-became-out", "out-argument-became-input"),
        ("default-added", "default-removed"),
        ("alias-annotation-added", "alias-annotation-removed"),
        ("mutability-gained", "mutability-lost"),
        ("list-size-hint-added", "list-size-hint-removed"),
        ("out-argument-added", "out-argument-removed"),
        ("out-argument-type-widened", "out-argument-type-narrowed"),
        ("return-name-added", "return-name-removed"),
        ("return-type-widened", "return-type-narrowed"),
        ("operator-became-private", "operator-became-public"),
        ("operator-became-inplace", "operator-became-functional"),
        ("overload-name-added", "overload-name-removed"),
        ("argument-added-with-default", "argument-removed"),
    ];
    if matches!(
        rule,
        "argument-added-required"
            | "argument-added-container-default"
            | "argument-added-after-out"
            | "argument-inserted"
    ) {
        return "argument-removed";
    }
    let pair = PAIRS.iter().find(|(a, b)| *a == rule || *b == rule);
    pair.map_or(rule, |(a, b)| if *a == rule { b } else { a })
}

/// The recorded pairs the other way round fall under the inverse rule.
#[test]
fn the_other_way_round() {
    let mut wrong = Vec::new();
    for row in opatlas_conformance::golden("schema_changes.jsonl.gz") {
        let text = |key: &str| row[key].as_str().unwrap();
        let rule = text("rule");
        if ["compound", "no-change"].contains(&rule) {
            continue;
        }
        let found = changes(text("new"), text("old"));
        let has = |rule: &str| found.iter().any(|c| c.rule.id == rule);
        // What was removed can come back in several ways.
        let is_back = rule == "argument-removed"
            && found.iter().any(|c| {
                c.rule.id.as_str().starts_with("argument-added") || c.rule.id == "argument-inserted"
            });
        if !has(inverse(rule)) && !is_back {
            let rules: Vec<_> = found.iter().map(|c| c.rule.id).collect();
            wrong.push(format!(
                "{rule}: {} => {}\n  {rules:?}",
                text("new"),
                text("old")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
