//! Creates secrets and checks signatures, in constant time.

use hmac::{Hmac, KeyInit as _, Mac as _};
use opatlas_source::Digest;
use sha2::Sha256;

use super::error::ServiceError;

/// Random bytes in hexadecimal. Fails with [`ServiceError::Failed`] if the system has none.
pub(super) fn random<const N: usize>() -> Result<String, ServiceError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        ServiceError::Failed(format!("the system has no random numbers: {error}"))
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether a signature is the HMAC-SHA-256 of a body with a key of any length.
#[must_use]
pub fn is_signed(key: &[u8], body: &[u8], signature: Digest) -> bool {
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(key) else {
        return false;
    };
    mac.update(body);
    mac.verify_slice(signature.as_bytes()).is_ok()
}
