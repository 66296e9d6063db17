//! Block collections.

use opatlas_source::Span;

use super::super::scanner::{Scanned, TokenKind};
use super::{Event, Parser, Place, State};

impl Parser<'_> {
    pub(super) fn block_sequence(&mut self) -> Scanned<Event> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::BlockEntry => {
                if self.marks.len() == 1 {
                    self.entry = Some(token.span.start);
                }
                match self.after()?.kind {
                    TokenKind::BlockEntry | TokenKind::BlockEnd => {
                        self.empty(token.span.end, State::BlockSequence)
                    }
                    _ => self.node_then(Place::Block, State::BlockSequence),
                }
            }
            TokenKind::BlockEnd => self.end_collection(None),
            kind => {
                let error = self.unexpected_error(
                    token,
                    "expected a list item (`- `) here",
                    "indent the line like the item that it belongs to, or start an item with `- `",
                );
                Err(match kind {
                    TokenKind::Key => error.with_fix(Span::at(token.span.start), "- "),
                    _ => error,
                }
                .into())
            }
        }
    }

    pub(super) fn indentless_sequence(&mut self) -> Scanned<Event> {
        let token = self.peek()?;
        if !matches!(token.kind, TokenKind::BlockEntry) {
            self.pop();
            return Ok(Event::CollectionEnd(None));
        }
        match self.after()?.kind {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.empty(token.span.end, State::IndentlessSequence)
            }
            _ => self.node_then(Place::Block, State::IndentlessSequence),
        }
    }

    pub(super) fn block_mapping_key(&mut self) -> Scanned<Event> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::Key => match self.after()?.kind {
                TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                    self.empty(token.span.end, State::BlockMappingValue)
                }
                _ => self.node_then(Place::BlockValue, State::BlockMappingValue),
            },
            TokenKind::BlockEnd => self.end_collection(None),
            _ => self.unexpected(
                token,
                "expected a mapping key here",
                "indent the line like the keys above it, and check that the previous line is \
                 complete",
            ),
        }
    }

    pub(super) fn block_mapping_value(&mut self) -> Scanned<Event> {
        let token = self.peek()?;
        if !matches!(token.kind, TokenKind::Value) {
            return self.empty(token.span.start, State::BlockMappingKey);
        }
        match self.after()?.kind {
            TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                self.empty(token.span.end, State::BlockMappingKey)
            }
            _ => self.node_then(Place::BlockValue, State::BlockMappingKey),
        }
    }
}
