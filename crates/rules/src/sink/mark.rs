//! The compact form of a finding.

use opatlas_source::Span;

use crate::rule::Rule;

/// The [`Mark::full`] of a finding that is only counted.
pub(super) const COUNTED: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) rule: &'static Rule,
    pub(super) span: Span,
    pub(super) hash: u64,
    pub(super) file: u16,
    pub(super) suppressed: bool,
    pub(super) full: u32,
}
