//! Remembers whether the database is up. While it is down, one caller at a time retries and the
//! others fail at once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::StoreError;

const PAUSE: Duration = Duration::from_millis(500);
/// How long an attempt keeps others from starting.
const ATTEMPT: Duration = Duration::from_secs(4);

/// The time of the next attempt; `None` while the database is up.
#[derive(Debug, Default)]
pub(super) struct Presence(Mutex<Option<Instant>>);

impl Presence {
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

    pub(super) fn note(&self, reached: bool) {
        *self.again() = (!reached).then(|| Instant::now() + PAUSE);
    }

    fn again(&self) -> MutexGuard<'_, Option<Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
