//! Anchors, aliases, tags and directives.

use opatlas_source::Span;
use opatlas_source::diagnostic::Diagnostic;

use super::cursor::is_word;
use super::{Scanned, Scanner, TagText, TokenKind, offset, syntax_error};

/// The characters allowed in a tag besides letters, digits, `-`, `_` and escapes.
const URI: &[u8] = b";/?:@&=+$.!~*'()";
/// The characters also allowed in `!<...>` and in the prefix of a directive.
const URI_MORE: &[u8] = b",[]";

#[derive(Clone, Copy, PartialEq)]
enum UriPlace {
    Suffix,
    Whole,
}

impl Scanner<'_> {
    /// libyaml: yaml_parser_scan_anchor.
    pub(super) fn fetch_anchor(&mut self, kind: TokenKind) -> Scanned<()> {
        self.save_simple_key()?;
        self.key_allowed = false;
        let start = self.cursor.pos;
        self.cursor.skip(1);
        self.skip_words();
        let named = self.cursor.pos > start + 1;
        let follows = matches!(
            self.cursor.peek(0),
            b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`'
        );
        if !named || !(follows || self.cursor.blank_or_end(0)) {
            return Err(self.bad_anchor(start, kind));
        }
        self.push(kind, self.cursor.span_from(start));
        Ok(())
    }

    fn bad_anchor(&self, start: usize, kind: TokenKind) -> Box<Diagnostic> {
        let message = if matches!(kind, TokenKind::Alias) {
            "an alias name (after `*`) can only contain ASCII letters, digits, `-` and `_`"
        } else {
            "an anchor name (after `&`) can only contain ASCII letters, digits, `-` and `_`"
        };
        syntax_error(self.span_through_next(start), message)
            .with_help("quote the value if it is text")
            .into()
    }

    fn skip_words(&mut self) {
        while is_word(self.cursor.peek(0)) {
            self.cursor.skip(1);
        }
    }

    /// libyaml: yaml_parser_scan_tag.
    pub(super) fn fetch_tag(&mut self) -> Scanned<()> {
        self.save_simple_key()?;
        self.key_allowed = false;
        let start = self.cursor.pos;
        let tag = if self.cursor.peek(1) == b'<' {
            self.verbatim_tag(start)?
        } else {
            self.shorthand_tag(start)?
        };
        let ends = self.cursor.blank_or_end(0) || self.flow > 0 && self.cursor.peek(0) == b',';
        if !ends {
            return Err(self.bad_tag(start, "expected a space after the tag"));
        }
        self.push(
            TokenKind::Tag(self.tags.len()),
            self.cursor.span_from(start),
        );
        self.tags.push(tag);
        Ok(())
    }

    fn verbatim_tag(&mut self, start: usize) -> Scanned<TagText> {
        self.cursor.skip(2);
        let rest = self.tag_uri(start, UriPlace::Whole)?;
        if rest.is_empty() {
            return Err(self.bad_tag(start, "this tag is empty"));
        }
        if self.cursor.peek(0) != b'>' {
            return Err(self.bad_tag(start, "expected `>` at the end of the tag"));
        }
        self.cursor.skip(1);
        Ok(TagText {
            handle: "".into(),
            rest,
        })
    }

    fn shorthand_tag(&mut self, start: usize) -> Scanned<TagText> {
        self.cursor.skip(1);
        self.skip_words();
        if self.cursor.peek(0) == b'!' {
            self.cursor.skip(1);
            let handle = self.text.get(start..self.cursor.pos).unwrap_or("").into();
            let rest = self.tag_uri(start, UriPlace::Suffix)?;
            if rest.is_empty() {
                return Err(self.bad_tag(start, "this tag has no name"));
            }
            return Ok(TagText { handle, rest });
        }
        let head = self.text.get(start + 1..self.cursor.pos).unwrap_or("");
        let tail = self.tag_uri(start, UriPlace::Suffix)?;
        let rest: Box<str> = format!("{head}{tail}").into();
        Ok(if rest.is_empty() {
            TagText {
                handle: "".into(),
                rest: "!".into(),
            }
        } else {
            TagText {
                handle: "!".into(),
                rest,
            }
        })
    }

    fn tag_uri(&mut self, start: usize, place: UriPlace) -> Scanned<Box<str>> {
        let mut uri = Vec::new();
        loop {
            let byte = self.cursor.peek(0);
            let more = place == UriPlace::Whole && URI_MORE.contains(&byte);
            if byte == b'%' {
                self.uri_escape(start, &mut uri)?;
            } else if is_word(byte) || URI.contains(&byte) || more {
                uri.push(byte);
                self.cursor.skip(1);
            } else {
                // libyaml ends the name at a NUL, which can be escaped.
                let name = uri.split(|&byte| byte == 0).next().unwrap_or(&[]);
                return Ok(String::from_utf8_lossy(name).into());
            }
        }
    }

    fn uri_escape(&mut self, start: usize, uri: &mut Vec<u8>) -> Scanned<()> {
        let mut left = None;
        loop {
            let at = self.cursor.pos;
            let hex = self.text.get(at + 1..at + 3).unwrap_or("");
            let all_hex = hex.len() == 2 && hex.bytes().all(|byte| byte.is_ascii_hexdigit());
            let byte = match u8::from_str_radix(hex, 16) {
                Ok(byte) if all_hex && self.cursor.peek(0) == b'%' => byte,
                _ => {
                    return Err(self.bad_tag(start, "expected two hexadecimal digits after `%`"));
                }
            };
            let more = match (left, byte) {
                (None, 0..0x80) => 0,
                (None, 0xC0..0xE0) => 1,
                (None, 0xE0..0xF0) => 2,
                (None, 0xF0..0xF8) => 3,
                (Some(left), 0x80..0xC0) => left - 1,
                _ => return Err(self.bad_tag(start, "the escaped bytes are not UTF-8")),
            };
            uri.push(byte);
            self.cursor.skip(3);
            if more == 0 {
                return Ok(());
            }
            left = Some(more);
        }
    }

    fn bad_tag(&self, start: usize, message: &'static str) -> Box<Diagnostic> {
        syntax_error(self.span_through_next(start), message)
            .with_help("`!` at the start of a value starts a tag; quote the value if it is text")
            .into()
    }

    /// `%YAML` or `%TAG`. libyaml: yaml_parser_scan_directive.
    pub(super) fn fetch_directive(&mut self) -> Scanned<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.key_allowed = false;
        let start = self.cursor.pos;
        self.cursor.skip(1);
        self.skip_words();
        let name = self.text.get(start + 1..self.cursor.pos).unwrap_or("");
        if !self.cursor.blank_or_end(0) {
            return Err(
                self.bad_directive(start, "a directive name can only contain ASCII letters")
            );
        }
        let kind = match name {
            "YAML" => self.version_directive(start)?,
            "TAG" => self.tag_directive(start)?,
            _ => return Err(self.bad_directive(start, "unknown directive")),
        };
        let span = self.cursor.span_from(start);
        self.cursor.skip_blanks();
        if self.cursor.peek(0) == b'#' {
            self.cursor.skip_line_rest();
        }
        if !self.cursor.break_or_end() {
            return Err(self.bad_directive(start, "unexpected text after a directive"));
        }
        self.cursor.skip_break();
        self.push(kind, span);
        Ok(())
    }

    fn version_directive(&mut self, start: usize) -> Scanned<TokenKind> {
        self.cursor.skip_blanks();
        let major = self.version_number(start)?;
        if self.cursor.peek(0) != b'.' {
            return Err(self.bad_directive(start, "a YAML version is written `1.1`"));
        }
        self.cursor.skip(1);
        let minor = self.version_number(start)?;
        Ok(TokenKind::Version(major, minor))
    }

    fn version_number(&mut self, start: usize) -> Scanned<u32> {
        let from = self.cursor.pos;
        while self.cursor.peek(0).is_ascii_digit() {
            self.cursor.skip(1);
        }
        let digits = self.text.get(from..self.cursor.pos).unwrap_or("");
        match digits.parse() {
            Ok(number) if digits.len() <= 9 => Ok(number),
            _ => Err(self.bad_directive(start, "a YAML version is written `1.1`")),
        }
    }

    fn tag_directive(&mut self, start: usize) -> Scanned<TokenKind> {
        self.cursor.skip_blanks();
        let from = self.cursor.pos;
        if self.cursor.peek(0) == b'!' {
            self.cursor.skip(1);
            self.skip_words();
            let bare = self.cursor.pos == from + 1;
            if self.cursor.peek(0) == b'!' {
                self.cursor.skip(1);
            } else if !bare {
                return Err(self.bad_directive(start, "expected `!` at the end of the tag handle"));
            }
        }
        let handle: Box<str> = self.text.get(from..self.cursor.pos).unwrap_or("").into();
        let blank = super::cursor::is_blank(self.cursor.peek(0));
        self.cursor.skip_blanks();
        let rest = self.tag_uri(start, UriPlace::Whole)?;
        if handle.is_empty() || !blank || rest.is_empty() || !self.cursor.blank_or_end(0) {
            return Err(self.bad_directive(start, "expected `%TAG !handle! prefix`"));
        }
        self.directives.push(TagText { handle, rest });
        Ok(TokenKind::TagDirective(self.directives.len() - 1))
    }

    fn bad_directive(&self, start: usize, message: &'static str) -> Box<Diagnostic> {
        let end = self.cursor.pos.max(start + 1);
        syntax_error(Span::new(offset(start), offset(end)), message)
            .with_help(
                "a line that starts with `%` is a directive, `%YAML 1.1` or `%TAG`; otherwise \
                 start it with a space or quote it",
            )
            .into()
    }
}
