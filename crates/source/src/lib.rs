//! The sources of a revision: files, bundles, byte spans, the line index, digests; and the diagnostics
//! that point into them.
//!
//! Inside the core a place is a [`Span`] of bytes. Lines and columns exist only at the edge, and
//! [`LineIndex`] is the only thing that makes them. A [`Bundle`] is the set of files that one
//! revision consists of.

pub mod diagnostic;
mod ids;
mod pair;
mod rule_id;
mod stop;
pub mod suggest;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};

use sha2::{Digest as _, Sha256};

pub use pair::{InTurn, Pair, both};
pub use stop::{Stop, Stopped};

/// A half-open range of bytes, `start..end`, in one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span `start..end`; a reversed pair gives the empty span at `start`.
    #[must_use]
    pub fn new(start: u32, end: u32) -> Self {
        Self {
            start,
            end: end.max(start),
        }
    }

    /// The empty span at `at`.
    #[must_use]
    pub fn at(at: u32) -> Self {
        Self { start: at, end: at }
    }

    /// The same span `by` bytes further on: from places inside an entry to places in its file.
    #[must_use]
    pub fn shifted(self, by: u32) -> Self {
        Self {
            start: self.start.saturating_add(by),
            end: self.end.saturating_add(by),
        }
    }

    /// The smallest span that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Number of bytes.
    #[must_use]
    pub fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// Whether it holds no byte.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The text it covers; empty when it does not lie within `text` on character boundaries.
    #[must_use]
    pub fn slice(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or("")
    }
}

/// A place for people: 1-based, the column in Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, counted in Unicode scalar values.
    pub column: u32,
}

/// A [`Span`] as people read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineSpan {
    /// Where it begins.
    pub start: LineColumn,
    /// Where it ends (exclusive).
    pub end: LineColumn,
}

/// The line starts of a text. Lines end at LF, CRLF or a lone CR, as editors count them.
///
/// Beside them it holds how many characters begin before every [`STRIDE`]-th byte, so that a column
/// is found without reading its line: the cost of a place does not grow with the length of lines.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// Characters that begin before byte `n * STRIDE`; empty for a text of ASCII alone, where bytes
    /// are characters.
    characters: Vec<u32>,
}

/// How many bytes lie between two places at which characters have been counted.
const STRIDE: usize = 128;

/// How many characters begin in these bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

impl LineIndex {
    /// Indexes `text` in one pass.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        starts.push(0);
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n') {
                continue; // the line ends at its LF
            }
            starts.push(offset(at + 1));
        }
        let mut counts = Vec::new();
        if !text.is_ascii() {
            let mut before = 0;
            counts.extend(bytes.chunks(STRIDE).map(|chunk| {
                let count = offset(before);
                before += characters(chunk);
                count
            }));
        }
        Self {
            starts,
            characters: counts,
        }
    }

    /// How many characters begin before a byte.
    fn characters_before(&self, bytes: &[u8], at: usize) -> usize {
        let Some(&counted) = self.characters.get(at / STRIDE) else {
            return match self.characters.last() {
                None => at,
                Some(&counted) => {
                    let from = (self.characters.len() - 1) * STRIDE;
                    counted as usize + characters(&bytes[from..at])
                }
            };
        };
        counted as usize + characters(&bytes[at / STRIDE * STRIDE..at])
    }

    /// Line and column of a byte offset; an offset past the end counts as the end. `text` is the
    /// text that was indexed.
    #[must_use]
    pub fn line_column(&self, text: &str, offset: u32) -> LineColumn {
        let offset = (offset as usize).min(text.len());
        let line = self
            .starts
            .partition_point(|&start| start as usize <= offset)
            - 1;
        let start = self.starts[line] as usize;
        let bytes = text.as_bytes();
        let column = if offset - start <= STRIDE {
            characters(&bytes[start..offset])
        } else {
            self.characters_before(bytes, offset) - self.characters_before(bytes, start)
        };
        LineColumn {
            line: u32::try_from(line).unwrap_or(u32::MAX).saturating_add(1),
            column: u32::try_from(column).unwrap_or(u32::MAX).saturating_add(1),
        }
    }

    /// Both ends of a span.
    #[must_use]
    pub fn line_span(&self, text: &str, span: Span) -> LineSpan {
        LineSpan {
            start: self.line_column(text, span.start),
            end: self.line_column(text, span.end),
        }
    }

    /// Number of lines; a text that ends in a line break has an empty last line.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The bytes of a 1-based line, line break included; empty past the last line.
    #[must_use]
    pub fn line(&self, text: &str, line: u32) -> Span {
        let line = line.saturating_sub(1) as usize;
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        match self.starts.get(line) {
            Some(&start) => Span::new(start, self.starts.get(line + 1).copied().unwrap_or(end)),
            None => Span::at(end),
        }
    }
}

