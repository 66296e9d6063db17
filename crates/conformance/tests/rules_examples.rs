//! The examples in the documentation of the rules: the bad one gives exactly its rule, the good one
//! nothing at warning or error level.

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::{Example, Family, Rule, registry};
use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

fn findings(example: Example, release: Release) -> Vec<Finding> {
    let mut bundle = Bundle::of_native_functions(*b"[]\n");
    bundle.insert(example.file, example.text.as_bytes());
    let mut findings = opatlas_rules::check(&Catalogue::read(&bundle, release, None)).into_kept();
    findings.retain(|finding| !finding.suppressed);
    findings
}

fn list(findings: &[Finding]) -> String {
    let line = |f: &Finding| format!("\n  {} {:?}: {}", f.rule, f.span, &*f.message);
    findings.iter().map(line).collect()
}

/// Every release that a rule applies to is tried at its ends.
fn releases(rule: &Rule) -> [Release; 2] {
    [rule.since, rule.until.unwrap_or(Release::LATEST)]
}

/// Rules about other files are checked together with those files, and deleted ones in comparisons.
fn is_native(rule: &Rule) -> bool {
    [NATIVE_FUNCTIONS, "tags.yaml"].contains(&rule.bad.file) && rule.id != RuleId::DeletedFile
}

#[test]
fn bad_examples_give_exactly_their_rule() {
    let mut wrong = Vec::new();
    for rule in registry::all().filter(|rule| is_native(rule)) {
        for release in releases(rule) {
            let mut found = findings(rule.bad, release);
            // Advice beside a fault is no second fault.
            found.retain(|f| f.severity <= rule.severity);
            let exactly = found
                .iter()
                .all(|f| f.rule == rule.id && f.severity == rule.severity);
            if found.is_empty() || !exactly {
                wrong.push(format!("{} in {release}: {}", rule.id, list(&found)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn good_examples_give_nothing() {
    let mut wrong = Vec::new();
    for rule in registry::all().filter(|rule| is_native(rule)) {
        for release in releases(rule) {
            let mut found = findings(rule.good, release);
            found.retain(|f| f.severity != Severity::Info);
            if !found.is_empty() {
                wrong.push(format!("{} in {release}: {}", rule.id, list(&found)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn rules_are_documented_and_named_once() {
    let mut ids: Vec<&str> = registry::all().map(|rule| rule.id.as_str()).collect();
    ids.sort_unstable();
    let count = ids.len();
    ids.dedup();
    assert_eq!(ids.len(), count, "an id is used twice");
    for rule in registry::all() {
        for text in [
            rule.what,
            rule.why,
            rule.source,
            rule.bad.text,
            rule.good.text,
        ] {
            assert!(!text.is_empty(), "{}", rule.id);
        }
        assert!(
            rule.what.ends_with('.') && rule.why.ends_with('.'),
            "{}",
            rule.id
        );
        assert_ne!(rule.bad.text, rule.good.text, "{}", rule.id);
        assert_eq!(
            registry::find(rule.id.as_str()).map(|found| found.id),
            Some(rule.id)
        );
    }
    assert!(registry::find("no-such-rule").is_none());
}

/// Every id has one rule, so that looking it up cannot fail.
#[test]
fn every_id_has_a_rule() {
    let mut ids: Vec<RuleId> = registry::all().map(|rule| rule.id).collect();
    ids.sort_unstable();
    assert_eq!(ids, RuleId::ALL);
    for id in RuleId::ALL {
        assert_eq!(registry::of(id).id, id);
    }
}

/// Rules about single schemas are tried with the reader of the runtime's grammar.
#[test]
fn examples_of_the_runtime_grammar_hold() {
    let mut tried = 0;
    for rule in registry::all().filter(|rule| rule.family == Family::Runtime) {
        let found = opatlas_diff::official::parse(rule.bad.text).unwrap_err();
        assert_eq!(found[0].rule, rule.id, "{}", &*found[0].message);
        opatlas_diff::official::parse(rule.good.text).unwrap();
        tried += 1;
    }
    assert_eq!(tried, 5);
}
