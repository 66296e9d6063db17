//! The schema language against verdicts recorded from torchgen 2.9.0.

use opatlas_schema::invariants::broken_invariants;
use opatlas_schema::parse::parse_schema;
use opatlas_schema::signature::signature;

#[test]
fn fuzzed_schemas() {
    for row in opatlas_conformance::golden("schemas_fuzz.jsonl.gz") {
        let text = row["schema"].as_str().unwrap();
        let parsed = parse_schema(text, 0);
        let broken = parsed
            .schema
            .as_ref()
            .map(broken_invariants)
            .unwrap_or_default();
        if row["schema_parse"] == "accept" {
            let schema = parsed
                .schema
                .unwrap_or_else(|| panic!("{text}: {:?}", parsed.diagnostics));
            assert!(broken.is_empty(), "{text}: {broken:?}");
            assert_eq!(schema.to_string(), row["canonical"].as_str().unwrap());
            assert_eq!(
                schema.kind().as_str(),
                row["kind"].as_str().unwrap(),
                "{text}"
            );
            assert_eq!(signature(&schema), row["signature"].as_str().unwrap());
        } else {
            // `Tensor!` is read, and refused by the rules of every release.
            let shorthand = text.contains("Tensor!");
            let refused = parsed.schema.is_none() || !broken.is_empty() || shorthand;
            assert!(refused, "{text}: {}", row["schema_error"]);
        }
    }
}
