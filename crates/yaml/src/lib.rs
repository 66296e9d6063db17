//! YAML as PyTorch's loader reads it (PyYAML's CSafeLoader over libyaml 0.2.5), with the exact
//! position of every key and scalar.
//!
//! Text enters; trees with byte spans and diagnostics leave. Reading never fails: whatever the
//! loader would refuse is a diagnostic, and the rest of the file is still read. All work is linear
//! in the text: aliases are references; nesting, events and diagnostics are bounded.
//!
//! ```text
//! bytes -> encoding -> scanner -> parser -> build (+ check) -> tree
//! ```
//!
//! The scanner and parser follow libyaml instead of YAML 1.2. The two disagree about a quarter of
//! all unusual documents, in both directions, and PyTorch uses libyaml.

mod build;
mod check;
mod conflict;
mod construct;
mod encoding;
mod parser;
mod recover;
mod scalar;
mod scanner;
mod split;
mod tag;
mod tree;

use std::sync::Arc;

use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};

use build::{Builder, Built};

pub use check::is_constructed;
pub use encoding::{decode, decode_shared, decode_whole};
pub use scalar::ScalarType;
pub use split::split;
pub use tree::{Kind, NodeId, Scalar, Style, Tree};

/// The maximum nesting depth of collections.
pub const DEEPEST: usize = 100;

/// The maximum number of YAML events per file, more than ten times that of real files.
pub const MOST_EVENTS: usize = 1_000_000;

/// The maximum number of bytes that the aliases of a file may repeat; real files have no aliases.
pub const MOST_REPEATED: u64 = 1 << 20;

/// The maximum size of a text that is read.
pub const MAX_BYTES: usize = 1 << 30;

/// The maximum number of YAML diagnostics per file.
pub const MOST_DIAGNOSTICS: usize = 1_000;

/// One item of a file's list.
#[derive(Debug, Clone)]
pub struct Item {
    /// The tree that contains it; items of one file may share it.
    pub tree: Arc<Tree>,
    /// The item's node.
    pub root: NodeId,
    /// The offset of the tree's text in the file.
    pub base: u32,
    /// The whole item, without its `- ` and without comments after it, relative to `base`.
    pub span: Span,
    /// What the loader rejects in it; spans are relative to `base`.
    pub diagnostics: Vec<Diagnostic>,
    /// The number of bytes that its aliases repeat.
    pub repeated: u64,
}

/// The root of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// No document, null, or nothing that could be read.
    Empty,
    /// A list: see [`Document::items`].
    Sequence,
    /// A mapping.
    Mapping(NodeId),
    /// A scalar other than null.
    Scalar(NodeId),
}

/// A whole file.
#[derive(Debug, Clone)]
pub struct Document {
    /// The tree; its text is the whole file.
    pub tree: Option<Arc<Tree>>,
    /// The root of the file.
    pub root: Root,
    /// The root's node; `None` when it could not be read as a whole.
    pub root_id: Option<NodeId>,
    /// The items, if the root is a list.
    pub items: Vec<Item>,
    /// Diagnostics outside of the items, with spans relative to the file.
    pub diagnostics: Vec<Diagnostic>,
    /// The entries (or the part of the file) that could not be read. Each has a diagnostic.
    pub unread: Vec<Span>,
    /// The number of bytes that aliases repeat.
    pub repeated: u64,
}

impl Document {
    /// Drops what aliases repeat beyond [`MOST_REPEATED`].
    #[must_use]
    pub fn bounded(mut self) -> Self {
        if self.repeated <= MOST_REPEATED {
            return self;
        }
        let mut repeated = 0_u64;
        let mut at = Span::at(0);
        let mut fits = |item: &Item| {
            repeated = repeated.saturating_add(item.repeated);
            let fits = repeated <= MOST_REPEATED;
            if !fits && at.is_empty() {
                at = item.span.shifted(item.base);
            }
            fits
        };
        match self.root {
            Root::Sequence => {
                let count = self.items.iter().take_while(|item| fits(item)).count();
                self.items.truncate(count);
            }
            _ => self.root = Root::Empty,
        }
        let message = message!(
            "aliases repeat more than {} bytes of text; Opatlas ignores the rest",
            MOST_REPEATED
        );
        self.diagnostics.push(limit_error(at, message));
        self.unread.push(at);
        self
    }
}

