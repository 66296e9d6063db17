//! Reads overlays: lists of entries in addition to PyTorch's (`docs/spec/vendors.md`, section 3).

use std::sync::Arc;

use super::schema::whole_schema;
use super::{Profile, Section, VendorEntry, VendorFile, VendorKernel, Versions};
use crate::backend::BackendFile;
use crate::entry::{KernelSource, Placed};
use crate::file::NativeFunctions;
use crate::operator::PlacedEntry;

/// `None` unless the file is a list of entries with `func`.
pub(in crate::backend) fn overlay(text: &str, given: Option<&Profile>) -> Option<BackendFile> {
    let list = NativeFunctions::read(text.as_bytes(), None);
    let has_schema = list
        .entries
        .iter()
        .any(|placed| placed.entry.schema.is_some());
    if !list.is_list || !has_schema {
        return None;
    }
    let entries = list.entries.iter();
    let keys = entries.flat_map(|placed| &placed.entry.kernels);
    let profile = profile(given, keys.map(|kernel| kernel.key.as_str()))?;
    let mut file = BackendFile {
        text: text.into(),
        is_mapping: true,
        use_out_as_primary: true,
        device_guard: true,
        diagnostics: list.diagnostics.clone(),
        ..BackendFile::default()
    };
    let whole = Some(Placed {
        value: profile.key.clone(),
        at: opatlas_source::Span::default(),
    });
    file.backend = whole;
    let read = list
        .entries
        .iter()
        .filter_map(|placed| entry(&profile, placed));
    let entries = read.collect();
    for placed in &list.entries {
        let complaints = placed.entry.diagnostics.iter().cloned();
        file.diagnostics
            .extend(complaints.map(|d| d.shifted(placed.base)));
    }
    file.vendor = Some(Arc::new(VendorFile {
        profile: Arc::new(profile),
        entries,
        is_overlay: true,
    }));
    Some(file)
}

fn entry(profile: &Profile, placed: &PlacedEntry) -> Option<VendorEntry> {
    let entry = &placed.entry;
    let schema = entry.schema.clone()?;
    let at = placed.place(entry.func_at);
    let declared = entry.kernels.iter().filter(|kernel| {
        kernel.source == KernelSource::Declared && is_own(profile, kernel.key.as_str())
    });
    let kernels = declared.map(|kernel| VendorKernel {
        key: profile.dispatch_key(kernel.key.as_str()),
        kernel: Placed {
            value: (&*kernel.kernel.declared()).into(),
            at: placed.place(kernel.kernel_at),
        },
    });
    Some(VendorEntry {
        section: Section::Overlay,
        namespace: Some(entry.namespace.clone()),
        name: Placed {
            value: schema.name.as_str().into(),
            at,
        },
        kernels: Some(kernels.collect()),
        schema: Some(Arc::new(whole_schema(schema, at))),
        versions: Versions::default(),
        autograd: None,
        may_be_structured: true,
        is_registered: true,
        is_conditional: false,
    })
}

/// The given profile, or the built-in one for these keys in `dispatch`.
fn profile<'k>(
    given: Option<&Profile>,
    mut keys: impl Iterator<Item = &'k str>,
) -> Option<Profile> {
    let xpu = Profile::xpu();
    let is_xpu = |key: &str| key == &*xpu.key;
    match given {
        Some(given) => Some(given.clone()),
        None => keys.any(is_xpu).then_some(xpu),
    }
}

/// Whether a key is the vendor's or a functionality of its backend, such as `SparseXPU`.
fn is_own(profile: &Profile, key: &str) -> bool {
    profile.dispatch_key(key).ends_with(&*profile.key)
}
