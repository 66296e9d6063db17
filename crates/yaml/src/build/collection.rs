//! Lists and mappings.

use opatlas_source::{Span, message};

use super::super::parser::Props;
use super::super::scanner::{Scanned, offset};
use super::super::tag::Tag;
use super::super::tree::{Content, NodeId};
use super::super::{DEEPEST, check, limit_error};
use super::Builder;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    Sequence,
    Mapping,
}

pub(super) struct Open {
    pub id: NodeId,
    from: usize,
    shape: Shape,
    pub tag: Option<(Tag, Span)>,
    start: u32,
    repeated: u64,
}

impl Builder<'_> {
    pub(super) fn start(&mut self, props: Props, start: u32, shape: Shape) -> Scanned<()> {
        if self.open.len() >= DEEPEST {
            let message = message!(
                "collections are nested more than {} levels deep here",
                DEEPEST
            );
            return Err(limit_error(Span::at(start), message).into());
        }
        if self.open.is_empty() {
            self.in_sequence = shape == Shape::Sequence;
            self.listed |= self.in_sequence;
        }
        let content = match shape {
            Shape::Sequence => Content::Sequence { from: 0, to: 0 },
            Shape::Mapping => Content::Mapping { from: 0, to: 0 },
        };
        let id = self.arena.add(Span::at(start), content);
        self.anchor(props, id);
        if props.tag.is_some_and(|(tag, _)| tag.is_scalar()) {
            self.ignoring += 1;
        }
        self.open.push(Open {
            id,
            from: self.pending.len(),
            shape,
            tag: props.tag,
            start: props.start,
            repeated: self.repeated,
        });
        self.end = start;
        Ok(())
    }

    pub(super) fn finish(&mut self, end: Option<u32>) {
        let Some(open) = self.open.pop() else { return };
        if let Some(end) = end {
            self.end = end;
        }
        let start = self.arena.node(open.id).span.start;
        let span = Span::new(start, self.end.max(start));
        self.arena.node_mut(open.id).span = span;
        let content = match open.shape {
            Shape::Sequence => self.close_sequence(open.from),
            Shape::Mapping => self.close_mapping(open.from),
        };
        self.arena.node_mut(open.id).content = content;
        if self.repeated > open.repeated {
            self.repeated_by
                .insert(open.id, self.repeated - open.repeated);
        }
        if let Some((tag, at)) = open.tag {
            self.retag(open.id, tag, at);
        }
        if self.ignoring == 0 {
            self.check_keys(&open);
        }
        self.add(open.id, Span::new(open.start, span.end));
    }

    fn close_sequence(&mut self, from: usize) -> Content {
        let first = self.arena.items.len();
        let children = self.pending.drain(from..);
        self.arena
            .items
            .extend(children.filter(|&id| id != NodeId::MISSING));
        Content::Sequence {
            from: offset(first),
            to: offset(self.arena.items.len()),
        }
    }

    fn close_mapping(&mut self, from: usize) -> Content {
        let first = self.arena.pairs.len();
        for pair in self.pending[from..].chunks_exact(2) {
            if pair[0] != NodeId::MISSING && pair[1] != NodeId::MISSING {
                self.arena.pairs.push((pair[0], pair[1]));
            }
        }
        self.pending.truncate(from);
        Content::Mapping {
            from: offset(first),
            to: offset(self.arena.pairs.len()),
        }
    }

    fn retag(&mut self, id: NodeId, tag: Tag, at: Span) {
        if tag.is_scalar() {
            self.ignoring -= 1;
        }
        match check::collection(&self.arena, id, tag, at) {
            check::Retagged::Same => {}
            check::Retagged::As(content) => {
                self.arena.node_mut(id).content = content;
                self.retype(id, tag, at);
            }
            check::Retagged::Refused(complaint) => self.complain(Some(complaint)),
        }
    }

    /// A mapping with a scalar's tag represents the value under its key `=`.
    fn retype(&mut self, id: NodeId, tag: Tag, at: Span) {
        let Content::Scalar { value, style, .. } = self.arena.node(id).content else {
            return;
        };
        let (ty, complaint) = check::tagged(tag, self.value(value), at);
        self.arena.node_mut(id).content = Content::Scalar { value, style, ty };
        self.complain(complaint);
    }

    fn check_keys(&mut self, open: &Open) {
        let Content::Mapping { from, to } = self.arena.node(open.id).content else {
            return;
        };
        let listed = self.open.last().and_then(|parent| parent.tag);
        if listed.is_some_and(|(tag, _)| matches!(tag, Tag::Omap | Tag::Pairs)) {
            return;
        }
        let pairs = &self.arena.pairs[from as usize..to as usize];
        let key = |number: usize| {
            let (key, _) = pairs[number];
            let span = self.arena.node(key).span;
            match self.arena.content(key) {
                Content::Scalar { value, ty, .. } => (span, Some((ty, self.value(value)))),
                _ => (span, None),
            }
        };
        for complaint in check::keys(pairs.len(), key) {
            self.say(complaint);
        }
    }
}
