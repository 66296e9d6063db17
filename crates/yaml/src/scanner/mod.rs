//! Turns text into tokens by the rules of libyaml 0.2.5, which PyTorch uses.
//!
//! libyaml's YAML 1.1 accepts other text than YAML 1.2 (tabs, `"a"#b`, `{a:1}`, quoted lines at
//! column 0, three more line breaks), so this follows scanner.c function by function. Unlike
//! libyaml, it tracks byte offsets, copies only text that needs decoding, and bounds nesting.

mod block;
mod cursor;
mod decoded;
mod flow;
mod name;
mod plain;
mod quoted;
mod token;

use std::collections::VecDeque;

use opatlas_source::diagnostic::Diagnostic;
use opatlas_source::{Span, message};

use super::tree::Style;
use super::{DEEPEST, limit_error, syntax_error};
use cursor::Cursor;

pub(super) use cursor::offset;
pub(super) use decoded::{Decoded, Piece, ValueRef};
pub(super) use token::{TagText, Token, TokenKind};

pub(super) const LONGEST_SPAN: usize = 200;

/// Boxed because errors are rare.
pub(super) type Scanned<T> = Result<T, Box<Diagnostic>>;

/// A token that becomes a key when `:` follows on its line.
#[derive(Clone, Copy)]
struct SimpleKey {
    flow: usize,
    required: bool,
    token: usize,
    pos: usize,
    index: usize,
    line: u32,
    column: usize,
}

pub(super) struct Scanner<'t> {
    text: &'t str,
    cursor: Cursor<'t>,
    tokens: VecDeque<Token>,
    taken: usize,
    /// Possible keys, outermost first, at most one for each level of flow nesting.
    keys: VecDeque<SimpleKey>,
    key_allowed: bool,
    flow: usize,
    indent: isize,
    indents: Vec<isize>,
    /// The last plain scalar, if it has several lines.
    long_plain: Span,
    pub decoded: Decoded,
    pub tags: Vec<TagText>,
    pub directives: Vec<TagText>,
}

impl<'t> Scanner<'t> {
    /// `from` must be the start of a line.
    pub fn new(text: &'t str, from: usize) -> Self {
        Self {
            text,
            cursor: Cursor::new(text, from),
            tokens: VecDeque::with_capacity(8),
            taken: 0,
            keys: VecDeque::new(),
            key_allowed: true,
            flow: 0,
            indent: -1,
            indents: Vec::new(),
            long_plain: Span::default(),
            decoded: Decoded::default(),
            tags: Vec::new(),
            directives: Vec::new(),
        }
    }

    pub fn restart(&mut self, from: usize) {
        let fresh = Self::new(self.text, from);
        let old = std::mem::replace(self, fresh);
        self.decoded = old.decoded;
        self.tags = old.tags;
        self.directives = old.directives;
    }

    pub fn pos(&self) -> usize {
        self.cursor.pos
    }

    /// Inlined: returning tokens through memory takes longer than finding them.
    #[inline(always)]
    pub fn peek(&mut self) -> Scanned<Token> {
        self.ready()?;
        Ok(self.tokens.front().copied().unwrap_or(Token {
            kind: TokenKind::StreamEnd,
            span: Span::at(offset(self.cursor.pos)),
        }))
    }

    /// Scans until the next token is certain.
    fn ready(&mut self) -> Scanned<()> {
        loop {
            if !self.tokens.is_empty() {
                self.drop_stale_keys()?;
                if self.keys.front().is_none_or(|key| key.token != self.taken) {
                    return Ok(());
                }
            }
            self.fetch()?;
        }
    }

    #[inline]
    pub fn take(&mut self) {
        if self.tokens.pop_front().is_some() {
            self.taken += 1;
        }
    }

    fn push(&mut self, kind: TokenKind, span: Span) {
        self.tokens.push_back(Token { kind, span });
    }

    fn push_indicator(&mut self, kind: TokenKind, count: usize) {
        let start = self.cursor.pos;
        self.cursor.skip(count);
        self.push(kind, self.cursor.span_from(start));
    }

    /// libyaml: yaml_parser_fetch_next_token.
    fn fetch(&mut self) -> Scanned<()> {
        self.skip_to_token();
        self.drop_stale_keys()?;
        self.unroll_indent(self.cursor.column() as isize);
        let byte = self.cursor.peek(0);
        if byte == 0 && self.cursor.at_end() {
            return self.fetch_stream_end();
        }
        if self.cursor.column() == 0 {
            if byte == b'%' {
                return self.fetch_directive();
            }
            match self.cursor.document_marker() {
                Some(b'-') => return self.fetch_marker(TokenKind::DocumentStart),
                Some(_) => return self.fetch_marker(TokenKind::DocumentEnd),
                None => {}
            }
        }
        let in_flow = self.flow > 0;
        match byte {
            b'[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if self.cursor.blank_or_end(1) => self.fetch_block_entry(),
            b'?' if in_flow || self.cursor.blank_or_end(1) => self.fetch_key(),
            b':' if in_flow || self.cursor.blank_or_end(1) => self.fetch_value(),
            b'*' => self.fetch_anchor(TokenKind::Alias),
            b'&' => self.fetch_anchor(TokenKind::Anchor),
            b'!' => self.fetch_tag(),
            b'|' if !in_flow => self.fetch_block_scalar(Style::Literal),
            b'>' if !in_flow => self.fetch_block_scalar(Style::Folded),
            b'\'' => self.fetch_quoted(Style::SingleQuoted),
            b'"' => self.fetch_quoted(Style::DoubleQuoted),
            b'|' | b'>' | b'#' | b'%' | b'@' | b'`' | b'\t' | 0 => Err(self.no_token(byte)),
            _ => self.fetch_plain(),
        }
    }

