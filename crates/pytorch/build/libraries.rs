//! Turns `data/libraries.json` into a table of libraries.

use std::fmt::Write;

use serde_json::Value;

const FIELDS: [&str; 7] = [
    "name",
    "reason",
    "operators",
    "tags",
    "keys",
    "on",
    "raises",
];

pub fn generate(data: &Value) -> String {
    let libraries = data["libraries"].as_array().expect("a list of libraries");
    let mut out = String::from("static LIBRARIES: &[Library] = &[\n");
    for library in libraries {
        let fields = library.as_object().expect("a library is an object");
        for field in fields.keys() {
            assert!(FIELDS.contains(&field.as_str()), "unknown field {field}");
        }
        let text = |field: &str| library[field].as_str().expect(field);
        let list = |field: &str| -> Vec<&str> {
            let values = library.get(field).and_then(Value::as_array);
            let values = values.map_or(&[][..], Vec::as_slice);
            values.iter().map(|v| v.as_str().expect(field)).collect()
        };
        let _ = writeln!(
            out,
            "Library {{ name: {:?}, reason: {:?}, operators: &{:?}, tags: &{:?}, keys: &{:?}, on: &{:?}, raises: {} }},",
            text("name"),
            text("reason"),
            list("operators"),
            list("tags"),
            list("keys"),
            list("on"),
            library
                .get("raises")
                .is_some_and(|value| value.as_bool().expect("raises")),
        );
    }
    out.push_str("];\n");
    out
}
