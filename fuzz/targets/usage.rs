//! Any text as a usage file: what is read is the same when it is written out and read again.

#![no_main]

use opatlas_service::gaps;

libfuzzer_sys::fuzz_target!(|text: &str| {
    let Ok(usage) = gaps::read_csv(text) else {
        return;
    };
    let plain = |name: &String| {
        name.chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.')
    };
    if usage.keys().all(plain) {
        let written: String = usage
            .iter()
            .map(|(name, count)| format!("{name},{count}\n"))
            .collect();
        let again = gaps::read_csv(&written).unwrap_or_default();
        let sum = |usage: &gaps::Usage| {
            usage
                .values()
                .fold(0_u64, |sum, count| sum.saturating_add(*count))
        };
        assert_eq!(sum(&again), sum(&usage));
    }
});
