//! Builds a backend from its sources, for backends without a file.

use std::collections::BTreeSet;

use opatlas_pytorch::handwritten;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;
use opatlas_source::Span;
use opatlas_sources::{Registration, RegistrationKind, Sources};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{BackendFile, dispatch_key};
use crate::entry::Placed;

/// Builds a backend. Its key is the dense backend key with the most kernels. Its operators are
/// PyTorch's operators with a kernel at that key or at its autograd key. Returns `None` if no
/// kernel is registered at the key of a backend.
pub(super) fn read(sources: &Sources, release: Release) -> Option<BackendFile> {
    let kernels = || {
        let rows = sources.rows().iter().filter(|row| is_kernel(row));
        rows.filter_map(|row| Some((row.key.as_deref()?, row.operator.as_deref()?)))
    };
    let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
    for (key, _) in kernels().filter(|(key, _)| is_backend(key, release)) {
        *counts.entry(key).or_default() += 1;
    }
    let (backend, _) = counts
        .into_iter()
        .max_by_key(|(key, count)| (*count, *key))?;
    let autograd = format!("Autograd{backend}");
    let without_yaml: FxHashSet<&str> = handwritten::operators_without_yaml(release).collect();
    let at = |wanted: &str| -> BTreeSet<&str> {
        let names = kernels().filter(|(key, _)| *key == wanted);
        let names = names.map(|(_, name)| name);
        names.filter(|name| !without_yaml.contains(name)).collect()
    };
    let (supported, autograd) = (at(backend), at(&autograd));
    Some(BackendFile {
        is_mapping: true,
        registered: supported
            .union(&autograd)
            .map(|&name| name.into())
            .collect(),
        supported: supported.into_iter().map(unplaced).collect(),
        autograd: autograd.into_iter().map(unplaced).collect(),
        backend: Some(unplaced(backend)),
        ..BackendFile::default()
    })
}

fn is_kernel(row: &Registration) -> bool {
    let is_impl = row.kind == RegistrationKind::Impl && row.is_dispatched();
    is_impl && row.namespace.as_deref() == Some("aten")
}

fn is_backend(key: &str, release: Release) -> bool {
    let keys = Keys::of(release);
    let slot = keys.slot(key);
    let is_dense = slot.is_some_and(|slot| keys.backend(slot) == Some(key));
    is_dense && key != "Meta" && dispatch_key(key, release).is_some()
}

fn unplaced(name: &str) -> Placed<Box<str>> {
    Placed {
        value: name.into(),
        at: Span::default(),
    }
}
