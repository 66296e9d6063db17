//! Dispatch keys for the C++ and Python declarations of operators.

use opatlas_operators::backend::dispatch_key;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;
use opatlas_source::suggest::nearest_few;

use super::error::ServiceError;

/// A key that kernels can be registered for, including aliases. Fails with
/// [`ServiceError::UnknownKey`] with similar names.
pub fn kernel_key(release: Release, name: &str) -> Result<&'static str, ServiceError> {
    if let Some(key) = dispatch_key(name, release) {
        return Ok(key);
    }
    let keys = Keys::of(release);
    if let Some(key) = keys.lookup(name) {
        return Ok(keys.name(key));
    }
    let known = release.data().dispatch_keys_known;
    Err(ServiceError::UnknownKey {
        release,
        suggestions: nearest_few(name, known.iter(), 3)
            .into_iter()
            .map(Into::into)
            .collect(),
        name: name.chars().take(128).collect(),
    })
}
