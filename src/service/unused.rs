//! Memory that long answers work in, kept for the next one.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Things that nobody uses at the moment, a few at most. What is freed and allocated anew comes from the system, page by
/// page, if it is large: of a comparison of 8 MB these were a quarter of all page faults.
#[derive(Debug)]
pub(super) struct Unused<T> {
    kept: Mutex<Vec<T>>,
    most: usize,
}

impl<T> Unused<T> {
    /// Keeps so many at most.
    pub(super) const fn new(most: usize) -> Self {
        Self {
            kept: Mutex::new(Vec::new()),
            most,
        }
    }

    /// One that nobody uses.
    pub(super) fn take(&self) -> Option<T> {
        self.kept().pop()
    }

    /// Keeps this one, unless there are enough.
    pub(super) fn give(&self, thing: T) {
        let mut kept = self.kept();
        if kept.len() < self.most {
            kept.push(thing);
        }
    }

    fn kept(&self) -> MutexGuard<'_, Vec<T>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_are_kept() {
        let unused = Unused::new(2);
        assert_eq!(unused.take(), None);
        (0..5).for_each(|thing| unused.give(thing));
        assert_eq!([(); 3].map(|()| unused.take()), [Some(1), Some(0), None]);
    }
}
