//! Messages of public threads, with what they are (`tests/golden/error_messages.jsonl`).

use std::fmt::Write as _;
use std::path::Path;

use opatlas_ask::{Answer, ask};
use serde_json::Value;

/// What a message does not say, although the thread around it does.
const NOT_IN_THE_MESSAGE: [(&str, &str); 2] =
    [("schema-symint-ref", "key"), ("bk-autograd-none", "key")];

fn messages() -> Vec<Value> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/error_messages.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let rows = text.lines().skip(1);
    rows.map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn answer(row: &Value) -> Answer {
    ask(row["message"].as_str().unwrap()).unwrap()
}

#[test]
fn kind_operator_key_and_way_are_right() {
    let mut wrong = String::new();
    for row in messages() {
        let (id, answer) = (row["id"].as_str().unwrap(), answer(&row));
        let found = [
            ("kind", Some(answer.kind)),
            ("operator", answer.operator.as_deref()),
            ("key", answer.key.as_deref()),
            ("way", Some(answer.way.as_str())),
        ];
        for (field, found) in found {
            let is_said = !NOT_IN_THE_MESSAGE.contains(&(id, field));
            let expected = row[field].as_str().filter(|_| is_said);
            if found != expected {
                writeln!(wrong, "{id}: {field} is {found:?}, not {expected:?}").unwrap();
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// One message of each kind that PyTorch's sources or public threads have, with its kind, operator and
/// key (`tests/golden/message_samples.tsv`).
#[test]
fn each_kind_is_recognized() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/message_samples.tsv");
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = String::new();
    for line in text.lines() {
        let fields: Vec<_> = line.splitn(4, '\t').collect();
        let [kind, operator, key, message] = fields[..] else {
            panic!("{line}");
        };
        let message = message
            .replace("\\\\n", "\u{1}")
            .replace("\\n", "\n")
            .replace('\u{1}', "\\n");
        let answer = ask(&message).unwrap();
        let found = [
            answer.kind,
            answer.operator.as_deref().unwrap_or("-"),
            answer.key.as_deref().unwrap_or("-"),
        ];
        if found != [kind, operator, key] {
            writeln!(wrong, "{kind} {operator} {key}: {found:?}\n  {message}").unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
