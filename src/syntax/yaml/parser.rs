//! From tokens to events: libyaml's parser.c, state by state, with its quirks.

use std::borrow::Cow;

use crate::source::Span;

use super::scanner::{LONGEST_SPAN, Scanned, Scanner, TagText, Token, TokenKind, ValueRef, offset};
use super::tag::Tag;
use super::tree::Style;
use super::{limit_error, syntax_error};

/// A document may define this many tag handles.
const MOST_HANDLES: usize = 100;

/// What a node carries besides its content.
#[derive(Debug, Clone, Copy)]
pub(super) struct Props {
    /// Where the node begins, its properties included.
    pub start: u32,
    /// `&name`.
    pub anchor: Option<Span>,
    /// The tag and where it stands.
    pub tag: Option<(Tag, Span)>,
}

/// A step through the tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    StreamEnd,
    /// A document begins; the span is its `---`, empty where there is none.
    DocumentStart(Span),
    /// Ends it; true when `...` does.
    DocumentEnd(Ending),
    Alias(Span),
    Scalar(Props, Span, Style, ValueRef),
    SequenceStart(Props, u32),
    MappingStart(Props, u32),
    /// Ends the innermost collection, at the end of its bracket if it has one.
    CollectionEnd(Option<u32>),
}

/// How a document ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// By the end of the stream or the next document.
    Implicit,
    /// By `...`.
    Marked,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    ImplicitDocumentStart,
    DocumentStart,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequence,
    IndentlessSequence,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirst,
    FlowSequence,
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingFirst,
    FlowMappingKey,
    FlowMappingValue,
    FlowMappingEmptyValue,
    End,
}

/// Which nodes may stand in a place.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Flow,
    Block,
    /// A value in a block mapping, where a sequence needs no indentation.
    BlockValue,
}

/// Reads events.
pub(super) struct Parser<'t> {
    /// Where the tokens come from.
    pub scanner: Scanner<'t>,
    text: &'t str,
    state: State,
    states: Vec<State>,
    /// Where the open collections begin, for messages.
    marks: Vec<Span>,
    handles: Vec<TagText>,
    /// Start of the last `-` of the outermost block sequence.
    pub entry: Option<u32>,
}

impl<'t> Parser<'t> {
    /// Begins at the byte `from` of `text`, which must begin a line.
    pub fn new(text: &'t str, from: usize) -> Self {
        Self {
            scanner: Scanner::new(text, from),
            text,
            state: State::ImplicitDocumentStart,
            states: Vec::with_capacity(8),
            marks: Vec::with_capacity(8),
            handles: Vec::new(),
            entry: None,
        }
    }

    /// Begins anew at another line of the same document.
    pub fn restart(&mut self, from: usize) {
        self.scanner.restart(from);
        self.state = State::ImplicitDocumentStart;
        self.states.clear();
        self.marks.clear();
        self.entry = None;
    }

