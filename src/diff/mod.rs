//! Differences between two revisions and what they break.

pub mod official;
pub mod rules;
