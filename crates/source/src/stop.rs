//! Cancellation of work whose result nobody needs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A cancellation flag. Long work calls [`Stop::check`] between stages and in its longest loops,
/// and ends early. Clones share the flag, which is never cleared.
#[derive(Debug, Clone, Default)]
pub struct Stop(Option<Arc<Mark>>);

#[derive(Debug)]
struct Mark {
    is_set: AtomicBool,
    /// Requests itself after this many checks.
    looks: Option<AtomicUsize>,
    /// Requesting this one stops the work, too.
    above: Stop,
}

/// The work ended early because a [`Stop`] was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the work was cancelled because its request ended")
    }
}

impl std::error::Error for Stopped {}

impl Stop {
    /// A token that is never cancelled.
    #[must_use]
    pub const fn never() -> Self {
        Self(None)
    }

    /// A new token.
    #[must_use]
    pub fn new() -> Self {
        Self::never().within()
    }

    /// A new token that is also cancelled when `self` is.
    #[must_use]
    pub fn within(&self) -> Self {
        Self(Some(Arc::new(Mark {
            is_set: AtomicBool::new(false),
            looks: None,
            above: self.clone(),
        })))
    }

    /// A token that cancels itself after so many checks, to test that work can stop everywhere.
    #[must_use]
    pub fn after(looks: usize) -> Self {
        Self(Some(Arc::new(Mark {
            is_set: AtomicBool::new(looks == 0),
            looks: Some(AtomicUsize::new(looks)),
            above: Self::never(),
        })))
    }

    /// Cancels the work; does nothing to [`Stop::never`].
    pub fn request(&self) {
        if let Some(mark) = &self.0 {
            mark.is_set.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the work is cancelled.
    #[must_use]
    pub fn is_requested(&self) -> bool {
        let mut stop = self;
        while let Some(mark) = &stop.0 {
            if mark.is_set.load(Ordering::Relaxed) {
                return true;
            }
            if let Some(looks) = &mark.looks
                && looks.fetch_sub(1, Ordering::Relaxed) == 1
            {
                mark.is_set.store(true, Ordering::Relaxed);
            }
            stop = &mark.above;
        }
        false
    }

    /// Fails with [`Stopped`] if the work is cancelled.
    pub fn check(&self) -> Result<(), Stopped> {
        if self.is_requested() {
            Err(Stopped)
        } else {
            Ok(())
        }
    }

    /// Does work that cannot be cancelled.
    pub fn unstopped<T>(work: impl FnOnce(&Self) -> Result<T, Stopped>) -> T {
        work(&Self::never()).expect("only a request can cancel work, and this work has none")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_stops_what_is_within_it_and_nothing_else() {
        let above = Stop::new();
        let (one, other) = (above.within(), above.within());
        one.request();
        assert_eq!(one.clone().check(), Err(Stopped));
        assert_eq!((above.check(), other.check()), (Ok(()), Ok(())));
        above.request();
        assert_eq!(other.check(), Err(Stopped));
        let soon = Stop::after(2);
        let looks = [0; 4].map(|_| soon.is_requested());
        assert_eq!(looks, [false, false, true, true]);
        assert!(Stop::after(0).is_requested());
        let never = Stop::never();
        never.request();
        assert_eq!(never.check(), Ok(()));
    }
}
