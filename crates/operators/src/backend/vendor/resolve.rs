//! Resolves a vendor's file for a release: its operators and kernels.

use std::sync::Arc;

use opatlas_pytorch::release::Release;
use opatlas_source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

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
        let named = |sections| listed(&vendor, &current, sections);
        file.supported = named(&[Section::Supported, Section::Official]);
        file.autograd = named(&[Section::Autograd, Section::Derivatives]);
        file.symint = named(&[Section::Symint]);
        file.custom = own(&vendor, &current, name);
        file.placed = placed(&vendor, &current, &file.symint);
        let with_kernels = current.iter().filter(|entry| entry.kernels.is_some());
        file.with_kernels = with_kernels.map(|entry| entry.name.at).collect();
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

    /// The name of an entry in a list, with its namespace if a bare name means another operator.
    fn listed_name(&self, entry: &VendorEntry) -> Placed<Box<str>> {
        let namespace = self.namespace_of(entry);
        let is_bare = namespace == "aten" || *namespace == *self.profile.namespace;
        let value = match is_bare {
            true => entry.name.value.clone(),
            false => format!("{namespace}::{}", entry.name.value).into(),
        };
        let at = entry.name.at;
        Placed { value, at }
    }
}

/// The registered operators of sections. An operator with entries for several builds is listed once.
fn listed(
    vendor: &VendorFile,
    current: &[&VendorEntry],
    sections: &[Section],
) -> Vec<Placed<Box<str>>> {
    let registered = current
        .iter()
        .filter(|entry| entry.is_registered && sections.contains(&entry.section));
    let registered: Vec<&&VendorEntry> = registered.collect();
    let mut conditional: FxHashMap<&str, Option<Span>> = FxHashMap::default();
    for entry in registered.iter().filter(|entry| entry.is_conditional) {
        conditional.insert(&entry.name.value, None);
    }
    let once = registered.into_iter().filter(|entry| {
        let Some(first) = conditional.get_mut(&*entry.name.value) else {
            return true;
        };
        *first.get_or_insert(entry.name.at) == entry.name.at
    });
    once.map(|entry| vendor.listed_name(entry)).collect()
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

/// The kernels that entries name, those of the vendor's operators, and those at the autograd key.
fn placed(
    vendor: &VendorFile,
    current: &[&VendorEntry],
    symint: &[Placed<Box<str>>],
) -> Vec<PlacedKernel> {
    let symint: FxHashSet<&str> = symint.iter().map(|name| &*name.value).collect();
    let autograd_key = format!("Autograd{}", vendor.profile.key);
    let mut placed = Vec::new();
    for entry in current.iter().filter(|entry| entry.is_registered) {
        let kernel = |key: &str, kernel: Option<Box<str>>, at| PlacedKernel {
            key: key.into(),
            namespace: vendor.namespace_of(entry).into(),
            operator: entry.name.value.clone(),
            kernel,
            at,
            serves_delegates: vendor.is_overlay,
        };
        let named = entry.kernels.iter().flatten();
        placed.extend(named.map(|k| kernel(&k.key, Some(k.kernel.value.clone()), k.kernel.at)));
        if let Some(at) = entry.autograd {
            placed.push(kernel(&autograd_key, None, at));
        }
        if entry.section.is_own()
            && entry.kernels.is_none()
            && entry.section != Section::Library
            && let Some(whole) = &entry.schema
        {
            let mut name = whole.schema.default_kernel();
            if symint.contains(&*entry.name.value) {
                name.push_str("_symint");
            }
            let key = match entry.section {
                Section::CustomAutograd => &autograd_key,
                _ => &*vendor.profile.key,
            };
            placed.push(kernel(key, Some(name.into()), entry.name.at));
        }
    }
    placed.sort_by_key(|placed| placed.at);
    placed
}
