//! Differences between two revisions and what they break.
