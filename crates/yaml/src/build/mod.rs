//! Builds the tree from events, like PyYAML's composer and constructor in one pass.

mod collection;

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};
use rustc_hash::{FxHashMap, FxHashSet};

use super::parser::{Ending, Event, Parser, Props};
use super::scalar::ScalarType;
use super::scanner::{Decoded, Scanned, ValueRef};
use super::tag::Tag;
use super::tree::{Arena, Content, NodeId, Style};
use super::{MOST_DIAGNOSTICS, MOST_EVENTS, check, limit_error};
use collection::{Open, Shape};

#[derive(Debug)]
pub(super) struct Built {
    pub root: NodeId,
    /// Includes its tags and anchors.
    pub span: Span,
    pub diagnostics: Vec<Diagnostic>,
    /// Bytes that its aliases repeat.
    pub repeated: u64,
}

#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Seen {
    pub markers: bool,
    pub anchors: bool,
}

pub(super) struct Builder<'t> {
    text: &'t str,
    pub parser: Parser<'t>,
    pub arena: Arena,
    pending: Vec<NodeId>,
    open: Vec<Open>,
    anchors: FxHashMap<&'t str, NodeId>,
    /// Bytes that aliases repeat so far.
    repeated: u64,
    repeated_in_items: u64,
    /// Bytes that aliases repeat, per collection.
    repeated_by: FxHashMap<NodeId, u64>,
    /// Anchors in entries that could not be parsed.
    pub lost: FxHashSet<&'t str>,
    /// Nesting depth below which nothing is constructed.
    ignoring: usize,
    events: usize,
    end: u32,
    /// The items of root sequences, of all documents.
    pub items: Vec<Built>,
    /// The first root that is not empty.
    pub root: Option<NodeId>,
    pub in_sequence: bool,
    pub listed: bool,
    pub diagnostics: Vec<Diagnostic>,
    pub document_diagnostics: Vec<Diagnostic>,
    said: usize,
    documents: usize,
    /// Whether the next document continues one that was left at an error.
    resumed: bool,
    pub seen: Seen,
}

impl<'t> Builder<'t> {
    /// `from` must be the start of a line.
    pub fn new(text: &'t str, from: usize) -> Self {
        // A line has about two nodes.
        let nodes = (text.len().saturating_sub(from) / 16).clamp(8, 1 << 10);
        Self {
            text,
            parser: Parser::new(text, from),
            arena: Arena::with_capacity(nodes),
            pending: Vec::with_capacity(nodes),
            open: Vec::with_capacity(4),
            anchors: FxHashMap::default(),
            repeated: 0,
            repeated_in_items: 0,
            repeated_by: FxHashMap::default(),
            lost: FxHashSet::default(),
            ignoring: 0,
            events: 0,
            end: 0,
            items: Vec::new(),
            root: None,
            in_sequence: false,
            listed: false,
            diagnostics: Vec::new(),
            document_diagnostics: Vec::new(),
            said: 0,
            documents: 0,
            resumed: false,
            seen: Seen::default(),
        }
    }

    pub fn run(&mut self) -> Scanned<()> {
        loop {
            self.events += 1;
            if self.is_exhausted() {
                let at = Span::at(self.end);
                let message = message!(
                    "the file has more than {} YAML events; Opatlas ignores the rest",
                    MOST_EVENTS
                );
                return Err(limit_error(at, message).into());
            }
            // Not `?`, which would copy each event once more.
            match self.parser.next() {
                Err(error) => return Err(error),
                Ok(Event::StreamEnd) => return Ok(()),
                Ok(Event::DocumentStart(span)) => self.start_document(span),
                Ok(Event::DocumentEnd(ending)) => self.end_document(ending),
                Ok(Event::Alias(span)) => self.alias(span),
                Ok(Event::Scalar(props, span, style, value)) => {
                    self.scalar(props, span, style, value)
                }
                Ok(Event::SequenceStart(props, start)) => {
                    self.start(props, start, Shape::Sequence)?
                }
                Ok(Event::MappingStart(props, start)) => {
                    self.start(props, start, Shape::Mapping)?
                }
                Ok(Event::CollectionEnd(end)) => self.finish(end),
            }
        }
    }

    pub fn restart(&mut self, from: usize) {
        for open in self.open.drain(..) {
            self.anchors.retain(|_, id| *id != open.id);
        }
        self.pending.clear();
        self.ignoring = 0;
        self.in_sequence = false;
        self.resumed = self.documents > 0;
        self.parser.restart(from);
    }

    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    pub fn into_parts(self) -> (Arena, Decoded) {
        (self.arena, self.parser.scanner.decoded)
    }

