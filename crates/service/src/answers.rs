//! The memory budget of finished answers, both cached ones and those that clients have yet to read.

use bytes::Bytes;

use opatlas_source::Stop;

use super::Service;
use super::budget::{Budget, Reserved};
use super::error::ServiceError;

/// Size limit of an answer that is built in memory, in bytes.
pub const LARGEST_ANSWER: usize = 64 << 20;

/// Bytes. Smaller answers are not counted, so that health checks work at the limit.
const UNCOUNTED: usize = 2 << 10;
/// A client may use one part in this many.
const SHARE: usize = 2;

/// The budget of all answers together, in bytes. A reservation ends when the last copy of the bytes
/// is dropped.
#[derive(Debug, Clone)]
pub(super) struct Answers {
    budget: Budget,
    total: usize,
}

struct BudgetedBytes {
    bytes: Vec<u8>,
    _part: Reserved,
}

impl AsRef<[u8]> for BudgetedBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Answers {
    pub(super) fn new(budget: usize) -> Self {
        Self {
            budget: Budget::with_share(budget, budget / SHARE),
            total: budget,
        }
    }

    pub(super) fn hold(&self, mut bytes: Vec<u8>) -> Result<Bytes, ServiceError> {
        if bytes.len() > LARGEST_ANSWER {
            return Err(ServiceError::LargeAnswer {
                limit: LARGEST_ANSWER,
            });
        }
        if bytes.capacity() - bytes.len() > bytes.len() / 4 {
            bytes.shrink_to_fit();
        }
        if bytes.len() <= UNCOUNTED {
            return Ok(bytes.into());
        }
        let part = self.budget.reserve(None, bytes.capacity());
        let part = part.map_err(|_| ServiceError::Unread)?;
        Ok(Bytes::from_owner(BudgetedBytes { bytes, _part: part }))
    }

    fn is_short(&self) -> bool {
        self.budget.free() < self.total / 4
    }

    fn expect_room(&self) -> Result<(), ServiceError> {
        match self.budget.free() {
            0 => Err(ServiceError::Unread),
            _ => Ok(()),
        }
    }
}

impl Service {
    /// Computes an answer on the blocking pool and reserves memory for it. Fails as `make` does, or
    /// with [`ServiceError::Busy`], [`ServiceError::Unread`], [`ServiceError::Stopped`] or
    /// [`ServiceError::LargeAnswer`].
    pub async fn make<E>(
        &self,
        make: impl FnOnce(&Stop) -> Result<Vec<u8>, E> + Send + 'static,
    ) -> Result<Bytes, E>
    where
        E: From<ServiceError> + Send + 'static,
    {
        let make = |stop: &Stop| make(stop).map(|bytes| vec![bytes]);
        Ok(self.make_parts(make).await?.pop().unwrap_or_default())
    }

    /// Like [`Service::make`], for an answer in parts.
    pub async fn make_parts<E>(
        &self,
        make: impl FnOnce(&Stop) -> Result<Vec<Vec<u8>>, E> + Send + 'static,
    ) -> Result<Vec<Bytes>, E>
    where
        E: From<ServiceError> + Send + 'static,
    {
        let turn = self.turn().await?;
        self.answers.expect_room()?;
        let answers = self.answers.clone();
        let work = move |stop: &Stop| {
            let made = make(stop).and_then(|parts| {
                let held = parts.into_iter().map(|part| answers.hold(part));
                held.collect::<Result<_, _>>().map_err(E::from)
            });
            // Answers that were completed after the stop may be truncated.
            stop.check().map(|()| made)
        };
        turn.run(work).await?
    }

    /// A function that tells whether less than a quarter of the budget is left.
    pub fn answers_are_short(&self) -> impl Fn() -> bool + Clone + Send + Sync + 'static {
        let answers = self.answers.clone();
        move || answers.is_short()
    }

    /// The memory budget of answers, in bytes. Connections reserve their send buffers from it too.
    pub fn answer_budget(&self) -> &Budget {
        &self.answers.budget
    }

    /// Reserves memory for a computed answer. Fails with [`ServiceError::Unread`] and
    /// [`ServiceError::LargeAnswer`].
    pub fn hold(&self, bytes: Vec<u8>) -> Result<Bytes, ServiceError> {
        self.answers.hold(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: usize = 1 << 10;

    #[test]
    fn answers_count_until_the_last_copy_is_gone() {
        let answers = Answers::new(9 * UNIT);
        let held = answers.hold(vec![1; 5 * UNIT]).unwrap();
        let copy = held.slice(1..2);
        drop(held);
        let refused = answers.hold(vec![0; 5 * UNIT]);
        assert!(matches!(refused, Err(ServiceError::Unread)));
        drop(copy);
        assert!(answers.hold(vec![0; 5 * UNIT]).is_ok());
        assert!(answers.expect_room().is_ok());
    }

    #[test]
    fn an_answer_has_a_limit_of_its_own() {
        let answers = Answers::new(1 << 30);
        let refused = answers.hold(vec![0; LARGEST_ANSWER + 1]);
        assert!(matches!(refused, Err(ServiceError::LargeAnswer { .. })));
    }
}
