//! Any bytes as the file of an out-of-tree backend.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| opatlas_fuzz::beside_operators(
    "backends/acme.yaml",
    bytes
));
