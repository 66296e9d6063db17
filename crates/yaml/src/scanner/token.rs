//! Tokens.

use opatlas_source::Span;

use super::super::tree::Style;
use super::ValueRef;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub span: Span,
}

/// libyaml's tokens without `STREAM-START`.
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

#[derive(Debug, Clone)]
pub(crate) struct TagText {
    /// `!`, `!!`, `!name!`; empty for `!<verbatim>` and for `!` alone.
    pub handle: Box<str>,
    /// The suffix of a tag, or the prefix of a directive.
    pub rest: Box<str>,
}
