//! The examples of rules are run: a bad one gives its rule and nothing else, a good one nothing.

use opatlas::model::catalogue::Catalogue;
use opatlas::rules::{Example, check, registry};

fn found(example: &Example, release: opatlas::release::Release) -> Vec<&'static str> {
    let catalogue = Catalogue::read(&example.bundle(), release, None);
    let mut rules: Vec<_> = check(&catalogue)
        .iter()
        .map(|finding| finding.rule)
        .collect();
    rules.dedup();
    rules
}

#[test]
fn examples_show_their_rule() {
    let mut wrong = Vec::new();
    for rule in registry::all() {
        let release = rule.until.unwrap_or(opatlas::release::Release::LATEST);
        let bad = found(&rule.bad, release);
        if bad != [rule.id] {
            wrong.push(format!("{}: the bad example gives {bad:?}", rule.id));
        }
        let good = found(&rule.good, release);
        if !good.is_empty() {
            wrong.push(format!("{}: the good example gives {good:?}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
