//! Any file, mended: mending ends, makes no error or warning, and no operator that could be read is
//! lost.

#![no_main]

use opatlas_pytorch::release::Release;
use opatlas_rules::fix::{MOST_READINGS, MOST_ROUNDS, Wanted, mend};
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let check = |text: &str| {
        let bundle = Bundle::of_native_functions(text.as_bytes().to_vec());
        opatlas_fuzz::judge(&bundle, Release::LATEST)
    };
    let before = opatlas_fuzz::operators(text.as_bytes());
    for wanted in [Wanted::Safe, Wanted::Suggested] {
        let mut readings = 0;
        let fixed = mend(NATIVE_FUNCTIONS, text, wanted, |text| {
            readings += 1;
            check(text)
        });
        // Trials of edits, the text after each round, and the text as it came.
        assert!(readings <= MOST_READINGS + MOST_ROUNDS + 1, "{readings}");
        assert!(fixed.applied() > 0 || fixed.text == text, "{}", fixed.text);
        let (old, new) = (faults(&check(text)), faults(&check(&fixed.text)));
        assert!(new <= old, "{old} {new} {}", fixed.text);
        // Every edit may make more of the text readable, and nothing less.
        let after = opatlas_fuzz::operators(fixed.text.as_bytes());
        assert!(after.len() >= before.len(), "{before:?} {after:?}");
    }
});

/// How many errors and warnings there are.
fn faults(findings: &[Finding]) -> usize {
    let severities = findings.iter().map(|finding| finding.severity);
    severities
        .filter(|severity| *severity != Severity::Info)
        .count()
}
