//! Any bytes as a file and as a schema: nothing panics, everything that is read prints back to
//! itself, and reading with a former revision at hand gives what a cold read gives.

#![no_main]

use libfuzzer_sys::fuzz_target;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::file::NativeFunctions;
use opatlas_pytorch::release::Release;
use opatlas_schema::parse::parse_schema;
use opatlas_source::Bundle;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Some(schema) = parse_schema(text, 0).schema
    {
        let printed = schema.to_string();
        assert_eq!(parse_schema(&printed, 0).schema.as_ref(), Some(&schema));
    }
    let cold = NativeFunctions::read(bytes, None);
    let mut changed = bytes.to_vec();
    changed.extend_from_slice(b"\n- func: f(Tensor self) -> Tensor\n");
    let next = NativeFunctions::read(&changed, Some(&cold));
    let again = NativeFunctions::read(&changed, None);
    assert_eq!(next.entries.len(), again.entries.len());
    for (a, b) in next.entries.iter().zip(&again.entries) {
        assert_eq!((&a.entry, a.base), (&b.entry, b.base));
    }
    let bundle = Bundle::of_native_functions(bytes.to_vec());
    for release in [Release::V2_0, Release::LATEST] {
        let catalogue = Catalogue::read(&bundle, release, None);
        for finding in opatlas_rules::check(&catalogue) {
            assert!(finding.span.start <= finding.span.end);
        }
    }
});
