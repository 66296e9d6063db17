//! Putting files together out of their chunks, and checking them.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::chunks::Pack;
use crate::store::error::StoreError;
use opatlas_source::{Bundle, Content, Digest, Hasher};

/// Room is made for a file of this size at most before its chunks come.
const ROOM: usize = 1 << 26;

/// A file taken apart.
#[derive(Debug, Clone)]
pub(super) struct FileParts {
    pub name: String,
    pub digest: Digest,
    pub bytes: u64,
    pub chunks: Vec<i64>,
}

/// Bundles that are put together while their chunks come, each chunk once, in the order in which the files
/// need them. A chunk that is needed again is taken from the file that had it first.
#[derive(Debug)]
pub(super) struct Assembly {
    bundles: Vec<Bundle>,
    /// The chunks by id, numbered in the order in which they come.
    numbers: FxHashMap<i64, u32>,
    places: Vec<Place>,
    /// The files that are not complete.
    files: VecDeque<File>,
    /// What there is of the first one, and of how many chunks.
    text: Vec<u8>,
    chunks: usize,
    hasher: Hasher,
    /// How much of the text has been hashed.
    hashed: usize,
    complete: Vec<Arc<[u8]>>,
}

/// A file of the bundle of this number, with the numbers of its chunks.
#[derive(Debug)]
struct File {
    bundle: usize,
    parts: FileParts,
    chunks: Vec<u32>,
}

/// Where a chunk is.
#[derive(Debug, Clone)]
enum Place {
    /// It has not come.
    Missing,
    /// In the pack that came last.
    Pack(Range<usize>),
    /// In the complete file of this number, or in the one that comes after those.
    File(usize, Range<usize>),
}

impl Assembly {
    /// The assembly, and the chunks that it needs, each once, in the order in which [`Assembly::add`] takes them.
    pub(super) fn new(bundles: Vec<Vec<FileParts>>) -> (Self, Vec<i64>) {
        let longest = bundles.iter().flatten().map(|file| file.bytes).max();
        let room = longest.and_then(|longest| usize::try_from(longest).ok());
        let chunks = bundles
            .iter()
            .map(|files| files.iter().map(|file| file.chunks.len()).sum());
        // Nearly all chunks of the others are those of the first.
        let most: usize = chunks.max().unwrap_or(0);
        let mut numbers = FxHashMap::with_capacity_and_hasher(most, FxBuildHasher);
        let mut wanted = Vec::with_capacity(most);
        let mut numbered = |chunk: i64| {
            *numbers.entry(chunk).or_insert_with(|| {
                wanted.push(chunk);
                u32::try_from(wanted.len() - 1).unwrap_or(u32::MAX)
            })
        };
        let count = bundles.len();
        let mut files = VecDeque::new();
        for (bundle, of_bundle) in bundles.into_iter().enumerate() {
            files.extend(of_bundle.into_iter().map(|mut parts| File {
                bundle,
                chunks: parts.chunks.drain(..).map(&mut numbered).collect(),
                parts,
            }));
        }
        let assembly = Self {
            bundles: vec![Bundle::default(); count],
            places: vec![Place::Missing; wanted.len()],
            numbers,
            files,
            text: Vec::with_capacity(room.unwrap_or(0).min(ROOM)),
            chunks: 0,
            hasher: Hasher::default(),
            hashed: 0,
            complete: Vec::new(),
        };
        (assembly, wanted)
    }

    /// Takes the next chunks, no matter in which order they are in the pack. An error where one is missing, or
    /// a file that is complete with them is not what was stored.
    pub(super) fn add(&mut self, pack: &Pack) -> Result<(), StoreError> {
        for (id, range) in &pack.places {
            let place = self.numbers.get(id).map(|number| *number as usize);
            if let Some(place) = place.and_then(|number| self.places.get_mut(number)) {
                *place = Place::Pack(range.clone());
            }
        }
        let mut used = 0;
        while let Some(file) = self.files.front() {
            let Some(&chunk) = file.chunks.get(self.chunks) else {
                self.end_file()?;
                continue;
            };
            let chunk = chunk as usize;
            let from = self.text.len();
            match self.places.get(chunk).cloned().unwrap_or(Place::Missing) {
                Place::Missing => break,
                Place::Pack(range) => {
                    self.text.extend_from_slice(&pack.content[range]);
                    self.places[chunk] = Place::File(self.complete.len(), from..self.text.len());
                    used += 1;
                }
                Place::File(number, range) => match self.complete.get(number) {
                    Some(file) => self.text.extend_from_slice(&file[range]),
                    None => self.text.extend_from_within(range),
                },
            }
            self.chunks += 1;
        }
        self.hash();
        match used == pack.places.len() {
            true => Ok(()),
            false => Err(self.lacking()),
        }
    }

