//! Marks of the state of a database, which tell without a query whether anything was committed.

use std::fmt;

/// The state of a database at some moment. While [`Store::mark`](super::Store::mark) gives an equal one,
/// no project, revision, label, commit or exception has changed.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mark([u64; 6]);

impl Mark {
    /// A mark made of numbers that a database counts up with every commit.
    #[must_use]
    pub fn new(numbers: [u64; 6]) -> Self {
        Self(numbers)
    }
}

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mark(")?;
        self.0
            .iter()
            .try_for_each(|number| write!(f, "{number:x}."))?;
        f.write_str(")")
    }
}