    fn say(&mut self, diagnostic: Diagnostic) {
        self.said += 1;
        if self.said < MOST_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else if self.said == MOST_DIAGNOSTICS {
            let message = message!(
                "this file has {} YAML findings; Opatlas omits the rest",
                MOST_DIAGNOSTICS
            );
            self.document_diagnostics
                .push(limit_error(diagnostic.span, message));
        }
    }

    fn complain(&mut self, complaint: Option<Diagnostic>) {
        if let Some(complaint) = complaint
            && self.ignoring == 0
        {
            self.say(complaint);
        }
    }

    pub fn say_document(&mut self, diagnostic: Diagnostic) {
        self.said += 1;
        self.document_diagnostics.push(diagnostic);
    }

    pub fn is_exhausted(&self) -> bool {
        self.events > MOST_EVENTS
    }

    pub fn is_full(&self) -> bool {
        self.said >= MOST_DIAGNOSTICS
    }

    fn start_document(&mut self, span: Span) {
        self.seen.markers |= !span.is_empty();
        if std::mem::take(&mut self.resumed) {
            return;
        }
        self.documents += 1;
        self.anchors.clear();
        if self.documents == 2 {
            let help =
                "keep one document: remove the `---` line, or move the rest into another file";
            self.say_document(
                Diagnostic::new(
                    RuleId::YamlSingleDocument,
                    span,
                    "the second document starts here",
                )
                .with_help(help),
            );
        }
    }

    fn end_document(&mut self, ending: Ending) {
        self.seen.markers |= ending == Ending::Marked;
        self.in_sequence = false;
    }

    fn alias(&mut self, span: Span) {
        self.seen.anchors = true;
        self.end = span.end;
        let name = span.slice(self.text).get(1..).unwrap_or("");
        let id = match self.anchors.get(name) {
            Some(&id) if self.open.iter().any(|open| open.id == id) => {
                self.arena.add(span, Content::Recursive)
            }
            // An alias cannot have an anchor, so its target is never an alias.
            Some(&id) => {
                let own = self.arena.node(id).span.len() as u64;
                let within = self.repeated_by.get(&id).copied().unwrap_or(0);
                self.repeated = self.repeated.saturating_add(own).saturating_add(within);
                self.arena.add(span, Content::Alias(id))
            }
            None => {
                if !self.lost.contains(name) {
                    self.say(check::undefined_alias(span, name));
                }
                NodeId::MISSING
            }
        };
        self.add(id, span);
    }

    fn scalar(&mut self, props: Props, span: Span, style: Style, value: ValueRef) {
        let text = self.value(value);
        let (ty, complaint) = match (props.tag, style) {
            (None, Style::Plain) => check::plain(text, span),
            (None, _) => (ScalarType::Str, None),
            (Some((Tag::NonSpecific, at)), _) if !span.is_empty() => {
                check::non_specific(text, span, at)
            }
            (Some((tag, at)), _) => check::tagged(tag, text, at),
        };
        self.complain(complaint);
        let id = self.arena.add(span, Content::Scalar { value, style, ty });
        self.anchor(props, id);
        self.end = span.end;
        self.add(id, Span::new(props.start, span.end));
    }

    fn anchor(&mut self, props: Props, id: NodeId) {
        let Some(span) = props.anchor else { return };
        self.seen.anchors = true;
        let name = span.slice(self.text).get(1..).unwrap_or("");
        if let Some(first) = self.anchors.insert(name, id) {
            let first = self.arena.node(first).span;
            self.say(check::repeated_anchor(span, name, first));
        }
    }

    fn add(&mut self, id: NodeId, span: Span) {
        match self.open.len() {
            0 => {
                let empty = |root| {
                    matches!(
                        self.arena.content(root),
                        Content::Scalar {
                            ty: ScalarType::Null,
                            ..
                        }
                    )
                };
                if id != NodeId::MISSING && self.root.is_none_or(empty) {
                    self.root = Some(id);
                }
            }
            1 if self.in_sequence => {
                self.parser.entry = None;
                let mut diagnostics = std::mem::take(&mut self.diagnostics);
                if id == NodeId::MISSING {
                    self.document_diagnostics.append(&mut diagnostics);
                } else {
                    self.items.push(Built {
                        root: id,
                        span,
                        diagnostics,
                        repeated: self.repeated - self.repeated_in_items,
                    });
                    self.repeated_in_items = self.repeated;
                }
                self.pending.push(id);
            }
            _ => self.pending.push(id),
        }
    }

    fn value(&self, value: ValueRef) -> &str {
        let (at, len) = (value.at as usize, value.len as usize);
        let found = match at.checked_sub(self.text.len()) {
            Some(at) if len > 0 => self.parser.scanner.decoded.values.get(at..at + len),
            _ => self.text.get(at..at + len),
        };
        found.unwrap_or("")
    }
}
