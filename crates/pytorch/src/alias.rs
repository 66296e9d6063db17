//! Alias keys and the runtime keys that they reach in a release, by the rules of
//! `c10/core/DispatchKeySet.cpp` (`docs/spec/dispatch.md`, sections 2, 3 and 8.2).

use std::fmt;

use super::key_set::{KeySet, Slot};
use crate::release::{ReleaseData, RuntimeKey};

/// A key without a slot: its kernels serve many runtime keys.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum Alias {
    /// All autograd keys.
    Autograd,
    /// A kernel that calls other operators and has a gradient; the default without `dispatch:`.
    CompositeImplicitAutograd,
    /// `FuncTorchBatched` by decomposition.
    FuncTorchBatchedDecomposition,
    /// A composite kernel for nested tensors.
    CompositeImplicitAutogradNestedTensor,
    /// A kernel for all backends without gradient.
    CompositeExplicitAutograd,
    /// Like `CompositeExplicitAutograd`, without lazy backends and sparse tensors.
    CompositeExplicitAutogradNonFunctional,
}

impl Alias {
    /// All alias keys, in the order of the runtime's enum.
    pub const ALL: [Self; 6] = [
        Self::Autograd,
        Self::CompositeImplicitAutograd,
        Self::FuncTorchBatchedDecomposition,
        Self::CompositeImplicitAutogradNestedTensor,
        Self::CompositeExplicitAutograd,
        Self::CompositeExplicitAutogradNonFunctional,
    ];

    /// The name in files and in the runtime.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Autograd => "Autograd",
            Self::CompositeImplicitAutograd => "CompositeImplicitAutograd",
            Self::FuncTorchBatchedDecomposition => "FuncTorchBatchedDecomposition",
            Self::CompositeImplicitAutogradNestedTensor => "CompositeImplicitAutogradNestedTensor",
            Self::CompositeExplicitAutograd => "CompositeExplicitAutograd",
            Self::CompositeExplicitAutogradNonFunctional => {
                "CompositeExplicitAutogradNonFunctional"
            }
        }
    }

    /// The index in [`Alias::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Alias {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The key sets of a release for computing tables.
#[derive(Debug)]
pub struct Sets {
    /// By [`Alias::index`]; includes `Undefined` if it is reached.
    pub(super) reach: [KeySet; Alias::ALL.len()],
    /// Backends whose kernels make a composite kernel ambiguous at `AutogradOther`.
    pub autogradother_backends: KeySet,
    /// All keys for nested tensors.
    pub nested: KeySet,
    /// Dense backends whose kernels count as kernels of their own autograd key.
    pub linked_backends: KeySet,
    /// By slot of the backend.
    pub(super) autograd_of: Vec<Option<Slot>>,
    /// `AutogradOther`, if the release has it.
    pub autograd_other: Option<Slot>,
    /// `AutogradNestedTensor`, if the release has it.
    pub autograd_nested: Option<Slot>,
    /// All runtime keys, including `Undefined`.
    pub all: KeySet,
}

/// Not in `getBackendKeySetFromAutograd` of any release.
const UNLINKED_BACKENDS: [&str; 3] = ["HIP", "VE", "MTIA"];

/// Functionalizing backends, which `CompositeExplicitAutogradNonFunctional` excludes.
const LAZY_BACKENDS: [&str; 2] = ["XLA", "Lazy"];

impl Sets {
    pub(super) fn of(data: &ReleaseData) -> Self {
        let keys = data.runtime.keys;
        let family = |name: &str| {
            select(keys, |key| {
                key.backend.is_some() && key.functionality == name
            })
        };
        let named = |name: &str| select(keys, |key| key.name == name);
        let (dense, quantized) = (family("Dense"), family("Quantized"));
        let (sparse, sparse_csr) = (family("Sparse"), family("SparseCsr"));
        let nested = family("NestedTensor");
        let plain = plain_backends(keys);
        let autograd = named("AutogradOther")
            | family("AutogradFunctionality")
            | named("AutogradNestedTensor");

        let autogradother_backends = plain | quantized | sparse | sparse_csr;
        let explicit = KeySet::only(Slot::UNDEFINED) | dense | autogradother_backends;
        let lazy = select(keys, |key| {
            key.backend.is_some_and(|b| LAZY_BACKENDS.contains(&b))
        });
        let mut implicit = explicit | nested | autograd;
        if data.functionalize_in_composite_implicit {
            implicit = implicit | named("Functionalize");
        }
        let autograd_of = autograd_keys(keys);
        Self {
            reach: Alias::ALL.map(|alias| match alias {
                Alias::Autograd => autograd,
                Alias::CompositeImplicitAutograd => implicit,
                Alias::FuncTorchBatchedDecomposition => named("FuncTorchBatched"),
                Alias::CompositeImplicitAutogradNestedTensor => {
                    nested | named("AutogradNestedTensor")
                }
                Alias::CompositeExplicitAutograd => explicit,
                Alias::CompositeExplicitAutogradNonFunctional => explicit - sparse - lazy,
            }),
            autogradother_backends,
            nested,
            linked_backends: slots(keys)
                .filter(|slot| autograd_of[slot.index()].is_some())
                .collect(),
            autograd_of,
            autograd_other: named("AutogradOther").iter().next(),
            autograd_nested: named("AutogradNestedTensor").iter().next(),
            all: slots(keys).collect(),
        }
    }
}

fn slots(keys: &[RuntimeKey]) -> impl Iterator<Item = Slot> + use<> {
    (0..=u8::MAX).take(keys.len()).map(Slot::new)
}

fn select(keys: &[RuntimeKey], wanted: impl Fn(&RuntimeKey) -> bool) -> KeySet {
    let pairs = slots(keys).zip(keys);
    pairs
        .filter(|(_, key)| wanted(key))
        .map(|(slot, _)| slot)
        .collect()
}

/// Backends that are one key (`FPGA`, `MkldnnCPU`), which precede `BackendSelect`.
fn plain_backends(keys: &[RuntimeKey]) -> KeySet {
    let end = keys
        .iter()
        .position(|key| key.name == "BackendSelect")
        .unwrap_or(0);
    let backends = keys.get(..end).unwrap_or_default();
    select(backends, |key| {
        key.backend.is_none() && key.name != "Undefined"
    })
}

/// By slot: `AutogradCPU` for `CPU`, and so on.
fn autograd_keys(keys: &[RuntimeKey]) -> Vec<Option<Slot>> {
    let autograd_of = |key: &RuntimeKey| {
        let backend = key
            .backend
            .filter(|backend| !UNLINKED_BACKENDS.contains(backend))?;
        let is_its = |other: &RuntimeKey| {
            other.functionality == "AutogradFunctionality" && other.backend == Some(backend)
        };
        let dense = key.functionality == "Dense";
        slots(keys)
            .zip(keys)
            .find(|(_, other)| dense && is_its(other))
            .map(|(slot, _)| slot)
    };
    keys.iter().map(autograd_of).collect()
}
