//! Requests that clients may repeat with an idempotency key.

use opatlas_source::Digest;
use opatlas_store::{KeptReply, KeyBounds, KeyClaim, KeyName};

use super::Service;
use super::error::ServiceError;

/// How long a key is kept, in microseconds: a day.
const KEPT: i64 = 86_400_000_000;

/// When a request that has not ended no longer holds its key, in microseconds: 10 minutes. Only a
/// process that was killed leaves such a key.
const ABANDONED: i64 = 600_000_000;

/// The maximum number of keys of one token in one project.
const MOST: i64 = 1000;

/// The maximum size of an answer that is kept, in bytes.
const LARGEST: usize = 256 << 10;

/// A key that a request holds until its answer is kept or it fails.
#[derive(Debug)]
pub struct ClaimedKey {
    key: KeyName,
    claimed_at: i64,
}

/// The outcome of claiming a key.
#[derive(Debug)]
pub enum Claim {
    /// The key was free.
    Free(ClaimedKey),
    /// Another request with the key is in progress.
    InProgress,
    /// The key belongs to another request.
    Other,
    /// The request was answered before.
    Answered(KeptReply),
}

impl Service {
    /// Claims a key for a request with this digest.
    pub async fn claim_key(&self, key: KeyName, request: Digest) -> Result<Claim, ServiceError> {
        let now = self.now();
        let bounds = KeyBounds {
            expired_before: now.saturating_sub(KEPT),
            abandoned_before: now.saturating_sub(ABANDONED),
            most: MOST,
        };
        let claim = self.store.claim_key(&key, request, bounds, now).await?;
        Ok(match claim {
            KeyClaim::Free => Claim::Free(ClaimedKey {
                key,
                claimed_at: now,
            }),
            KeyClaim::InProgress => Claim::InProgress,
            KeyClaim::Other => Claim::Other,
            KeyClaim::Answered(reply) => Claim::Answered(reply),
        })
    }

    /// Keeps the answer of the request that holds a key. An answer of more than 256 KiB is not kept,
    /// and the key becomes free.
    pub async fn answer_key(
        &self,
        held: &ClaimedKey,
        reply: &KeptReply,
    ) -> Result<(), ServiceError> {
        if reply.body.len() > LARGEST {
            return self.free_key(held).await;
        }
        let kept = self.store.answer_key(&held.key, held.claimed_at, reply);
        Ok(kept.await?)
    }

    /// Frees the key of a request that failed.
    pub async fn free_key(&self, held: &ClaimedKey) -> Result<(), ServiceError> {
        Ok(self.store.free_key(&held.key, held.claimed_at).await?)
    }
}
