//! The backends that a model is judged on: runtime keys of a revision, and files of backends that are
//! laid over it.

use std::sync::Arc;

use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_source::Stop;

use crate::backend::Vendor;
use crate::dispatch::runtime_key;
use crate::error::ServiceError;
use crate::snapshot::Snapshot;

/// The runtime keys that a model is judged on if none is named.
pub const DEFAULT_KEYS: [&str; 3] = ["CPU", "CUDA", "MPS"];

/// A backend of a revision.
#[derive(Debug, Clone)]
pub struct Backend {
    /// The name that was asked for.
    pub name: String,
    /// The runtime key.
    pub key: &'static str,
    /// A file or sources describe it, so no release has it.
    pub(super) is_file: bool,
    pub(super) slot: Slot,
    pub(super) snapshot: Arc<Snapshot>,
}

impl Backend {
    /// A backend that the revision describes. Fails as [`runtime_key`] does.
    pub fn of_key(snapshot: &Arc<Snapshot>, key: &str) -> Result<Self, ServiceError> {
        let slot = runtime_key(snapshot.release(), key)?;
        let name = Keys::of(snapshot.release()).name(Key::Runtime(slot));
        Ok(Self {
            name: name.to_owned(),
            key: name,
            is_file: false,
            slot,
            snapshot: Arc::clone(snapshot),
        })
    }

    /// A backend that a file or sources describe. Fails with [`ServiceError::UnusableBackend`],
    /// [`ServiceError::UnknownKey`], or [`ServiceError::Stopped`].
    pub fn of_file(
        snapshot: &Arc<Snapshot>,
        vendor: &Vendor,
        stop: &Stop,
    ) -> Result<Self, ServiceError> {
        let release = snapshot.release();
        let file = vendor.read(release)?;
        let key = file
            .backend_key(release)
            .ok_or_else(|| ServiceError::UnusableBackend {
                file: vendor.name.clone(),
                why: format!("its `backend` is not a dispatch key of PyTorch {release}"),
            })?;
        let bundle = vendor.over(&snapshot.bundle);
        let laid = Snapshot::of(bundle.digest(), bundle, release, Some(snapshot), stop)?;
        Ok(Self {
            name: vendor.name.clone(),
            is_file: true,
            ..Self::of_key(&Arc::new(laid), key)?
        })
    }
}