/// Parses one piece of [`split`]; the caller sets [`Item::base`].
///
/// `None` unless it is a list of exactly one item without anchors, aliases, directives and document
/// markers. If any piece is `None`, use [`parse`] for the file.
#[must_use]
pub fn parse_chunk(chunk: &str) -> Option<Item> {
    if chunk.len() > MAX_BYTES {
        return None;
    }
    let mut builder = Builder::new(chunk, 0);
    builder.run().ok()?;
    let unclean = builder.seen.markers || builder.seen.anchors || builder.is_full();
    let apart = !builder.diagnostics.is_empty() || !builder.document_diagnostics.is_empty();
    if unclean || apart || builder.items.len() != 1 {
        return None;
    }
    let Built {
        root,
        span,
        diagnostics,
        repeated,
    } = builder.items.pop()?;
    let (arena, decoded) = builder.into_parts();
    Some(Item {
        tree: Arc::new(arena.into_tree(decoded, chunk.into())),
        root,
        base: 0,
        span,
        diagnostics,
        repeated,
    })
}

/// Parses a whole file. A fault costs its list entry, or the rest of a file that is not a list.
#[must_use]
pub fn parse(text: &str) -> Document {
    parse_shared(&text.into())
}

/// Like [`parse`]; the tree shares the text.
#[must_use]
pub fn parse_shared(text: &Arc<str>) -> Document {
    if text.len() > MAX_BYTES {
        let message = message!(
            "the file is longer than {} bytes; Opatlas does not read it",
            MAX_BYTES
        );
        return Document {
            tree: None,
            root: Root::Empty,
            root_id: None,
            items: Vec::new(),
            diagnostics: vec![limit_error(Span::at(0), message)],
            unread: vec![Span::new(0, u32::MAX)],
            repeated: 0,
        };
    }
    let mut builder = Builder::new(text, 0);
    let unread = recover::read(&mut builder, text);
    let built = std::mem::take(&mut builder.items);
    let mut diagnostics = std::mem::take(&mut builder.document_diagnostics);
    diagnostics.append(&mut builder.diagnostics);
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    let listed = builder.listed;
    let root_id = builder.root.filter(|_| unread.is_empty());
    let repeated = builder.repeated();
    let (arena, decoded) = builder.into_parts();
    let tree = Arc::new(arena.into_tree(decoded, Arc::clone(text)));
    let items = built
        .into_iter()
        .map(
            |Built {
                 root,
                 span,
                 diagnostics,
                 repeated,
             }| Item {
                tree: Arc::clone(&tree),
                root,
                base: 0,
                span,
                diagnostics,
                repeated,
            },
        )
        .collect::<Vec<_>>();
    let root = match root_id {
        _ if !items.is_empty() => Root::Sequence,
        Some(root) => root_of(&tree, root),
        None if listed => Root::Sequence,
        None => Root::Empty,
    };
    Document {
        tree: Some(tree),
        root,
        root_id,
        items,
        diagnostics,
        unread,
        repeated,
    }
}

fn root_of(tree: &Tree, root: NodeId) -> Root {
    match tree.kind(root) {
        Kind::Sequence(_) => Root::Sequence,
        Kind::Mapping(_) => Root::Mapping(root),
        Kind::Scalar(Scalar {
            ty: ScalarType::Null,
            ..
        })
        | Kind::Recursive => Root::Empty,
        Kind::Scalar(_) => Root::Scalar(root),
    }
}

fn syntax_error(span: Span, message: impl Into<opatlas_source::Message>) -> Diagnostic {
    Diagnostic::new(RuleId::YamlSyntax, span, message)
}

fn limit_error(span: Span, message: impl Into<opatlas_source::Message>) -> Diagnostic {
    Diagnostic::new(RuleId::YamlLimit, span, message).with_help(
        "real files stay far below this limit, which bounds the time and memory to read a file",
    )
}
