//! Any bytes as a model, and any text as a list of operators with counts.

#![no_main]

use opatlas_model::Limits;
use opatlas_service::gaps::Usage;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let _ = opatlas_model::read(bytes, &Limits::default());
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Usage::read(text);
    }
});
