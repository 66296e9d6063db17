//! Turns `data/calls.json` into a string of names, rows of numbers, and the measured releases.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

/// A bit for each minor release; `Row` in `src/calls.rs` has the same type.
type Mask = u64;

/// Keeps only forward calls, which is all that verdicts need.
pub fn generate(data: &Value, releases: &[String]) -> String {
    assert!(
        releases.len() <= Mask::BITS as usize,
        "data/releases.json has {} releases, and a row of recorded calls has room for {}; \
         make `Mask` wider here and `Row::releases` in src/calls.rs",
        releases.len(),
        Mask::BITS
    );
    let rows: Vec<&Value> = list(data, "calls")
        .iter()
        .filter(|row| row.get("forward").is_some())
        .collect();
    let names: BTreeSet<&str> = rows
        .iter()
        .flat_map(|row| {
            let forward = &row["forward"];
            let called = texts(forward, "always").chain(texts(forward, "sometimes"));
            called.chain(row["operator"].as_str())
        })
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    let number = |name: &str| names.binary_search(&name).expect("a name of the list");
    let mut table: Vec<_> = rows
        .iter()
        .map(|row| {
            let operator = row["operator"].as_str().expect("the name of an operator");
            let forward = &row["forward"];
            let numbers = |kind| -> Vec<usize> { texts(forward, kind).map(number).collect() };
            let measured = mask(texts(row, "releases"), releases);
            (
                number(operator),
                measured,
                numbers("always"),
                numbers("sometimes"),
            )
        })
        .collect();
    table.sort();
    let (mut rows, mut called) = (String::new(), String::new());
    let mut end = 0;
    for (operator, releases, always, sometimes) in &table {
        let begin = end;
        let always_end = begin + always.len();
        end = always_end + sometimes.len();
        for number in always.iter().chain(sometimes) {
            let _ = write!(called, "{number},");
        }
        let _ = writeln!(
            rows,
            "Row {{ operator: {operator}, releases: {releases}, begin: {begin}, always_end: {always_end}, end: {end} }},"
        );
    }
    let measured = mask(texts(data, "measured"), releases);
    let mut bounds = vec![0];
    for name in &names {
        bounds.push(bounds[bounds.len() - 1] + name.len());
    }
    let names = names.concat();
    format!(
        "static MEASURED: u64 = {measured};\n\
         static NAMES: &str = {names:?};\n\
         static BOUNDS: &[u32] = &{bounds:?};\n\
         static CALLED: &[u16] = &[{called}];\n\
         static ROWS: &[Row] = &[\n{rows}];\n"
    )
}

fn list<'a>(data: &'a Value, name: &str) -> &'a [Value] {
    let found = data.get(name).and_then(Value::as_array);
    found.map_or(&[], Vec::as_slice)
}

fn texts<'a>(data: &'a Value, name: &str) -> impl Iterator<Item = &'a str> {
    list(data, name)
        .iter()
        .map(|text| text.as_str().expect("a text"))
}

fn mask<'a>(named: impl Iterator<Item = &'a str>, releases: &[String]) -> Mask {
    named.fold(0, |mask, name| {
        let index = releases.iter().position(|release| release == name);
        let index =
            index.unwrap_or_else(|| panic!("data/calls.json names an unknown release {name}"));
        mask | (1 as Mask) << index
    })
}
