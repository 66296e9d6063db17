//! Turns tokens into events: libyaml's parser.c, state by state, with its quirks.

mod block;
mod document;
mod flow;
mod node;

use opatlas_source::Span;

use super::scanner::{Scanned, Scanner, TagText, Token, ValueRef};
use super::tag::Tag;
use super::tree::Style;

#[derive(Debug, Clone, Copy)]
pub(super) struct Props {
    /// Includes the properties.
    pub start: u32,
    pub anchor: Option<Span>,
    pub tag: Option<(Tag, Span)>,
}

impl Props {
    fn none(start: u32) -> Self {
        Self {
            start,
            anchor: None,
            tag: None,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    StreamEnd,
    /// The span is its `---`, empty if there is none.
    DocumentStart(Span),
    DocumentEnd(Ending),
    Alias(Span),
    Scalar(Props, Span, Style, ValueRef),
    SequenceStart(Props, u32),
    MappingStart(Props, u32),
    /// The end of its bracket, if it has one.
    CollectionEnd(Option<u32>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// At the end of the stream or the next document.
    Implicit,
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

#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Flow,
    Block,
    /// Here a sequence needs no indentation.
    BlockValue,
}

pub(super) struct Parser<'t> {
    pub scanner: Scanner<'t>,
    text: &'t str,
    state: State,
    states: Vec<State>,
    /// The starts of open collections, for messages.
    marks: Vec<Span>,
    handles: Vec<TagText>,
    /// Start of the last `-` of the outermost block sequence.
    pub entry: Option<u32>,
}

impl<'t> Parser<'t> {
    /// `from` must be the start of a line.
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

    /// Restarts at another line of the same document.
    pub fn restart(&mut self, from: usize) {
        self.scanner.restart(from);
        self.state = State::ImplicitDocumentStart;
        self.states.clear();
        self.marks.clear();
        self.entry = None;
    }

    /// After an error there are no more events.
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

    #[inline(always)]
    fn peek(&mut self) -> Scanned<Token> {
        self.scanner.peek()
    }

    #[inline(always)]
    fn after(&mut self) -> Scanned<Token> {
        self.scanner.take();
        self.scanner.peek()
    }

    fn pop(&mut self) {
        self.state = self.states.pop().unwrap_or(State::End);
    }

    fn empty(&mut self, at: u32, state: State) -> Scanned<Event> {
        self.state = state;
        Ok(empty_scalar(Props::none(at), at))
    }

    fn node_then(&mut self, place: Place, state: State) -> Scanned<Event> {
        self.states.push(state);
        self.node(place)
    }

    fn end_collection(&mut self, end: Option<u32>) -> Scanned<Event> {
        self.pop();
        self.marks.pop();
        self.scanner.take();
        Ok(Event::CollectionEnd(end))
    }
}

fn empty_scalar(props: Props, at: u32) -> Event {
    Event::Scalar(props, Span::at(at), Style::Plain, ValueRef::default())
}
