//! Turns `data/python_bindings.json` into tables of handwritten bindings.

use std::fmt::Write;

use serde_json::{Map, Value};

pub fn generate(data: &Value, releases: &[String]) -> String {
    let mut out = String::new();
    let places = [
        ("FUNCTIONS", "functions"),
        ("METHODS", "methods"),
        ("IN_PYTHON", "in_python"),
    ];
    for (name, place) in places {
        let _ = writeln!(out, "static {name}: &[HandBinding] = &[");
        for binding in data[place].as_array().expect(place) {
            let _ = writeln!(out, "{},", one(binding, releases));
        }
        out.push_str("];\n");
    }
    let aliases = &data["aliases"];
    pairs(&mut out, "PROPERTIES", &data["properties"]);
    pairs(&mut out, "FUNCTION_ALIASES", &aliases["torch"]);
    pairs(&mut out, "METHOD_ALIASES", &aliases["Tensor"]);
    out
}

fn pairs(out: &mut String, name: &str, data: &Value) {
    let pairs: Vec<(&str, &str)> = object(data)
        .iter()
        .map(|(key, value)| (key.as_str(), text(value)))
        .collect();
    let _ = writeln!(out, "static {name}: &[(&str, &str)] = &{pairs:?};");
}

fn one(binding: &Value, releases: &[String]) -> String {
    for field in object(binding).keys() {
        let is_known = ["name", "releases", "signatures", "operators"].contains(&field.as_str());
        assert!(is_known, "unknown field {field}");
    }
    let signatures = binding["signatures"].as_array().expect("signatures");
    let signatures: Vec<String> = signatures.iter().map(signature).collect();
    let (first, last) = match binding.get("releases").map(text) {
        None => (0, releases.len() - 1),
        Some(range) => ends(range, releases),
    };
    format!(
        "HandBinding {{ name: {:?}, first: {first}, last: {last}, signatures: &[{}], operators: &{:?} }}",
        text(&binding["name"]),
        signatures.join(", "),
        list(binding.get("operators")),
    )
}

fn signature(signature: &Value) -> String {
    let calls = list(signature.get("calls"));
    let calls: Vec<String> = calls.into_iter().map(call).collect();
    format!(
        "HandSignature {{ text: {:?}, calls: &[{}] }}",
        text(&signature["text"]),
        calls.join(", ")
    )
}

/// Parses `device & dtype -> to.device`.
fn call(line: &str) -> String {
    let (when, then) = line.split_once(" -> ").unwrap_or(("", line));
    let conditions: Vec<(&str, Option<&str>)> = when
        .split(" & ")
        .filter(|condition| !condition.is_empty())
        .map(|condition| match condition.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (condition, None),
        })
        .collect();
    let then = match then {
        "none" => "Then::Nothing".to_owned(),
        "?" => "Then::Unknown".to_owned(),
        "index" => "Then::Indexes".to_owned(),
        _ => match then.strip_prefix("raises ") {
            Some(message) => format!("Then::Raises({message:?})"),
            None => format!("Then::Calls({then:?})"),
        },
    };
    format!("HandCall {{ when: &{conditions:?}, then: {then} }}")
}

/// Parses `2.0-2.12` or `2.13-`.
fn ends(range: &str, releases: &[String]) -> (usize, usize) {
    let index = |name: &str| {
        let found = releases.iter().position(|release| release == name);
        found.unwrap_or_else(|| panic!("data/python_bindings.json names an unknown release {name}"))
    };
    let (first, last) = range.split_once('-').expect("a range of releases");
    let last = if last.is_empty() {
        releases.len() - 1
    } else {
        index(last)
    };
    (index(first), last)
}

fn list(value: Option<&Value>) -> Vec<&str> {
    let values = value.map(|value| value.as_array().expect("a list"));
    values.map_or_else(Vec::new, |values| values.iter().map(text).collect())
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("an object")
}
