//! The official verdict against what torch 2.9.0 itself answered.

use opatlas_diff::official::{Classes, RuntimeSchema, Verdict, compare, parse, parse_with};
use opatlas_operators::backend::BackendFile;
use proptest::prelude::*;
use serde_json::Value;

/// The recorded answer of one of the two checks: a boolean, or that it raised.
fn recorded(answer: &Value) -> (bool, bool) {
    match answer {
        Value::Bool(answer) => (*answer, false),
        _ => (false, answer.as_str().unwrap().contains("IndexError")),
    }
}

fn check_verdict(row: &Value, verdict: &Verdict) {
    let backward = (verdict.backward, verdict.backward_crash);
    let forward = (verdict.forward, verdict.forward_crash);
    assert_eq!(backward, recorded(&row["bc"]), "backward: {row}");
    assert_eq!(forward, recorded(&row["fc"]), "forward: {row}");
    let reason = row["fc_reason"].as_str().unwrap();
    assert_eq!(verdict.forward_reason, reason, "{row}");
    let is_broken = verdict.backward_reason.is_some();
    assert_eq!(is_broken, !verdict.backward, "{row}");
}

/// Pairs that torchgen's grammar can write: made-up ones, a rule each, and mutated real schemas.
#[test]
fn pairs_are_judged_as_recorded() {
    let rows = opatlas_conformance::golden("official_pairs.jsonl.gz");
    assert!(rows.len() >= 4_375);
    for row in &rows {
        let [old, new] = ["old", "new"].map(|side| {
            let text = row[side].as_str().unwrap();
            parse(text).unwrap_or_else(|why| panic!("{text}: {why:?}"))
        });
        check_verdict(row, &compare(&old, &new));
        for (side, schema) in [("old_canonical", &old), ("new_canonical", &new)] {
            if let Some(canonical) = row[side].as_str() {
                assert_eq!(schema.canonical(), canonical, "{row}");
            }
        }
    }
}

/// Schemas of operator libraries, and mutated ones: the same verdict and the same text.
#[test]
fn schemas_of_libraries_are_read_as_recorded() {
    let rows = opatlas_conformance::golden("library_schemas.jsonl.gz");
    assert!(rows.len() > 3_000);
    for row in &rows {
        let text = row["schema"].as_str().unwrap();
        match parse_with(text, Classes::Defined(&[])) {
            Ok(schema) => assert_eq!(row["canonical"], schema.printed(), "{text}"),
            Err(why) => {
                assert!(row["canonical"].is_null(), "{text}: {why:?}");
                assert!(why[0].span.end as usize <= text.len(), "{text}: {why:?}");
            }
        }
    }
}

/// Every schema that PyTorch reads is an operator of a library, with a canonical text that PyTorch
/// takes for the same schema.
#[test]
fn schemas_of_libraries_are_operators() {
    let rows = opatlas_conformance::golden("library_schemas.jsonl.gz");
    let read = rows.iter().filter(|row| !row["canonical"].is_null());
    let texts: Vec<&str> = read.map(|row| row["schema"].as_str().unwrap()).collect();
    let library = serde_json::json!({"namespace": "acme", "schemas": texts}).to_string();
    let file = BackendFile::read(library.as_bytes());
    let told: Vec<_> = file.diagnostics.iter().collect();
    assert!(told.is_empty(), "{told:#?}");
    let entries = &file.vendor.as_ref().unwrap().entries;
    assert_eq!(entries.len(), texts.len());
    for (entry, text) in entries.iter().zip(texts) {
        let whole = entry.schema.as_ref().expect(text);
        let schema = RuntimeSchema {
            has_namespace: false,
            ..parse(text).unwrap()
        };
        assert_eq!(whole.schema.name.base(), schema.name, "{text}");
        assert_eq!(
            whole.schema.arguments.all().len(),
            schema.arguments.len(),
            "{text}"
        );
        assert_eq!(whole.schema.returns.len(), schema.returns.len(), "{text}");
        let same = compare(&schema, &schema);
        // Torch does not read every text that it prints as what it printed.
        let printed = schema.printed();
        let is_stable = parse(&printed).is_ok_and(|own| compare(&schema, &own) == same);
        // torchgen names the set that a bare `!` makes up, and knows one annotation of a list: its own or
        // that of its elements.
        let is_annotated_twice = text.contains(")[](") || text.contains(")?[](");
        if is_stable
            && !text.contains("Tensor!")
            && !is_annotated_twice
            && let Ok(mut again) = parse(&whole.canonical)
        {
            again.namespace = schema.namespace;
            let said = compare(&schema, &again);
            assert_eq!(said, same, "{text} is {}", whole.canonical);
        }
    }
}

