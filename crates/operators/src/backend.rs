//! Out-of-tree backend files, `backends/NAME.yaml` (`docs/spec/files.md`, section 6, torchgen
//! `gen_backend_stubs.parse_backend_yaml`).
//!
//! Parsing depends only on the file; [`BackendFile::kernels`] resolves its operators.

mod mapped;
mod of_sources;
mod read;
pub mod vendor;

use std::collections::BTreeSet;
use std::sync::Arc;

use opatlas_pytorch::release::Release;
use opatlas_source::Span;
use opatlas_source::diagnostic::Complaints;
use opatlas_sources::Sources;
use rustc_hash::FxHashSet;

use super::entry::Placed;
use super::operator::{OperatorId, VendorOperator};
use super::table::OperatorTable;
use vendor::{PlacedKernel, Profile, VendorFile};

/// One backend file, with positions relative to its text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BackendFile {
    /// The text, with invalid bytes replaced.
    pub text: Arc<str>,
    /// Whether the file is a mapping.
    pub is_mapping: bool,
    /// `backend`: the dispatch key of the kernels.
    pub backend: Option<Placed<Box<str>>>,
    /// `class_name`: the C++ class of the kernels.
    pub class_name: Option<Placed<Box<str>>>,
    /// `cpp_namespace`: the namespace of that class.
    pub cpp_namespace: Option<Placed<Box<str>>>,
    /// `supported`: operators with kernels for the backend's key.
    pub supported: Vec<Placed<Box<str>>>,
    /// `symint`: listed operators whose kernels take symbolic sizes.
    pub symint: Vec<Placed<Box<str>>>,
    /// `autograd`: operators with kernels for the backend's autograd key.
    pub autograd: Vec<Placed<Box<str>>>,
    /// `full_codegen`: operators with generated kernels; they count as supported.
    pub full_codegen: Vec<Placed<Box<str>>>,
    /// `ir_gen`: operators with generated graph nodes only.
    pub ir_gen: Vec<Placed<Box<str>>>,
    /// `non_native`: schemas of graph nodes that are not operators.
    pub non_native: Vec<Placed<Box<str>>>,
    /// `use_out_as_primary`: whether out variants carry the kernels of structured operators.
    pub use_out_as_primary: bool,
    /// `device_guard`: whether generated code guards the device.
    pub device_guard: bool,
    /// The vendor's additions. [`BackendFile::under`] fills in lists and operators for a release.
    pub vendor: Option<Arc<VendorFile>>,
    /// The operators of a vendor's file.
    pub custom: Vec<Arc<VendorOperator>>,
    /// The kernels of a vendor's file that are not in a list, sorted by position.
    pub placed: Vec<PlacedKernel>,
    /// The listed operators whose kernels are all in `placed`, by position.
    pub with_kernels: FxHashSet<Span>,
    /// Errors in the file.
    pub diagnostics: Complaints,
    /// Operators that only sources register. torchgen declares no kernels for them.
    pub registered: BTreeSet<Box<str>>,
}

opatlas_source::words! {
    /// A list of operators in a backend file.
    pub enum Listing {
        Supported = "supported",
        FullCodegen = "full_codegen",
        Autograd = "autograd",
    }
}

/// A kernel of a backend file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendKernel {
    /// The operator.
    pub operator: OperatorId,
    /// The function name, without class and namespace.
    pub kernel: Box<str>,
    /// Where the operator is listed.
    pub at: Span,
}

/// The kernels for one dispatch key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyKernels {
    /// The key.
    pub key: &'static str,
    /// The kernels in file order, one for each operator.
    pub kernels: Vec<BackendKernel>,
}

