//! Any two texts as schemas, as PyTorch's runtime reads them: what is read prints back to itself, a
//! schema is compatible with itself, and what changed between two can be told.

#![no_main]

use opatlas_diff::{official, schema};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let (old, new) = text.split_once('\n').unwrap_or((text, text));
    let (Ok(a), Ok(b)) = (official::parse(old), official::parse(new)) else {
        return;
    };
    let itself = official::compare(&a, &a);
    assert!(itself.backward && itself.forward, "{old}");
    let _ = official::compare(&a, &b);
    let side = |schema, text| schema::Side {
        schema,
        text,
        has_spans: true,
    };
    assert!(schema::compare("f", side(&a, old), side(&a, old)).is_empty());
    let _ = schema::compare("f", side(&a, old), side(&b, new));
});
