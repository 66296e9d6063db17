//! Where revisions are kept.
