//! Composite kernels that only raise on some backends, because they take tensors of another kind or
//! read memory that only one backend has (`raises` in `data/libraries.json`).

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::Library;

use crate::calls::Calls;
use crate::column::Served;

/// A private backend, whose key no library names.
pub(crate) const BARE_KEY: &str = "PrivateUse1";

impl Calls {
    /// Finds how an operator is served on a key without a kernel; `backend` is the key if it is a backend's.
    pub(crate) fn default_on(&self, id: OperatorId, backend: Option<&str>) -> Served {
        let library = backend.and_then(|_| self.library(id));
        match library.zip(backend) {
            Some((library, key)) if raises_on(library, key) => Served::Nothing,
            _ => self.default(id),
        }
    }

    /// The operators whose composite kernel raises on the key of a backend.
    pub(crate) fn raising(&self, key: &str) -> Vec<OperatorId> {
        let libraries = self.libraries.iter();
        let raising = libraries.filter(|(_, library)| raises_on(library, key));
        raising.map(|(id, _)| *id).collect()
    }

    /// The library or backend that an operator belongs to.
    pub(crate) fn library(&self, id: OperatorId) -> Option<&'static Library> {
        let known = self
            .libraries
            .binary_search_by_key(&id, |(id, _)| *id)
            .ok()?;
        self.libraries.get(known).map(|(_, library)| *library)
    }
}

fn raises_on(library: &Library, key: &str) -> bool {
    library.raises_elsewhere() && library.is_foreign_to(key)
}
