//! Every edit that a finding offers fixes it: over the examples of the rules, and over releases in which
//! entries change.

use std::collections::{BTreeMap, BTreeSet};

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::fix::{Reading, works};
use opatlas_rules::registry;
use opatlas_source::Bundle;
use opatlas_source::diagnostic::Finding;

use crate::revised::Edited;

/// Tries an edit alone.
fn tries(bundle: &Bundle, catalogue: &Catalogue, before: &Reading, finding: &Finding) -> bool {
    let text = bundle
        .file(&finding.file)
        .map(|bytes| str::from_utf8(bytes).unwrap());
    works(text.unwrap(), finding, before, |text| {
        let mut changed = bundle.clone();
        changed.insert(&finding.file, text.as_bytes());
        Reading::of(&Catalogue::read(
            &changed,
            catalogue.release,
            Some(catalogue),
        ))
    })
}

fn none_fails(failed: &BTreeMap<&str, String>) {
    let listed: Vec<String> = failed
        .iter()
        .map(|(rule, text)| format!("== {rule}\n{text}"))
        .collect();
    assert!(failed.is_empty(), "{}", listed.join("\n"));
}

#[test]
fn edits_of_examples_work() {
    let (mut tried, mut failed) = (0, BTreeMap::new());
    for rule in registry::all().filter(|rule| rule.bad.file != opatlas_rules::SCHEMA) {
        let release = rule.until.unwrap_or(Release::LATEST);
        let bundle = rule.bad.bundle();
        let catalogue = Catalogue::read(&bundle, release, None);
        let before = Reading::of(&catalogue);
        let found = before.findings.iter();
        for finding in found.filter(|f| f.fix.is_some() && *f.file == *rule.bad.file) {
            tried += 1;
            if !tries(&bundle, &catalogue, &before, finding) {
                let example = || format!("{}\n{finding:#?}", rule.bad.text);
                failed.entry(finding.rule.as_str()).or_insert_with(example);
            }
        }
    }
    assert!(tried > 50, "only {tried} edits");
    none_fails(&failed);
}

/// Texts in which a naive edit would break another rule.
#[test]
fn edits_of_unusual_entries_work() {
    let mut failed = BTreeMap::new();
    for func in [
        "put_(Tensor(a! -> a|b) self, Tensor(b) src) -> Tensor(a!)",
        "put_(Tensor(a! -> a|b) self, Tensor(b) src) -> ()",
        "put_forward.out(Tensor(b) src, *, Tensor(a! -> a|b) out) -> Tensor(a!)",
    ] {
        let bundle = Bundle::of_native_functions(format!("- func: {func}\n").into_bytes());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        let before = Reading::of(&catalogue);
        let finding = before.findings.iter().find(|f| f.fix.is_some());
        let works = finding.is_some_and(|found| tries(&bundle, &catalogue, &before, found));
        if !works {
            failed.insert(func, format!("{finding:#?}"));
        }
    }
    none_fails(&failed);
}

#[test]
fn edits_of_changed_releases_work() {
    let (mut tried, mut failed) = (0, BTreeMap::new());
    for (version, seed) in [("2.6.0", 4), ("2.15.0", 5), ("2.15.0", 6), ("2.9.0", 7)] {
        let Some(bundle) = opatlas_conformance::release(version) else {
            return;
        };
        let release = Release::from_label(version).unwrap().release;
        let first = Catalogue::read(&bundle, release, None);
        let mut known: BTreeSet<String> = Reading::of(&first)
            .findings
            .iter()
            .map(|f| format!("{} {}", f.rule, &*f.message))
            .collect();
        let mut edited = Edited::new(bundle, seed);
        for _ in 0..16 {
            let bundle = edited.next();
            let catalogue = Catalogue::read(&bundle, release, Some(&first));
            let before = Reading::of(&catalogue);
            for finding in before.findings.iter().filter(|f| f.fix.is_some()) {
                if !known.insert(format!("{} {}", finding.rule, &*finding.message)) {
                    continue;
                }
                tried += 1;
                if !tries(&bundle, &catalogue, &before, finding) {
                    let text = || format!("{version}, seed {seed}: {finding:#?}");
                    failed.entry(finding.rule.as_str()).or_insert_with(text);
                }
            }
        }
    }
    assert!(tried > 20, "only {tried} edits");
    none_fails(&failed);
}
