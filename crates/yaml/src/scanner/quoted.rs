//! Scalars in single or double quotes.

use opatlas_source::diagnostic::Diagnostic;
use opatlas_source::{Span, message};

use super::cursor::is_blank;
use super::decoded::Draft;
use super::{Scanned, Scanner, Style, TokenKind, ValueRef, offset, syntax_error};

struct Quoted {
    quote: u8,
    start: usize,
    /// Nothing has been copied from here on.
    from: usize,
    /// Set when something is decoded.
    draft: Option<Draft>,
}

impl Scanner<'_> {
    /// libyaml: yaml_parser_scan_flow_scalar.
    pub(super) fn fetch_quoted(&mut self, style: Style) -> Scanned<()> {
        self.save_simple_key()?;
        self.key_allowed = false;
        let start = self.cursor.pos;
        let quote = self.cursor.peek(0);
        self.cursor.skip(1);
        let mut quoted = Quoted {
            quote,
            start,
            from: start + 1,
            draft: None,
        };
        loop {
            if self.cursor.document_marker().is_some() {
                return Err(self.unclosed(&quoted, "the document ends inside this quote"));
            }
            if self.cursor.at_end() {
                return Err(self.unclosed(&quoted, "the file ends inside this quote"));
            }
            let escaped_break = self.skip_quoted_text(&mut quoted)?;
            if escaped_break.is_none() && self.cursor.peek(0) == quote {
                break;
            }
            self.fold_quoted(&mut quoted, escaped_break);
        }
        let end = self.cursor.pos;
        let value = match quoted.draft {
            Some(draft) => {
                self.decoded.copy(draft, self.text, quoted.from, end);
                self.decoded.finish(draft, self.text.len())
            }
            None => ValueRef {
                at: offset(start + 1),
                len: offset(end - start - 1),
                pieces: 0,
            },
        };
        self.cursor.skip(1);
        self.push(
            TokenKind::Scalar(style, value),
            self.cursor.span_from(start),
        );
        Ok(())
    }

    /// Returns the start of an escaped line break if one ends the text.
    fn skip_quoted_text(&mut self, quoted: &mut Quoted) -> Scanned<Option<usize>> {
        loop {
            self.cursor.skip_quoted(quoted.quote);
            let byte = self.cursor.peek(0);
            if byte == quoted.quote {
                if byte == b'"' || self.cursor.peek(1) != b'\'' {
                    return Ok(None);
                }
                let at = self.cursor.pos;
                self.replace(quoted, "'", at, at + 2);
            } else if byte == b'\\' && quoted.quote == b'"' {
                let at = self.cursor.pos;
                if self.cursor.break_len(1) > 0 {
                    self.cursor.skip(1);
                    self.cursor.skip_break();
                    return Ok(Some(at));
                }
                self.unescape(quoted)?;
            } else if self.cursor.break_len(0) > 0 || self.cursor.at_end() {
                return Ok(None);
            } else {
                self.cursor.skip_char();
            }
        }
    }

    fn replace(&mut self, quoted: &mut Quoted, value: &str, from: usize, to: usize) {
        let draft = *quoted.draft.get_or_insert_with(|| self.decoded.begin());
        self.decoded.copy(draft, self.text, quoted.from, from);
        self.decoded.put(draft, value, from, to);
        self.cursor.skip(to - self.cursor.pos);
        quoted.from = to;
    }

    fn fold_quoted(&mut self, quoted: &mut Quoted, escaped_break: Option<usize>) {
        let here = self.cursor.pos;
        let line = self.text.get(quoted.from..here).unwrap_or("");
        // Blanks are part of the value only before an escaped break.
        let kept = match escaped_break {
            Some(at) => at,
            None => quoted.from + line.trim_end_matches([' ', '\t']).len(),
        };
        loop {
            if is_blank(self.cursor.peek(0)) {
                self.cursor.skip(1);
            } else if self.cursor.break_len(0) > 0 {
                self.cursor.skip_break();
            } else {
                break;
            }
        }
        if self.cursor.pos == here && escaped_break.is_none() {
            return;
        }
        let draft = *quoted.draft.get_or_insert_with(|| self.decoded.begin());
        self.decoded.copy(draft, self.text, quoted.from, kept);
        match escaped_break {
            Some(_) => self
                .decoded
                .put_breaks(draft, self.text, here, self.cursor.pos),
            None => self
                .decoded
                .put_fold(draft, self.text, kept, self.cursor.pos),
        }
        quoted.from = self.cursor.pos;
    }

    fn unescape(&mut self, quoted: &mut Quoted) -> Scanned<()> {
        let at = self.cursor.pos;
        let plain = match self.cursor.peek(1) {
            b'0' => "\0",
            b'a' => "\u{7}",
            b'b' => "\u{8}",
            b't' | b'\t' => "\t",
            b'n' => "\n",
            b'v' => "\u{B}",
            b'f' => "\u{C}",
            b'r' => "\r",
            b'e' => "\u{1B}",
            b' ' => " ",
            b'"' => "\"",
            b'/' => "/",
            b'\\' => "\\",
            b'N' => "\u{85}",
            b'_' => "\u{A0}",
            b'L' => "\u{2028}",
            b'P' => "\u{2029}",
            b'x' => return self.unescape_code(quoted, 2),
            b'u' => return self.unescape_code(quoted, 4),
            b'U' => return self.unescape_code(quoted, 8),
            _ => return Err(self.unknown_escape()),
        };
        self.replace(quoted, plain, at, at + 2);
        Ok(())
    }

    fn unescape_code(&mut self, quoted: &mut Quoted, digits: usize) -> Scanned<()> {
        let at = self.cursor.pos;
        let end = at + 2 + digits;
        let hex = self.text.get(at + 2..end).unwrap_or("");
        let all_hex = hex.len() == digits && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = all_hex.then(|| u32::from_str_radix(hex, 16).ok()).flatten();
        match code.map(char::from_u32) {
            Some(Some(char)) => {
                self.replace(quoted, char.encode_utf8(&mut [0; 4]), at, end);
                Ok(())
            }
            Some(None) => {
                let span = Span::new(offset(at), offset(end));
                Err(syntax_error(span, "this escape is not a Unicode character")
                    .with_help(
                        "surrogates and codes above 10FFFF are invalid; write the character itself",
                    )
                    .into())
            }
            None => {
                let span = Span::new(offset(at), offset(at + 2));
                Err(syntax_error(
                    span,
                    message!("this escape needs {} hexadecimal digits", digits),
                )
                .with_help("write `\\\\` for a backslash")
                .into())
            }
        }
    }

    fn unknown_escape(&self) -> Box<Diagnostic> {
        let at = self.cursor.pos;
        let after = self.text.get(at + 1..).unwrap_or("").chars().next();
        let end = at + 1 + after.map_or(0, char::len_utf8);
        let span = Span::new(offset(at), offset(end));
        syntax_error(span, "unknown escape inside double quotes")
            .with_help(
                "write `\\\\` for a backslash, or use single quotes, which have no backslash \
                 escapes",
            )
            .into()
    }

    fn unclosed(&self, quoted: &Quoted, seen: &'static str) -> Box<Diagnostic> {
        let span = Span::new(offset(quoted.start), offset(quoted.start + 1));
        let here = Span::at(offset(self.cursor.pos));
        syntax_error(span, "unterminated quote")
            .with_help(
                "close it on the same line; inside single quotes write `''` for an apostrophe",
            )
            .with_related(seen, here)
            .into()
    }
}
