//! Turns `data/handwritten.json` into a string of operator names and rows of numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde_json::{Map, Value};

/// Operator, key, file, fallthrough, declared, releases.
struct Row<'a> {
    operator: &'a str,
    key: &'a str,
    file: Option<&'a str>,
    fallthrough: bool,
    declared: bool,
    releases: Mask,
}

/// A bit for each minor release; `Row` in `src/handwritten.rs` has the same type.
type Mask = u64;

pub fn generate(data: &Value, releases: &[String]) -> String {
    assert!(
        releases.len() <= Mask::BITS as usize,
        "data/releases.json has {} releases, and a row of hand-written registrations has room for {}; \
         make `Mask` wider here and `Row::releases` in src/handwritten.rs",
        releases.len(),
        Mask::BITS
    );
    let parts: BTreeSet<&str> = object(data).keys().map(String::as_str).collect();
    assert_eq!(
        parts,
        BTreeSet::from(["registrations", "operators_without_yaml"]),
        "the parts of data/handwritten.json"
    );
    let mut rows = Vec::new();
    collect(&mut rows, &data["registrations"], releases, true);
    collect(&mut rows, &data["operators_without_yaml"], releases, false);
    rows.sort_by_key(|row| (row.operator, row.key, row.file));
    let keys = numbered(rows.iter().map(|row| row.key));
    let files = numbered(rows.iter().filter_map(|row| row.file));
    let mut by_operator: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        by_operator.entry(row.operator).or_default().push(row);
    }
    let (mut names, mut ends, mut table) = (String::new(), String::new(), String::new());
    let mut count = 0;
    for (operator, rows) in &by_operator {
        names.push_str(operator);
        count += rows.len();
        let _ = write!(ends, "({}, {count}),", names.len());
        for row in rows {
            let key = keys[row.key];
            let file = row.file.map_or_else(
                || "None".to_owned(),
                |file| format!("Some({})", files[file]),
            );
            let (fallthrough, declared) = (row.fallthrough, row.declared);
            let _ = writeln!(
                table,
                "Row {{ key: {key}, file: {file}, fallthrough: {fallthrough}, declared: {declared}, releases: {} }},",
                row.releases
            );
        }
    }
    let keys: Vec<_> = keys.into_keys().collect();
    let files: Vec<_> = files.into_keys().collect();
    format!(
        "static KEYS: &[&str] = &{keys:?};\n\
         static FILES: &[&str] = &{files:?};\n\
         static NAMES: &str = {names:?};\n\
         static ENDS: &[(u32, u16)] = &[{ends}];\n\
         static ROWS: &[Row] = &[\n{table}];\n"
    )
}

/// `keys` maps key -> file -> releases -> operators, separated by blanks.
fn collect<'a>(rows: &mut Vec<Row<'a>>, keys: &'a Value, releases: &[String], declared: bool) {
    for (key, files) in object(keys) {
        for (file, ranges) in object(files) {
            let (file, fallthrough) = match file.split_once('|') {
                None => (file.as_str(), false),
                Some((file, "fallthrough")) => (file, true),
                Some((_, kind)) => {
                    panic!("data/handwritten.json names an unknown kind of kernel {kind}")
                }
            };
            for (range, operators) in object(ranges) {
                let operators = operators.as_str().expect("operators in one string");
                rows.extend(operators.split(' ').map(|operator| Row {
                    operator,
                    key,
                    file: (file != "null").then_some(file),
                    fallthrough,
                    declared,
                    releases: mask(range, releases),
                }));
            }
        }
    }
}

/// Parses `2.0-2.3,2.6-` into a bit for each release.
fn mask(ranges: &str, releases: &[String]) -> Mask {
    let index = |name: &str| {
        let found = releases.iter().position(|release| release == name);
        found.unwrap_or_else(|| panic!("data/handwritten.json names an unknown release {name}"))
    };
    let bits = ranges.split(',').flat_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let last = if last.is_empty() {
            releases.len() - 1
        } else {
            index(last)
        };
        let first = index(first);
        assert!(
            first <= last,
            "data/handwritten.json: {range} ends before it begins"
        );
        first..=last
    });
    bits.fold(0, |mask, bit| mask | (1 as Mask) << bit)
}

fn numbered<'a>(names: impl Iterator<Item = &'a str>) -> BTreeMap<&'a str, usize> {
    let distinct: BTreeSet<_> = names.collect();
    distinct
        .into_iter()
        .enumerate()
        .map(|(number, name)| (name, number))
        .collect()
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("an object")
}
