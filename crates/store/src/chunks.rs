//! Splits a bundle into content-defined chunks, so that revisions share data.
//!
//! A file is cut before lines that begin an entry (`- ` in column 0), so a changed entry creates
//! one new chunk. Chunks are grouped by about 24, also by content, so a revision is a short list of
//! groups. A cut depends only on the bytes since the previous one, so the cuts of two versions soon
//! coincide again after a change.
//!
//! The tables are called `pieces` (chunks) and `runs` (groups): renaming them would break replicas
//! of the previous version during a rolling update.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;
use sha2::{Digest as _, Sha256};

use opatlas_source::{Bundle, Digest};

/// Minimum size, except at the end of a file: tiny chunks would cost many times their size.
const MIN_CHUNK: usize = 64;
/// Longer stretches without an entry (an indented list, JSON in lines) are also cut at lines.
const LONG_CHUNK: usize = 4096;
/// One in this many lines ends a chunk that is longer than [`LONG_CHUNK`].
const LINES_PER_CUT: u64 = 8;
/// Minimum number of chunks in a group, except in the last one.
const MIN_GROUP: usize = 8;
const MAX_GROUP: usize = 64;
/// One in this many chunks begins a group, so groups have 24 chunks on average.
const CHUNKS_PER_CUT: u64 = 16;

#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) digest: Digest,
    pub(crate) files: Vec<FilePlan>,
}

#[derive(Debug)]
pub(crate) struct FilePlan {
    pub(crate) name: String,
    pub(crate) digest: Digest,
    pub(crate) bytes: Arc<[u8]>,
    pub(crate) chunks: Vec<Chunk>,
    pub(crate) groups: Vec<Group>,
}

#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) digest: Digest,
    pub(crate) span: Range<usize>,
    /// Whether the content lets a group begin here.
    begins_group: bool,
}

#[derive(Debug)]
pub(crate) struct Group {
    /// SHA-256 of the digests of its chunks.
    pub(crate) digest: Digest,
    pub(crate) chunks: Range<usize>,
}

impl Plan {
    pub(crate) fn of(bundle: &Bundle) -> Self {
        Self::after(None, bundle)
    }

    /// Reuses the digests of chunks that `previous` has too.
    pub(crate) fn after(previous: Option<&Self>, bundle: &Bundle) -> Self {
        let files = bundle.files().zip(bundle.digests());
        let files = files.map(|((name, bytes), (_, digest))| {
            let mut known = previous.iter().flat_map(|plan| &plan.files);
            FilePlan::of(name, bytes, digest, known.find(|file| file.name == name))
        });
        Self {
            files: files.collect(),
            digest: bundle.digest(),
        }
    }
}

/// The chunks of the previous version of a file, compared in order with those of a later one.
struct Earlier<'a> {
    file: Option<&'a FilePlan>,
    next: usize,
}

impl Earlier<'_> {
    /// How many chunks may have been removed between two that remain.
    const GONE: usize = 64;

    fn find(&mut self, chunk: &[u8]) -> Option<&Chunk> {
        let file = self.file?;
        let rest = file.chunks.get(self.next..)?;
        let mut near = rest.iter().take(Self::GONE + 1);
        let found = near.position(|known| file.chunk_bytes(known) == chunk)?;
        self.next += found + 1;
        rest.get(found)
    }
}

impl FilePlan {
    fn of(name: &str, bytes: &Arc<[u8]>, digest: Digest, previous: Option<&Self>) -> Self {
        let mut earlier = Earlier {
            file: previous,
            next: 0,
        };
        let chunk = |span: Range<usize>| {
            let bytes = &bytes[span.clone()];
            let known = earlier.find(bytes);
            let known = known.map(|known| (known.digest, known.begins_group));
            let (digest, begins_group) = known.unwrap_or_else(|| {
                let begins_group = chosen(first_line(bytes), CHUNKS_PER_CUT);
                (Digest::of(bytes), begins_group)
            });
            Chunk {
                digest,
                span,
                begins_group,
            }
        };
        let chunks: Vec<_> = cut(bytes).into_iter().map(chunk).collect();
        Self {
            name: name.to_owned(),
            digest,
            bytes: Arc::clone(bytes),
            groups: groups(&chunks),
            chunks,
        }
    }

    pub(crate) fn chunks_of(&self, group: &Group) -> &[Chunk] {
        &self.chunks[group.chunks.clone()]
    }

