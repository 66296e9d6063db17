//! The released files, known by their digests: whether a revision is one whose process was
//! recorded, so that the hand-written registrations of its release are its own.

use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, Digest, NATIVE_FUNCTIONS};

/// SHA-256 of the `native_functions.yaml` in the packages of each line, with the release whose
/// process was recorded. Within a line all patch releases share the file, but for 2.14.
const NATIVE_FUNCTIONS_OF: [(&str, &str); 17] = [
    (
        "2.0.1",
        "236c4ee90b221b2cc0b1efa27e2d251c2d4e8b04755dcde277a9f5de63120a74",
    ),
    (
        "2.1.2",
        "ef95ad97c9cad5b8a2c5ff52d7a11f5c4606b99a674017317671f66cbfc48ee7",
    ),
    (
        "2.2.2",
        "635a023068b2c2c83707af8cc75cba36b47321d57bb91eec78fc2d9aa72d35e8",
    ),
    (
        "2.3.1",
        "b224d15d37d59ce0aedf6a7b8ad58eb5fe242673786fb1377e8d285d9e1a09aa",
    ),
    (
        "2.4.1",
        "4b3babc71d75a966028092fdbb8a52398c103f6e2c6bb8b63e6ca7d15b82f768",
    ),
    (
        "2.5.1",
        "3db067cf02b3a08a1bab4e109a430e2668bd9685698914eb157a8e51d2f347f0",
    ),
    (
        "2.6.0",
        "bbfbda86dfb5d6218ca94e2410b53ca6d14569daf6d7d4a728a601d9d2abda8b",
    ),
    (
        "2.7.1",
        "1469947e378adf90b50df4feb0f645f349c5ccbd6d0dfa88d00bca0047da9ff8",
    ),
    (
        "2.8.0",
        "ba3e58d5f640cb3463d07e4324b3940659334fd0e71a1e92a181daf5a3aaf09f",
    ),
    (
        "2.9.0",
        "a97a636b21eca2b2e534ad248948bd20cf5471c81718be41a9f3b4488bf01db2",
    ),
    (
        "2.10.0",
        "29c55ccb397ea85a392eed7e176813a781dde1925bfc0f6c0a1fda635a421a83",
    ),
    (
        "2.11.0",
        "d1f2017fb46c4b34ef42c761844de6304b21b6f094d6daad6f2f5d1ca5f946aa",
    ),
    (
        "2.12.1",
        "bb5c53ded26ccc6250a73ac057011980f9a0c99c172e093b28a3f029c559cb11",
    ),
    (
        "2.13.0",
        "63bd04646fa7ee7a496a8f3095204ae0c8cfcde5b1282789ea92f9faa713491c",
    ),
    (
        "2.14.0",
        "ae1a1589816320d622f1e77fd2ed8a1f826c214791858d2394a0e4ad3db0cdc7",
    ),
    (
        "2.14.1",
        "d68d30699549d4b75ed0a8765a9a29663e7d7be7a25e381a40f6ce72ad2d3060",
    ),
    (
        "2.15.0",
        "dd78cc3d4095976ef4d2d25ae3507313a02e0b4fd073a49735b1380709896d73",
    ),
];

/// Whose process the hand-written registrations were recorded from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// This revision is the release.
    Recorded,
    /// The revision is another one; the nearest release's list stands in for its own.
    Assumed,
}

/// Whether the bundle's operators are those of the release. Hashes the file once (about 3 ms).
#[must_use]
pub fn standing(bundle: &Bundle, release: Release) -> Standing {
    let Some(bytes) = bundle.file(NATIVE_FUNCTIONS) else {
        return Standing::Assumed;
    };
    match released_as(&Digest::of(bytes)) {
        Some((known, _)) if known == release => Standing::Recorded,
        _ => Standing::Assumed,
    }
}

/// The release that published a `native_functions.yaml` with this digest, and the measured
/// patch release of its line.
#[must_use]
pub fn released_as(digest: &Digest) -> Option<(Release, &'static str)> {
    let published = |(_, hex): &&(&str, &str)| Digest::parse(hex).as_ref() == Some(digest);
    let (name, _) = NATIVE_FUNCTIONS_OF.iter().find(published)?;
    let release = Release::parse(name).ok()?.release;
    Some((release, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measured_release_is_known() {
        for release in Release::all() {
            for measured in release.data().measured {
                let (_, hex) = NATIVE_FUNCTIONS_OF
                    .iter()
                    .find(|(name, _)| name == measured)
                    .unwrap();
                let digest = Digest::parse(hex).unwrap();
                assert_eq!(released_as(&digest), Some((release, *measured)));
            }
        }
    }
}
