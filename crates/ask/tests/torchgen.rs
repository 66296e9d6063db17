//! Errors of PyTorch's code generator, as recorded for the tests of the rules.

use std::io::Read as _;
use std::path::Path;

use opatlas_ask::ask;
use serde_json::Value;

/// Errors that Python raises by itself, and names and values alone.
fn says_nothing(message: &str) -> bool {
    const PYTHON: [&str; 11] = [
        "while ",
        "unhashable type",
        "too many values",
        "not enough values",
        "string index",
        "maximum recursion",
        "argument of type",
        "'NoneType'",
        "'int'",
        "'str'",
        "utf-8",
    ];
    let is_python = PYTHON.iter().any(|start| message.starts_with(start));
    is_python || message.contains(" != ") || !message.contains(' ')
}

fn rows(file: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/golden")
        .join(file);
    let mut text = String::new();
    let bytes = std::fs::File::open(path).unwrap();
    flate2::read::GzDecoder::new(bytes)
        .read_to_string(&mut text)
        .unwrap();
    text.lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn errors_lead_to_the_rule() {
    let (mut recognized, mut same) = (0, 0);
    for file in [
        "validator.jsonl.gz",
        "derivatives.jsonl.gz",
        "backends.jsonl.gz",
    ] {
        for row in rows(file) {
            let error = &row["error"];
            let Some(line) = error["first_line"].as_str() else {
                continue;
            };
            if says_nothing(line) || line.starts_with('{') {
                continue;
            }
            let message = format!("{}: {line}", error["type"].as_str().unwrap());
            let answer = ask(&message, None).unwrap();
            assert_eq!(answer.way.as_str(), "codegen", "{message}");
            recognized += 1;
            same += usize::from(answer.rule.map(|rule| rule.as_str()) == row["rule"].as_str());
        }
    }
    // Several rules share a message, such as `unrecognized type`.
    assert!(
        recognized > 250 && same * 100 > recognized * 70,
        "{same} of {recognized}"
    );
}
