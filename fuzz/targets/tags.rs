//! Any bytes as `tags.yaml`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| opatlas_fuzz::beside_operators("tags.yaml", bytes));
