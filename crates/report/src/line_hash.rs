//! The hash by which GitHub recognizes a line of a file in a later upload, `primaryLocationLineHash`
//! of SARIF results.
//!
//! The upload action computes missing hashes and warns about different ones, so this is its algorithm
//! (`src/fingerprints.ts` of the codeql-action): a 64-bit rolling hash with factor 37 over the 100
//! UTF-16 units from the start of the line. Spaces and tabs are skipped, line breaks count as `\n`,
//! and 65535 and zeros follow the end of the file. A number after the colon distinguishes lines with
//! equal hashes. A finding keeps its hash when it moves, unless one of the next 100 characters changes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use rustc_hash::FxHashMap;

use crate::findings::SourceText;

const WINDOW: usize = 100;
const FACTOR: u64 = 37;
const END: u16 = u16::MAX;
const NEW_LINE: u16 = b'\n' as u16;

#[derive(Debug, Default)]
pub(crate) struct LineHashes<'a>(BTreeMap<&'a str, BTreeMap<u32, String>>);

impl<'a> LineHashes<'a> {
    /// Hashes these lines, numbered from 1.
    pub(crate) fn new(places: impl Iterator<Item = (&'a SourceText, u32)>) -> Self {
        let mut wanted: BTreeMap<&str, (&SourceText, BTreeSet<u32>)> = BTreeMap::new();
        for (source, line) in places {
            let (_, lines) = wanted
                .entry(&source.path)
                .or_insert_with(|| (source, BTreeSet::new()));
            lines.insert(line);
        }
        let hashed = wanted.into_iter();
        Self(
            hashed
                .map(|(path, (source, lines))| (path, hashes(&source.text, &lines)))
                .collect(),
        )
    }

    pub(crate) fn get(&self, source: &SourceText, line: u32) -> Option<&str> {
        Some(self.0.get(&*source.path)?.get(&line)?)
    }
}

fn hashes(text: &str, lines: &BTreeSet<u32>) -> BTreeMap<u32, String> {
    let mut wanted: FxHashMap<u64, u32> = FxHashMap::default();
    roll(text, |line, hash| {
        if lines.contains(&line) {
            wanted.insert(hash, 0);
        }
    });
    let mut hashes = BTreeMap::new();
    roll(text, |line, hash| {
        let Some(seen) = wanted.get_mut(&hash) else {
            return;
        };
        *seen += 1;
        if lines.contains(&line) {
            hashes.insert(line, format!("{hash:x}:{seen}"));
        }
    });
    hashes
}

/// Calls back with the number and the hash of each line, in order.
fn roll(text: &str, found: impl FnMut(u32, u64)) {
    let mut hasher = RollingHash {
        hash: 0,
        at: 0,
        open: VecDeque::new(),
        found,
    };
    let (mut line, mut is_start, mut after_return) = (0, true, false);
    for unit in text.encode_utf16().chain([END]) {
        let is_return = unit == u16::from(b'\r');
        let is_blank = unit == u16::from(b' ') || unit == u16::from(b'\t');
        let is_second = after_return && unit == NEW_LINE;
        after_return = is_return;
        if is_blank || is_second {
            continue;
        }
        if is_start {
            line += 1;
            hasher.begin(line);
        }
        let unit = if is_return { NEW_LINE } else { unit };
        hasher.push(unit);
        is_start = unit == NEW_LINE;
    }
    for _ in 0..WINDOW {
        hasher.push(0);
    }
}

/// The hash of all units so far. To get the hash of the last 100, the hash before them is subtracted,
/// multiplied by the factor 100 times.
struct RollingHash<F> {
    hash: u64,
    at: usize,
    /// The lines that began less than 100 units ago: the end of the window, the number of the line, and
    /// the hash before it.
    open: VecDeque<(usize, u32, u64)>,
    found: F,
}

impl<F: FnMut(u32, u64)> RollingHash<F> {
    fn begin(&mut self, line: u32) {
        self.open.push_back((self.at + WINDOW, line, self.hash));
    }

    fn push(&mut self, unit: u16) {
        /// The factor of the hash before a line once its window is full.
        const SINCE: u64 = FACTOR.wrapping_pow(WINDOW as u32);
        self.hash = FACTOR.wrapping_mul(self.hash).wrapping_add(unit.into());
        self.at += 1;
        if let Some(&(end, line, before)) = self.open.front()
            && end == self.at
        {
            self.open.pop_front();
            let hash = self.hash.wrapping_sub(SINCE.wrapping_mul(before));
            (self.found)(line, hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks all lines against hashes that the upload action's own program computed.
    fn check(text: &str, expected: &[&str]) {
        let mut all = Vec::new();
        roll(text, |line, _| all.push(line));
        let lines: BTreeSet<u32> = all.iter().copied().collect();
        assert_eq!(
            all,
            (1..=u32::try_from(expected.len()).unwrap()).collect::<Vec<_>>()
        );
        let found: Vec<String> = hashes(text, &lines).into_values().collect();
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn lines_have_the_hashes_of_the_upload_action() {
        check("", &["c129715d7a2bc9a3:1"]);
        check(
            "- func: add.Tensor(Tensor self, Tensor other) -> Tensor\n  variants: function, method\n\
             - func: relu(Tensor self) -> Tensor\n",
            &[
                "a46a74e35ee6ae18:1",
                "80a5bfe5f8b19cc7:1",
                "ad12c9d6d4555f50:1",
                "c129715d7a2bc9a3:1",
            ],
        );
    }

    #[test]
    fn line_breaks_and_utf_16_count_as_there() {
        check(
            "- func: a(Tensor x) -> Tensor\r\n\r\n- func: b(Tensor x) -> Tensor\r",
            &[
                "729004d865ede67e:1",
                "71200f71814fbb22:1",
                "61821561b1657980:1",
                "c129715d7a2bc9a3:1",
            ],
        );
        check(
            "# Größe 𝄞 of a tensor\n- func: c(Tensor x) -> Tensor\n",
            &[
                "c616ecb0f91e43c8:1",
                "c9bed8bf7016e075:1",
                "c129715d7a2bc9a3:1",
            ],
        );
    }

    #[test]
    fn equal_lines_are_numbered() {
        let text = "  tags: core\n".repeat(40);
        let lines = BTreeSet::from([1, 3, 34, 41]);
        let expected = [
            "e756c059d7d9fa30:1",
            "e756c059d7d9fa30:3",
            "ade789b6e51e64b3:1",
        ];
        let found: Vec<String> = hashes(&text, &lines).into_values().collect();
        assert_eq!(found[..3], expected);
        assert_eq!(found[3], "c129715d7a2bc9a3:1");
    }
}
