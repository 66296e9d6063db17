//! YAML with the place of everything.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use granit_parser::{Event, Parser, ScalarStyle};

use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// A node of a [`Tree`].
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct NodeId(u32);
/// What a scalar is constructed as.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
#[expect(missing_docs, reason = "YAML's own words")]
pub enum ScalarType {
    Null,
    Bool(bool),
    Int,
    Float,
    Timestamp,
    Str,
    Binary,
    Merge,
    Value,
}
/// A scalar.
#[derive(Copy, Clone, Debug)]
pub struct Scalar<'t> {
    /// Decoded.
    pub value: &'t str,
    /// Type.
    pub ty: ScalarType,
}
/// What a node is.
#[derive(Copy, Clone, Debug)]
#[expect(missing_docs, reason = "YAML's own words")]
pub enum Kind<'t> {
    Scalar(Scalar<'t>),
    Sequence(&'t [NodeId]),
    Mapping(&'t [(NodeId, NodeId)]),
    Recursive,
}
#[derive(Debug)]
enum Data {
    Scalar(Box<str>, ScalarType),
    Sequence(Vec<NodeId>),
    Mapping(Vec<(NodeId, NodeId)>),
}
/// A tree.
#[derive(Debug, Default)]
pub struct Tree {
    nodes: Vec<(Data, Span)>,
}
impl Tree {
    /// What a node is.
    pub fn kind(&self, id: NodeId) -> Kind<'_> {
        match &self.nodes[id.0 as usize].0 {
            Data::Scalar(value, ty) => Kind::Scalar(Scalar { value, ty: *ty }),
            Data::Sequence(items) => Kind::Sequence(items),
            Data::Mapping(pairs) => Kind::Mapping(pairs),
        }
    }
    /// Where it is.
    pub fn span(&self, id: NodeId) -> Span {
        self.nodes[id.0 as usize].1
    }
    /// Where a part of it is.
    pub fn place(&self, id: NodeId, range: Range<usize>) -> Span {
        let span = self.span(id);
        Span::new(
            span.start + range.start as u32,
            span.start + range.end as u32,
        )
    }
    /// Its text.
    pub fn str_value(&self, id: NodeId) -> Option<&str> {
        match self.kind(id) {
            Kind::Scalar(s) if s.ty == ScalarType::Str => Some(s.value),
            _ => None,
        }
    }
}
/// One item of the list.
#[derive(Debug)]
#[expect(missing_docs, reason = "interim")]
pub struct Item {
    pub tree: Arc<Tree>,
    pub root: NodeId,
    pub base: u32,
    pub span: Span,
    pub diagnostics: Vec<Diagnostic>,
}
/// What the root is.
#[derive(Debug)]
#[expect(missing_docs, reason = "interim")]
pub enum Root {
    Empty,
    Sequence,
    Mapping(NodeId),
    Scalar(NodeId),
}
/// A document.
#[derive(Debug)]
#[expect(missing_docs, reason = "interim")]
pub struct Document {
    pub tree: Option<Arc<Tree>>,
    pub root: Root,
    pub root_id: Option<NodeId>,
    pub items: Vec<Item>,
    pub diagnostics: Vec<Diagnostic>,
}
/// Decodes.
pub fn decode(bytes: &[u8]) -> (Cow<'_, str>, Vec<Diagnostic>) {
    (String::from_utf8_lossy(bytes), Vec::new())
}
/// Cuts.
pub fn split(text: &str) -> Option<Vec<Span>> {
    let mut starts: Vec<u32> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("- ") || line.trim_end() == "-" {
            starts.push(at);
        }
        at += line.len() as u32;
    }
    let ends: Vec<u32> = starts.iter().skip(1).copied().chain([at]).collect();
    Some(
        starts
            .into_iter()
            .zip(ends)
            .map(|(s, e)| Span::new(s, e))
            .collect(),
    )
}
fn scalar_type(value: &str) -> ScalarType {
    match value {
        "" | "~" | "null" | "Null" | "NULL" => ScalarType::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "on" | "On" => ScalarType::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "off" | "Off" => ScalarType::Bool(false),
        v if v.parse::<i64>().is_ok() => ScalarType::Int,
        _ => ScalarType::Str,
    }
}
fn build(text: &str) -> Result<(Tree, NodeId), Diagnostic> {
    let mut tree = Tree::default();
    let mut stack: Vec<(bool, Vec<NodeId>, u32)> = Vec::new();
    let mut root = None;
    for next in Parser::new_from_str(text) {
        let (event, span) = next.map_err(|e| {
            Diagnostic::new(
                "yaml-syntax",
                Span::at(e.marker().byte_offset().unwrap_or(0) as u32),
                e.to_string(),
            )
        })?;
        let start = span.start.byte_offset().unwrap_or(0) as u32;
        let end = span.end.byte_offset().unwrap_or(0) as u32;
        let done = match event {
            Event::Scalar(value, style, ..) => {
                let ty = if style == ScalarStyle::Plain {
                    scalar_type(&value)
                } else {
                    ScalarType::Str
                };
                Some((
                    Data::Scalar(value.as_ref().into(), ty),
                    Span::new(start, end),
                ))
            }
            Event::SequenceStart(..) => {
                stack.push((false, Vec::new(), start));
                None
            }
            Event::MappingStart(..) => {
                stack.push((true, Vec::new(), start));
                None
            }
            Event::SequenceEnd | Event::MappingEnd => stack.pop().map(|(map, items, from)| {
                let data = if map {
                    Data::Mapping(items.chunks(2).map(|p| (p[0], p[1])).collect())
                } else {
                    Data::Sequence(items)
                };
                (data, Span::new(from, end.max(from)))
            }),
            _ => None,
        };
        if let Some(node) = done {
            let id = NodeId(tree.nodes.len() as u32);
            tree.nodes.push(node);
            match stack.last_mut() {
                Some(parent) => parent.1.push(id),
                None => root = Some(id),
            }
        }
    }
    root.map(|r| (tree, r))
        .ok_or_else(|| Diagnostic::new("yaml-root-list", Span::at(0), "empty"))
}
/// One chunk.
pub fn parse_chunk(chunk: &str) -> Option<Item> {
    let (tree, root) = build(chunk).ok()?;
    let Kind::Sequence(&[item]) = tree.kind(root) else {
        return None;
    };
    Some(Item {
        span: tree.span(item),
        root: item,
        tree: Arc::new(tree),
        base: 0,
        diagnostics: Vec::new(),
    })
}
/// All.
pub fn parse(text: &str) -> Document {
    match build(text) {
        Ok((tree, root)) => {
            let tree = Arc::new(tree);
            let items = match tree.kind(root) {
                Kind::Sequence(items) => items
                    .iter()
                    .map(|&root| Item {
                        span: tree.span(root),
                        root,
                        tree: Arc::clone(&tree),
                        base: 0,
                        diagnostics: Vec::new(),
                    })
                    .collect(),
                _ => Vec::new(),
            };
            let kind = match tree.kind(root) {
                Kind::Sequence(_) => Root::Sequence,
                Kind::Mapping(_) => Root::Mapping(root),
                _ => Root::Scalar(root),
            };
            Document {
                tree: Some(tree),
                root: kind,
                root_id: Some(root),
                items,
                diagnostics: Vec::new(),
            }
        }
        Err(d) => Document {
            tree: None,
            root: Root::Empty,
            root_id: None,
            items: Vec::new(),
            diagnostics: vec![d],
        },
    }
}
