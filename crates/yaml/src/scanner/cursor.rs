//! A position in the text, with the line, column and character index of YAML's rules.

use opatlas_source::Span;

/// Space or tab.
const BLANK: u8 = 1;
/// Line feed or carriage return.
const BREAK: u8 = 2;
/// May begin U+0085, U+2028 or U+2029, which YAML 1.1 counts as line breaks.
const LEAD: u8 = 4;
const WIDE: u8 = 8;
/// `,` `[` `]` `{` `}`.
const FLOW: u8 = 16;
/// `:`.
const COLON: u8 = 32;
/// Allowed in anchor names and tag handles.
const WORD: u8 = 64;
/// NUL: what is read past the end.
const END: u8 = 128;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut at = 0;
    while at < 256 {
        table[at] = match at as u8 {
            0 => END,
            b' ' | b'\t' => BLANK,
            b'\n' | b'\r' => BREAK,
            b',' | b'[' | b']' | b'{' | b'}' => FLOW,
            b':' => COLON,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-' => WORD,
            0xC2 | 0xE2 => LEAD | WIDE,
            0x80.. => WIDE,
            _ => 0,
        };
        at += 1;
    }
    table
}

pub(super) fn is_blank(byte: u8) -> bool {
    CLASS[byte as usize] & BLANK != 0
}

pub(super) fn is_word(byte: u8) -> bool {
    CLASS[byte as usize] & WORD != 0
}

#[derive(Clone, Copy)]
pub(super) enum Stop {
    /// In block context: blanks, breaks, `:` and wide characters.
    Block,
    /// In flow context: also `,[]{}`.
    Flow,
}

/// `line` counts from 0; columns and indices count characters.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'t> {
    bytes: &'t [u8],
    pub pos: usize,
    pub line: u32,
    line_start: usize,
    /// Continuation bytes passed, in total and at the start of the line.
    wide: usize,
    line_wide: usize,
}

impl<'t> Cursor<'t> {
    /// `pos` counts as column 0. A byte order mark at the start is not part of the first line.
    pub fn new(text: &'t str, pos: usize) -> Self {
        let marked = pos == 0 && text.starts_with('\u{FEFF}');
        let pos = if marked { 3 } else { pos };
        Self {
            bytes: text.as_bytes(),
            pos,
            line: 0,
            line_start: pos,
            wide: 0,
            line_wide: 0,
        }
    }

    /// 0 past the end.
    #[inline]
    pub fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.pos + ahead).copied().unwrap_or(0)
    }

    #[inline]
    pub fn at_end(&self) -> bool {
        self.pos >= self.bytes.len()
    }

    #[inline]
    pub fn column(&self) -> usize {
        self.pos - self.line_start - (self.wide - self.line_wide)
    }

    #[inline]
    pub fn index(&self) -> usize {
        self.pos - self.wide
    }

    pub fn span_from(&self, start: usize) -> Span {
        Span::new(offset(start), offset(self.pos))
    }

    /// Length in bytes; 0 when there is no line break.
    #[inline]
    pub fn break_len(&self, ahead: usize) -> usize {
        let byte = self.peek(ahead);
        if CLASS[byte as usize] & (BREAK | LEAD) == 0 {
            return 0;
        }
        self.rare_break_len(ahead)
    }

    fn rare_break_len(&self, ahead: usize) -> usize {
        match (self.peek(ahead), self.peek(ahead + 1), self.peek(ahead + 2)) {
            (b'\r', b'\n', _) => 2,
            (b'\n' | b'\r', ..) => 1,
            (0xC2, 0x85, _) => 2,
            (0xE2, 0x80, 0xA8 | 0xA9) => 3,
            _ => 0,
        }
    }

    #[inline]
    pub fn blank_or_end(&self, ahead: usize) -> bool {
        let class = CLASS[self.peek(ahead) as usize];
        class & (BLANK | BREAK | END) != 0 || class & LEAD != 0 && self.break_len(ahead) > 0
    }

    #[inline]
    pub fn break_or_end(&self) -> bool {
        self.peek(0) == 0 || self.break_len(0) > 0
    }

    /// The characters must be ASCII and on one line.
    #[inline]
    pub fn skip(&mut self, count: usize) {
        self.pos += count;
    }

    /// The character must not be a line break.
    #[inline]
    pub fn skip_char(&mut self) {
        let width = match self.peek(0) {
            0..0xC0 => 1,
            0xC0..0xE0 => 2,
            0xE0..0xF0 => 3,
            0xF0.. => 4,
        };
        self.pos = (self.pos + width).min(self.bytes.len());
        self.wide += width - 1;
    }

    #[inline]
    pub fn skip_blanks(&mut self) {
        while is_blank(self.peek(0)) {
            self.pos += 1;
        }
    }

    #[inline]
    pub fn skip_break(&mut self) {
        let length = self.break_len(0);
        if length == 0 {
            return;
        }
        if self.peek(0) >= 0x80 {
            self.wide += length - 1;
        }
        self.pos += length;
        self.line += 1;
        self.line_start = self.pos;
        self.line_wide = self.wide;
    }

    pub fn skip_line_rest(&mut self) {
        loop {
            let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
            let run = rest
                .iter()
                .position(|&byte| CLASS[byte as usize] & (BREAK | WIDE | END) != 0);
            self.pos += run.unwrap_or(rest.len());
            if self.at_end() || self.break_len(0) > 0 {
                return;
            }
            self.skip_char();
        }
    }

    #[inline]
    pub fn skip_run(&mut self, stop: Stop) {
        let mask = match stop {
            Stop::Block => BLANK | BREAK | WIDE | COLON | END,
            Stop::Flow => BLANK | BREAK | WIDE | COLON | END | FLOW,
        };
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        let run = rest
            .iter()
            .position(|&byte| CLASS[byte as usize] & mask != 0);
        self.pos += run.unwrap_or(rest.len());
    }

    #[inline]
    pub fn skip_quoted(&mut self, quote: u8) {
        let rest = self.bytes.get(self.pos..).unwrap_or(&[]);
        let run = rest.iter().position(|&byte| {
            byte == quote || byte == b'\\' || CLASS[byte as usize] & (BREAK | WIDE | END) != 0
        });
        self.pos += run.unwrap_or(rest.len());
    }

    /// Whether `---` or `...`, followed by a blank or the end, is here in column 0.
    #[inline]
    pub fn document_marker(&self) -> Option<u8> {
        let mark = self.peek(0);
        let found = (mark == b'-' || mark == b'.')
            && self.peek(1) == mark
            && self.peek(2) == mark
            && self.column() == 0
            && self.blank_or_end(3);
        found.then_some(mark)
    }

    #[inline]
    pub fn at_byte_order_mark(&self) -> bool {
        self.peek(0) == 0xEF && self.peek(1) == 0xBB && self.peek(2) == 0xBF
    }
}

/// Texts have at most [`super::super::MAX_BYTES`] bytes, so every offset fits.
pub(crate) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
