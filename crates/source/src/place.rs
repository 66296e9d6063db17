//! Places in a text: byte spans, and the lines and columns that people read.

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

    /// The span moved by `by` bytes, for example from an entry to its file.
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

    /// Whether it is empty.
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

/// A 1-based position for people; the column counts Unicode scalar values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// 1-based line.
    pub line: u32,
    /// 1-based column, counted in Unicode scalar values.
    pub column: u32,
}

/// A [`Span`] in lines and columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineSpan {
    /// The start.
    pub start: LineColumn,
    /// The end, exclusive.
    pub end: LineColumn,
}

/// The line starts of a text. Lines end at LF, CRLF or a lone CR, as in editors.
///
/// It also counts the characters that begin before every `STRIDE`-th byte, so the cost of a
/// lookup does not depend on the length of the line.
#[derive(Debug, Clone)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// Characters that begin before byte `n * STRIDE`; empty if the text is ASCII.
    characters: Vec<u32>,
}

const STRIDE: usize = 128;

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

    /// Line and column of a byte offset in the indexed text. Offsets past the end count as the end.
    #[must_use]
    pub fn line_column(&self, text: &str, offset: u32) -> LineColumn {
        let offset = (offset as usize).min(text.len());
        let line = self
            .starts
            .partition_point(|&start| start as usize <= offset)
            - 1;
        let start = self.starts[line] as usize;
        let bytes = text.as_bytes();
        let column = if self.characters.is_empty() {
            offset - start
        } else if offset - start <= STRIDE {
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

    /// The number of lines; a text that ends with a line break has an empty last line.
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
        for start in 0..14 {
            for end in start..14 {
                let span = index.line_span(text, Span::new(start, end));
                let ends = [start, end].map(|at| index.line_column(text, at));
                assert_eq!([span.start, span.end], ends, "{start}..{end}");
            }
        }
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
            (0..300).map(|at| "a".repeat(at % 17) + "\n").collect(),
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
}
