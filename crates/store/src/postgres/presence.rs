//! Whether the database is there, as far as is known. While it is away, one caller in a while tries
//! to reach it and the others hear at once that it is away, so that answers that do not need it
//! stay quick.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::StoreError;

/// How long to wait after a failed attempt.
const PAUSE: Duration = Duration::from_millis(500);
/// How long one attempt keeps others from starting.
const ATTEMPT: Duration = Duration::from_secs(4);

/// When to try again; none while the database is there.
#[derive(Debug, Default)]
pub(super) struct Presence(Mutex<Option<Instant>>);

impl Presence {
    /// Fails while the database is away, but for the one caller who is to try it.
    pub(super) fn expect(&self) -> Result<(), StoreError> {
        let mut again = self.again();
        let Some(at) = *again else {
            return Ok(());
        };
        let now = Instant::now();
        if now < at {
            return Err(StoreError::Unavailable {
                what: "it did not answer recently".to_owned(),
                source: None,
            });
        }
        *again = Some(now + ATTEMPT);
        Ok(())
    }

    /// Takes note of what came of an attempt.
    pub(super) fn note(&self, reached: bool) {
        *self.again() = (!reached).then(|| Instant::now() + PAUSE);
    }

    fn again(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
