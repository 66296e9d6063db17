//! Identifies released files by digest, because handwritten registrations are recorded only for releases.

use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, Digest, NATIVE_FUNCTIONS};

/// Which revision the handwritten registrations were recorded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Provenance {
    /// From this revision.
    Recorded,
    /// From the nearest release.
    Assumed,
}

/// Whether the bundle has the operators of the release, by [`Bundle::file_digest`].
#[must_use]
pub fn provenance(bundle: &Bundle, release: Release) -> Provenance {
    let Some(digest) = bundle.file_digest(NATIVE_FUNCTIONS) else {
        return Provenance::Assumed;
    };
    match released_as(&digest) {
        Some((known, _)) if known == release => Provenance::Recorded,
        _ => Provenance::Assumed,
    }
}

/// The release that published `native_functions.yaml` with this digest, and its patch release that was
/// recorded.
#[must_use]
pub fn released_as(digest: &Digest) -> Option<(Release, &'static str)> {
    Release::all().find_map(|release| {
        let mut known = release.data().native_functions.iter();
        let (name, _) = known.find(|(_, hex)| Digest::parse(hex).as_ref() == Some(digest))?;
        Some((release, *name))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measured_release_is_known() {
        for release in Release::all() {
            let data = release.data();
            let known = data.native_functions.iter().map(|(name, _)| *name);
            assert!(known.eq(data.measured.iter().copied()), "{release}");
            for (measured, hex) in data.native_functions {
                let digest = Digest::parse(hex).unwrap();
                assert_eq!(released_as(&digest), Some((release, *measured)));
            }
        }
    }
}
