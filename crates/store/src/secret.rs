//! Secrets are stored as the SHA-256 of random bytes.

use subtle::ConstantTimeEq as _;

use opatlas_source::Digest;

/// Compares digests of secrets in constant time.
#[must_use]
pub fn is_same_secret(stored: Digest, given: Digest) -> bool {
    stored.as_bytes()[..].ct_eq(&given.as_bytes()[..]).into()
}
