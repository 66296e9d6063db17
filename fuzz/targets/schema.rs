//! Any text as a schema, as torchgen reads them: what is read prints back to itself, and what is
//! wrong lies in the text.

#![no_main]

use opatlas_schema::invariants::broken_invariants;
use opatlas_schema::parse::parse_schema;
use opatlas_schema::signature::signature;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let read = parse_schema(text, 0);
    let mut errors = read.diagnostics;
    if let Some(schema) = read.schema {
        let printed = schema.to_string();
        let again = parse_schema(&printed, 0).schema;
        assert_eq!(again.as_ref(), Some(&schema));
        assert_eq!(again.as_ref().map(signature), Some(signature(&schema)));
        errors.extend(broken_invariants(&schema));
    }
    for error in errors {
        assert!(error.span.start <= error.span.end, "{error:?}");
        assert!(error.span.end as usize <= text.len(), "{error:?}");
    }
});
