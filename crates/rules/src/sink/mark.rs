//! What the sink knows of every finding.

use opatlas_source::Span;

use crate::rule::Rule;

/// Stands for a finding that is not held in full.
pub(super) const COUNTED: u32 = u32::MAX;

/// What is known of every finding.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) rule: &'static Rule,
    pub(super) span: Span,
    /// Of the message and the operator.
    pub(super) hash: u64,
    /// Index into the files.
    pub(super) file: u16,
    pub(super) suppressed: bool,
    /// Index into the findings in full, or [`COUNTED`].
    pub(super) full: u32,
}
