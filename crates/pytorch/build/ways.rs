//! Turns `data/ways.txt` into three tables: operators, Python functions, and functions of the C shim.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A bit for each minor release; `Row` in `src/ways/table.rs` has the same type.
type Mask = u64;

/// A bit for each fact of a table.
type Facts = u64;

/// The releases that lack a fact, and the reason.
type Absences<'a> = Vec<(Mask, &'a str)>;

struct Row<'a> {
    name: &'a str,
    releases: Mask,
    items: Vec<(&'a str, Option<&'a str>)>,
}

pub fn generate(text: &str, releases: &[String]) -> String {
    assert!(
        releases.len() <= Mask::BITS as usize,
        "data/releases.json has {} releases, and a row of data/ways.txt has room for {}; \
         make `Mask` wider here and `Row::releases` in src/ways/table.rs",
        releases.len(),
        Mask::BITS
    );
    let mut measured = Vec::new();
    let mut facts: BTreeMap<&str, Absences> = BTreeMap::new();
    let mut rows = Vec::new();
    for line in text.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let mut fields = line.split('\t');
        match (fields.next().unwrap_or_default(), &mut fields) {
            ("measured", versions) => measured = versions.map(|of| index(of, releases)).collect(),
            ("fact", fields) => {
                let name = fields.next().expect("the name of a fact");
                let absences = fields.map(|field| absence(field, &measured, releases));
                facts.insert(name, absences.collect());
            }
            (name, fields) => rows.push(row(name, fields, &measured, releases)),
        }
    }
    let mut out = format!("static MEASURED: u64 = {};\n", mask(&measured));
    for kind in ["operators", "functions", "shim"] {
        let facts: Vec<_> = facts
            .iter()
            .filter(|(fact, _)| table_of(fact) == kind)
            .collect();
        let rows: Vec<_> = rows
            .iter()
            .filter(|row| table_of(row.items[0].0) == kind)
            .collect();
        table(&mut out, kind, &facts, &rows);
    }
    out
}

fn table_of(fact: &str) -> &'static str {
    if fact.starts_with("shim_") {
        "shim"
    } else if ["dtypes_", "backward_dtypes_", "ran_"]
        .iter()
        .any(|of| fact.starts_with(of))
    {
        "functions"
    } else {
        "operators"
    }
}

fn row<'a>(
    name: &'a str,
    fields: &mut std::str::Split<'a, char>,
    measured: &[usize],
    releases: &[String],
) -> Row<'a> {
    let ranges = fields.next().expect("the releases of a row");
    let items: Vec<_> = fields
        .map(|item| {
            item.split_once('=')
                .map_or((item, None), |(fact, value)| (fact, Some(value)))
        })
        .collect();
    assert!(
        !items.is_empty(),
        "data/ways.txt: {name} in {ranges} has no facts"
    );
    Row {
        name,
        releases: covered(ranges, measured, releases),
        items,
    }
}

fn absence<'a>(field: &'a str, measured: &[usize], releases: &[String]) -> (Mask, &'a str) {
    let (ranges, reason) = field.split_once(' ').expect("releases and a reason");
    (covered(ranges, measured, releases), reason)
}

/// Parses `2.0-2.3,2.6-` into a bit for each measured release.
pub fn covered(ranges: &str, measured: &[usize], releases: &[String]) -> Mask {
    ranges.split(',').fold(0, |found, range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let last = if last.is_empty() {
            releases.len() - 1
        } else {
            index(last, releases)
        };
        let first = index(first, releases);
        assert!(first <= last, "data: {range} ends before it begins");
        let inside: Vec<usize> = measured
            .iter()
            .copied()
            .filter(|at| (first..=last).contains(at))
            .collect();
        found | mask(&inside)
    })
}

/// The index of a minor release: `2.9`, or that of `2.9.0`.
pub fn index(version: &str, releases: &[String]) -> usize {
    let minor: Vec<&str> = version.split('.').take(2).collect();
    let minor = minor.join(".");
    let found = releases.iter().position(|release| *release == minor);
    found.unwrap_or_else(|| panic!("data names an unknown release {version}"))
}

pub fn mask(indices: &[usize]) -> Mask {
    indices
        .iter()
        .fold(0, |mask, index| mask | (1 as Mask) << index)
}

/// Writes a table: its names, facts and values, and the rows by name.
fn table(out: &mut String, kind: &str, facts: &[(&&str, &Absences)], rows: &[&Row]) {
    assert!(
        facts.len() <= Facts::BITS as usize,
        "data/ways.txt has too many facts of {kind}"
    );
    let names: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let items = rows.iter().flat_map(|row| &row.items);
    let values: BTreeSet<&str> = items.filter_map(|item| item.1).collect();
    let values: Vec<&str> = values.into_iter().collect();
    let mut bounds = vec![0];
    for name in &names {
        bounds.push(bounds[bounds.len() - 1] + name.len());
    }
    let known: Vec<&str> = facts.iter().map(|(fact, _)| **fact).collect();
    let (lines, items) = lines(rows, &names, &known, &values);
    let mut absent = String::new();
    for (fact, absences) in facts {
        let _ = write!(absent, "Fact {{ name: {fact:?}, absent: &{absences:?} }},");
    }
    let (names, kind) = (names.concat(), kind.to_uppercase());
    let _ = writeln!(
        out,
        "static {kind}: Table = Table {{ names: {names:?}, bounds: &{bounds:?}, \
         facts: &[{absent}], values: &{values:?}, items: &[{items}], rows: &[\n{lines}] }};"
    );
}

/// The rows of a table, sorted by name, and their pairs of a fact and a value.
fn lines(rows: &[&Row], names: &[&str], facts: &[&str], values: &[&str]) -> (String, String) {
    let number = |name: &str| names.binary_search(&name).expect("a name of the table");
    let mut sorted: Vec<_> = rows.iter().map(|row| (number(row.name), row)).collect();
    sorted.sort_by_key(|(name, row)| (*name, row.releases));
    let (mut lines, mut items, mut end) = (String::new(), String::new(), 0);
    for (name, row) in sorted {
        let (begin, mut bits): (_, Facts) = (end, 0);
        for (fact, value) in &row.items {
            let at = facts.iter().position(|known| known == fact);
            let at = at.unwrap_or_else(|| panic!("data/ways.txt does not list the fact {fact}"));
            bits |= 1 << at;
            if let Some(value) = value {
                let value = values.binary_search(value).expect("a value of the table");
                let _ = write!(items, "({at},{value}),");
                end += 1;
            }
        }
        let releases = row.releases;
        let _ = writeln!(
            lines,
            "Row {{ name: {name}, releases: {releases}, facts: {bits}, begin: {begin}, end: {end} }},"
        );
    }
    (lines, items)
}
