//! What the sink keeps of every finding.

use opatlas_source::Span;

use crate::rule::Rule;

/// The [`Mark::full`] of a finding that is only counted.
pub(super) const COUNTED: u32 = u32::MAX;

/// One finding, in short.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) rule: &'static Rule,
    pub(super) span: Span,
    /// Hash of the message and the operator.
    pub(super) hash: u64,
    /// Index into the files.
    pub(super) file: u16,
    pub(super) suppressed: bool,
    /// Index of the full finding, or [`COUNTED`].
    pub(super) full: u32,
}
