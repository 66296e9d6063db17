//! Scalars without quotes.

use opatlas_source::Span;

use super::cursor::{Stop, is_blank};
use super::decoded::Draft;
use super::{Scanned, Scanner, Style, TokenKind, ValueRef, offset, syntax_error};

struct Plain {
    start: usize,
    end: usize,
    /// Set from the second line on; until then the value is `start..end` of the text.
    draft: Option<Draft>,
}

impl Scanner<'_> {
    /// libyaml: yaml_parser_scan_plain_scalar.
    pub(super) fn fetch_plain(&mut self) -> Scanned<()> {
        self.save_simple_key()?;
        self.key_allowed = false;
        let start = self.cursor.pos;
        let mut plain = Plain {
            start,
            end: start,
            draft: None,
        };
        let deeper = self.indent + 1;
        let mut broken = false;
        loop {
            if self.cursor.peek(0) == b'#' || self.cursor.document_marker().is_some() {
                break;
            }
            let from = self.cursor.pos;
            self.skip_word(&plain)?;
            if self.cursor.pos > from {
                self.add_word(&mut plain, from, broken);
                broken = false;
            }
            if !is_blank(self.cursor.peek(0)) && self.cursor.break_len(0) == 0 {
                break;
            }
            broken |= self.skip_gap(&plain, deeper, broken)?;
            if self.flow == 0 && (self.cursor.column() as isize) < deeper {
                break;
            }
        }
        let value = match plain.draft {
            Some(draft) => self.decoded.finish(draft, self.text.len()),
            None => ValueRef {
                at: offset(start),
                len: offset(plain.end - start),
                pieces: 0,
            },
        };
        let span = Span::new(offset(start), offset(plain.end));
        if plain.draft.is_some() {
            self.long_plain = span;
        }
        self.push(TokenKind::Scalar(Style::Plain, value), span);
        if broken {
            self.key_allowed = true;
        }
        Ok(())
    }

    fn skip_word(&mut self, plain: &Plain) -> Scanned<()> {
        let stop = if self.flow > 0 {
            Stop::Flow
        } else {
            Stop::Block
        };
        loop {
            self.cursor.skip_run(stop);
            let byte = self.cursor.peek(0);
            if self.cursor.blank_or_end(0) {
                return Ok(());
            }
            if byte == b':' {
                if self.cursor.blank_or_end(1) {
                    return Ok(());
                }
                if self.flow > 0
                    && matches!(self.cursor.peek(1), b',' | b'?' | b'[' | b']' | b'{' | b'}')
                {
                    let at = self.cursor.pos;
                    let span = Span::new(offset(plain.start), offset(at + 1));
                    return Err(syntax_error(
                        span,
                        "a plain scalar inside brackets cannot contain `:` before a bracket, comma \
                         or question mark",
                    )
                    .with_help("add a space after the colon if a value follows, or quote the text")
                    .into());
                }
            } else if matches!(byte, b',' | b'[' | b']' | b'{' | b'}') {
                return Ok(());
            }
            self.cursor.skip_char();
        }
    }

    fn add_word(&mut self, plain: &mut Plain, from: usize, broken: bool) {
        let to = self.cursor.pos;
        if broken {
            let draft = match plain.draft {
                Some(draft) => draft,
                None => {
                    let draft = self.decoded.begin();
                    self.decoded.copy(draft, self.text, plain.start, plain.end);
                    *plain.draft.insert(draft)
                }
            };
            self.decoded.put_fold(draft, self.text, plain.end, from);
            self.decoded.copy(draft, self.text, from, to);
        } else if let Some(draft) = plain.draft {
            self.decoded.copy(draft, self.text, plain.end, to);
        }
        plain.end = to;
    }

    /// Returns whether there was a line break.
    fn skip_gap(&mut self, plain: &Plain, deeper: isize, mut broken: bool) -> Scanned<bool> {
        loop {
            let byte = self.cursor.peek(0);
            if is_blank(byte) {
                if broken && byte == b'\t' && (self.cursor.column() as isize) < deeper {
                    let at = self.cursor.pos;
                    let span = Span::new(offset(at), offset(at + 1));
                    let value = Span::new(offset(plain.start), offset(plain.end));
                    return Err(syntax_error(span, "tab in the indentation of this line")
                        .with_help("indent with spaces; tabs can only separate words inside a line")
                        .with_related("the value that the line would continue", value)
                        .into());
                }
                self.cursor.skip(1);
            } else if self.cursor.break_len(0) > 0 {
                self.cursor.skip_break();
                broken = true;
            } else {
                return Ok(broken);
            }
        }
    }
}
