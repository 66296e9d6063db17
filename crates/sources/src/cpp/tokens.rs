//! Tokenizes C++, to find registrations in text that a parser rejects: macros without semicolons,
//! conditional code, errors elsewhere.
//!
//! Comments are dropped. A preprocessor directive is one [`Directive`] without tokens, including
//! its continuation lines.

use memchr::memmem;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An identifier, a keyword or a number.
    Word,
    /// Includes its quotes; may be a raw string.
    String,
    Char,
    Punct(u8),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    pub(super) fn text(self, source: &str) -> &str {
        source
            .get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }

    pub(super) fn is(self, punct: u8) -> bool {
        self.kind == Kind::Punct(punct)
    }
}

/// From its `#` to the end of its last line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Directive {
    pub start: u32,
    pub end: u32,
}

#[derive(Debug, Default)]
pub(super) struct Lexed {
    pub tokens: Vec<Token>,
    pub directives: Vec<Directive>,
}

/// Splits a text of less than 4 GiB. Unterminated literals end with their line.
pub(super) fn lex(source: &str) -> Lexed {
    let mut lexer = Lexer {
        bytes: source.as_bytes(),
        at: 0,
        at_line_start: true,
        lexed: Lexed::default(),
    };
    while lexer.at < lexer.bytes.len() {
        lexer.next();
    }
    lexer.lexed
}

struct Lexer<'s> {
    bytes: &'s [u8],
    at: usize,
    at_line_start: bool,
    lexed: Lexed,
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn next(&mut self) {
        match self.peek(0) {
            b'\n' => {
                self.at += 1;
                self.at_line_start = true;
                return;
            }
            byte if byte.is_ascii_whitespace() || byte == 0 => {
                self.at += 1;
                return;
            }
            b'\\' if self.line_break_after(self.at + 1).is_some() => {
                self.at = self.line_break_after(self.at + 1).unwrap_or(self.at + 1);
                return;
            }
            b'/' if matches!(self.peek(1), b'/' | b'*') => return self.comment(),
            b'#' if self.at_line_start => return self.directive(),
            _ => {}
        }
        self.at_line_start = false;
        self.token();
    }

    /// The position after a line break at `at`, if there is one.
    fn line_break_after(&self, at: usize) -> Option<usize> {
        match (self.bytes.get(at), self.bytes.get(at + 1)) {
            (Some(b'\n'), _) => Some(at + 1),
            (Some(b'\r'), Some(b'\n')) => Some(at + 2),
            _ => None,
        }
    }

    fn token(&mut self) {
        let start = self.at;
        let byte = self.peek(0);
        let kind = if is_word(byte) {
            self.word();
            if self.peek(0) == b'"' && self.is_string_prefix(start) {
                self.string(start);
                Kind::String
            } else {
                Kind::Word
            }
        } else if byte == b'"' {
            self.string(start);
            Kind::String
        } else if byte == b'\'' {
            self.quoted(b'\'');
            Kind::Char
        } else {
            self.at += 1;
            Kind::Punct(byte)
        };
        self.lexed.tokens.push(Token {
            kind,
            start: offset(start),
            end: offset(self.at),
        });
    }

    /// In numbers, `'` separates digits.
    fn word(&mut self) {
        let is_number = self.peek(0).is_ascii_digit();
        while is_word(self.peek(0))
            || (is_number && self.peek(0) == b'\'' && is_word(self.peek(1)))
            || (is_number && self.peek(0) == b'.')
        {
            self.at += 1;
        }
    }

    fn is_string_prefix(&self, start: usize) -> bool {
        matches!(
            &self.bytes[start..self.at],
            b"R" | b"L" | b"u" | b"U" | b"u8" | b"LR" | b"uR" | b"UR" | b"u8R"
        )
    }

    /// The literal begins at `start`; the cursor is at the quote.
    fn string(&mut self, start: usize) {
        if self.at > start && self.bytes[self.at - 1] == b'R' {
            self.raw_string();
        } else {
            self.quoted(b'"');
        }
    }

    fn quoted(&mut self, quote: u8) {
        self.at += 1;
        while self.at < self.bytes.len() {
            match self.peek(0) {
                b'\\' => {
                    self.at = self.line_break_after(self.at + 1).unwrap_or(self.at + 2);
                }
                b'\n' => return,
                byte => {
                    self.at += 1;
                    if byte == quote {
                        return;
                    }
                }
            }
        }
        self.at = self.bytes.len();
    }

    fn raw_string(&mut self) {
        let rest = &self.bytes[self.at + 1..];
        let Some(open) = rest.iter().take(17).position(|&byte| byte == b'(') else {
            return self.quoted(b'"');
        };
        let mut end = vec![b')'];
        end.extend_from_slice(&rest[..open]);
        end.push(b'"');
        self.at = match memmem::find(&rest[open..], &end) {
            Some(found) => self.at + 1 + open + found + end.len(),
            None => self.bytes.len(),
        };
    }

    fn comment(&mut self) {
        let rest = &self.bytes[self.at..];
        if rest[1] == b'*' {
            let end = memmem::find(&rest[2..], b"*/").map(|at| at + 4);
            self.at += end.unwrap_or(rest.len());
            return;
        }
        self.at = self.end_of_line(self.at);
    }

    /// Skips continuation lines.
    fn end_of_line(&self, mut at: usize) -> usize {
        while let Some(found) = memchr::memchr(b'\n', &self.bytes[at..]) {
            let end = at + found;
            let before = self.bytes[..end].strip_suffix(b"\r");
            if !before.unwrap_or(&self.bytes[..end]).ends_with(b"\\") {
                return end;
            }
            at = end + 1;
        }
        self.bytes.len()
    }

    /// Includes a comment that continues over lines.
    fn directive(&mut self) {
        let start = self.at;
        let mut from = self.at;
        let mut end = self.end_of_line(from);
        while let Some(opened) = memmem::find(&self.bytes[from..end], b"/*") {
            let inside = from + opened + 2;
            let closed = memmem::find(&self.bytes[inside..], b"*/");
            from = closed.map_or(self.bytes.len(), |at| inside + at + 2);
            if from > end {
                end = self.end_of_line(from);
            }
        }
        self.at = end;
        self.lexed.directives.push(Directive {
            start: offset(start),
            end: offset(end),
        });
    }
}

