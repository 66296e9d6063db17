//! Tokens, as texts and digests. The service knows what they permit.

use opatlas_source::Digest;

/// A token, without the secret itself.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenRecord {
    /// A public id in hexadecimal digits.
    pub id: String,
    /// A name for people. Not unique.
    pub name: String,
    /// SHA-256 of the secret.
    pub hash: Digest,
    /// The key for signed request bodies, if the token has one.
    pub signing_key: Option<Vec<u8>>,
    /// The permitted projects: names separated by spaces, or `*`.
    pub projects: String,
    /// The permitted actions: names separated by spaces.
    pub actions: String,
    /// When it was created.
    pub created_at: i64,
    /// When it expires.
    pub expires_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
    /// When it was last used, accurate to about a minute.
    pub last_used_at: Option<i64>,
}

/// Omits the hash and the key, which do not belong in a log.
impl std::fmt::Debug for TokenRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenRecord")
            .field("id", &self.id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// Identifies a token.
#[derive(Clone, Copy)]
pub enum TokenKey<'a> {
    /// SHA-256 of the secret.
    Hash(Digest),
    /// Its id.
    Id(&'a str),
}
