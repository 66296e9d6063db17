//! Marks of the state of a database.

/// The state of a database. While [`Store::mark`](super::Store::mark) returns an equal one, no
/// project, revision, label, commit or exception has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mark(u64);

impl Mark {
    /// The mark with this number, which the database changes with every commit.
    #[must_use]
    pub fn new(number: u64) -> Self {
        Self(number)
    }
}
