//! Parses nodes.

use opatlas_source::diagnostic::Diagnostic;
use opatlas_source::{Span, message};

use super::super::scanner::{LONGEST_SPAN, Scanned, Token, TokenKind, offset};
use super::super::syntax_error;
use super::{Event, Parser, Place, Props, State, empty_scalar};

impl Parser<'_> {
    /// libyaml: yaml_parser_parse_node.
    pub(super) fn node(&mut self, place: Place) -> Scanned<Event> {
        let token = self.peek()?;
        if let TokenKind::Alias = token.kind {
            self.pop();
            self.scanner.take();
            return Ok(Event::Alias(token.span));
        }
        let (props, end, token) = match token.kind {
            TokenKind::Anchor | TokenKind::Tag(_) => self.props(token)?,
            _ => (Props::none(token.span.start), token.span.start, token),
        };
        let start = token.span.start;
        let block = place != Place::Flow;
        let (state, event) = match token.kind {
            TokenKind::BlockEntry if place == Place::BlockValue => {
                self.state = State::IndentlessSequence;
                return Ok(Event::SequenceStart(props, start));
            }
            TokenKind::Scalar(style, value) => {
                self.pop();
                self.scanner.take();
                return Ok(Event::Scalar(props, token.span, style, value));
            }
            TokenKind::FlowSequenceStart => {
                (State::FlowSequenceFirst, Event::SequenceStart(props, start))
            }
            TokenKind::FlowMappingStart => {
                (State::FlowMappingFirst, Event::MappingStart(props, start))
            }
            TokenKind::BlockSequenceStart if block => {
                (State::BlockSequence, Event::SequenceStart(props, start))
            }
            TokenKind::BlockMappingStart if block => {
                (State::BlockMappingKey, Event::MappingStart(props, start))
            }
            _ if props.anchor.is_some() || props.tag.is_some() => {
                self.pop();
                return Ok(empty_scalar(props, end));
            }
            _ => return self.no_content(token, place),
        };
        self.marks.push(token.span);
        self.state = state;
        self.scanner.take();
        Ok(event)
    }

    fn props(&mut self, mut token: Token) -> Scanned<(Props, u32, Token)> {
        let start = token.span.start;
        let mut props = Props::none(start);
        let mut end = start;
        loop {
            match token.kind {
                TokenKind::Anchor if props.anchor.is_none() => props.anchor = Some(token.span),
                TokenKind::Tag(number) if props.tag.is_none() => {
                    props.tag = Some((self.resolve_tag(number, token)?, token.span));
                }
                _ => return Ok((props, end, token)),
            }
            end = token.span.end;
            token = self.after()?;
        }
    }

    fn no_content(&self, token: Token, place: Place) -> Scanned<Event> {
        if place == Place::Flow {
            return self.flow_error(token, "expected a value here");
        }
        match token.kind {
            TokenKind::BlockEntry => self.unexpected(
                token,
                "a list item cannot begin here",
                "start the list on its own line, or quote the `-` if it is text",
            ),
            _ => self.unexpected(
                token,
                "expected a value here",
                "remove this, or quote it if it is text",
            ),
        }
    }

    /// The span of a token; if it is empty, the word at its position.
    fn visible(&self, span: Span) -> Span {
        if !span.is_empty() {
            return span;
        }
        let start = span.start;
        let rest = self.text.get(start as usize..).unwrap_or("");
        let word = rest.split(char::is_whitespace).next().unwrap_or("");
        let length = word.floor_char_boundary(LONGEST_SPAN);
        Span::new(start, start + offset(length))
    }

    pub(super) fn unexpected<T>(
        &self,
        token: Token,
        message: impl Into<opatlas_source::Message>,
        help: &'static str,
    ) -> Scanned<T> {
        Err(self.unexpected_error(token, message, help).into())
    }

    pub(super) fn unexpected_error(
        &self,
        token: Token,
        message: impl Into<opatlas_source::Message>,
        help: &'static str,
    ) -> Diagnostic {
        let error = syntax_error(self.visible(token.span), message).with_help(help);
        match self.marks.last() {
            Some(&mark) => {
                error.with_related("the list or mapping starts here", self.visible(mark))
            }
            None => error,
        }
    }

    /// If the token is on a later line, the bracket is probably the fault.
    pub(super) fn flow_error<T>(&self, token: Token, message: &'static str) -> Scanned<T> {
        let help = "separate the items with `, `, and quote a value that contains brackets, commas \
                    or `: `";
        let Some(&mark) = self.marks.last() else {
            return self.unexpected(token, message, help);
        };
        let between = Span::new(mark.start, token.span.start).slice(self.text);
        if !between.contains(['\n', '\r']) && !matches!(token.kind, TokenKind::StreamEnd) {
            return self.unexpected(token, message, help);
        }
        let (open, close) = match mark.slice(self.text) {
            "{" => ('{', '}'),
            _ => ('[', ']'),
        };
        let error = syntax_error(mark, message!("this `{}` is not closed", open))
            .with_help(message!(
                "close it with `{}`, or quote the value if it is text",
                close
            ))
            .with_related("unexpected inside it", self.visible(token.span));
        Err(error.into())
    }
}
