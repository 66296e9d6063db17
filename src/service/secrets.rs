//! Comparisons of secrets, in a time that does not depend on where they differ: whoever guesses must
//! not learn how much of a guess was right.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use opatlas_source::Digest;

/// Whether two digests of tokens are the same.
#[must_use]
pub fn is_same(stored: Digest, given: Digest) -> bool {
    stored.as_bytes()[..].ct_eq(&given.as_bytes()[..]).into()
}

/// Whether a signature is the HMAC-SHA-256 of a body with a key; any key does.
#[must_use]
pub fn is_signed(key: &[u8], body: &[u8], signature: Digest) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return false;
    };
    mac.update(body);
    mac.verify_slice(signature.as_bytes()).is_ok()
}
