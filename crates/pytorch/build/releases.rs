//! Turns `data/releases.json` into one `static` per distinct list and the table `RELEASES` of
//! `ReleaseData`, whose fields are named as in the data file.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value};

/// Groups of lists, with their types.
const GROUPS: [(&str, &str); 3] = [
    ("name_lists", "NameLists"),
    ("codegen", "CodegenLists"),
    ("bindings", "PythonBindings"),
];

pub fn generate(data: &Value) -> String {
    let mut out = Output::default();
    let releases = names(data);
    let mut rows = String::new();
    for (minor, release) in releases.iter().enumerate() {
        let at = Steps {
            releases: &releases,
            minor,
        };
        let _ = writeln!(rows, "    ReleaseData {{ name: {release:?},");
        let row = &data["releases"][minor];
        for field in ["patches", "measured"] {
            let _ = writeln!(
                rows,
                "        {field}: {},",
                out.plain(&strings(&row[field]))
            );
        }
        let digests = object(&row["native_functions"]).iter();
        let digests = digests.map(|(patch, digest)| format!("({patch:?}, {digest}), "));
        let digests = digests.collect::<String>();
        let _ = writeln!(rows, "        native_functions: &[{digests}],");
        for (field, steps) in object(&data["lists"]) {
            let _ = writeln!(rows, "        {field}: {},", out.names(&at.names(steps)));
        }
        for (field, steps) in object(&data["flags"]) {
            let _ = writeln!(rows, "        {field}: {},", at.value(steps));
        }
        for (field, steps) in object(&data["pairs"]) {
            let _ = writeln!(rows, "        {field}: {},", out.pairs(at.value(steps)));
        }
        for (group, name) in GROUPS {
            let _ = writeln!(rows, "        {group}: {name} {{");
            for (field, steps) in object(&data[group]) {
                let _ = writeln!(
                    rows,
                    "            {field}: {},",
                    out.names(&at.names(steps))
                );
            }
            rows.push_str("        },\n");
        }
        rows.push_str(&runtime(&mut out, &at, &data["runtime"]));
        rows.push_str("    },\n");
    }
    let mut source = out.source;
    let _ = writeln!(source, "/// One row per minor release, oldest first.");
    let _ = writeln!(
        source,
        "static RELEASES: [ReleaseData; {}] = [\n{rows}];",
        releases.len()
    );
    source
}

/// The constants of `Release`, and `LATEST`.
pub fn constants(data: &Value) -> String {
    let names = names(data);
    let mut source = String::from("impl Release {\n");
    for (minor, name) in names.iter().enumerate() {
        let constant = name.replace('.', "_");
        let _ = writeln!(source, "    /// PyTorch {name}.");
        let _ = writeln!(source, "    pub const V{constant}: Self = Self({minor});");
    }
    let newest = names.len() - 1;
    let _ = writeln!(source, "    /// The newest release known.");
    let _ = writeln!(source, "    pub const LATEST: Self = Self({newest});\n}}");
    source
}

/// Oldest first.
pub fn names(data: &Value) -> Vec<String> {
    let rows = array(&data["releases"]).iter();
    rows.map(|row| text(&row["release"]).to_owned()).collect()
}

fn runtime(out: &mut Output, at: &Steps, data: &Value) -> String {
    let mut text = String::from("        runtime: RuntimeLists {\n");
    for field in ["backends", "unparseable"] {
        let names = out.names(&at.names(&data[field]));
        let _ = writeln!(text, "            {field}: {names},");
    }
    let backends = at.names(&data["backends"]);
    let rows = array(at.value(&data["functionalities"])).iter();
    let rows = rows.map(|row| runtime_keys(row, &backends));
    let keys = out.shared("&[RuntimeKey]", format!("&[{}]", rows.collect::<String>()));
    let _ = writeln!(text, "            keys: {keys},");
    let rows = array(&data["fallbacks"])
        .iter()
        .filter(|row| at.within(row));
    let rows = rows.map(fallback).collect::<String>();
    let fallbacks = out.shared("&[BackendFallback]", format!("&[{rows}]"));
    let _ = writeln!(text, "            fallbacks: {fallbacks},");
    text.push_str("        },\n");
    text
}

/// The functionality itself, or one key per backend, named prefix + backend.
fn runtime_keys(row: &Value, backends: &[String]) -> String {
    let Value::String(name) = row else {
        let (name, prefix) = (text(&row[0]), text(&row[1]));
        let keys = backends.iter().map(|backend| {
            let key = format!("{prefix}{backend}");
            let backend = format!("Some({backend:?})");
            format!("RuntimeKey {{ name: {key:?}, functionality: {name:?}, backend: {backend} }}, ")
        });
        return keys.collect();
    };
    format!("RuntimeKey {{ name: {name:?}, functionality: {name:?}, backend: None }}, ")
}

