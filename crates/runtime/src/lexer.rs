//! The lexer of the runtime's schema language, modeled on TorchScript's
//! (`torch/csrc/jit/frontend/lexer.h`).
//!
//! Lexing cannot fail: other text is [`Token::Other`], which no production accepts.

use opatlas_source::Span;

use super::number;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token {
    /// A name that is not a keyword.
    Ident,
    /// A decimal or hexadecimal number without sign, possibly with a `j`.
    Number,
    /// Includes the quotes.
    Str,
    True,
    False,
    None,
    NoneType,
    /// `->`
    Arrow,
    /// `...`
    Dots,
    Punct(u8),
    /// A line break outside of all brackets, with the white space and comments after it.
    Newline,
    End,
    /// A TorchScript keyword, an operator that schemas do not use, or an invalid character.
    Other,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Lexed {
    pub(super) kind: Token,
    pub(super) span: Span,
}

#[derive(Debug, Clone)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    nesting: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let mut lexer = Self {
            text,
            at: 0,
            nesting: 0,
        };
        lexer.skip_blank_lines();
        lexer
    }

    /// Returns [`Token::End`] forever at the end.
    pub(super) fn next(&mut self) -> Lexed {
        if let Some(newline) = self.skip_trivia() {
            return newline;
        }
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let Some(&first) = rest.first() else {
            return self.lexed(Token::End, start);
        };
        let (kind, len) = match first {
            b'0'..=b'9' | b'.' if number::literal_len(rest) > 0 => {
                (Token::Number, number::literal_len(rest))
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                let word = word_at(rest);
                (keyword_or_name(word), word.len())
            }
            b'\'' | b'"' => match string_len(rest, first) {
                Some(len) => (Token::Str, len),
                None => (Token::Other, 1),
            },
            b'-' if rest.starts_with(b"->") => (Token::Arrow, 2),
            b'.' if rest.starts_with(b"...") => (Token::Dots, 3),
            b'#' => (Token::Other, "# type:".len().min(rest.len())),
            _ => (punctuation(first), self.char_len()),
        };
        self.count_nesting(kind);
        self.at += len;
        self.lexed(kind, start)
    }

    fn lexed(&self, kind: Token, start: usize) -> Lexed {
        let offset = |at| u32::try_from(at).unwrap_or(u32::MAX);
        Lexed {
            kind,
            span: Span::new(offset(start), offset(self.at)),
        }
    }

    fn char_len(&self) -> usize {
        let rest = self.text.get(self.at..).unwrap_or("");
        rest.chars().next().map_or(1, char::len_utf8)
    }

    fn count_nesting(&mut self, kind: Token) {
        match kind {
            Token::Punct(b'(' | b'[' | b'{') => self.nesting += 1,
            Token::Punct(b')' | b']' | b'}') => self.nesting = self.nesting.saturating_sub(1),
            _ => {}
        }
    }

    /// A line break counts as a token outside brackets.
    fn skip_trivia(&mut self) -> Option<Lexed> {
        loop {
            self.skip_blanks();
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            match rest {
                [b'#', ..] if !rest.starts_with(b"# type:") => self.skip_comment(),
                [b'\\', b'\n', ..] => self.at += 2,
                [b'\n', ..] if self.nesting > 0 => self.at += 1,
                [b'\n', ..] => {
                    let start = self.at;
                    self.skip_blank_lines();
                    return Some(self.lexed(Token::Newline, start));
                }
                _ => return None,
            }
        }
    }

    fn skip_blank_lines(&mut self) {
        loop {
            self.skip_blanks();
            let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
            match rest {
                [b'\n', ..] => self.at += 1,
                [b'#', ..] if !rest.starts_with(b"# type:") => self.skip_comment(),
                _ => return,
            }
        }
    }

    fn skip_blanks(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        let blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c);
        self.at += rest.iter().take_while(blank).count();
    }

    fn skip_comment(&mut self) {
        let rest = self.text.as_bytes().get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|&&byte| byte != b'\n').count();
    }
}

fn word_at(rest: &[u8]) -> &[u8] {
    let len = rest
        .iter()
        .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
        .count();
    rest.get(..len).unwrap_or(rest)
}

fn keyword_or_name(word: &[u8]) -> Token {
    match word {
        b"True" => Token::True,
        b"False" => Token::False,
        b"None" => Token::None,
        b"NoneType" => Token::NoneType,
        b"def" | b"if" | b"else" | b"elif" | b"while" | b"return" | b"is" | b"and" | b"or"
        | b"not" | b"global" | b"for" | b"in" | b"raise" | b"assert" | b"break" | b"continue"
        | b"del" | b"pass" | b"class" | b"import" | b"with" | b"as" | b"Ellipsis" => Token::Other,
        _ => Token::Ident,
    }
}

fn punctuation(byte: u8) -> Token {
    match byte {
        b'(' | b')' | b'[' | b']' | b'{' | b'}' | b':' | b',' | b'=' | b'.' | b'?' | b'!'
        | b'*' | b'|' | b'-' => Token::Punct(byte),
        _ => Token::Other,
    }
}

/// Length of the closed string literal at the start; only three quotes allow line breaks.
fn string_len(rest: &[u8], quote: u8) -> Option<usize> {
    let quotes = if rest.starts_with(&[quote; 3]) { 3 } else { 1 };
    let closing = &[quote; 3][..quotes];
    let mut at = quotes;
    while at < rest.len() {
        let tail = rest.get(at..)?;
        if tail.starts_with(closing) {
            return Some(at + quotes);
        }
        match tail.first()? {
            b'\n' if quotes == 1 => return None,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(Token, &str)> {
        let mut lexer = Lexer::new(text);
        let mut out = Vec::new();
        loop {
            let token = lexer.next();
            if token.kind == Token::End {
                return out;
            }
            out.push((token.kind, token.span.slice(text)));
        }
    }

    #[test]
    fn numbers_names_and_dots_do_not_run_into_each_other() {
        assert_eq!(
            kinds("f.5 a.b ... 0x1e 1e"),
            [
                (Token::Ident, "f"),
                (Token::Number, ".5"),
                (Token::Ident, "a"),
                (Token::Punct(b'.'), "."),
                (Token::Ident, "b"),
                (Token::Dots, "..."),
                (Token::Number, "0x1e"),
                (Token::Number, "1"),
                (Token::Ident, "e"),
            ]
        );
    }

    #[test]
    fn line_breaks_count_outside_of_brackets_only() {
        assert_eq!(
            kinds("\n# c\n (\n)\\\n-> \n # d\n\n"),
            [
                (Token::Punct(b'('), "("),
                (Token::Punct(b')'), ")"),
                (Token::Arrow, "->"),
                (Token::Newline, "\n # d\n\n"),
            ]
        );
    }

    #[test]
    fn strings_end_at_their_own_quotes() {
        assert_eq!(
            kinds(r#"'a\'b' '' """x"y""" 'open"#),
            [
                (Token::Str, r"'a\'b'"),
                (Token::Str, "''"),
                (Token::Str, r#""""x"y""""#),
                (Token::Other, "'"),
                (Token::Ident, "open"),
            ]
        );
    }
}
