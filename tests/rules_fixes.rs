//! Edits that findings carry: what they give is read, and the finding is gone.

mod common;

use std::collections::BTreeMap;

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::{fix, registry};
use opatlas_source::diagnostic::Finding;
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

fn findings(text: &str, release: Release) -> Vec<Finding> {
    let bundle = Bundle::of_native_functions(text.as_bytes());
    opatlas_rules::check(&Catalogue::read(&bundle, release, None)).into_kept()
}

/// Applies each edit alone: the finding is then gone, and the file can still be read.
fn each_mends(text: &str, release: Release, wrong: &mut BTreeMap<&'static str, String>) -> usize {
    let before = findings(text, release);
    let mut tried = 0;
    for finding in before
        .iter()
        .filter(|f| f.fix.is_some() && &*f.file == NATIVE_FUNCTIONS)
    {
        tried += 1;
        let fixed = fix::apply(text, std::slice::from_ref(finding));
        let after = findings(&fixed.text, release);
        let broken = after.iter().any(|f| f.rule == "yaml-syntax");
        let same = |f: &&Finding| {
            f.rule == finding.rule
                && f.message == finding.message
                && f.span.start == finding.span.start
        };
        if fixed.applied != 1 || broken || after.iter().any(|f| same(&f)) {
            let example = || format!("{text}\n=> {}\n{}", fixed.text, finding.message);
            wrong.entry(finding.rule.as_str()).or_insert_with(example);
        }
    }
    tried
}

fn none_wrong(wrong: BTreeMap<&'static str, String>) {
    let listed: Vec<String> = wrong
        .iter()
        .map(|(rule, text)| format!("== {rule}\n{text}"))
        .collect();
    assert!(wrong.is_empty(), "{}", listed.join("\n"));
}

#[test]
fn examples_with_an_edit_are_mended_by_it() {
    let mut wrong = BTreeMap::new();
    for rule in registry::all().filter(|rule| rule.bad.file == NATIVE_FUNCTIONS) {
        let release = rule.until.unwrap_or(Release::LATEST);
        each_mends(rule.bad.text, release, &mut wrong);
    }
    none_wrong(wrong);
}

#[test]
fn edits_mend_recorded_documents() {
    let mut wrong = BTreeMap::new();
    let mut tried = 0;
    for (file, key) in [
        ("validator.jsonl.gz", "yaml"),
        ("documents_fuzz.jsonl.gz", "yaml"),
    ] {
        for row in common::golden(file) {
            if let Some(text) = row[key].as_str() {
                tried += each_mends(text, Release::V2_9, &mut wrong);
            }
        }
    }
    for row in common::golden("schemas_fuzz.jsonl.gz") {
        let schema = row["schema"].as_str().unwrap();
        if !schema.contains(['\'', '\n', '\\']) {
            tried += each_mends(&format!("- func: '{schema}'\n"), Release::V2_9, &mut wrong);
        }
    }
    println!("{tried} edits");
    none_wrong(wrong);
}

/// All edits together, round after round, end in a file without any left.
#[test]
fn rounds_of_edits_end() {
    for row in common::golden("documents_fuzz.jsonl.gz") {
        let text = row["yaml"].as_str().unwrap();
        let fixed = fix::apply_all(text, |text| findings(text, Release::V2_9));
        let left = findings(&fixed.text, Release::V2_9);
        let left: Vec<_> = left.iter().filter(|f| f.fix.is_some()).collect();
        assert!(left.is_empty(), "{text}\n=> {}\n{left:?}", fixed.text);
        let again = fix::apply_all(&fixed.text, |text| findings(text, Release::V2_9));
        assert_eq!(again.applied, 0);
    }
}