    pub(crate) fn chunk_bytes(&self, chunk: &Chunk) -> &[u8] {
        &self.bytes[chunk.span.clone()]
    }
}

fn cut(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut chunks = Vec::with_capacity(bytes.len() / 256 + 1);
    let mut start = 0;
    // Entries begin at the start of the file and after each line feed that `- ` follows.
    let first = bytes.starts_with(b"- ").then_some(0);
    let rest = memmem::find_iter(bytes, "\n- ").map(|at| at + 1);
    for entry in first.into_iter().chain(rest).chain([bytes.len()]) {
        cut_long(bytes, &mut start, entry, &mut chunks);
        if entry > start && (entry == bytes.len() || entry - start >= MIN_CHUNK) {
            chunks.push(start..entry);
            start = entry;
        }
    }
    chunks
}

/// Cuts long text before an entry at lines.
fn cut_long(bytes: &[u8], start: &mut usize, entry: usize, chunks: &mut Vec<Range<usize>>) {
    let line_behind = |at: usize| Some(at + memchr::memchr(b'\n', bytes.get(at..entry)?)? + 1);
    let mut line = if *start + LONG_CHUNK < entry {
        line_behind(*start + LONG_CHUNK - 1)
    } else {
        None
    };
    while let Some(at) = line.filter(|&at| at < entry) {
        line = if chosen(first_line(&bytes[at..]), LINES_PER_CUT) {
            chunks.push(*start..at);
            *start = at;
            line_behind(at + LONG_CHUNK - 1)
        } else {
            line_behind(at)
        };
    }
}

fn groups(chunks: &[Chunk]) -> Vec<Group> {
    let mut groups = Vec::with_capacity(chunks.len() / 16 + 1);
    let mut start = 0;
    for (at, chunk) in chunks.iter().enumerate() {
        let length = at - start;
        if length == MAX_GROUP || (length >= MIN_GROUP && chunk.begins_group) {
            groups.push(group(chunks, start..at));
            start = at;
        }
    }
    if start < chunks.len() {
        groups.push(group(chunks, start..chunks.len()));
    }
    groups
}

fn group(chunks: &[Chunk], range: Range<usize>) -> Group {
    let mut hash = Sha256::new();
    for chunk in &chunks[range.clone()] {
        hash.update(chunk.digest.as_bytes());
    }
    Group {
        digest: Digest::from_bytes(hash.finalize().into()),
        chunks: range,
    }
}

fn first_line(bytes: &[u8]) -> &[u8] {
    match memchr::memchr(b'\n', bytes) {
        Some(at) => &bytes[..=at],
        None => bytes,
    }
}

