//! The tables of a release's files, as the tests of this crate look at them.

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{Build, Observed, Source, provenance};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::DerivativeMatches;
use opatlas_pytorch::release::Release;
use opatlas_source::Bundle;
use opatlas_verdict::{Tables, View};

/// Passes the tables of a bundle to `then`, with all registrations and those of a device.
pub(crate) fn with_view<T>(
    bundle: &Bundle,
    release: Release,
    observed: &Observed,
    then: impl FnOnce(View<'_>) -> T,
) -> T {
    let catalogue = Catalogue::read(bundle, release, None);
    with_view_of(bundle, &catalogue, observed, then)
}

/// The same with a catalogue that is read already.
pub(crate) fn with_view_of<T>(
    bundle: &Bundle,
    catalogue: &Catalogue,
    observed: &Observed,
    then: impl FnOnce(View<'_>) -> T,
) -> T {
    let derivatives = catalogue.derivatives.clone();
    let matches = DerivativeMatches::new(catalogue, derivatives.as_deref());
    let inputs = Inputs {
        catalogue,
        derivatives: derivatives.as_deref(),
        matches: &matches,
        backends: &[],
        observed,
        provenance: provenance(bundle, catalogue.release),
    };
    let tables = Tables::new(inputs, &Build::ALL, Source::Everything);
    then(View::new(inputs, &tables))
}
