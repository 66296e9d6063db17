//! Any text as a schema, as torchgen reads them: what is read prints back to itself.

#![no_main]

use opatlas::model::signature::signature;
use opatlas::release::Release;
use opatlas::service::JudgedSchema;
use opatlas::syntax::schema::parse_schema;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Some(schema) = parse_schema(text, 0).schema {
        let printed = schema.to_string();
        let again = parse_schema(&printed, 0).schema;
        assert_eq!(again.as_ref(), Some(&schema));
        assert_eq!(again.as_ref().map(signature), Some(signature(&schema)));
    }
    for release in [Release::V2_0, Release::LATEST] {
        for error in JudgedSchema::read(text, release).errors {
            assert!(error.span.start <= error.span.end);
            assert!(error.span.end as usize <= text.len());
        }
    }
});
