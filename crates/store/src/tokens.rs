//! Tokens as a store keeps them: it holds texts and digests, and knows nothing of what they allow.

use opatlas_source::Digest;

/// A token, without the secret itself.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// Its id for places where the secret must not appear: hexadecimal digits.
    pub id: String,
    /// What it is for, for people. Not unique.
    pub name: String,
    /// SHA-256 of the secret.
    pub hash: Digest,
    /// The key of the bodies that it signs, if it may.
    pub signing_key: Option<Vec<u8>>,
    /// The projects that it opens: names separated by spaces, or `*`.
    pub projects: String,
    /// What it may be used for: names separated by spaces.
    pub actions: String,
    /// When it was made.
    pub created_at: i64,
    /// From when on it opens nothing any more.
    pub expires_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
    /// When it was last used, to about a minute.
    pub last_used_at: Option<i64>,
}

/// Neither its hash nor its key, which have no place in a log.
impl std::fmt::Debug for TokenRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenRecord")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// What a token is found by.
#[derive(Clone, Copy)]
pub enum TokenKey<'a> {
    /// SHA-256 of the secret.
    Hash(Digest),
    /// Its id.
    Id(&'a str),
}
