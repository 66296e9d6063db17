//! Turns `data/autocast_lists.json` into the operators of each list, for each release that changes it.

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

pub fn generate(data: &Value, releases: &[String]) -> String {
    let mut out = String::from("static LISTS: &[List] = &[\n");
    for (name, steps) in data.as_object().expect("an object of lists") {
        let _ = writeln!(out, "    ({name:?}, &[");
        let mut operators = BTreeSet::new();
        for (minor, release) in releases.iter().enumerate() {
            let Some(step) = steps.get(release) else {
                continue;
            };
            let named = |change: &str| step[change].as_array().into_iter().flatten();
            let text = |operator: &Value| operator.as_str().expect("a name").to_owned();
            operators.extend(named("add").map(text));
            for operator in named("remove").map(text) {
                assert!(operators.remove(&operator), "{operator} was not in {name}");
            }
            let list: Vec<&String> = operators.iter().collect();
            let _ = writeln!(out, "        ({minor}, &{list:?}),");
        }
        out.push_str("    ]),\n");
    }
    out.push_str("];\n");
    out
}
