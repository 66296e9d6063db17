//! Any file, mended: mending ends, makes no error or warning, and no declared operator that could be
//! read is lost.

#![no_main]

use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_rules::fix::{MOST_READINGS, MOST_ROUNDS, Reading, Wanted, mend};
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

libfuzzer_sys::fuzz_target!(|text: &str| {
    let read = |text: &str| {
        let bundle = Bundle::of_native_functions(text.as_bytes().to_vec());
        Reading::of(&Catalogue::read(&bundle, Release::LATEST, None))
    };
    let before = read(text);
    for wanted in [Wanted::Safe, Wanted::Suggested] {
        let mut readings = 0;
        let fixed = mend(NATIVE_FUNCTIONS, text, wanted, |text| {
            readings += 1;
            read(text)
        });
        // Trials of edits, the text after each round, and the text as it came.
        assert!(readings <= MOST_READINGS + MOST_ROUNDS + 1, "{readings}");
        assert!(fixed.applied() > 0 || fixed.text == text, "{}", fixed.text);
        let after = read(&fixed.text);
        let (old, new) = (faults(&before.findings), faults(&after.findings));
        assert!(new <= old, "{old} {new} {}", fixed.text);
        // Every edit may make more of the text readable, and nothing less.
        let (old, new) = (declared(&before), declared(&after));
        assert!(new >= old, "{old} {new} {}", fixed.text);
    }
});

/// How many operators are declared, by name. An edit may replace generated ones.
fn declared(reading: &Reading) -> usize {
    let sources = reading.operators.values();
    sources.filter(|source| source.is_none()).count()
}

/// How many errors and warnings there are.
fn faults(findings: &[Finding]) -> usize {
    let severities = findings.iter().map(|finding| finding.severity);
    severities
        .filter(|severity| *severity != Severity::Info)
        .count()
}