impl BackendFile {
    /// Reads a file.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        Self::read_with(bytes, None)
    }

    /// Reads a file with its vendor's profile; without one, tries the built-in profiles.
    #[must_use]
    pub fn read_with(bytes: &[u8], profile: Option<&Profile>) -> Self {
        read::read(bytes, profile)
    }

    /// Builds a backend from the kernels that sources register. Its key is the backend key with the
    /// most kernels. Returns `None` if no kernel is registered at the key of a backend.
    #[must_use]
    pub fn of_sources(sources: &Sources, release: Release) -> Option<Self> {
        of_sources::read(sources, release)
    }

    /// Adds the operators that sources register, if they are for the same key.
    #[must_use]
    pub fn joined_with(mut self, registered: Self) -> Self {
        let key = |file: &Self| file.backend.as_ref().map(|key| key.value.clone());
        if key(&self) == key(&registered) {
            let listed = self.on_backend_key().map(|(_, listed)| listed);
            let listed: BTreeSet<_> = listed
                .chain(&self.autograd)
                .map(|one| &*one.value)
                .collect();
            let names = registered.registered.into_iter();
            self.registered = names.filter(|name| !listed.contains(&**name)).collect();
            self.supported.extend(registered.supported);
            self.autograd.extend(registered.autograd);
        }
        self
    }

    /// The named kernel of the registration at a position.
    #[must_use]
    pub fn kernel_at(&self, at: Span) -> Option<&str> {
        let found = self.placed.binary_search_by_key(&at, |placed| placed.at);
        self.placed[found.ok()?].kernel.as_deref()
    }

    /// The operator for a name in a list: PyTorch's or the vendor's.
    #[must_use]
    pub fn listed(&self, catalogue: &OperatorTable, name: &str) -> Option<OperatorId> {
        let own = || {
            let vendor = self.vendor.as_ref()?;
            catalogue.find_in(&vendor.profile.namespace, name)
        };
        catalogue.find(name).or_else(own)
    }

    /// The operators with kernels for the backend's key: `supported`, then `full_codegen`.
    pub fn on_backend_key(&self) -> impl Iterator<Item = (Listing, &Placed<Box<str>>)> {
        let supported = self.supported.iter().map(|op| (Listing::Supported, op));
        let generated = self.full_codegen.iter();
        supported.chain(generated.map(|op| (Listing::FullCodegen, op)))
    }

    /// The dispatch key of `backend`, if the release knows it.
    #[must_use]
    pub fn backend_key(&self, release: Release) -> Option<&'static str> {
        dispatch_key(&self.backend.as_ref()?.value, release)
    }

    /// The dispatch key of the backend's autograd kernels, if the release knows it.
    #[must_use]
    pub fn autograd_key(&self, release: Release) -> Option<&'static str> {
        let backend = &self.backend.as_ref()?.value;
        dispatch_key(&format!("Autograd{backend}"), release)
    }

    /// The file's kernels by dispatch key. Omits unknown operators and keys, which rules reject.
    #[must_use]
    pub fn kernels(&self, catalogue: &OperatorTable) -> Vec<KeyKernels> {
        let symint: FxHashSet<&str> = self.symint.iter().map(|op| &*op.value).collect();
        let on_key = |key: Option<&'static str>, listed: Vec<&Placed<Box<str>>>| {
            let mut seen = FxHashSet::default();
            let kernels: Vec<BackendKernel> = listed
                .into_iter()
                .filter(|op| !self.with_kernels.contains(&op.at))
                .filter_map(|op| {
                    let operator = self.listed(catalogue, &op.value)?;
                    let schema = catalogue.operator(operator).schema();
                    let mut kernel = schema.default_kernel();
                    if symint.contains(&*op.value) {
                        kernel.push_str("_symint");
                    }
                    seen.insert(operator).then(|| BackendKernel {
                        operator,
                        kernel: kernel.into(),
                        at: op.at,
                    })
                })
                .collect();
            key.filter(|_| !kernels.is_empty())
                .map(|key| KeyKernels { key, kernels })
        };
        let supported = self.on_backend_key().map(|(_, op)| op).collect();
        let release = catalogue.release;
        let mut all: Vec<KeyKernels> = [
            on_key(self.backend_key(release), supported),
            on_key(self.autograd_key(release), self.autograd.iter().collect()),
        ]
        .into_iter()
        .flatten()
        .collect();
        all.extend(self.placed_kernels(catalogue, &all));
        all.extend(self.delegated(catalogue, &all));
        all
    }

    /// Named kernels by key, except those in `lists`.
    fn placed_kernels(&self, catalogue: &OperatorTable, lists: &[KeyKernels]) -> Vec<KeyKernels> {
        let mut by_key: Vec<KeyKernels> = Vec::new();
        let listed = lists.iter().flat_map(|on_key| {
            let kernels = on_key.kernels.iter();
            kernels.map(|kernel| (on_key.key, kernel.operator))
        });
        let mut seen: FxHashSet<_> = listed.collect();
        for placed in &self.placed {
            let key = dispatch_key(&placed.key, catalogue.release);
            let operator = catalogue.find_in(&placed.namespace, &placed.operator);
            let (Some(key), Some(operator)) = (key, operator) else {
                continue;
            };
            let at = match by_key.iter().position(|kernels| kernels.key == key) {
                Some(at) => at,
                None => {
                    let kernels = Vec::new();
                    by_key.push(KeyKernels { key, kernels });
                    by_key.len() - 1
                }
            };
            let served = served(catalogue, operator, placed.serves_delegates);
            let served = served.filter(|&operator| seen.insert((key, operator)));
            let kernel = |operator| match &placed.kernel {
                Some(kernel) => kernel.clone(),
                None => catalogue
                    .operator(operator)
                    .schema()
                    .default_kernel()
                    .into(),
            };
            by_key[at]
                .kernels
                .extend(served.map(|operator| BackendKernel {
                    operator,
                    kernel: kernel(operator),
                    at: placed.at,
                }));
        }
        by_key
    }
}

/// The kernel's operator, and those that delegate to a structured out variant.
fn served(
    catalogue: &OperatorTable,
    operator: OperatorId,
    with_delegates: bool,
) -> impl Iterator<Item = OperatorId> + use<> {
    let group = catalogue.groups.of(operator);
    let is_structured = with_delegates && catalogue.operator(operator).is_structured();
    let members = (is_structured && group.out == Some(operator)).then(|| group.members());
    let delegates: Vec<OperatorId> = members
        .into_iter()
        .flatten()
        .filter(|&member| catalogue.operator(member).structured_delegate().is_some())
        .collect();
    std::iter::once(operator).chain(delegates)
}

/// The dispatch key with this name in a release (torchgen `DispatchKey.parse`).
#[must_use]
pub fn dispatch_key(name: &str, release: Release) -> Option<&'static str> {
    let data = release.data();
    let member = data
        .dispatch_key_aliases
        .iter()
        .find(|(alias, _)| *alias == name);
    match member.and_then(|(_, members)| members.first()) {
        Some(member) => Some(member),
        None => data.dispatch_keys_known.find(name),
    }
}
