//! Resolves a vendor's file for a release: its operators and kernels.

use std::sync::Arc;

use opatlas_pytorch::release::Release;
use rustc_hash::FxHashSet;

use super::{PlacedKernel, Section, VendorEntry, VendorFile};
use crate::backend::BackendFile;
use crate::entry::Placed;
use crate::operator::VendorOperator;

impl BackendFile {
    /// The file in a release; `name` is its name in the bundle. Plain backend files do not change.
    #[must_use]
    pub fn under(&self, release: Release, name: &str) -> Self {
        let mut file = self.clone();
        let Some(vendor) = self.vendor.clone() else {
            return file;
        };
        let applies = |entry: &&VendorEntry| entry.versions.contain(release);
        let current: Vec<&VendorEntry> = vendor.entries.iter().filter(applies).collect();
        let named = |sections: &[Section]| {
            let of = current
                .iter()
                .filter(|entry| sections.contains(&entry.section));
            of.map(|entry| entry.name.clone()).collect()
        };
        file.supported = named(&[Section::Supported, Section::Official]);
        file.autograd = named(&[Section::Autograd, Section::Derivatives]);
        file.symint = named(&[Section::Symint]);
        file.custom = own(&vendor, &current, name);
        file.placed = placed(&vendor, &current, &file.symint);
        file
    }
}

impl VendorFile {
    /// The namespace of an entry.
    #[must_use]
    pub fn namespace_of<'a>(&'a self, entry: &'a VendorEntry) -> &'a str {
        match &entry.namespace {
            Some(namespace) => namespace,
            None if entry.section.is_own() => &self.profile.namespace,
            None => "aten",
        }
    }
}

/// Each operator once.
fn own(vendor: &VendorFile, current: &[&VendorEntry], file: &str) -> Vec<Arc<VendorOperator>> {
    let mut seen = FxHashSet::default();
    let declares = |entry: &&&VendorEntry| entry.section.is_own() || vendor.is_overlay;
    let declared = current.iter().filter(declares).filter_map(|entry| {
        let whole = entry.schema.as_ref()?;
        let namespace = vendor.namespace_of(entry);
        seen.insert((namespace, &*entry.name.value)).then(|| {
            Arc::new(VendorOperator {
                schema: whole.schema.clone(),
                canonical: whole.canonical.clone(),
                signature: whole.signature.clone(),
                namespace: namespace.into(),
                file: file.into(),
                at: whole.at,
            })
        })
    });
    declared.collect()
}

/// Kernels of the vendor's operators, and kernels in `dispatch`.
fn placed(
    vendor: &VendorFile,
    current: &[&VendorEntry],
    symint: &[Placed<Box<str>>],
) -> Vec<PlacedKernel> {
    let symint: FxHashSet<&str> = symint.iter().map(|name| &*name.value).collect();
    let mut placed = Vec::new();
    for entry in current {
        let kernel = |key: &str, kernel: &str, at| PlacedKernel {
            key: key.into(),
            namespace: vendor.namespace_of(entry).into(),
            operator: entry.name.value.clone(),
            kernel: kernel.into(),
            at,
            serves_delegates: vendor.is_overlay,
        };
        if entry.section.is_own() || vendor.is_overlay {
            let named = entry.kernels.iter();
            placed.extend(named.map(|k| kernel(&k.key, &k.kernel.value, k.kernel.at)));
        }
        if entry.section.is_own()
            && entry.kernels.is_empty()
            && entry.section != Section::Library
            && let Some(whole) = &entry.schema
        {
            let mut name = whole.schema.default_kernel();
            if symint.contains(&*entry.name.value) {
                name.push_str("_symint");
            }
            let key = match entry.section {
                Section::CustomAutograd => format!("Autograd{}", vendor.profile.key),
                _ => vendor.profile.key.to_string(),
            };
            placed.push(kernel(&key, &name, entry.name.at));
        }
    }
    placed.sort_by_key(|placed| placed.at);
    placed
}
