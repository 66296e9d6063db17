//! Files kept whole and compressed, beside their chunks.
//!
//! Chunks let revisions share what they have in common, but the database looks up three thousand of them for
//! a release, which took up to a tenth of the time of `opatlas compare`; a file kept whole is one row. Releases
//! are what people compare, so their files are kept so too, in an eighth of their size. Commits are not: each
//! would take a hundred kilobytes instead of the three that it changes. A file kept whole says nothing that
//! its chunks do not say, so it goes with its file, and where there is none, the chunks are read.

use zstd::bulk::Decompressor;

use super::error::StoreError;
use opatlas_source::{Bundle, Content, Digest};

/// How much zstd compresses. Its default takes a fifth more room, and higher levels take longer for a twentieth
/// less.
const LEVEL: i32 = 6;

/// A file of a bundle, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WholeFile {
    pub(super) name: String,
    /// SHA-256 of its bytes.
    pub(super) digest: Digest,
    /// How many bytes it has.
    pub(super) bytes: u64,
    /// Its bytes, compressed.
    pub(super) packed: Vec<u8>,
}

/// The files of a revision as the store gives them: those that it keeps whole are still compressed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoredFiles {
    /// The revision whose files these are; `None` for the empty default.
    digest: Option<Digest>,
    bundle: Bundle,
    whole: Vec<WholeFile>,
}

impl StoredFiles {
    pub(super) fn new(digest: Digest, bundle: Bundle, whole: Vec<WholeFile>) -> Self {
        Self {
            digest: Some(digest),
            bundle,
            whole,
        }
    }

    /// The files, byte for byte. A millisecond of work for a release, and no I/O.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] where they are not what was stored.
    pub fn unpack(self) -> Result<Bundle, StoreError> {
        let mut bundle = self.bundle;
        unpack_into(&mut bundle, &self.whole)?;
        match self.digest {
            Some(digest) if bundle.digest() != digest => Err(StoreError::corrupt(format!(
                "the files of revision sha256:{digest} differ from those stored"
            ))),
            _ => Ok(bundle),
        }
    }
}

/// Adds files to a bundle, each checked against its digest.
pub(super) fn unpack_into(bundle: &mut Bundle, whole: &[WholeFile]) -> Result<(), StoreError> {
    if whole.is_empty() {
        return Ok(());
    }
    let mut decompressor = Decompressor::new().map_err(out_of_memory)?;
    let mut plain = Vec::new();
    for file in whole {
        let damaged = || {
            let WholeFile { name, digest, .. } = file;
            StoreError::corrupt(format!(
                "file `{name}` (sha256:{digest}), as it is kept whole, has other bytes than were stored"
            ))
        };
        // It says itself how long it is, and is not believed beyond what was stored.
        let says = Decompressor::upper_bound(&file.packed);
        let length = usize::try_from(file.bytes).ok();
        let length = length.filter(|length| says == Some(*length));
        let length = length.ok_or_else(damaged)?;
        plain.clear();
        plain.reserve_exact(length);
        let read = decompressor.decompress_to_buffer(&file.packed, &mut plain);
        read.map_err(|_| damaged())?;
        if Digest::of(&plain) != file.digest {
            return Err(damaged());
        }
        bundle.insert_with(&file.name, Content::from(&*plain), file.digest);
    }
    Ok(())
}

/// All files of a bundle as they are kept, by digest; ten milliseconds of work for a release.
pub(super) fn pack(bundle: &Bundle) -> Result<Vec<(Digest, Vec<u8>)>, StoreError> {
    let files = bundle.files().zip(bundle.digests());
    let packed = files.map(|((_, bytes), (_, digest))| {
        let packed = zstd::bulk::compress(bytes, LEVEL).map_err(out_of_memory)?;
        Ok((digest, packed))
    });
    packed.collect()
}

fn out_of_memory(error: std::io::Error) -> StoreError {
    StoreError::Unavailable {
        what: format!("files could not be compressed or read: {error}"),
        source: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bundle() -> Bundle {
        let mut bundle = Bundle::of_native_functions("- func: f() -> ()\n".repeat(50).into_bytes());
        bundle.insert("tags.yaml", *b"");
        bundle.insert("backends/a.yaml", *b"caf\xe9");
        bundle
    }

    fn whole(bundle: &Bundle) -> Vec<WholeFile> {
        let files = bundle.files().zip(pack(bundle).unwrap());
        let files = files.map(|((name, bytes), (digest, packed))| WholeFile {
            name: name.to_owned(),
            digest,
            bytes: bytes.len() as u64,
            packed,
        });
        files.collect()
    }

    #[test]
    fn files_come_back() {
        let given = bundle();
        let mut part = Bundle::default();
        part.insert("tags.yaml", *b"");
        let mut files = whole(&given);
        files.retain(|file| file.name != "tags.yaml");
        let stored = StoredFiles::new(given.digest(), part, files);
        assert_eq!(stored.unpack().unwrap(), given);
        assert_eq!(StoredFiles::default().unpack().unwrap(), Bundle::default());
    }

    #[test]
    fn damage_is_an_error() {
        let given = bundle();
        let error = |change: &dyn Fn(&mut WholeFile)| {
            let mut files = whole(&given);
            for file in &mut files {
                change(file);
            }
            let stored = StoredFiles::new(given.digest(), Bundle::default(), files);
            let error = stored.unpack().unwrap_err().to_string();
            assert!(error.contains("backends/a.yaml"), "{error}");
        };
        error(&|file| file.bytes += 1);
        error(&|file| file.bytes = u64::MAX);
        error(&|file| file.digest = Digest::of(b"other"));
        error(&|file| file.packed.clear());
        error(&|file| file.packed.truncate(file.packed.len() - 1));
        error(&|file| {
            let last = file.packed.len() - 1;
            file.packed[last] ^= 1;
        });
        // A file that is missing makes another revision.
        let none = StoredFiles::new(given.digest(), Bundle::default(), Vec::new());
        let error = none.unpack().unwrap_err().to_string();
        assert!(error.contains("differ from those stored"), "{error}");
    }
}