/// Pairs in the whole language of the runtime, unreadable texts included.
#[test]
fn the_runtime_language_is_read_as_recorded() {
    let mut unreadable = 0;
    for row in &opatlas_conformance::golden("official_runtime.jsonl.gz") {
        let mut schemas = Vec::new();
        for (side, canonical) in [("old", "old_canonical"), ("new", "new_canonical")] {
            let Some(text) = row[side].as_str() else {
                continue;
            };
            match (parse(text), row[canonical].as_str()) {
                (Ok(schema), Some(canonical)) => {
                    // What torch prints for bytes above 127 is cut to whole characters here.
                    if canonical.is_ascii() {
                        assert_eq!(schema.canonical(), canonical, "{text}");
                    }
                    schemas.push(schema);
                }
                (Err(why), None) => {
                    unreadable += 1;
                    let span = why[0].span;
                    assert!(span.end as usize <= text.len(), "{text}: {why:?}");
                }
                (ours, theirs) => panic!("{text}\n{ours:?}\n{theirs:?}"),
            }
        }
        if let [old, new] = &schemas[..] {
            check_verdict(row, &compare(old, new));
        }
    }
    assert!(unreadable > 500);
}

#[test]
fn errors_point_at_what_is_wrong() {
    for (text, wrong, message) in [
        (
            "f(DimVector x) -> ()",
            "DimVector",
            "unknown type `DimVector`",
        ),
        ("f(int x=cpu) -> ()", "cpu", "unknown default `cpu`"),
        ("f(int x) - > ()", "-", "expected `->`, found `-`"),
        ("f(int x", "", "expected `)`, found the end"),
        ("f(float x=1e999) -> ()", "1e999", "`1e999` is out of range"),
        (
            "f(int x=-99999999999999999999) -> ()",
            "-99999999999999999999",
            "out of range",
        ),
        ("f(str x=\"é\\q\") -> ()", "\"é\\q\"", "escape"),
        ("f(int x=1, int y) -> ()", "int y", "`y` has no default"),
        (
            "f.default() -> ()",
            "default",
            "not allowed as an overload name",
        ),
        ("f(Tensor? is) -> ()", "is", "expected a name, found `is`"),
        ("é() -> ()", "é", "expected a name, found `é`"),
        ("f() -> () x", "x", "expected the end, found `x`"),
        (
            "f(Dict(t, int) x) -> ()",
            "Dict(t, int)",
            "cannot be the key",
        ),
        ("f", "", "arguments after the name"),
    ] {
        let why = parse(text).unwrap_err();
        assert_eq!(why[0].span.slice(text), wrong, "{text}: {why:?}");
        assert!(why[0].message.contains(message), "{text}: {why:?}");
    }
}

#[test]
fn hostile_texts_are_refused_quickly() {
    let deep = |open: &str, close: &str| {
        format!(
            "f({}int{} x) -> ()",
            open.repeat(2_000),
            close.repeat(2_000)
        )
    };
    for text in [
        deep("(", ")"),
        deep("Future(", ")"),
        deep("", "[]"),
        deep("", "?[]"),
        format!("f(Union({}int) x) -> ()", "int[], ".repeat(2_000)),
        format!("f(int[2147483647] x=0) -> {}", "x".repeat(100)),
        "x".repeat(20_000_000),
    ] {
        assert!(parse(&text).is_err());
    }
}

#[test]
fn unqualified_names_belong_to_aten() {
    let (short, long) = (
        parse("f() -> ()").unwrap(),
        parse("aten::f() -> ()").unwrap(),
    );
    let other = parse("my::f() -> ()").unwrap();
    assert!(compare(&short, &long).backward);
    assert!(!compare(&short, &other).forward);
    assert_eq!(other.canonical(), "my::f() -> ()");
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused_with_spans_inside_it(text in ".{0,80}") {
        if let Err(why) = parse(&text) {
            prop_assert!(why.iter().all(|d| d.span.end as usize <= text.len()));
        }
    }

    #[test]
    fn any_sequence_of_tokens_is_read_or_refused(
        tokens in prop::collection::vec(
            prop::sample::select(vec![
                "f", "(", ")", "[", "]", "Tensor", "int", "Scalar", "x", "=", "1", "1.5", "-", "?",
                "!", "*", ",", ", ", "->", "...", "None", "'a'", "Union(", "Dict(", "a", "|", "2",
            ]),
            0..40,
        )
    ) {
        let text = format!("f({}", tokens.concat());
        if let Ok(schema) = parse(&text) {
            prop_assert!(compare(&schema, &schema).backward);
            prop_assert!(compare(&schema, &schema).forward);
        }
    }
}
