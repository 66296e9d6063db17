//! Flow collections, in brackets.

use super::super::scanner::{Scanned, TokenKind};
use super::{Event, Parser, Place, Props, State};

impl Parser<'_> {
    pub(super) fn flow_sequence(&mut self) -> Scanned<Event> {
        let mut token = self.peek()?;
        if !matches!(token.kind, TokenKind::FlowSequenceEnd) && self.state == State::FlowSequence {
            if !matches!(token.kind, TokenKind::FlowEntry) {
                return self.flow_error(token, "expected `,` or `]` after an item of this list");
            }
            token = self.after()?;
        }
        match token.kind {
            TokenKind::FlowSequenceEnd => self.end_collection(Some(token.span.end)),
            TokenKind::Key => {
                self.state = State::FlowPairKey;
                self.scanner.take();
                let start = token.span.start;
                Ok(Event::MappingStart(
                    Props {
                        start,
                        anchor: None,
                        tag: None,
                    },
                    start,
                ))
            }
            _ => self.node_then(Place::Flow, State::FlowSequence),
        }
    }

    pub(super) fn flow_pair_key(&mut self) -> Scanned<Event> {
        let token = self.peek()?;
        match token.kind {
            // libyaml passes the token here, so `[? : a]` is an error.
            TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd => {
                self.scanner.take();
                self.empty(token.span.end, State::FlowPairValue)
            }
            _ => self.node_then(Place::Flow, State::FlowPairValue),
        }
    }

    pub(super) fn flow_pair_value(&mut self) -> Scanned<Event> {
        let mut token = self.peek()?;
        if let TokenKind::Value = token.kind {
            token = self.after()?;
            if !matches!(
                token.kind,
                TokenKind::FlowEntry | TokenKind::FlowSequenceEnd
            ) {
                return self.node_then(Place::Flow, State::FlowPairEnd);
            }
        }
        self.empty(token.span.start, State::FlowPairEnd)
    }

    pub(super) fn flow_pair_end(&mut self) -> Scanned<Event> {
        self.state = State::FlowSequence;
        Ok(Event::CollectionEnd(None))
    }

    pub(super) fn flow_mapping_key(&mut self) -> Scanned<Event> {
        let mut token = self.peek()?;
        if !matches!(token.kind, TokenKind::FlowMappingEnd) && self.state == State::FlowMappingKey {
            if !matches!(token.kind, TokenKind::FlowEntry) {
                return self.flow_error(token, "expected `,` or `}` after an item of this mapping");
            }
            token = self.after()?;
        }
        match token.kind {
            TokenKind::FlowMappingEnd => self.end_collection(Some(token.span.end)),
            TokenKind::Key => {
                token = self.after()?;
                match token.kind {
                    TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd => {
                        self.empty(token.span.start, State::FlowMappingValue)
                    }
                    _ => self.node_then(Place::Flow, State::FlowMappingValue),
                }
            }
            _ => self.node_then(Place::Flow, State::FlowMappingEmptyValue),
        }
    }

    pub(super) fn flow_mapping_value(&mut self) -> Scanned<Event> {
        let mut token = self.peek()?;
        if let TokenKind::Value = token.kind {
            token = self.after()?;
            if !matches!(token.kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                return self.node_then(Place::Flow, State::FlowMappingKey);
            }
        }
        self.empty(token.span.start, State::FlowMappingKey)
    }

    pub(super) fn flow_mapping_empty_value(&mut self) -> Scanned<Event> {
        let token = self.peek()?;
        self.empty(token.span.start, State::FlowMappingKey)
    }
}
