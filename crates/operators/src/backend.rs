//! Out-of-tree backend files, `backends/NAME.yaml`: which operators a backend has kernels for
//! (`docs/spec/files.md`, section 6, torchgen `gen_backend_stubs.parse_backend_yaml`).
//!
//! What is read here depends on the file alone; [`BackendFile::kernels`] says what it registers
//! among the operators of a catalogue.

mod read;
pub mod vendor;

use std::sync::Arc;

use opatlas_pytorch::release::Release;
use opatlas_source::Span;
use opatlas_source::diagnostic::Complaints;
use rustc_hash::FxHashSet;

use super::entry::Placed;
use super::operator::{OperatorId, VendorOperator};
use super::table::OperatorTable;
use vendor::{PlacedKernel, Profile, VendorFile};

/// One backend file. Places count from the beginning of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BackendFile {
    /// The text; where the bytes were no valid text, with the bad places replaced.
    pub text: Arc<str>,
    /// Whether the file is a mapping at all.
    pub is_mapping: bool,
    /// `backend`: the dispatch key of the kernels.
    pub backend: Option<Placed<Box<str>>>,
    /// `class_name`: the C++ class that the kernels are members of.
    pub class_name: Option<Placed<Box<str>>>,
    /// `cpp_namespace`: where that class lives.
    pub cpp_namespace: Option<Placed<Box<str>>>,
    /// `supported`: operators with a kernel on the backend's key.
    pub supported: Vec<Placed<Box<str>>>,
    /// `symint`: those among all listed whose kernels take symbolic sizes.
    pub symint: Vec<Placed<Box<str>>>,
    /// `autograd`: operators with a kernel on the backend's autograd key.
    pub autograd: Vec<Placed<Box<str>>>,
    /// `full_codegen`: operators whose kernels are generated; they count as supported.
    pub full_codegen: Vec<Placed<Box<str>>>,
    /// `ir_gen`: operators of which only the graph nodes are generated.
    pub ir_gen: Vec<Placed<Box<str>>>,
    /// `non_native`: schemas of graph nodes that are not operators.
    pub non_native: Vec<Placed<Box<str>>>,
    /// `use_out_as_primary`: out variants carry the kernels of structured operators.
    pub use_out_as_primary: bool,
    /// `device_guard`: generated code guards the device.
    pub device_guard: bool,
    /// What a vendor's file says beyond a backend file; its lists and operators above and below are
    /// there once a release is known ([`BackendFile::under`]).
    pub vendor: Option<Arc<VendorFile>>,
    /// The operators that a vendor's file declares.
    pub custom: Vec<Arc<VendorOperator>>,
    /// The kernels that a vendor's file registers under their own names, in the order of places.
    pub placed: Vec<PlacedKernel>,
    /// What could not be read.
    pub diagnostics: Complaints,
}

/// A list of operators in a backend file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Listing {
    /// `supported`
    Supported,
    /// `full_codegen`
    FullCodegen,
    /// `autograd`
    Autograd,
}

impl Listing {
    /// The key as in the file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Supported => "supported",
            Self::FullCodegen => "full_codegen",
            Self::Autograd => "autograd",
        }
    }
}

/// A kernel that a backend file promises.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackendKernel {
    /// The operator.
    pub operator: OperatorId,
    /// The function's name, without class and namespace.
    pub kernel: Box<str>,
    /// Where the operator is listed.
    pub at: Span,
}

/// The kernels on one dispatch key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyKernels {
    /// The key.
    pub key: &'static str,
    /// The kernels, each operator once, in the order listed.
    pub kernels: Vec<BackendKernel>,
}

impl BackendFile {
    /// Reads a file. Never fails: what cannot be read is in the diagnostics.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        Self::read_with(bytes, None)
    }

    /// The same with the profile of its vendor. Without one, built-in profiles are tried.
    #[must_use]
    pub fn read_with(bytes: &[u8], profile: Option<&Profile>) -> Self {
        read::read(bytes, profile)
    }

    /// The kernel that a registration at a place has, where the file names one.
    #[must_use]
    pub fn kernel_at(&self, at: Span) -> Option<&str> {
        let found = self.placed.binary_search_by_key(&at, |placed| placed.at);
        found.ok().map(|index| &*self.placed[index].kernel)
    }

    /// The operator of a name in a list: one of PyTorch, or of the vendor's own.
    #[must_use]
    pub fn listed(&self, catalogue: &OperatorTable, name: &str) -> Option<OperatorId> {
        let own = || {
            let vendor = self.vendor.as_ref()?;
            catalogue.find_in(&vendor.profile.namespace, name)
        };
        catalogue.find(name).or_else(own)
    }

    /// The operators with kernels on the backend's key, in order: `supported`, then
    /// `full_codegen`.
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

    /// What the file registers among the operators of a catalogue, key by key; keys without
    /// kernels are left out. Operators and keys that do not exist are left out too, which rules
    /// refuse.
    #[must_use]
    pub fn kernels(&self, catalogue: &OperatorTable) -> Vec<KeyKernels> {
        let symint: FxHashSet<&str> = self.symint.iter().map(|op| &*op.value).collect();
        let on_key = |key: Option<&'static str>, listed: Vec<&Placed<Box<str>>>| {
            let mut seen = FxHashSet::default();
            let kernels: Vec<BackendKernel> = listed
                .into_iter()
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
        all
    }

    /// The kernels that the file names itself, by key, without those of its lists.
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
            let served = served(catalogue, operator, placed.serves_delegates)
                .filter(|&operator| seen.insert((key, operator)));
            by_key[at]
                .kernels
                .extend(served.map(|operator| BackendKernel {
                    operator,
                    kernel: placed.kernel.clone(),
                    at: placed.at,
                }));
        }
        by_key
    }
}

/// The operators that a kernel serves: its own, and of a structured out variant those that delegate
/// to it.
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

/// The dispatch key for a name in a release (torchgen `DispatchKey.parse`).
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
