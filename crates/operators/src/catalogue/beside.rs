//! Reads the files of a bundle. Reuses unchanged files of a previous catalogue, unless they had
//! errors: repaired text differs from the original bytes.

use std::sync::Arc;

use opatlas_pytorch::Release;
use opatlas_source::{
    Bundle, Content, DEPRECATED, DERIVATIVES, NATIVE_FUNCTIONS, SOURCES, Stop, Stopped,
};
use opatlas_sources::{File, Sources};

use super::Catalogue;
use crate::deprecated::Deprecated;
use crate::derivatives::Derivatives;
use crate::file::NativeFunctions;

#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) native: Arc<NativeFunctions>,
    pub(super) derivatives: Option<Arc<Derivatives>>,
    pub(super) deprecated: Option<Arc<Deprecated>>,
}

impl Parsed {
    pub(super) fn share(catalogue: &Catalogue) -> Self {
        Self {
            native: Arc::clone(&catalogue.native_functions),
            derivatives: catalogue.derivatives.clone(),
            deprecated: catalogue.deprecated.clone(),
        }
    }

    pub(super) fn read(bundle: &Bundle, known: &Self, stop: &Stop) -> Result<Self, Stopped> {
        let file = bundle.content(NATIVE_FUNCTIONS);
        let file = file.cloned().unwrap_or_default();
        let (native, derivatives) = rayon::join(
            || NativeFunctions::read_until(&file, Some(&known.native), stop),
            || derivatives(bundle, known.derivatives.as_ref()),
        );
        Ok(Self {
            native: Arc::new(native?),
            derivatives,
            deprecated: deprecated(bundle, known.deprecated.as_ref()),
        })
    }
}

fn derivatives(bundle: &Bundle, known: Option<&Arc<Derivatives>>) -> Option<Arc<Derivatives>> {
    let file = bundle.content(DERIVATIVES)?;
    let same = |known: &&Arc<Derivatives>| {
        known.diagnostics.is_empty() && known.text.as_bytes() == &file.bytes()[..]
    };
    Some(match known.filter(same) {
        Some(known) => Arc::clone(known),
        None => Arc::new(Derivatives::read_shared(file)),
    })
}

fn deprecated(bundle: &Bundle, known: Option<&Arc<Deprecated>>) -> Option<Arc<Deprecated>> {
    let bytes = bundle.file(DEPRECATED)?;
    let same = |known: &&Arc<Deprecated>| {
        known.diagnostics.is_empty() && known.text.as_bytes() == &bytes[..]
    };
    Some(match known.filter(same) {
        Some(known) => Arc::clone(known),
        None => Arc::new(Deprecated::read(bytes)),
    })
}

pub(super) fn source_files(bundle: &Bundle) -> Vec<(Box<str>, Content)> {
    let names = bundle.files().map(|(name, _)| name);
    let names = names.filter(|name| name.starts_with(SOURCES));
    names
        .filter_map(|name| Some((name.into(), bundle.content(name)?.clone())))
        .collect()
}

/// Reads the registrations of sources, or shares those of a catalogue with the same files.
pub(super) fn sources(
    files: &[(Box<str>, Content)],
    release: Release,
    known: Option<&Catalogue>,
    stop: &Stop,
) -> Result<Arc<Sources>, Stopped> {
    stop.check()?;
    if files.is_empty() {
        return Ok(Arc::default());
    }
    if let Some(known) =
        known.filter(|known| known.release == release && known.source_files == files)
    {
        return Ok(Arc::clone(&known.sources));
    }
    let files = files.iter().map(|(path, content)| File {
        path,
        bytes: content.bytes(),
    });
    let files: Vec<_> = files.collect();
    Ok(Arc::new(Sources::read_until(&files, release, stop)?))
}
