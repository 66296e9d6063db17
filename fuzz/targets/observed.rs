//! Any bytes as `observed.json`: what is read of it shows in the tables, and nothing panics.

#![no_main]

use opatlas_pytorch::release::Release;
use opatlas_service::Snapshot;
use opatlas_service::dispatch::Profile;
use opatlas_source::Bundle;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (observed, operators) = opatlas_fuzz::halves(bytes);
    for operators in [opatlas_fuzz::OPERATORS, operators] {
        let mut bundle = Bundle::of_native_functions(operators.to_vec());
        bundle.insert("observed.json", observed.to_vec());
        let snapshot = Snapshot::read(bundle, Release::LATEST, None);
        let _ = snapshot.tables(&Profile::default());
        let _ = snapshot.findings();
    }
});