/// SHA-256 of a revision or a file. Prints as 64 lower-case hexadecimal digits, as `sha256sum`
/// does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of some bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Reads 64 hexadecimal digits (either case).
    #[must_use]
    pub fn parse(hex: &str) -> Option<Self> {
        if hex.len() != 64 || !hex.is_ascii() {
            return None;
        }
        let mut out = [0; 32];
        for (i, byte) in out.iter_mut().enumerate() {
            *byte = u8::from_str_radix(hex.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        Some(Self(out))
    }

    /// A digest from its raw bytes, as a store keeps it.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The raw bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The name of the one file that every bundle has.
pub const NATIVE_FUNCTIONS: &str = "native_functions.yaml";
/// The tags that entries may carry.
pub const TAGS: &str = "tags.yaml";
/// Autograd formulas.
pub const DERIVATIVES: &str = "derivatives.yaml";
/// Deprecated Python signatures.
pub const DEPRECATED: &str = "deprecated.yaml";
/// Registrations recorded from a real process.
pub const OBSERVED: &str = "observed.json";
/// How the files of a vendor are read.
pub const VENDOR: &str = "vendor.yaml";
/// The folder of out-of-tree backend files, `backends/NAME.yaml`.
pub const BACKENDS: &str = "backends/";
/// The folder of C++ and Python sources, `sources/PATH`.
pub const SOURCES: &str = "sources/";

/// The longest path of a source file in a bundle, in bytes.
const LONGEST_SOURCE: usize = 512;

/// The files of one revision by name, shared and immutable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bundle {
    files: BTreeMap<Box<str>, File>,
}

/// A file with its digest, computed once: the store, the name of the revision and the registrations
/// of a release all ask for it.
#[derive(Debug, Clone)]
struct File {
    bytes: Arc<[u8]>,
    digest: OnceLock<Digest>,
}

impl File {
    fn digest(&self) -> Digest {
        *self.digest.get_or_init(|| Digest::of(&self.bytes))
    }
}

impl PartialEq for File {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for File {}

impl Bundle {
    /// A bundle of `native_functions.yaml` alone.
    #[must_use]
    pub fn of_native_functions(bytes: impl Into<Arc<[u8]>>) -> Self {
        let mut bundle = Self::default();
        bundle.insert(NATIVE_FUNCTIONS, bytes);
        bundle
    }

    /// Whether a file of this name may be in a bundle: the fixed names, and `backends/NAME.yaml`
    /// with a NAME of letters, digits, `.`, `_`, `+` and `-` that does not begin with a dot; and
    /// `sources/PATH`, each part of the PATH such a NAME.
    #[must_use]
    pub fn is_file_name(name: &str) -> bool {
        if [
            NATIVE_FUNCTIONS,
            TAGS,
            DERIVATIVES,
            DEPRECATED,
            OBSERVED,
            VENDOR,
        ]
        .contains(&name)
        {
            return true;
        }
        if let Some(path) = name.strip_prefix(SOURCES) {
            return path.len() <= LONGEST_SOURCE && path.split('/').all(is_plain);
        }
        let stem = name
            .strip_prefix(BACKENDS)
            .and_then(|name| name.strip_suffix(".yaml"));
        stem.is_some_and(is_plain)
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, name: &str, bytes: impl Into<Arc<[u8]>>) {
        let file = File {
            bytes: bytes.into(),
            digest: OnceLock::new(),
        };
        self.files.insert(name.into(), file);
    }

    /// A file's bytes.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&Arc<[u8]>> {
        self.files.get(name).map(|file| &file.bytes)
    }

    /// The SHA-256 of a file's bytes: about 0.5 ms the first time for the operators of a release,
    /// and then nothing.
    #[must_use]
    pub fn file_digest(&self, name: &str) -> Option<Digest> {
        self.files.get(name).map(File::digest)
    }

    /// All files, sorted by name.
    pub fn files(&self) -> impl Iterator<Item = (&str, &Arc<[u8]>)> {
        self.files.iter().map(|(name, file)| (&**name, &file.bytes))
    }

    /// The digests of all files, sorted by name.
    pub fn digests(&self) -> impl Iterator<Item = (&str, Digest)> {
        self.files
            .iter()
            .map(|(name, file)| (&**name, file.digest()))
    }

    /// Sum of the sizes of all files, in bytes.
    #[must_use]
    pub fn total_bytes(&self) -> usize {
        self.files.values().map(|file| file.bytes.len()).sum()
    }

    /// The revision's name, see [`revision_digest`].
    #[must_use]
    pub fn digest(&self) -> Digest {
        revision_digest(
            self.files
                .iter()
                .map(|(name, file)| (&**name, file.digest())),
        )
    }
}

/// Whether a part of a file's name is safe in paths and addresses.
fn is_plain(name: &str) -> bool {
    let is_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    !name.is_empty() && name.len() <= 128 && !name.starts_with('.') && name.bytes().all(is_safe)
}

/// The name of a revision from its files' names and digests, which must come sorted by name:
/// SHA-256 over the lines `HEX  NAME\n` (`docs/spec/registry.md`, section 1), so that
/// `sha256sum FILES | sort -k2 | sha256sum` gives the same.
#[must_use]
pub fn revision_digest<'a>(files: impl IntoIterator<Item = (&'a str, Digest)>) -> Digest {
    use fmt::Write as _;
    let mut lines = String::new();
    for (name, digest) in files {
        let _ = writeln!(lines, "{digest}  {name}");
    }
    Digest::of(lines.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_end_at_any_break() {
        let text = "a\r\nbé€x\rc\n";
        let index = LineIndex::new(text);
        let x = u32::try_from(text.find('x').unwrap()).unwrap();
        assert_eq!(
            index.line_column(text, x),
            LineColumn { line: 2, column: 4 }
        );
        assert_eq!(
            index.line_column(text, 999),
            LineColumn { line: 4, column: 1 }
        );
        assert_eq!(index.line(text, 3).slice(text), "c\n");
    }

    #[test]
    fn columns_of_long_lines_are_those_of_counting() {
        let wide = "aé€\u{1F468}".repeat(200);
        let narrow = "abc".repeat(200);
        for text in [
            format!("{wide}\r\n{narrow}\r{wide}\n"),
            format!("{narrow}\n{narrow}"),
            "é".repeat(STRIDE),
            "a".repeat(STRIDE),
        ] {
            let index = LineIndex::new(&text);
            let mut expected = LineColumn { line: 1, column: 1 };
            for (at, char) in text.char_indices() {
                let found = index.line_column(&text, u32::try_from(at).unwrap());
                assert_eq!(found, expected, "{at}");
                let ends = char == '\n' || char == '\r' && !text[at + 1..].starts_with('\n');
                expected.column += 1;
                if ends {
                    expected.line += 1;
                    expected.column = 1;
                }
            }
            let end = u32::try_from(text.len()).unwrap();
            assert_eq!(index.line_column(&text, end), expected);
        }
    }

    #[test]
    fn a_column_is_found_without_reading_its_line() {
        let text = "é".repeat(1 << 20);
        let index = LineIndex::new(&text);
        let counted = text.len() / STRIDE;
        assert_eq!(index.characters.len(), counted);
        // Quadratic work (2^39 bytes) would run for minutes.
        for at in (0..1_u32 << 21).step_by(2) {
            assert_eq!(index.line_column(&text, at).column, at / 2 + 1);
        }
    }

    #[test]
    fn digest_is_that_of_sha256sum_lines() {
        let bundle = Bundle::of_native_functions(*b"[]\n");
        let line = format!("{}  native_functions.yaml\n", Digest::of(b"[]\n"));
        assert_eq!(bundle.digest(), Digest::of(line.as_bytes()));
        assert_eq!(
            Digest::parse(&bundle.digest().to_string()),
            Some(bundle.digest())
        );
    }

    #[test]
    fn bundle_names_are_a_closed_set() {
        assert!(Bundle::is_file_name("backends/acme-npu.yaml"));
        assert!(Bundle::is_file_name("sources/torch_xla/csrc/a-b.cpp"));
        for bad in [
            "backends/../x.yaml",
            "backends/.yaml",
            "x.yaml",
            "backends/a/b.yaml",
            "sources/",
            "sources/../a.cpp",
            "sources/a//b.cpp",
            "sources//a.cpp",
            "sources/.git/a.cpp",
        ] {
            assert!(!Bundle::is_file_name(bad), "{bad}");
        }
    }
}
