//! Builds a catalogue from a bundle.

use std::sync::Arc;

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::Complaints;
use opatlas_source::{BACKENDS, Bundle, FALLBACK_OPS, Stop, Stopped, TAGS, VENDOR};

use super::Catalogue;
use super::beside::{self, Parsed};
use crate::backend::BackendFile;
use crate::backend::vendor::Profile;
use crate::table::OperatorTable;
use crate::tags::DeclaredTags;

impl Catalogue {
    /// Reads a bundle. `previous` saves time and does not change the result.
    #[must_use]
    pub fn read(bundle: &Bundle, release: Release, previous: Option<&Self>) -> Self {
        Stop::unstopped(|stop| Self::read_until(bundle, release, previous, stop))
    }

    /// Like [`Catalogue::read`], but cancellable.
    pub fn read_until(
        bundle: &Bundle,
        release: Release,
        previous: Option<&Self>,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let known = previous.map(Parsed::share).unwrap_or_default();
        let read = Parsed::read(bundle, &known, stop)?;
        Self::from_parsed(read, (bundle, release), previous, stop)
    }

    fn from_parsed(
        read: Parsed,
        (bundle, release): (&Bundle, Release),
        previous: Option<&Self>,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        let (tags, diagnostics) = match bundle.file(TAGS) {
            Some(bytes) => {
                let (text, diagnostics) = opatlas_yaml::decode(bytes);
                DeclaredTags::read(&text, diagnostics.into())
            }
            None => (DeclaredTags::of_release(release), Complaints::default()),
        };
        stop.check()?;
        let table = OperatorTable::new(read.native, &tags, release, stop)?;
        let mut catalogue = Self::of_table(table, tags, diagnostics);
        catalogue.derivatives = read.derivatives;
        stop.check()?;
        catalogue.match_derivatives(stop)?;
        let profile = match bundle.file(VENDOR).map(|bytes| Profile::read(bytes)) {
            Some(Err(fault)) => {
                catalogue.vendor_diagnostics.push(fault);
                None
            }
            Some(Ok(profile)) => Some(profile),
            None => None,
        };
        catalogue.deprecated = read.deprecated;
        catalogue.fallback_ops = bundle.content(FALLBACK_OPS).cloned();
        let files = bundle.files();
        for (name, bytes) in files.filter(|(name, _)| name.starts_with(BACKENDS)) {
            stop.check()?;
            let file = BackendFile::read_with(bytes, profile.as_ref());
            catalogue.add_backend(name, Arc::new(file));
        }
        catalogue.source_files = beside::source_files(bundle);
        catalogue.sources = beside::sources(&catalogue.source_files, release, previous, stop)?;
        Ok(catalogue)
    }
}