fn fallback(row: &Value) -> String {
    let fallthrough = match text(&row[2]) {
        "fallthrough" => true,
        "kernel" => false,
        kind => panic!("data/releases.json names an unknown kind of fallback {kind}"),
    };
    format!(
        "BackendFallback {{ key: {}, file: {}, fallthrough: {fallthrough} }}, ",
        row[0], row[1]
    )
}

/// A release, for reading tables of steps.
struct Steps<'a> {
    releases: &'a [String],
    minor: usize,
}

impl Steps<'_> {
    fn index(&self, name: &str) -> usize {
        let found = self.releases.iter().position(|release| release == name);
        found.unwrap_or_else(|| panic!("data/releases.json names an unknown release {name}"))
    }

    /// The last value that began at or before this release.
    fn value<'v>(&self, steps: &'v Value) -> &'v Value {
        let begun = object(steps)
            .iter()
            .filter(|(since, _)| self.index(since) <= self.minor);
        begun
            .max_by_key(|(since, _)| self.index(since))
            .expect("a value since 2.0")
            .1
    }

    /// Applies all `add` and `remove` steps up to this release.
    fn names(&self, steps: &Value) -> Vec<String> {
        let mut names = Vec::new();
        let mut begun: Vec<_> = object(steps).iter().collect();
        begun.retain(|(since, _)| self.index(since) <= self.minor);
        begun.sort_by_key(|(since, _)| self.index(since));
        for (_, step) in begun {
            if step.is_array() {
                names = strings(step);
            } else {
                let known = |name: &String| name == "add" || name == "remove";
                if let Some(unknown) = object(step).keys().find(|name| !known(name)) {
                    panic!("data/releases.json has an unknown step {unknown}");
                }
                let removed = strings(&step["remove"]);
                names.retain(|name| !removed.contains(name));
                names.extend(strings(&step["add"]));
                names.sort();
            }
        }
        names
    }

    /// Whether a row `[.., first, last?]` of the fallbacks covers this release.
    fn within(&self, row: &Value) -> bool {
        let last = row[4].as_str().map_or(usize::MAX, |name| self.index(name));
        (self.index(text(&row[3]))..=last).contains(&self.minor)
    }
}

/// The statics so far, without duplicates.
#[derive(Default)]
struct Output {
    source: String,
    known: BTreeMap<String, String>,
}

impl Output {
    fn shared(&mut self, kind: &str, value: String) -> String {
        if let Some(name) = self.known.get(&value) {
            return name.clone();
        }
        let name = format!("SHARED_{}", self.known.len());
        let _ = writeln!(self.source, "static {name}: {kind} = {value};");
        self.known.insert(value, name.clone());
        name
    }

    fn plain(&mut self, names: &[String]) -> String {
        self.shared("&[&str]", format!("&{names:?}"))
    }

    /// `Names`: the declared order, and indices for lookup, shorter names first.
    fn names(&mut self, names: &[String]) -> String {
        let mut sorted: Vec<usize> = (0..names.len()).collect();
        sorted.sort_by_key(|&at| (names[at].len(), &names[at]));
        let mut bounds = vec![0];
        for name in names {
            bounds.push(bounds[bounds.len() - 1] + name.len());
        }
        let value = format!("Names::new({:?}, &{bounds:?}, &{sorted:?})", names.concat());
        self.shared("Names", value)
    }

    /// Rows of a name and one or more names; null is an empty table.
    fn pairs(&mut self, rows: &Value) -> String {
        let mut value = String::from("&[");
        for row in list(rows) {
            let values = match &row[1] {
                Value::String(one) => vec![one.clone()],
                many => strings(many),
            };
            let _ = write!(value, "({}, &{values:?}), ", row[0]);
        }
        value.push(']');
        self.shared("&[(&str, &[&str])]", value)
    }
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn object(value: &Value) -> &Map<String, Value> {
    value.as_object().expect("an object")
}

/// A missing list is empty.
fn strings(value: &Value) -> Vec<String> {
    let values = list(value).iter();
    values.map(|value| text(value).to_owned()).collect()
}

/// Null is an empty list.
fn list(value: &Value) -> &[Value] {
    match value {
        Value::Null => &[],
        value => array(value),
    }
}
