//! Secrets as the store keeps them: the SHA-256 of random bytes, so what is stored opens nothing.

use subtle::ConstantTimeEq as _;

use opatlas_source::Digest;

/// Whether two digests of secrets are the same, in a time that does not depend on where they differ.
#[must_use]
pub fn is_same_secret(stored: Digest, given: Digest) -> bool {
    stored.as_bytes()[..].ct_eq(&given.as_bytes()[..]).into()
}
