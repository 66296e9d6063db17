//! The examples in the documentation of the rules: the bad one gives exactly its rule, the good one
//! nothing at warning or error level.

use opatlas::diagnostic::{Finding, Severity};
use opatlas::model::catalogue::Catalogue;
use opatlas::release::Release;
use opatlas::rules::{self, Example, Rule, registry};
use opatlas::source::{Bundle, NATIVE_FUNCTIONS};

fn findings(example: Example, release: Release) -> Vec<Finding> {
    let mut bundle = Bundle::of_native_functions(*b"[]\n");
    bundle.insert(example.file, example.text.as_bytes());
    let mut findings = rules::check(&Catalogue::read(&bundle, release, None)).into_kept();
    findings.retain(|finding| !finding.suppressed);
    findings
}

fn list(findings: &[Finding]) -> String {
    let line = |f: &Finding| format!("\n  {} {:?}: {}", f.rule, f.span, f.message);
    findings.iter().map(line).collect()
}

/// Every release that a rule applies to is tried at its ends.
fn releases(rule: &Rule) -> [Release; 2] {
    [rule.since, rule.until.unwrap_or(Release::LATEST)]
}

/// Rules about other files are checked together with those files.
fn is_native(rule: &Rule) -> bool {
    [NATIVE_FUNCTIONS, "tags.yaml"].contains(&rule.bad.file)
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
    let mut ids: Vec<&str> = registry::all().map(|rule| rule.id).collect();
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
        assert_eq!(registry::find(rule.id).map(|found| found.id), Some(rule.id));
    }
    assert!(registry::find("no-such-rule").is_none());
}

/// Every id that the sources name has a rule, so that no complaint is dropped.
#[test]
fn every_id_in_the_sources_is_a_rule() {
    let mut unknown = Vec::new();
    for folder in ["src/syntax", "src/model", "src/rules"] {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        visit(&root, &mut |text| {
            for piece in text.split("Diagnostic::new(").skip(1) {
                let id = piece
                    .trim_start()
                    .strip_prefix('"')
                    .and_then(|rest| rest.split('"').next());
                if let Some(id) = id.filter(|id| registry::find(id).is_none()) {
                    unknown.push(id.to_owned());
                }
            }
        });
    }
    unknown.sort();
    unknown.dedup();
    assert!(unknown.is_empty(), "{unknown:?}");
}

fn visit(folder: &std::path::Path, read: &mut impl FnMut(&str)) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            visit(&path, read);
        } else {
            read(&std::fs::read_to_string(&path).unwrap());
        }
    }
}
