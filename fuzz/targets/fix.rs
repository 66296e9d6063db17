//! Any file, mended: mending ends, mended text is mended no further, and no operator that could be read
//! is lost.

#![no_main]

use opatlas_pytorch::release::Release;
use opatlas_rules::fix::{MOST_ROUNDS, apply, apply_all};
use opatlas_source::Bundle;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let check = |text: &str| {
        let bundle = Bundle::of_native_functions(text.as_bytes().to_vec());
        opatlas_fuzz::judge(&bundle, Release::LATEST)
    };
    let mut rounds = 0;
    let fixed = apply_all(text, |text| {
        rounds += 1;
        check(text)
    });
    if rounds < MOST_ROUNDS {
        let again = apply(&fixed.text, &check(&fixed.text));
        assert!(
            again.applied == 0 || again.text == fixed.text,
            "{}",
            fixed.text
        );
    }
    // Every round may make more of the text readable, and nothing less.
    let before = opatlas_fuzz::operators(text.as_bytes());
    let after = opatlas_fuzz::operators(fixed.text.as_bytes());
    assert!(after.len() >= before.len(), "{before:?} {after:?}");
});