/// The index of each bracket's partner, or `u32::MAX`. A closing brace also closes brackets inside.
pub(super) fn partners(tokens: &[Token]) -> Vec<u32> {
    let mut partners = vec![u32::MAX; tokens.len()];
    let mut open: Vec<(u8, usize)> = Vec::new();
    let mut open_braces = 0_usize;
    for (index, token) in tokens.iter().enumerate() {
        let Kind::Punct(byte) = token.kind else {
            continue;
        };
        let opener = match byte {
            b'(' | b'[' | b'{' => {
                open_braces += usize::from(byte == b'{');
                open.push((byte, index));
                continue;
            }
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => continue,
        };
        if opener == b'{' && open_braces > 0 {
            while open.last().is_some_and(|(byte, _)| *byte != b'{') {
                open.pop();
            }
            open_braces -= 1;
        }
        if open.last().is_some_and(|(byte, _)| *byte == opener)
            && let Some((_, start)) = open.pop()
        {
            partners[start] = offset(index);
            partners[index] = offset(start);
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        let lexed = lex(source);
        lexed.tokens.iter().map(|t| t.text(source)).collect()
    }

    #[test]
    fn comments_and_directives_give_no_tokens() {
        let source = "a /* \" */ b // c\n#define X \\\n y\n  # if 1 /* z\n */ w\nd # e";
        assert_eq!(texts(source), ["a", "b", "d", "#", "e"]);
        assert_eq!(lex(source).directives.len(), 2);
    }

    #[test]
    fn literals_are_single_tokens() {
        let source = r####"f("a\"b", R"x(q)" ")x", L"c", 'd', '\'', 1'000.5f)"####;
        assert_eq!(
            texts(source),
            [
                "f",
                "(",
                "\"a\\\"b\"",
                ",",
                "R\"x(q)\" \")x\"",
                ",",
                "L\"c\"",
                ",",
                "'d'",
                ",",
                "'\\''",
                ",",
                "1'000.5f",
                ")"
            ]
        );
    }

    #[test]
    fn broken_text_ends() {
        for source in [
            "\"a\nb", "'", "/*", "R\"(", "R\"", "#", "\\", "\"\\", "# /*", "é\u{0}",
        ] {
            lex(source);
        }
        assert_eq!(texts("\"a\nb"), ["\"a", "b"]);
    }

    #[test]
    fn a_closing_brace_closes_what_is_open_inside() {
        let source = "{ ( } ] }";
        let found = partners(&lex(source).tokens);
        let none = u32::MAX;
        assert_eq!(found, [2, none, 0, none, none]);
    }
}
