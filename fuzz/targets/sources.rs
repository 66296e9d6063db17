//! Any bytes as a C++ and as a Python source of a revision.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for file in ["sources/a.cpp", "sources/a.py", "sources/macros.toml"] {
        opatlas_fuzz::beside_operators(file, bytes);
    }
});
