//! Changes of `tags.yaml` as `opatlas compare` shows them.

use crate::cli_compare::Place;

const ENTRY: &str = "- func: can_cast(ScalarType from, ScalarType to) -> bool\n";
const TAG: &str = "- tag: fusible\n  desc: can be fused\n";

/// A folder on each side, with and without a tag.
fn with_and_without_tag() -> Place {
    let place = Place::new();
    let core = "- tag: core\n  desc: stable\n";
    for (side, tags) in [("old", format!("{core}{TAG}")), ("new", core.to_owned())] {
        place.write(&format!("{side}/native_functions.yaml"), ENTRY);
        place.write(&format!("{side}/tags.yaml"), &tags);
    }
    place
}

#[test]
fn a_removed_tag_is_in_every_format() {
    let place = with_and_without_tag();
    for format in [
        "text", "json", "markdown", "csv", "sarif", "junit", "github", "gitlab",
    ] {
        let (code, text, error) = place.opatlas(&["compare", "old", "new", "--format", format]);
        assert_eq!(code, 1, "{format}: {error}");
        assert!(text.contains("torch.Tag.fusible"), "{format}: {text}");
        assert!(text.contains("tags.yaml"), "{format}: {text}");
    }
    let (_, text, _) = place.opatlas(&["compare", "old", "new", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let change = &report["changes"][0];
    assert_eq!(change["rule"], "tag-member-removed");
    assert_eq!(change["operator"], "torch.Tag.fusible");
    assert_eq!(change["names"], serde_json::json!(["fusible"]));
    assert_eq!(change["file"], "tags.yaml");
    assert_eq!(change["base_span"]["line"], 3);
    assert!(change["head_span"].is_null());
    // The other way round, the tag is new.
    let (code, text, _) = place.opatlas(&["compare", "new", "old", "--format", "json"]);
    assert_eq!(code, 0);
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(report["changes"][0]["rule"], "tag-member-added");
    assert_eq!(report["changes"][0]["head_span"]["line"], 3);
}

#[test]
fn an_exception_can_name_a_tag() {
    let place = with_and_without_tag();
    let accept = |operator: &str| {
        let text = format!(
            "[[exception]]\noperator = \"{operator}\"\nrule = \"tag-member-removed\"\nreason = \"unused\"\n"
        );
        place.write("opatlas.toml", &text);
        place.opatlas(&["compare", "old", "new"])
    };
    let (code, text, error) = accept("torch.Tag.fusible");
    assert_eq!(code, 0, "{text}{error}");
    assert!(!error.contains("fusible"), "{error}");
    let (code, _, error) = accept("torch.Tag.fused");
    assert_eq!(code, 1);
    let told = "neither revision declares a tag `fused`";
    assert!(error.contains(told), "{error}");
}
