//! Any two files, compared with their tables: nothing panics, and a file does not differ from itself.

#![no_main]

use opatlas_diff::{Revision, compare};
use opatlas_dispatch::{Build, Inputs, Observed, Provenance, Source};
use opatlas_operators::catalogue::Catalogue;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use opatlas_verdict::{Tables, View};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let (old, new) = opatlas_fuzz::halves(bytes);
    let read = |bytes: &[u8]| {
        let bundle = Bundle::of_native_functions(bytes.to_vec());
        Catalogue::read(&bundle, Release::LATEST, None)
    };
    let (old, new) = (read(old), read(new));
    let observed = Observed::default();
    let (of_old, of_new) = (inputs(&old, &observed), inputs(&new, &observed));
    let tables = |inputs| Tables::new(inputs, &Build::default(), Source::Files);
    let (old_tables, new_tables) = (tables(of_old), tables(of_new));
    let a = Revision {
        catalogue: &old,
        view: Some(View::new(of_old, &old_tables)),
    };
    let b = Revision {
        catalogue: &new,
        view: Some(View::new(of_new, &new_tables)),
    };
    let itself = compare(a, a);
    assert!(itself.changes.is_empty(), "{:?}", itself.changes);
    let _ = compare(a, b);
    let _ = compare(b, a);
});

fn inputs<'a>(catalogue: &'a Catalogue, observed: &'a Observed) -> Inputs<'a> {
    Inputs {
        catalogue,
        derivatives: catalogue.derivatives.as_deref(),
        matches: &catalogue.derivative_matches,
        backends: &catalogue.backends,
        observed,
        provenance: Provenance::Assumed,
    }
}
