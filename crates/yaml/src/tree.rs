//! The tree: an arena of nodes, each with its exact place in the text.

use std::ops::Range;
use std::sync::Arc;

use opatlas_source::Span;

use super::scalar::ScalarType;
use super::scanner::{Decoded, Piece, ValueRef, offset};

/// A node of a [`Tree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NodeId(u32);

impl NodeId {
    /// A node that could not be made, while the tree is built.
    pub(super) const MISSING: Self = Self(u32::MAX);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The style of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Style {
    /// Without quotes.
    Plain,
    /// `'...'`.
    SingleQuoted,
    /// `"..."`.
    DoubleQuoted,
    /// `|`.
    Literal,
    /// `>`.
    Folded,
}

/// A scalar's content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar<'t> {
    /// Its text, with escapes and line breaks resolved.
    pub value: &'t str,
    /// Its style.
    pub style: Style,
    /// Its type in PyTorch's loader.
    pub ty: ScalarType,
}

/// A node's content. Aliases are followed.
#[derive(Debug, Clone, Copy)]
pub enum Kind<'t> {
    /// A scalar.
    Scalar(Scalar<'t>),
    /// A list.
    Sequence(&'t [NodeId]),
    /// Keys and values in source order, repeated keys included.
    Mapping(&'t [(NodeId, NodeId)]),
    /// An alias to an enclosing node.
    Recursive,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Content {
    Scalar {
        value: ValueRef,
        style: Style,
        ty: ScalarType,
    },
    Sequence {
        from: u32,
        to: u32,
    },
    Mapping {
        from: u32,
        to: u32,
    },
    Alias(NodeId),
    Recursive,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub span: Span,
    pub content: Content,
}

/// An immutable YAML document, possibly incomplete, with spans relative to its text.
#[derive(Debug, Default)]
pub struct Tree {
    pub(super) text: Arc<str>,
    /// A value offset past the length of the text points in here.
    pub(super) decoded: Box<str>,
    pub(super) pieces: Vec<Piece>,
    pub(super) ranges: Vec<(u32, u32)>,
    pub(super) nodes: Vec<Node>,
    pub(super) items: Vec<NodeId>,
    pub(super) pairs: Vec<(NodeId, NodeId)>,
}

impl Tree {
    /// The text that the tree was read from.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The content of a node; follows aliases.
    #[must_use]
    pub fn kind(&self, id: NodeId) -> Kind<'_> {
        match self.target(id).content {
            Content::Scalar { value, style, ty } => Kind::Scalar(Scalar {
                value: self.value(value),
                style,
                ty,
            }),
            Content::Sequence { from, to } => {
                Kind::Sequence(&self.items[from as usize..to as usize])
            }
            Content::Mapping { from, to } => Kind::Mapping(&self.pairs[from as usize..to as usize]),
            Content::Alias(_) | Content::Recursive => Kind::Recursive,
        }
    }

    /// The position of the node in the text, without tags and anchors: an alias itself, a quoted
    /// scalar with its quotes, a block scalar from its indicator to the end of its last line.
    #[must_use]
    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id.index()].span
    }

    /// The value of a scalar of type `str`.
    #[must_use]
    pub fn str_value(&self, id: NodeId) -> Option<&str> {
        match self.kind(id) {
            Kind::Scalar(Scalar {
                value,
                ty: ScalarType::Str,
                ..
            }) => Some(value),
            _ => None,
        }
    }

    /// The source position of `range` in a scalar's value; follows aliases. Escapes and folded line
    /// breaks are not divided. Any other node returns its own span.
    #[must_use]
    pub fn place(&self, id: NodeId, range: Range<usize>) -> Span {
        let node = self.target(id);
        let Content::Scalar { value, .. } = node.content else {
            return self.span(id);
        };
        let start = offset(range.start).min(value.len);
        let end = offset(range.end).clamp(start, value.len);
        if value.len == 0 {
            return Span::at(node.span.start);
        }
        if value.pieces == 0 {
            return Span::new(value.at + start, value.at + end);
        }
        let (from, to) = self.ranges[value.pieces as usize - 1];
        let pieces = &self.pieces[from as usize..to as usize];
        if start == end {
            return Span::at(begin(pieces, start, value.len));
        }
        Span::new(begin(pieces, start, value.len), finish(pieces, end))
    }

    fn target(&self, id: NodeId) -> &Node {
        let node = &self.nodes[id.index()];
        match node.content {
            // Aliases are resolved when they are read, so this is never another alias.
            Content::Alias(target) => &self.nodes[target.index()],
            _ => node,
        }
    }

    pub(super) fn value(&self, value: ValueRef) -> &str {
        let (at, len) = (value.at as usize, value.len as usize);
        let found = match at.checked_sub(self.text.len()) {
            Some(at) if len > 0 => self.decoded.get(at..at + len),
            _ => self.text.get(at..at + len),
        };
        found.unwrap_or("")
    }
}

