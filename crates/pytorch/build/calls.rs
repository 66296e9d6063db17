//! Turns `data/calls.json` and `data/rare_calls.json` into a string of names, rows of numbers, and
//! the measured releases.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

/// A bit for each minor release; `Row` in `src/calls.rs` has the same type.
type Mask = u64;

/// An operator, the releases, and what it calls always, sometimes, and mostly, by name.
struct Recorded<'a> {
    operator: &'a str,
    releases: Mask,
    always: Vec<&'a str>,
    sometimes: Vec<&'a str>,
    mostly: Vec<&'a str>,
}

/// The calls of the forward, and those that training makes besides.
pub fn generate(data: &Value, rare: &Value, releases: &[String]) -> String {
    assert!(
        releases.len() <= Mask::BITS as usize,
        "data/releases.json has {} releases, and a row of recorded calls has room for {}; \
         make `Mask` wider here and `Row::releases` in src/calls.rs",
        releases.len(),
        Mask::BITS
    );
    let rows = list(data, "calls");
    let forward: Vec<Recorded<'_>> = rows
        .iter()
        .filter_map(|row| {
            let calls = row.get("forward")?;
            let (always, sometimes) = (texts(calls, "always"), texts(calls, "sometimes"));
            Some(Recorded {
                mostly: texts(calls, "mostly").collect(),
                ..Recorded::of(row, releases, always.collect(), sometimes.collect())
            })
        })
        .collect();
    let training: Vec<Recorded<'_>> = rows
        .iter()
        .filter_map(|row| {
            let known = |name: &&str| {
                let forward = row.get("forward").unwrap_or(&Value::Null);
                let mut calls = texts(forward, "always").chain(texts(forward, "sometimes"));
                !calls.any(|call| call == *name)
            };
            let backward = row.get("backward")?;
            let with_gradients = row.get("forward_with_gradients").unwrap_or(&Value::Null);
            let of = |kind: &str| -> BTreeSet<&str> {
                let forward = texts(with_gradients, kind).filter(known);
                forward.chain(texts(backward, kind)).collect()
            };
            let always = of("always");
            let sometimes = of("sometimes").difference(&always).copied().collect();
            Some(Recorded::of(
                row,
                releases,
                always.into_iter().collect(),
                sometimes,
            ))
        })
        .collect();
    let names: BTreeSet<&str> = forward
        .iter()
        .chain(&training)
        .flat_map(|row| {
            let called = row.always.iter().chain(&row.sometimes).copied();
            called.chain([row.operator])
        })
        .chain(list(rare, "calls").iter().flat_map(named))
        .chain(list(rare, "made").iter().flat_map(named))
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    let number = |name: &str| names.binary_search(&name).expect("a name of the list");
    let mut called = String::new();
    let mut end = 0;
    let forward = table(forward, number, &mut called, &mut end);
    let training = table(training, number, &mut called, &mut end);
    let measured = mask(texts(data, "measured"), releases);
    let mut bounds = vec![0];
    for name in &names {
        bounds.push(bounds[bounds.len() - 1] + name.len());
    }
    let rare = rare_rows(rare, releases, number);
    let names = names.concat();
    format!(
        "static MEASURED: u64 = {measured};\n\
         static NAMES: &str = {names:?};\n\
         static BOUNDS: &[u32] = &{bounds:?};\n\
         static CALLED: &[u16] = &[{called}];\n\
         static ROWS: &[Row] = &[\n{forward}];\n\
         static TRAINING: &[Row] = &[\n{training}];\n\
         {rare}"
    )
}

impl<'a> Recorded<'a> {
    fn of(
        row: &'a Value,
        releases: &[String],
        always: Vec<&'a str>,
        sometimes: Vec<&'a str>,
    ) -> Self {
        Self {
            operator: row["operator"].as_str().expect("the name of an operator"),
            releases: mask(texts(row, "releases"), releases),
            always,
            sometimes,
            mostly: Vec::new(),
        }
    }
}

/// The rows by operator; what they call is added to `called`, which has `end` numbers.
fn table<'a>(
    rows: Vec<Recorded<'a>>,
    number: impl Fn(&str) -> usize,
    called: &mut String,
    end: &mut usize,
) -> String {
    let numbers = |names: Vec<&'a str>| -> Vec<usize> { names.into_iter().map(&number).collect() };
    let mut rows: Vec<_> = rows
        .into_iter()
        .map(|row| {
            let (always, sometimes) = (numbers(row.always), numbers(row.sometimes));
            let mostly = numbers(row.mostly);
            (
                number(row.operator),
                row.releases,
                always,
                sometimes,
                mostly,
            )
        })
        .collect();
    rows.sort();
    let mut text = String::new();
    for (operator, releases, always, sometimes, mostly) in &rows {
        let begin = *end;
        let always_end = begin + always.len();
        let called_end = always_end + sometimes.len();
        *end = called_end + mostly.len();
        for number in always.iter().chain(sometimes).chain(mostly) {
            let _ = write!(called, "{number},");
        }
        let _ = writeln!(
            text,
            "Row {{ operator: {operator}, releases: {releases}, begin: {begin}, always_end: {always_end}, end: {called_end}, mostly_end: {end} }},"
        );
    }
    text
}

/// The operators that a row of rare calls names.
fn named(row: &Value) -> Vec<&str> {
    let of = |name: &str| row[name].as_str().expect("the name of an operator");
    let within = list(row, "within").iter();
    let within = within.flat_map(|chain| chain.as_array().into_iter().flatten());
    let within = within.map(|name| name.as_str().expect("the name of an operator"));
    [of("operator"), of("call")]
        .into_iter()
        .chain(within)
        .collect()
}

fn rare_rows(data: &Value, releases: &[String], number: impl Fn(&str) -> usize) -> String {
    let (mut rare, mut made) = (String::new(), String::new());
    for row in list(data, "calls").iter().chain(list(data, "made")) {
        let of = |name: &str| number(row[name].as_str().expect("the name of an operator"));
        let (operator, call) = (of("operator"), of("call"));
        let measured = mask(texts(row, "releases"), releases);
        let mut within = String::new();
        for chain in list(row, "within") {
            let names = chain.as_array().expect("a chain of operators").iter();
            let chain: Vec<usize> = names.filter_map(Value::as_str).map(&number).collect();
            let _ = write!(within, "&{chain:?}, ");
        }
        let rows = if row.get("within").is_some() {
            &mut rare
        } else {
            &mut made
        };
        let _ = writeln!(
            rows,
            "RareRow {{ operator: {operator}, call: {call}, releases: {measured}, within: &[{within}] }},"
        );
    }
    let measured = mask(texts(data, "measured"), releases);
    format!(
        "static RARE_MEASURED: u64 = {measured};\n\
         static RARE: &[RareRow] = &[\n{rare}];\n\
         static MADE: &[RareRow] = &[\n{made}];\n"
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
