//! Indicators: brackets, commas, dashes, question marks and colons.

use opatlas_source::Span;
use opatlas_source::diagnostic::Diagnostic;

use super::{DEEPEST, Scanned, Scanner, SimpleKey, TokenKind, offset, syntax_error};

impl Scanner<'_> {
    pub(super) fn fetch_flow_start(&mut self, kind: TokenKind) -> Scanned<()> {
        self.save_simple_key()?;
        if self.flow >= DEEPEST {
            return Err(self.too_deep());
        }
        self.flow += 1;
        self.key_allowed = true;
        self.push_indicator(kind, 1);
        Ok(())
    }

    pub(super) fn fetch_flow_end(&mut self, kind: TokenKind) -> Scanned<()> {
        self.remove_simple_key()?;
        self.flow = self.flow.saturating_sub(1);
        self.key_allowed = false;
        self.push_indicator(kind, 1);
        Ok(())
    }

    pub(super) fn fetch_flow_entry(&mut self) -> Scanned<()> {
        self.remove_simple_key()?;
        self.key_allowed = true;
        self.push_indicator(TokenKind::FlowEntry, 1);
        Ok(())
    }

    /// `-`. In flow context the parser refuses it.
    pub(super) fn fetch_block_entry(&mut self) -> Scanned<()> {
        if self.flow == 0 {
            if !self.key_allowed {
                return Err(self.misplaced(
                    "a list item cannot start after other text on the same line",
                    "start the list on its own line, or quote the value if it is text",
                ));
            }
            let column = self.cursor.column();
            self.roll_indent(column, None, TokenKind::BlockSequenceStart, self.cursor.pos)?;
        }
        self.remove_simple_key()?;
        self.key_allowed = true;
        self.push_indicator(TokenKind::BlockEntry, 1);
        Ok(())
    }

    /// `?`.
    pub(super) fn fetch_key(&mut self) -> Scanned<()> {
        if self.flow == 0 {
            if !self.key_allowed {
                return Err(self.misplaced(
                    "a key cannot start after other text on the same line",
                    "quote the value if `?` belongs to it",
                ));
            }
            let column = self.cursor.column();
            self.roll_indent(column, None, TokenKind::BlockMappingStart, self.cursor.pos)?;
        }
        self.remove_simple_key()?;
        self.key_allowed = self.flow == 0;
        self.push_indicator(TokenKind::Key, 1);
        Ok(())
    }

    /// `:`.
    pub(super) fn fetch_value(&mut self) -> Scanned<()> {
        if let Some(key) = self.take_simple_key() {
            self.insert_key(key)?;
            self.key_allowed = false;
        } else {
            if self.flow == 0 {
                if !self.key_allowed {
                    return Err(self.misplaced_value());
                }
                let column = self.cursor.column();
                self.roll_indent(column, None, TokenKind::BlockMappingStart, self.cursor.pos)?;
            }
            self.key_allowed = self.flow == 0;
        }
        self.push_indicator(TokenKind::Value, 1);
        Ok(())
    }

    /// The possible key is one: its token goes before what was read of it.
    fn insert_key(&mut self, key: SimpleKey) -> Scanned<()> {
        let span = Span::at(offset(key.pos));
        let token = super::Token {
            kind: TokenKind::Key,
            span,
        };
        self.tokens.insert(key.token - self.taken, token);
        self.roll_indent(
            key.column,
            Some(key.token),
            TokenKind::BlockMappingStart,
            key.pos,
        )
    }

    fn misplaced_value(&self) -> Box<Diagnostic> {
        let at = self.cursor.pos;
        let between = Span::new(self.long_plain.end, offset(at)).slice(self.text);
        let lines = self.long_plain.slice(self.text);
        let continues = !lines.is_empty() && between.trim_start_matches([' ', '\t']).is_empty();
        if !continues {
            return self.misplaced(
                "unexpected `: `: no key can precede it here",
                "quote the whole value if the colon belongs to it",
            );
        }
        let breaks = ['\n', '\r', '\u{85}', '\u{2028}', '\u{2029}'];
        let first = lines.split(breaks).next().unwrap_or("");
        let first = Span::new(
            self.long_plain.start,
            self.long_plain.start + offset(first.len()),
        );
        let last = lines.rsplit(breaks).next().unwrap_or("");
        let last = last.trim_start_matches([' ', '\t']);
        let span = Span::new(self.long_plain.end - offset(last.len()), offset(at + 1));
        syntax_error(
            span,
            "this line continues the value above it, so it cannot contain a key",
        )
        .with_help(
            "indent it like the other keys, or quote the whole value if the colon belongs to it",
        )
        .with_related("the value starts here", first)
        .into()
    }

    fn misplaced(&self, message: &'static str, help: &'static str) -> Box<Diagnostic> {
        let at = self.cursor.pos;
        let span = Span::new(offset(at), offset(at + 1));
        syntax_error(span, message).with_help(help).into()
    }
}
