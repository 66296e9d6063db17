//! Idempotency keys: the answers to requests that clients may repeat.

use opatlas_source::Digest;

use super::Answer;

/// A key of one owner in one project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyName {
    /// The id of the token; empty for anonymous requests.
    pub owner: String,
    /// The name of the project in the path; empty if there is none.
    pub project: String,
    /// The key.
    pub name: String,
}

/// How long keys are kept, and how many.
#[derive(Debug, Clone, Copy)]
pub struct KeyBounds {
    /// Keys from before this time are deleted.
    pub expired_before: i64,
    /// Keys from before this time that have no answer are deleted.
    pub abandoned_before: i64,
    /// The maximum number of keys of an owner in a project. Beyond it, the oldest is deleted.
    pub most: i64,
}

/// The answer to a request with a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptReply {
    /// The HTTP status.
    pub status: u16,
    /// The address of what was created.
    pub location: Option<String>,
    /// The JSON text of the answer.
    pub body: Vec<u8>,
}

/// The outcome of claiming a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyClaim {
    /// The key was free. The caller makes the answer.
    Free,
    /// Another request with the key is in progress.
    InProgress,
    /// The key belongs to another request.
    Other,
    /// The request was answered before.
    Answered(KeptReply),
}

/// Idempotency keys. The part of [`Store`](super::Store) that keeps them.
pub trait IdempotencyStore {
    /// Claims a key for a request at `now`, after deleting what exceeds the bounds.
    fn claim_key<'a>(
        &'a self,
        key: &'a KeyName,
        request: Digest,
        bounds: KeyBounds,
        now: i64,
    ) -> Answer<'a, KeyClaim>;

    /// Keeps the answer to the request that claimed the key at `claimed_at`.
    fn answer_key<'a>(
        &'a self,
        key: &'a KeyName,
        claimed_at: i64,
        reply: &'a KeptReply,
    ) -> Answer<'a, ()>;

    /// Frees a key whose request failed.
    fn free_key<'a>(&'a self, key: &'a KeyName, claimed_at: i64) -> Answer<'a, ()>;
}
