//! Turns `data/int_kernels.json` into a list of operators for each release that changes it.

use std::fmt::Write;

use serde_json::Value;

pub fn generate(data: &Value, releases: &[String]) -> String {
    let lists = data.as_object().expect("an object of lists");
    let mut rows: Vec<(usize, Vec<&str>)> = Vec::new();
    for (release, operators) in lists {
        let minor = releases.iter().position(|name| name == release);
        let operators = operators.as_array().expect("a list of operators");
        let names = operators.iter().map(|name| name.as_str().expect("a name"));
        let mut names: Vec<&str> = names.collect();
        names.sort_unstable();
        rows.push((minor.expect("a known release"), names));
    }
    rows.sort_unstable();
    let mut out = String::from("static LISTS: &[(u8, &[&str])] = &[\n");
    for (minor, names) in rows {
        let _ = writeln!(out, "    ({minor}, &{names:?}),");
    }
    out.push_str("];\n");
    out
}