/// FNV-1a, spelled out because all later versions must cut alike to share stored data.
fn chosen(line: &[u8], one_in: u64) -> bool {
    let hash = line.iter().fold(0xCBF2_9CE4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    });
    (hash ^ (hash >> 32)).is_multiple_of(one_in)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    fn entries(names: impl Iterator<Item = String>) -> Vec<u8> {
        let entry = |name| {
            format!(
                "- func: {name}(Tensor self) -> Tensor\n  variants: function, method\n  dispatch:\n    CPU: {name}\n\n"
            )
        };
        names.map(entry).collect::<String>().into_bytes()
    }

    fn plan(bytes: Vec<u8>) -> FilePlan {
        let digest = Digest::of(&bytes);
        FilePlan::of("native_functions.yaml", &bytes.into(), digest, None)
    }

    #[test]
    fn a_plan_made_from_another_is_the_same() {
        let names = |skipped: &[usize], more: &str| {
            let skipped = skipped.to_vec();
            let names = (0..400).filter(move |i| !skipped.contains(i));
            let names = names.map(|i| format!("op{}", i % 300));
            entries(names.chain((!more.is_empty()).then(|| more.to_owned())))
        };
        let many: Vec<usize> = (10..200).collect();
        let files = [
            names(&[], ""),
            names(&[3, 4, 77], "new"),
            names(&many, ""),
            names(&[], "last"),
            Vec::new(),
            names(&[0], ""),
        ];
        let bundles = files.map(Bundle::of_native_functions);
        let mut previous: Option<Plan> = None;
        for bundle in &bundles {
            let (from, alone) = (Plan::after(previous.as_ref(), bundle), Plan::of(bundle));
            assert_eq!(from.digest, alone.digest);
            let digests = |plan: &Plan| {
                let files = plan.files.iter();
                let chunks = files.flat_map(|file| &file.chunks);
                chunks
                    .map(|chunk| (chunk.digest, chunk.span.clone()))
                    .collect::<Vec<_>>()
            };
            assert_eq!(digests(&from), digests(&alone));
            previous = Some(from);
        }
    }

    #[test]
    fn every_entry_is_a_chunk_and_comments_join_the_chunk_before() {
        let text = b"# Licence of the file, long enough to be a chunk of its own, as it is here\n- func: a(Tensor self) -> Tensor\n  variants: function, method\n  # about b, which is\n- func: b(Tensor self) -> Tensor\n";
        let texts: Vec<_> = cut(text).into_iter().map(|span| &text[span]).collect();
        assert_eq!(texts.len(), 3);
        assert!(texts[1].starts_with(b"- func: a") && texts[1].ends_with(b"which is\n"));
    }

    #[test]
    fn a_changed_entry_makes_one_chunk_and_at_most_three_groups() {
        let names = |changed: usize| {
            (0..2000).map(move |i| {
                if i == changed {
                    format!("changed{i}")
                } else {
                    format!("op{i}")
                }
            })
        };
        let before = plan(entries(names(usize::MAX)));
        let chunks: HashSet<_> = before.chunks.iter().map(|p| p.digest).collect();
        let groups: HashSet<_> = before.groups.iter().map(|r| r.digest).collect();
        for changed in (0..2000).step_by(37) {
            let after = plan(entries(names(changed)));
            assert_eq!(
                after
                    .chunks
                    .iter()
                    .filter(|p| !chunks.contains(&p.digest))
                    .count(),
                1
            );
            assert!(
                after
                    .groups
                    .iter()
                    .filter(|r| !groups.contains(&r.digest))
                    .count()
                    <= 3
            );
        }
    }

    #[test]
    fn groups_have_a_moderate_length() {
        let plan = plan(entries((0..3000).map(|i| format!("op{i}"))));
        assert_eq!(plan.chunks.len(), 3000);
        assert!(
            (80..190).contains(&plan.groups.len()),
            "{}",
            plan.groups.len()
        );
    }

    #[test]
    fn tiny_entries_do_not_make_tiny_chunks() {
        let tiny: Vec<u8> = (0..1000)
            .flat_map(|i| format!("- {i}\n").into_bytes())
            .collect();
        assert!(cut(&tiny).len() <= tiny.len() / MIN_CHUNK + 1);
    }

    #[test]
    fn an_indented_list_is_cut_too() {
        let text: String = (0..2000)
            .map(|i| format!("  - func: op{i}(Tensor self) -> Tensor\n"))
            .collect();
        assert!(cut(text.as_bytes()).len() > 10);
    }

    /// A line-by-line reference implementation of [`cut`].
    fn cut_by_lines(bytes: &[u8]) -> Vec<Range<usize>> {
        let mut chunks = Vec::new();
        let (mut start, mut line) = (0, 0);
        while line < bytes.len() {
            let length = line - start;
            let rest = &bytes[line..];
            let is_entry = length >= MIN_CHUNK && rest.starts_with(b"- ");
            if is_entry || (length >= LONG_CHUNK && chosen(first_line(rest), LINES_PER_CUT)) {
                chunks.push(start..line);
                start = line;
            }
            line += first_line(rest).len();
        }
        chunks.extend((start < bytes.len()).then_some(start..bytes.len()));
        chunks
    }

    proptest! {
        #[test]
        fn entries_are_cut_where_lines_are(
            parts in prop::collection::vec(("(- |)[abcd]{0,90}\n", 1_usize..150), 0..12),
            end in "(- )?[ab]{0,3}",
        ) {
            let lines = parts.iter().map(|(line, times)| line.repeat(*times));
            let text = lines.collect::<String>() + &end;
            prop_assert_eq!(cut(text.as_bytes()), cut_by_lines(text.as_bytes()));
        }

        #[test]
        fn chunks_and_groups_cover_any_bytes(text in "([ab]|- |\n|\r){0,600}") {
            let plan = plan(text.into_bytes());
            let spans: Vec<usize> = plan.chunks.iter().flat_map(|p| p.span.clone()).collect();
            prop_assert_eq!(spans, (0..plan.bytes.len()).collect::<Vec<_>>());
            let covered: Vec<usize> = plan.groups.iter().flat_map(|r| r.chunks.clone()).collect();
            prop_assert_eq!(covered, (0..plan.chunks.len()).collect::<Vec<_>>());
        }
    }
}
