//! The files of a bundle that are read without the operators. What a former revision read from the same
//! bytes is taken from there; repaired text differs from the original bytes, so it is read again.

use std::sync::Arc;

use super::Catalogue;
use crate::deprecated::Deprecated;
use crate::derivatives::Derivatives;
use opatlas_source::{Bundle, DEPRECATED, DERIVATIVES, SOURCES, Stop, Stopped};
use opatlas_sources::{File, Sources};

/// Reads the formulas of a bundle.
pub(super) fn derivatives(
    bundle: &Bundle,
    previous: Option<&Catalogue>,
) -> Option<Arc<Derivatives>> {
    let bytes = bundle.file(DERIVATIVES)?;
    let known = previous.and_then(|previous| previous.derivatives.as_ref());
    let same = |known: &&Arc<Derivatives>| {
        known.diagnostics.is_empty() && known.text.as_bytes() == &bytes[..]
    };
    Some(match known.filter(same) {
        Some(known) => Arc::clone(known),
        None => Arc::new(Derivatives::read(bytes)),
    })
}

/// Reads the deprecated signatures of a bundle.
pub(super) fn deprecated(bundle: &Bundle, previous: Option<&Catalogue>) -> Option<Arc<Deprecated>> {
    let bytes = bundle.file(DEPRECATED)?;
    let known = previous.and_then(|previous| previous.deprecated.as_ref());
    let same = |known: &&Arc<Deprecated>| {
        known.diagnostics.is_empty() && known.text.as_bytes() == &bytes[..]
    };
    Some(match known.filter(same) {
        Some(known) => Arc::clone(known),
        None => Arc::new(Deprecated::read(bytes)),
    })
}

/// Reads the sources of a bundle.
pub(super) fn sources(bundle: &Bundle, stop: &Stop) -> Result<Sources, Stopped> {
    stop.check()?;
    let files = bundle.files().filter(|(name, _)| name.starts_with(SOURCES));
    let files: Vec<_> = files.map(|(path, bytes)| File { path, bytes }).collect();
    match files.is_empty() {
        true => Ok(Sources::default()),
        false => Sources::read_until(&files, stop),
    }
}
