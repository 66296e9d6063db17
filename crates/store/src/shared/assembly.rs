//! Assembles files from their chunks and checks them.

use rustc_hash::FxHashMap;

use super::chunks::Pack;
use crate::error::StoreError;
use opatlas_source::{Bundle, Content, Digest};

#[derive(Debug, Clone)]
pub(super) struct FileParts {
    pub name: String,
    pub digest: Digest,
    pub bytes: u64,
    pub chunks: Vec<i64>,
}

impl FileParts {
    pub(super) fn bundle(
        files: &[Self],
        chunks: &FxHashMap<i64, &[u8]>,
    ) -> Result<Bundle, StoreError> {
        let mut bundle = Bundle::default();
        for file in files {
            let mut bytes = Vec::new();
            for id in &file.chunks {
                let chunk = chunks.get(id);
                bytes.extend_from_slice(chunk.ok_or_else(|| file.damaged("lacks a chunk"))?);
            }
            if bytes.len() as u64 != file.bytes || Digest::of(&bytes) != file.digest {
                return Err(file.damaged("has other bytes than were stored"));
            }
            bundle.insert_with(&file.name, Content::from(&*bytes), file.digest);
        }
        Ok(bundle)
    }

    pub(super) fn damaged(&self, what: &str) -> StoreError {
        let Self { name, digest, .. } = self;
        StoreError::corrupt(format!("file `{name}` (sha256:{digest}) {what}"))
    }
}

pub(super) fn by_id(packs: &[Pack]) -> FxHashMap<i64, &[u8]> {
    packs.iter().flat_map(Pack::parts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, content: &str, chunks: &[i64]) -> FileParts {
        FileParts {
            name: name.to_owned(),
            digest: Digest::of(content.as_bytes()),
            bytes: content.len() as u64,
            chunks: chunks.to_vec(),
        }
    }

    fn files() -> [FileParts; 2] {
        [file("a", "xyx", &[7, 3, 7]), file("b", "", &[])]
    }

    #[test]
    fn a_chunk_can_repeat() {
        let chunks = FxHashMap::from_iter([(7, &b"x"[..]), (3, b"y")]);
        let bundle = FileParts::bundle(&files(), &chunks).unwrap();
        let files: Vec<_> = bundle
            .files()
            .map(|(name, bytes)| (name, &bytes[..]))
            .collect();
        assert_eq!(files, [("a", &b"xyx"[..]), ("b", b"")]);
    }

    #[test]
    fn missing_and_wrong_chunks_are_errors() {
        let error = |chunks: &[(i64, &'static [u8])]| {
            let chunks = chunks.iter().copied().collect();
            let error = FileParts::bundle(&files(), &chunks).unwrap_err();
            error.to_string()
        };
        let lacking = error(&[(7, b"x")]);
        assert!(lacking.contains("file `a`"), "{lacking}");
        assert!(lacking.ends_with("lacks a chunk"), "{lacking}");
        let wrong = error(&[(7, b"x"), (3, b"Y")]);
        assert!(
            wrong.ends_with("has other bytes than were stored"),
            "{wrong}"
        );
    }
}