    /// A tab is white space only where it cannot be indentation.
    fn skip_to_token(&mut self) {
        loop {
            if self.cursor.at_byte_order_mark() && self.cursor.column() == 0 {
                self.cursor.skip_char();
            }
            let tabs = self.flow > 0 || !self.key_allowed;
            while self.cursor.peek(0) == b' ' || tabs && self.cursor.peek(0) == b'\t' {
                self.cursor.skip(1);
            }
            if self.cursor.peek(0) == b'#' {
                self.cursor.skip_line_rest();
            }
            if self.cursor.break_len(0) == 0 {
                return;
            }
            self.cursor.skip_break();
            if self.flow == 0 {
                self.key_allowed = true;
            }
        }
    }

    /// A key must be followed by its `:` on the same line and within 1,024 characters.
    #[inline]
    fn drop_stale_keys(&mut self) -> Scanned<()> {
        while let Some(key) = self.keys.front() {
            let near = key.index + 1024 >= self.cursor.index();
            if key.line == self.cursor.line && near {
                break;
            }
            if key.required {
                return Err(self.missing_colon(*key));
            }
            self.keys.pop_front();
        }
        Ok(())
    }

    fn save_simple_key(&mut self) -> Scanned<()> {
        if !self.key_allowed {
            return Ok(());
        }
        let column = self.cursor.column();
        let key = SimpleKey {
            flow: self.flow,
            required: self.flow == 0 && self.indent == column as isize,
            token: self.taken + self.tokens.len(),
            pos: self.cursor.pos,
            index: self.cursor.index(),
            line: self.cursor.line,
            column,
        };
        self.remove_simple_key()?;
        self.keys.push_back(key);
        Ok(())
    }

    fn remove_simple_key(&mut self) -> Scanned<()> {
        if let Some(key) = self.take_simple_key()
            && key.required
        {
            return Err(self.missing_colon(key));
        }
        Ok(())
    }

    fn take_simple_key(&mut self) -> Option<SimpleKey> {
        let flow = self.flow;
        self.keys.pop_back_if(|key| key.flow == flow)
    }

    fn roll_indent(
        &mut self,
        column: usize,
        at: Option<usize>,
        kind: TokenKind,
        pos: usize,
    ) -> Scanned<()> {
        let column = column as isize;
        if self.flow > 0 || self.indent >= column {
            return Ok(());
        }
        if self.indents.len() >= DEEPEST {
            return Err(self.too_deep());
        }
        self.indents.push(self.indent);
        self.indent = column;
        let token = Token {
            kind,
            span: Span::at(offset(pos)),
        };
        match at {
            Some(number) => self.tokens.insert(number - self.taken, token),
            None => self.tokens.push_back(token),
        }
        Ok(())
    }

    fn unroll_indent(&mut self, column: isize) {
        if self.flow > 0 {
            return;
        }
        while self.indent > column {
            self.push(TokenKind::BlockEnd, Span::at(offset(self.cursor.pos)));
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn fetch_stream_end(&mut self) -> Scanned<()> {
        // The end of the text ends a line, so no key can wait for its colon.
        self.cursor.line += 1;
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.key_allowed = false;
        self.push(TokenKind::StreamEnd, Span::at(offset(self.cursor.pos)));
        Ok(())
    }

    fn fetch_marker(&mut self, kind: TokenKind) -> Scanned<()> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.key_allowed = false;
        self.push_indicator(kind, 3);
        Ok(())
    }

    fn span_through_next(&self, start: usize) -> Span {
        let next = self
            .text
            .get(self.cursor.pos..)
            .unwrap_or("")
            .chars()
            .next();
        let end = self.cursor.pos + next.map_or(0, char::len_utf8);
        Span::new(offset(start), offset(end))
    }

    fn missing_colon(&self, key: SimpleKey) -> Box<Diagnostic> {
        let rest = self.text.get(key.pos..).unwrap_or("");
        let line = rest.lines().next().unwrap_or("").trim_end();
        let end = key.pos + line.floor_char_boundary(LONGEST_SPAN);
        let span = Span::new(offset(key.pos), offset(end));
        syntax_error(span, "expected a mapping key with `: ` on this line")
            .with_help(
                "write `key: value`, indent the line further if it continues the value above, or \
                 put `#` before a comment",
            )
            .into()
    }

    fn too_deep(&self) -> Box<Diagnostic> {
        limit_error(
            Span::at(offset(self.cursor.pos)),
            message!(
                "collections are nested more than {} levels deep here",
                DEEPEST
            ),
        )
        .into()
    }

    fn no_token(&self, byte: u8) -> Box<Diagnostic> {
        let at = self.cursor.pos;
        let span = Span::new(offset(at), offset(at + 1));
        let quote = "quote the value: YAML reserves this character at the start of a plain scalar";
        let (message, help) = match byte {
            b'\t' => (
                "tab in the indentation or before a key".into(),
                "indent with spaces; tabs can only separate words inside a line",
            ),
            0 => ("unexpected NUL character".into(), "remove it"),
            _ => (
                message!("a value cannot start with `{}`", byte as char),
                quote,
            ),
        };
        syntax_error(span, message).with_help(help).into()
    }
}
