//! The official verdict over the history of PyTorch's releases.

use std::collections::{BTreeMap, HashMap};

use opatlas_diff::official::{compare, parse};
use opatlas_source::NATIVE_FUNCTIONS;

/// The schemas written in a release's file, by operator name.
fn schemas(version: &str) -> Option<BTreeMap<String, String>> {
    let bundle = opatlas_conformance::release(version)?;
    let text = String::from_utf8(bundle.file(NATIVE_FUNCTIONS)?.to_vec()).unwrap();
    let entries = text.lines().filter_map(|line| line.strip_prefix("- func:"));
    let by_name = entries.map(|schema| {
        let schema = schema.trim();
        let name = schema.split('(').next().unwrap_or("");
        (name.to_owned(), schema.to_owned())
    });
    Some(by_name.collect())
}

#[test]
fn operators_that_changed_are_judged_as_recorded() {
    let mut cache = HashMap::new();
    let mut load = |version: &str| {
        let load = || schemas(version);
        cache.entry(version.to_owned()).or_insert_with(load).clone()
    };
    for row in &opatlas_conformance::golden("official_releases.jsonl.gz") {
        let [from, to, op] = ["from_version", "to_version", "op"].map(|k| row[k].as_str().unwrap());
        let (Some(old), Some(new)) = (load(from), load(to)) else {
            continue;
        };
        let (backward, forward, reason) = match (old.get(op), new.get(op)) {
            (Some(old), Some(new)) => {
                let verdict = compare(&parse(old).unwrap(), &parse(new).unwrap());
                (verdict.backward, verdict.forward, verdict.forward_reason)
            }
            (None, Some(_)) => (true, true, String::new()),
            // Nothing to compare with: an operator that is gone breaks both ways.
            (Some(_), None) => (false, false, row["fc_reason"].as_str().unwrap().to_owned()),
            (None, None) => panic!("{row}"),
        };
        assert_eq!(backward, row["bc"].as_bool().unwrap(), "{row}");
        assert_eq!(forward, row["fc"].as_bool().unwrap(), "{row}");
        assert_eq!(reason, row["fc_reason"].as_str().unwrap(), "{row}");
    }
}

#[test]
fn every_step_between_releases_has_the_recorded_number_of_breaks() {
    for row in &opatlas_conformance::golden("official_release_counts.jsonl.gz") {
        let [from, to] = ["from_version", "to_version"].map(|key| row[key].as_str().unwrap());
        let (Some(old), Some(new)) = (schemas(from), schemas(to)) else {
            continue;
        };
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        let mut count = |key| *counts.entry(key).or_default() += 1;
        for (name, old_text) in &old {
            match new.get(name) {
                None => ["removed", "official_bc_broken", "official_fc_broken"]
                    .into_iter()
                    .for_each(&mut count),
                Some(new_text) if new_text == old_text => count("text_same"),
                Some(new_text) => {
                    count("text_changed");
                    let (old, new) = (parse(old_text).unwrap(), parse(new_text).unwrap());
                    if old.canonical() == new.canonical() {
                        count("changed_parsed_identical");
                    }
                    let verdict = compare(&old, &new);
                    count(match (verdict.backward, verdict.forward) {
                        (true, true) => "changed_bc_True_fc_True",
                        (true, false) => "changed_bc_True_fc_False",
                        (false, true) => "changed_bc_False_fc_True",
                        (false, false) => "changed_bc_False_fc_False",
                    });
                    if !verdict.backward {
                        count("official_bc_broken");
                    }
                    if !verdict.forward {
                        count("official_fc_broken");
                    }
                }
            }
        }
        for (key, found) in counts {
            assert_eq!(
                row[key].as_u64().unwrap_or(0),
                found,
                "{from} to {to}: {key}"
            );
        }
    }
}

#[test]
fn every_schema_of_every_release_is_read_and_compatible_with_itself() {
    for row in &opatlas_conformance::golden("official_release_counts.jsonl.gz") {
        let Some(schemas) = schemas(row["from_version"].as_str().unwrap()) else {
            continue;
        };
        for text in schemas.values() {
            let schema = parse(text).unwrap_or_else(|why| panic!("{text}: {why:?}"));
            let again = schema.canonical();
            let verdict = compare(&schema, &parse(&again).unwrap());
            assert!(verdict.backward && verdict.forward, "{text}");
        }
    }
}