    /// The bundles, once all chunks have been added.
    pub(super) fn end(mut self) -> Result<Vec<Bundle>, StoreError> {
        self.add(&Pack::default())?;
        match self.files.is_empty() {
            true => Ok(self.bundles),
            false => Err(self.lacking()),
        }
    }

    fn lacking(&self) -> StoreError {
        match self.files.front() {
            Some(file) => file.parts.damaged("lacks a chunk"),
            None => StoreError::corrupt("there are chunks that nobody asked for"),
        }
    }

    /// Hashes what has come of a file, since to hash all of it at its end would let the database wait.
    fn hash(&mut self) {
        self.hasher.update(&self.text[self.hashed..]);
        self.hashed = self.text.len();
    }

    fn end_file(&mut self) -> Result<(), StoreError> {
        self.hash();
        let digest = std::mem::take(&mut self.hasher).digest();
        if let Some(File { bundle, parts, .. }) = self.files.pop_front() {
            if digest != parts.digest {
                return Err(parts.damaged("has other bytes than were stored"));
            }
            let content = Content::from(&*self.text);
            self.complete.push(Arc::clone(content.bytes()));
            self.bundles[bundle].insert_with(&parts.name, content, digest);
        }
        self.text.clear();
        (self.hashed, self.chunks) = (0, 0);
        Ok(())
    }
}

impl FileParts {
    pub(super) fn damaged(&self, what: &str) -> StoreError {
        let Self { name, digest, .. } = self;
        StoreError::corrupt(format!("file `{name}` (sha256:{digest}) {what}"))
    }
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

    fn pack(parts: &[(i64, &str)]) -> Pack {
        let mut pack = Pack::default();
        for (id, text) in parts {
            let from = pack.content.len();
            pack.content.extend_from_slice(text.as_bytes());
            pack.places.push((*id, from..pack.content.len()));
        }
        pack
    }

    fn two() -> (Assembly, Vec<i64>) {
        Assembly::new(vec![
            vec![file("a", "xyx", &[7, 3, 7]), file("b", "", &[])],
            vec![],
            vec![file("a", "yz", &[3, 9]), file("c", "z", &[9])],
        ])
    }

    #[test]
    fn chunks_are_taken_once_and_used_wherever_they_are_needed() {
        let (mut assembly, wanted) = two();
        assert_eq!(wanted, [7, 3, 9]);
        assembly.add(&pack(&[(3, "y"), (7, "x")])).unwrap();
        assembly.add(&pack(&[(9, "z")])).unwrap();
        let bundles = assembly.end().unwrap();
        let files = |bundle: &Bundle| -> Vec<String> {
            let texts = bundle
                .files()
                .map(|(_, text)| String::from_utf8_lossy(text).into_owned());
            texts.collect()
        };
        let files: Vec<_> = bundles.iter().map(files).collect();
        assert_eq!(files, [vec!["xyx", ""], vec![], vec!["yz", "z"]]);
    }

    #[test]
    fn what_is_missing_or_wrong_is_an_error() {
        let error = |packs: &[Pack]| {
            let (mut assembly, _) = two();
            let added = packs.iter().try_for_each(|pack| assembly.add(pack));
            added.and_then(|()| assembly.end()).unwrap_err().to_string()
        };
        let lacks = "file `a`";
        for packs in [
            &[][..],
            &[pack(&[(7, "x")]), pack(&[(9, "z")])],
            &[pack(&[(7, "x"), (9, "z")])],
            &[pack(&[(7, "x"), (3, "y")])],
        ] {
            let error = error(packs);
            assert!(
                error.contains(lacks) && error.ends_with("lacks a chunk"),
                "{error}"
            );
        }
        let wrong = error(&[pack(&[(7, "x"), (3, "Y")])]);
        assert!(
            wrong.ends_with("has other bytes than were stored"),
            "{wrong}"
        );
        let more = error(&[pack(&[(7, "x"), (3, "y"), (9, "z"), (1, "")])]);
        assert!(more.ends_with("nobody asked for"), "{more}");
    }
}