    /// The next event. After an error there is none.
    pub fn next(&mut self) -> Scanned<Event> {
        match self.state {
            State::ImplicitDocumentStart | State::DocumentStart => self.document_start(),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Place::Block),
            State::BlockSequence => self.block_sequence(),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirst | State::FlowSequence => self.flow_sequence(),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => self.flow_pair_end(),
            State::FlowMappingFirst | State::FlowMappingKey => self.flow_mapping_key(),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmptyValue => self.flow_mapping_empty_value(),
            State::End => Ok(Event::StreamEnd),
        }
    }

    fn peek(&mut self) -> Scanned<Token> {
        self.scanner.peek()
    }

    /// Passes the present token and looks at the one after it.
    fn after(&mut self) -> Scanned<Token> {
        self.scanner.take();
        self.scanner.peek()
    }

    fn pop(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    /// An empty scalar at `at`; the parser goes on in `state`.
    fn empty(&mut self, at: u32, state: State) -> Scanned<Event> {
        self.state = state;
        Ok(empty_scalar(
            Props {
                start: at,
                anchor: None,
                tag: None,
            },
            at,
        ))
    }

    /// A node, after which the parser goes on in `state`.
    fn node_then(&mut self, place: Place, state: State) -> Scanned<Event> {
        self.states.push(state);
        self.node(place)
    }

    /// Ends a collection at the present token.
    fn end_collection(&mut self, end: Option<u32>) -> Scanned<Event> {
        self.pop();
        self.marks.pop();
        self.scanner.take();
        Ok(Event::CollectionEnd(end))
    }

    /// The span of a token; where that is empty, that of the word which stands there.
    fn visible(&self, token: Token) -> Span {
        if !token.span.is_empty() {
            return token.span;
        }
        let start = token.span.start;
        let rest = self.text.get(start as usize..).unwrap_or("");
        let word = rest.split([' ', '\t', '\n', '\r']).next().unwrap_or("");
        let length = word.floor_char_boundary(LONGEST_SPAN);
        Span::new(start, start + offset(length))
    }

    fn unexpected<T>(
        &self,
        token: Token,
        message: impl Into<Cow<'static, str>>,
        help: &'static str,
    ) -> Scanned<T> {
        let mut error = syntax_error(self.visible(token), message).with_help(help);
        if let Some(&mark) = self.marks.last() {
            error = error.with_related("the list or mapping begins here", mark);
        }
        Err(error.into())
    }

    fn document_start(&mut self) -> Scanned<Event> {
        let mut token = self.peek()?;
        let implicit = self.state == State::ImplicitDocumentStart;
        if !implicit {
            while matches!(token.kind, TokenKind::DocumentEnd) {
                token = self.after()?;
            }
        }
        match token.kind {
            TokenKind::StreamEnd => {
                self.state = State::End;
                Ok(Event::StreamEnd)
            }
            TokenKind::Version(..) | TokenKind::TagDirective(_) | TokenKind::DocumentStart => {
                let start = self.directives()?;
                if !matches!(start.kind, TokenKind::DocumentStart) {
                    return self.unexpected(
                        start,
                        "a document must begin with `---` after its directives",
                        "put `---` on a line of its own after the `%` lines, or remove them",
                    );
                }
                self.states.push(State::DocumentEnd);
                self.state = State::DocumentContent;
                self.scanner.take();
                Ok(Event::DocumentStart(start.span))
            }
            _ if implicit => {
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                Ok(Event::DocumentStart(Span::at(token.span.start)))
            }
            _ => self.unexpected(
                token,
                "this line is outside of the list or mapping that the file consists of",
                "indent it like its neighbours: a list's items begin with `- ` in one column, a mapping's keys stand in one column",
            ),
        }
    }

    /// Reads `%YAML` and `%TAG` lines; gives the token after them.
    fn directives(&mut self) -> Scanned<Token> {
        let mut version = false;
        let mut token = self.peek()?;
        self.handles.clear();
        loop {
            match token.kind {
                TokenKind::Version(major, minor) => {
                    if version {
                        return self.unexpected(
                            token,
                            "this is the second `%YAML` directive",
                            "remove it",
                        );
                    }
                    if major != 1 || !matches!(minor, 1 | 2) {
                        return self.unexpected(
                            token,
                            format!(
                                "YAML {major}.{minor} is no version that PyTorch's reader knows"
                            ),
                            "write `%YAML 1.1`, or remove the line",
                        );
                    }
                    version = true;
                }
                TokenKind::TagDirective(number) => {
                    let directive = self.scanner.directives[number].clone();
                    if self
                        .handles
                        .iter()
                        .any(|known| known.handle == directive.handle)
                    {
                        return self.unexpected(
                            token,
                            "this tag handle is already defined",
                            "remove one of the two",
                        );
                    }
                    if self.handles.len() >= MOST_HANDLES {
                        let message =
                            format!("the file defines more than {MOST_HANDLES} tag handles");
                        return Err(limit_error(token.span, message).into());
                    }
                    self.handles.push(directive);
                }
                _ => return Ok(token),
            }
            token = self.after()?;
        }
    }

    fn document_content(&mut self) -> Scanned<Event> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::Version(..)
            | TokenKind::TagDirective(_)
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                self.pop();
                let state = self.state;
                self.empty(token.span.start, state)
            }
            _ => self.node(Place::Block),
        }
    }

    fn document_end(&mut self) -> Scanned<Event> {
        let marked = matches!(self.peek()?.kind, TokenKind::DocumentEnd);
        if marked {
            self.scanner.take();
        }
        self.handles.clear();
        self.state = State::DocumentStart;
        Ok(Event::DocumentEnd(if marked {
            Ending::Marked
        } else {
            Ending::Implicit
        }))
    }

    /// libyaml: yaml_parser_parse_node.
    fn node(&mut self, place: Place) -> Scanned<Event> {
        let mut token = self.peek()?;
        if let TokenKind::Alias = token.kind {
            self.pop();
            self.scanner.take();
            return Ok(Event::Alias(token.span));
        }
        let mut props = Props {
            start: token.span.start,
            anchor: None,
            tag: None,
        };
        let mut end = token.span.start;
        loop {
            match token.kind {
                TokenKind::Anchor if props.anchor.is_none() => props.anchor = Some(token.span),
                TokenKind::Tag(number) if props.tag.is_none() => {
                    props.tag = Some((self.resolve_tag(number, token)?, token.span));
                }
                _ => break,
            }
            end = token.span.end;
            token = self.after()?;
        }
        let start = token.span.start;
        let block = place != Place::Flow;
        match token.kind {
            TokenKind::BlockEntry if place == Place::BlockValue => {
                self.state = State::IndentlessSequence;
                Ok(Event::SequenceStart(props, start))
            }
            TokenKind::Scalar(style, value) => {
                self.pop();
                self.scanner.take();
                Ok(Event::Scalar(props, token.span, style, value))
            }
            TokenKind::FlowSequenceStart => Ok(self.open(
                State::FlowSequenceFirst,
                token,
                Event::SequenceStart(props, start),
            )),
            TokenKind::FlowMappingStart => Ok(self.open(
                State::FlowMappingFirst,
                token,
                Event::MappingStart(props, start),
            )),
            TokenKind::BlockSequenceStart if block => Ok(self.open(
                State::BlockSequence,
                token,
                Event::SequenceStart(props, start),
            )),
            TokenKind::BlockMappingStart if block => Ok(self.open(
                State::BlockMappingKey,
                token,
                Event::MappingStart(props, start),
            )),
            _ if props.anchor.is_some() || props.tag.is_some() => {
                self.pop();
                Ok(empty_scalar(props, end))
            }
            _ => self.no_content(token, place),
        }
    }

    /// Enters a collection whose first token is `token`.
    fn open(&mut self, state: State, token: Token, event: Event) -> Event {
        self.marks
            .push(Span::new(token.span.start, token.span.start + 1));
        self.state = state;
        self.scanner.take();
        event
    }

    fn no_content(&self, token: Token, place: Place) -> Scanned<Event> {
        if place == Place::Flow {
            return self.flow_error(token, "no value can begin here");
        }
        match token.kind {
            TokenKind::BlockEntry => self.unexpected(
                token,
                "a list item cannot begin here",
                "begin the list on a line of its own, or quote the `-` when it is text",
            ),
            _ => self.unexpected(
                token,
                "no value can begin here",
                "remove this, or quote it when it is text",
            ),
        }
    }

    /// Something that cannot stand within brackets. When it stands on a later line than the bracket,
    /// the likely fault is the bracket.
    fn flow_error<T>(&self, token: Token, message: &'static str) -> Scanned<T> {
        let help =
            "separate the items with `, `, and quote a value that holds brackets, commas or `: `";
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
        let error = syntax_error(mark, format!("this `{open}` is not closed"))
            .with_help(format!(
                "close it with `{close}`, or quote the value when it is text"
            ))
            .with_related("this cannot stand within it", self.visible(token));
        Err(error.into())
    }

    /// The full name of a tag.
    fn resolve_tag(&self, number: usize, token: Token) -> Scanned<Tag> {
        let tag = &self.scanner.tags[number];
        if tag.handle.is_empty() {
            return Ok(Tag::from_name(&tag.rest));
        }
        let defined = self.handles.iter().find(|known| known.handle == tag.handle);
        let prefix = match (defined, &*tag.handle) {
            (Some(known), _) => &*known.rest,
            (None, "!") => "!",
            (None, "!!") => "tag:yaml.org,2002:",
            (None, _) => {
                return self.unexpected(
                    token,
                    "this tag's handle is defined nowhere",
                    "define it with `%TAG` before the document, or put the value in quotes when `!` belongs to it",
                );
            }
        };
        Ok(Tag::from_name(&format!("{prefix}{}", tag.rest)))
    }

    fn block_sequence(&mut self) -> Scanned<Event> {
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
            _ => self.unexpected(
                token,
                "an item of the list must begin here with `- `",
                "indent the line like the item that it belongs to, or begin an item with `- `",
            ),
        }
    }

    fn indentless_sequence(&mut self) -> Scanned<Event> {
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

    fn block_mapping_key(&mut self) -> Scanned<Event> {
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
                "a key of the mapping must begin here",
                "indent the line like the keys above it, and check that the line before it is complete",
            ),
        }
    }

    fn block_mapping_value(&mut self) -> Scanned<Event> {
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

    fn flow_sequence(&mut self) -> Scanned<Event> {
        let mut token = self.peek()?;
        if !matches!(token.kind, TokenKind::FlowSequenceEnd) && self.state == State::FlowSequence {
            if !matches!(token.kind, TokenKind::FlowEntry) {
                return self.flow_error(token, "`,` or `]` must follow an item of this list");
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

    fn flow_pair_key(&mut self) -> Scanned<Event> {
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

    fn flow_pair_value(&mut self) -> Scanned<Event> {
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

    fn flow_pair_end(&mut self) -> Scanned<Event> {
        self.state = State::FlowSequence;
        Ok(Event::CollectionEnd(None))
    }

    fn flow_mapping_key(&mut self) -> Scanned<Event> {
        let mut token = self.peek()?;
        if !matches!(token.kind, TokenKind::FlowMappingEnd) && self.state == State::FlowMappingKey {
            if !matches!(token.kind, TokenKind::FlowEntry) {
                return self.flow_error(token, "`,` or `}` must follow an item of this mapping");
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

    fn flow_mapping_value(&mut self) -> Scanned<Event> {
        let mut token = self.peek()?;
        if let TokenKind::Value = token.kind {
            token = self.after()?;
            if !matches!(token.kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                return self.node_then(Place::Flow, State::FlowMappingKey);
            }
        }
        self.empty(token.span.start, State::FlowMappingKey)
    }

    fn flow_mapping_empty_value(&mut self) -> Scanned<Event> {
        let token = self.peek()?;
        self.empty(token.span.start, State::FlowMappingKey)
    }
}

fn empty_scalar(props: Props, at: u32) -> Event {
    Event::Scalar(props, Span::at(at), Style::Plain, ValueRef::default())
}
