//! Any bytes as `derivatives.yaml`.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| opatlas_fuzz::beside_operators(
    "derivatives.yaml",
    bytes
));
