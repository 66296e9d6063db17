//! The text of an open file, and its positions in the client's units.

use std::ops::Range;

use lsp_types::{Position, PositionEncodingKind, TextDocumentContentChangeEvent};
use opatlas_source::Span;

/// The units of columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units, which every client supports.
    #[default]
    Utf16,
}

impl Encoding {
    /// Bytes if the client offers them, else UTF-16.
    #[must_use]
    pub fn negotiate(offered: &[PositionEncodingKind]) -> Self {
        if offered.contains(&PositionEncodingKind::UTF8) {
            Self::Utf8
        } else {
            Self::Utf16
        }
    }

    /// The name in the protocol.
    #[must_use]
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    pub(super) fn length(self, text: &str) -> u32 {
        let length = match self {
            Self::Utf8 => text.len(),
            Self::Utf16 if text.is_ascii() => text.len(),
            Self::Utf16 => text.chars().map(char::len_utf16).sum(),
        };
        u32::try_from(length).unwrap_or(u32::MAX)
    }
}

/// An editable text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    text: String,
    starts: Vec<usize>,
    /// The number of UTF-16 units before every [`STRIDE`]-th byte; empty if units are bytes.
    units: Vec<usize>,
    encoding: Encoding,
}

/// The bytes between two counts, which bound the work for a position in a very long line.
const STRIDE: usize = 128;

impl Text {
    /// A text with positions in these units.
    #[must_use]
    pub fn new(text: String, encoding: Encoding) -> Self {
        let mut new = Self {
            text,
            starts: Vec::new(),
            units: Vec::new(),
            encoding,
        };
        new.index();
        new
    }

    fn index(&mut self) {
        self.starts = starts(&self.text);
        self.units.clear();
        if self.encoding == Encoding::Utf16 && !self.text.is_ascii() {
            let mut before = 0;
            self.units
                .extend(self.text.as_bytes().chunks(STRIDE).map(|chunk| {
                    let count = before;
                    before += units(chunk);
                    count
                }));
        }
    }

    fn units_before(&self, at: usize) -> usize {
        let stride = (at / STRIDE).min(self.units.len().saturating_sub(1));
        let counted = self.units.get(stride);
        counted.map_or(at, |counted| {
            counted + units(&self.text.as_bytes()[stride * STRIDE..at])
        })
    }

    /// The whole text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The units of its positions.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Applies a client's edits in order. Ranges are cut to the text.
    pub fn edit(&mut self, changes: Vec<TextDocumentContentChangeEvent>) {
        for change in changes {
            match change.range {
                None => self.text = change.text,
                Some(range) => {
                    let (from, to) = (self.offset(range.start), self.offset(range.end));
                    self.text
                        .replace_range(from.min(to)..to.max(from), &change.text);
                }
            }
            self.index();
        }
    }

    /// The byte at a position, or the end of the line if the position is past it.
    #[must_use]
    pub fn offset(&self, position: Position) -> usize {
        let Some(line) = self.line(position.line as usize) else {
            return self.text.len();
        };
        let mut units = 0;
        let text = &self.text[line.clone()];
        for (at, c) in text.char_indices() {
            let width = match self.encoding {
                Encoding::Utf8 => c.len_utf8(),
                Encoding::Utf16 => c.len_utf16(),
            };
            units += width;
            if units > position.character as usize {
                return line.start + at;
            }
        }
        line.end
    }

    /// The bytes of a line, counted from 0, without its line break.
    #[must_use]
    pub fn line(&self, line: usize) -> Option<Range<usize>> {
        let start = *self.starts.get(line)?;
        let end = self
            .starts
            .get(line + 1)
            .copied()
            .unwrap_or(self.text.len());
        let text = self.text[start..end].trim_end_matches(['\n', '\r']);
        Some(start..start + text.len())
    }

    /// The line that contains a byte, counted from 0.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// The position of a byte, or the end of the text if the byte is past it.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.line_of(offset);
        let units = self.units_before(offset) - self.units_before(self.starts[line]);
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position::new(count(line), count(units))
    }

    /// The range of a span.
    #[must_use]
    pub fn range(&self, span: Span) -> lsp_types::Range {
        lsp_types::Range {
            start: self.position(span.start as usize),
            end: self.position(span.end as usize),
        }
    }
}

/// The number of UTF-16 units in these bytes; a character of four bytes has two.
fn units(bytes: &[u8]) -> usize {
    let unit = |&byte: &u8| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0);
    bytes.iter().map(unit).sum()
}

fn starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
    let ends = ends.filter(|&at| !(bytes[at] == b'\r' && bytes.get(at + 1) == Some(&b'\n')));
    std::iter::once(0).chain(ends.map(|at| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_in_the_units_of_the_client() {
        let text = "a\u{1F468}é\r\nb\rc";
        for (encoding, columns) in [(Encoding::Utf8, [1, 5, 7]), (Encoding::Utf16, [1, 3, 4])] {
            let text = Text::new(text.to_owned(), encoding);
            for (offset, column) in [1, 5, 7].into_iter().zip(columns) {
                let position = Position::new(0, column);
                assert_eq!(text.position(offset), position);
                assert_eq!(text.offset(position), offset);
            }
            assert_eq!(text.offset(Position::new(0, 99)), 7);
            assert_eq!(text.offset(Position::new(2, 0)), 11);
            assert_eq!(text.offset(Position::new(9, 0)), 12);
            assert_eq!(text.position(99), Position::new(2, 1));
        }
    }

    #[test]
    fn a_position_within_a_character_is_its_start() {
        let text = Text::new("\u{1F468}".to_owned(), Encoding::Utf16);
        assert_eq!(text.offset(Position::new(0, 1)), 0);
        assert_eq!(text.position(2), Position::new(0, 0));
    }
}
