//! Tokens.

use opatlas_source::Span;

use super::super::tree::Style;
use super::ValueRef;

/// A piece of syntax and the bytes it was read from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    /// What.
    pub kind: TokenKind,
    /// Where.
    pub span: Span,
}

/// libyaml's tokens without the first, which says nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TokenKind {
    StreamEnd,
    /// `%YAML major.minor`.
    Version(u32, u32),
    /// `%TAG`, by number in [`super::Scanner::directives`].
    TagDirective(usize),
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    /// By number in [`super::Scanner::tags`].
    Tag(usize),
    Scalar(Style, ValueRef),
}

/// A tag or a `%TAG` directive: a handle and what follows it, escapes decoded.
#[derive(Debug, Clone)]
pub(crate) struct TagText {
    /// `!`, `!!`, `!name!`; empty for `!<verbatim>` and for `!` alone.
    pub handle: Box<str>,
    /// The suffix; of a directive its prefix.
    pub rest: Box<str>,
}