/// The source position of byte `at` of a value; the end of a value is the end of its last byte.
fn begin(pieces: &[Piece], at: u32, len: u32) -> u32 {
    if at == len {
        return finish(pieces, at);
    }
    let number = pieces.partition_point(|piece| piece.value <= at);
    match number.checked_sub(1).map(|number| pieces[number]) {
        Some(piece) if piece.spelled == 0 => piece.source + (at - piece.value),
        Some(piece) => piece.source,
        None => 0,
    }
}

/// The source position after the byte before `at`.
fn finish(pieces: &[Piece], at: u32) -> u32 {
    let number = pieces.partition_point(|piece| piece.value < at);
    match number.checked_sub(1).map(|number| pieces[number]) {
        Some(piece) if piece.spelled == 0 => piece.source + (at - piece.value),
        Some(piece) => piece.source + piece.spelled,
        None => 0,
    }
}

#[derive(Debug, Default)]
pub(super) struct Arena {
    pub nodes: Vec<Node>,
    pub items: Vec<NodeId>,
    pub pairs: Vec<(NodeId, NodeId)>,
}

impl Arena {
    /// About half of the nodes are in pairs.
    pub fn with_capacity(nodes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
            items: Vec::new(),
            pairs: Vec::with_capacity(nodes / 2),
        }
    }

    pub fn add(&mut self, span: Span, content: Content) -> NodeId {
        self.nodes.push(Node { span, content });
        NodeId(offset(self.nodes.len() - 1))
    }

    pub fn into_tree(self, decoded: Decoded, text: Arc<str>) -> Tree {
        Tree {
            text,
            decoded: decoded.values.into(),
            pieces: decoded.pieces,
            ranges: decoded.ranges,
            nodes: self.nodes,
            items: self.items,
            pairs: self.pairs,
        }
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    pub fn node_mut(&mut self, id: NodeId) -> &mut Node {
        &mut self.nodes[id.index()]
    }

    pub fn content(&self, id: NodeId) -> Content {
        match self.node(id).content {
            Content::Alias(target) => self.node(target).content,
            content => content,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Kind, NodeId, Tree, parse};

    fn check(text: &str, value: &str, part: &str, expected: &str) {
        let document = parse(text);
        let item = &document.items[0];
        assert_eq!(item.tree.str_value(item.root), Some(value), "{text:?}");
        let at = value.find(part).expect("the part is in the value");
        let place = item.tree.place(item.root, at..at + part.len());
        assert_eq!(place.slice(text), expected, "{text:?}");
    }

    #[test]
    fn parts_of_values_are_found_in_the_text() {
        check("- f(x) -> y\n", "f(x) -> y", "(x)", "(x)");
        check("- f(x,\n   y) -> z\n", "f(x, y) -> z", "y)", "y)");
        check("- f(x,\n   y) -> z\n", "f(x, y) -> z", ", y", ",\n   y");
        check("- 'it''s é x'\n", "it's é x", "s é", "s é");
        check("- 'it''s x'\n", "it's x", "t'", "t''");
        check("- \"a\\x41\\\n  b\\tc\"\n", "aAb\tc", "b\t", "b\\t");
        check("- \"a\\x41\\\n  b\\tc\"\n", "aAb\tc", "aA", "a\\x41");
        check("- >-\n  f(x,\n  y)\n\n  z\n", "f(x, y)\nz", "y)", "y)");
        check("- >-\n  f(x,\n  y)\n\n  z\n", "f(x, y)\nz", "z", "z");
        check("- |\r\n  a\r\n   b\r\n", "a\n b\n", "a\n b", "a\r\n   b");
        check("- |2-\n    a\n", "  a", "a", "a");
        check("- \"x\\\n  y\"\n", "xy", "x", "x");
    }

    #[test]
    fn aliases_have_their_own_span_and_the_places_of_what_they_stand_for() {
        let text = "- &x 'abc'\n- [*x]\n";
        let document = parse(text);
        let item = &document.items[1];
        let Kind::Sequence(&[alias]) = item.tree.kind(item.root) else {
            panic!("the item is a list of one");
        };
        let tree: &Tree = &item.tree;
        let id: NodeId = alias;
        assert_eq!(tree.str_value(id), Some("abc"));
        assert_eq!(tree.span(id).slice(text), "*x");
        assert_eq!(tree.place(id, 1..3).slice(text), "bc");
        assert_eq!(tree.place(id, 3..3).start, 9);
    }
}
