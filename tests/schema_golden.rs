//! The schema language against verdicts recorded from torchgen 2.9.0.

use std::io::Read as _;

use opatlas::model::signature::signature;
use opatlas::syntax::schema::parse_schema;

fn rows(path: &str) -> Vec<serde_json::Value> {
    let bytes = std::fs::read(path).expect(path);
    let mut text = String::new();
    flate2::read::GzDecoder::new(&bytes[..])
        .read_to_string(&mut text)
        .expect(path);
    text.lines()
        .map(|l| serde_json::from_str(l).expect(l))
        .collect()
}

#[test]
fn fuzzed_schemas() {
    let mut left = std::collections::BTreeMap::new();
    for row in rows("tests/golden/schemas_fuzz.jsonl.gz") {
        let text = row["schema"].as_str().unwrap();
        let parsed = parse_schema(text, 0);
        if row["schema_parse"] == "accept" {
            let schema = parsed
                .schema
                .unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
            assert_eq!(
                schema.to_string(),
                row["canonical"].as_str().unwrap(),
                "{text}"
            );
            assert_eq!(
                schema.kind().as_str(),
                row["kind"].as_str().unwrap(),
                "{text}"
            );
            assert_eq!(
                signature(&schema),
                row["signature"].as_str().unwrap(),
                "{text}"
            );
        } else if parsed.schema.is_some() {
            *left
                .entry(
                    row["schema_error"]["first_line"]
                        .as_str()
                        .unwrap()
                        .to_owned(),
                )
                .or_insert(0) += 1;
        }
    }
    println!("{left:#?}");
}
