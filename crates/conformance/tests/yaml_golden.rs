//! The YAML reader says of every recorded document what PyTorch's loader says of it.
//!
//! `yaml_documents.jsonl.gz` holds odd and random documents with the verdict of PyYAML 6.0.3's
//! CSafeLoader over libyaml 0.2.5, repeated keys refused as torchgen refuses them, and with what it
//! made of the accepted ones: strings, booleans and nulls as they are, of other scalars the type.

use opatlas_yaml::{Kind, NodeId, Scalar, ScalarType, Tree, decode, parse};
use serde_json::{Value, json};

fn bytes(row: &Value) -> Vec<u8> {
    match row["text"].as_str() {
        Some(text) => text.as_bytes().to_vec(),
        None => base64(row["base64"].as_str().expect("a row has a text or bytes")),
    }
}

fn base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for six in text
        .bytes()
        .filter_map(|byte| ALPHABET.iter().position(|&a| a == byte))
    {
        bits = bits << 6 | six as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

fn value(tree: &Tree, id: NodeId) -> Value {
    match tree.kind(id) {
        Kind::Scalar(Scalar { value, ty, .. }) => match ty {
            ScalarType::Null => Value::Null,
            ScalarType::Bool(value) => json!(value),
            ScalarType::Str => json!(value),
            ScalarType::Int => json!({"i": 0}),
            ScalarType::Float => json!({"f": 0}),
            ScalarType::Timestamp => json!({"t": 0}),
            ScalarType::Binary => json!({"b": 0}),
            ScalarType::Merge | ScalarType::Value => json!("refused"),
        },
        Kind::Sequence(items) => items.iter().map(|&item| value(tree, item)).collect(),
        Kind::Mapping(pairs) => {
            let pairs = pairs
                .iter()
                .map(|&(key, of)| json!([value(tree, key), value(tree, of)]));
            json!({"m": pairs.collect::<Vec<_>>()})
        }
        Kind::Recursive => json!({"rec": 0}),
    }
}

/// What is wrong about our reading of a row.
fn disagreement(row: &Value) -> Option<String> {
    let bytes = bytes(row);
    let (text, mut diagnostics) = decode(&bytes);
    let document = parse(&text);
    diagnostics.extend(document.diagnostics);
    diagnostics.extend(document.items.into_iter().flat_map(|item| item.diagnostics));
    let accepted = row["accepted"] == true;
    if accepted != diagnostics.is_empty() {
        let found = diagnostics
            .first()
            .map(|found| (found.rule, &found.message));
        return Some(format!("{text:?}: accepted {accepted}, found {found:?}"));
    }
    let read = match (document.tree, document.root_id) {
        (Some(tree), Some(root)) if accepted => value(&tree, root),
        _ => Value::Null,
    };
    (read != row["value"]).then(|| format!("{text:?}: {read} is not {}", row["value"]))
}

#[test]
fn verdicts_types_and_values_are_the_loaders() {
    let rows = opatlas_conformance::golden("yaml_documents.jsonl.gz");
    assert!(rows.len() > 2_500, "{}", rows.len());
    let wrong: Vec<String> = rows.iter().filter_map(disagreement).collect();
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        rows.len(),
        wrong.join("\n")
    );
}
