//! Computes the dispatch table of an operator like the runtime does
//! (`OperatorEntry::computeDispatchTableEntryWithDebug`; `docs/spec/dispatch.md`, section 4).
//!
//! The rules depend only on which keys are registered, not on kernels. So a table assigns every key to
//! a rule with a few bit-set operations; the kernel is the one registered on the rule's source key.

use std::fmt;

use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::{Key, Keys};

/// The keys that an operator registers, in one release.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Default)]
pub struct Registered {
    /// Runtime keys.
    pub runtime: KeySet,
    aliases: u8,
}

impl Registered {
    /// Whether the alias has a registration.
    #[must_use]
    pub fn has_alias(&self, alias: Alias) -> bool {
        self.aliases >> alias.index() & 1 == 1
    }

    /// The registered aliases.
    pub fn aliases(&self) -> impl Iterator<Item = Alias> + use<> {
        let own = *self;
        Alias::ALL
            .into_iter()
            .filter(move |&alias| own.has_alias(alias))
    }

    /// Whether the key is registered.
    #[must_use]
    pub fn contains(&self, key: Key) -> bool {
        match key {
            Key::Runtime(slot) => self.runtime.contains(slot),
            Key::Alias(alias) => self.has_alias(alias),
        }
    }

    /// Adds a registration.
    pub fn insert(&mut self, key: Key) {
        match key {
            Key::Runtime(slot) => self.runtime.insert(slot),
            Key::Alias(alias) => self.aliases |= 1 << alias.index(),
        }
    }

    /// Removes a registration.
    pub fn remove(&mut self, key: Key) {
        match key {
            Key::Runtime(slot) => self.runtime.remove(slot),
            Key::Alias(alias) => self.aliases &= !(1 << alias.index()),
        }
    }

    /// All registered keys: runtime keys in table order, then aliases.
    pub fn iter(&self) -> impl Iterator<Item = Key> + use<> {
        self.runtime
            .iter()
            .map(Key::Runtime)
            .chain(self.aliases().map(Key::Alias))
    }
}

impl FromIterator<Key> for Registered {
    fn from_iter<I: IntoIterator<Item = Key>>(keys: I) -> Self {
        let mut registered = Self::default();
        keys.into_iter().for_each(|key| registered.insert(key));
        registered
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

opatlas_source::words! {
    /// Why a key has its kernel, in the runtime's terms.
    pub enum Reason {
        /// A kernel registered on the key itself.
        Kernel = "kernel",
        /// An explicit composite kernel.
        DefaultBackendKernel = "default backend kernel",
        /// A composite kernel for nested tensors.
        NestedKernel = "nested kernel",
        /// An implicit composite kernel.
        MathKernel = "math kernel",
        /// Ambiguous: an implicit composite, and a kernel of a backend without its own autograd key. Calls fail.
        AmbiguousAutogradOther = "ambiguous autogradother",
        /// A kernel on the alias `Autograd`.
        AutogradKernel = "autograd kernel",
        /// A decomposition for batched tensors.
        BatchedKernel = "batched kernel",
        /// The fallback of the key for all operators.
        BackendFallback = "backend fallback",
        /// No kernel. Calls fail.
        Missing = "missing",
    }
}

impl Reason {
    /// Whether a call reaches a kernel of the operator.
    #[must_use]
    pub fn is_served(self) -> bool {
        !matches!(
            self,
            Self::Missing | Self::BackendFallback | Self::AmbiguousAutogradOther
        )
    }
}

/// The rule that serves a key, in the order of precedence. More specific than [`Reason`]: two aliases
/// provide default backend kernels.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum Precedence {
    /// 1: the key's own registration.
    Direct,
    /// 2: `CompositeExplicitAutogradNonFunctional`.
    NonFunctional,
    /// 3: `CompositeExplicitAutograd`.
    Explicit,
    /// 4: `CompositeImplicitAutogradNestedTensor`.
    Nested,
    /// 5a: `CompositeImplicitAutograd`, and a kernel of a backend without its own autograd key.
    Ambiguous,
    /// 5b: `CompositeImplicitAutograd`.
    Implicit,
    /// 6: `Autograd`.
    Autograd,
    /// 7: `FuncTorchBatchedDecomposition`.
    Batched,
    /// 8: the fallback of the key for all operators.
    Fallback,
    /// 9: nothing.
    Missing,
}

impl Precedence {
    /// All rules in order.
    pub const ALL: [Self; 10] = [
        Self::Direct,
        Self::NonFunctional,
        Self::Explicit,
        Self::Nested,
        Self::Ambiguous,
        Self::Implicit,
        Self::Autograd,
        Self::Batched,
        Self::Fallback,
        Self::Missing,
    ];

    /// Its number in `docs/spec/dispatch.md`, section 4.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Self::Direct => 1,
            Self::NonFunctional => 2,
            Self::Explicit => 3,
            Self::Nested => 4,
            Self::Ambiguous | Self::Implicit => 5,
            Self::Autograd => 6,
            Self::Batched => 7,
            Self::Fallback => 8,
            Self::Missing => 9,
        }
    }

    /// The runtime's reason.
    #[must_use]
    pub fn reason(self) -> Reason {
        match self {
            Self::Direct => Reason::Kernel,
            Self::NonFunctional | Self::Explicit => Reason::DefaultBackendKernel,
            Self::Nested => Reason::NestedKernel,
            Self::Ambiguous => Reason::AmbiguousAutogradOther,
            Self::Implicit => Reason::MathKernel,
            Self::Autograd => Reason::AutogradKernel,
            Self::Batched => Reason::BatchedKernel,
            Self::Fallback => Reason::BackendFallback,
            Self::Missing => Reason::Missing,
        }
    }

    /// The alias that the rule depends on, if any.
    #[must_use]
    pub fn alias(self) -> Option<Alias> {
        match self {
            Self::NonFunctional => Some(Alias::CompositeExplicitAutogradNonFunctional),
            Self::Explicit => Some(Alias::CompositeExplicitAutograd),
            Self::Nested => Some(Alias::CompositeImplicitAutogradNestedTensor),
            Self::Ambiguous | Self::Implicit => Some(Alias::CompositeImplicitAutograd),
            Self::Autograd => Some(Alias::Autograd),
            Self::Batched => Some(Alias::FuncTorchBatchedDecomposition),
            Self::Direct | Self::Fallback | Self::Missing => None,
        }
    }

    /// The registered key whose kernel serves `slot`; `None` if no registration of the operator does
    /// (ambiguous, fallback, missing).
    #[must_use]
    pub fn source(self, slot: Slot) -> Option<Key> {
        match self {
            Self::Direct => Some(Key::Runtime(slot)),
            Self::Ambiguous => None,
            _ => self.alias().map(Key::Alias),
        }
    }
}

/// A dispatch table: the rule that serves each runtime key of a release.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub struct Table {
    served: [KeySet; Precedence::ALL.len()],
}

impl Table {
    /// The keys served by a rule.
    #[must_use]
    pub fn served(&self, rule: Precedence) -> KeySet {
        self.served[rule as usize]
    }

    /// The rule that serves a key.
    #[must_use]
    pub fn rule(&self, slot: Slot) -> Precedence {
        let found = Precedence::ALL
            .into_iter()
            .find(|&rule| self.served(rule).contains(slot));
        found.unwrap_or(Precedence::Missing)
    }

    /// The registered key whose kernel serves `slot`.
    #[must_use]
    pub fn source(&self, slot: Slot) -> Option<Key> {
        self.rule(slot).source(slot)
    }

    /// The rule of each slot, in table order.
    #[must_use]
    pub fn cells(&self, keys: &Keys) -> Vec<Precedence> {
        let mut cells = vec![Precedence::Missing; keys.count()];
        for rule in Precedence::ALL {
            for slot in self.served(rule).iter() {
                if let Some(cell) = cells.get_mut(slot.index()) {
                    *cell = rule;
                }
            }
        }
        cells
    }
}

/// Computes the table. The first applicable rule wins. `fallbacks` are the keys with a fallback for all
/// operators, usually [`Keys::fallbacks`].
#[must_use]
pub fn resolve(keys: &Keys, registered: &Registered, fallbacks: KeySet) -> Table {
    let mut open = keys.sets.all;
    let mut served = [KeySet::EMPTY; Precedence::ALL.len()];
    let mut serve = |rule: Precedence, wanted: KeySet| {
        let taken = wanted & open;
        served[rule as usize] = taken;
        open = open - taken;
    };
    let reach = |alias: Alias| {
        if registered.has_alias(alias) {
            keys.reach(alias)
        } else {
            KeySet::EMPTY
        }
    };
    serve(Precedence::Direct, registered.runtime);
    serve(
        Precedence::NonFunctional,
        reach(Alias::CompositeExplicitAutogradNonFunctional),
    );
    serve(
        Precedence::Explicit,
        reach(Alias::CompositeExplicitAutograd),
    );
    serve(
        Precedence::Nested,
        reach(Alias::CompositeImplicitAutogradNestedTensor),
    );
    if registered.has_alias(Alias::CompositeImplicitAutograd) {
        serve(Precedence::Ambiguous, ambiguous(keys, registered));
        serve(Precedence::Implicit, implicit(keys, registered));
    }
    serve(Precedence::Autograd, reach(Alias::Autograd));
    serve(
        Precedence::Batched,
        reach(Alias::FuncTorchBatchedDecomposition),
    );
    serve(Precedence::Fallback, fallbacks);
    served[Precedence::Missing as usize] = open;
    Table { served }
}

/// Rule 5a: `AutogradOther`, if a backend that uses it has a kernel.
pub fn ambiguous(keys: &Keys, registered: &Registered) -> KeySet {
    let sharing = registered.runtime.meets(&keys.sets.autogradother_backends);
    keys.sets
        .autograd_other
        .filter(|_| sharing)
        .map_or(KeySet::EMPTY, KeySet::only)
}

/// Rule 5b: the keys that `CompositeImplicitAutograd` serves if it is registered. An explicit composite
/// disables it everywhere; a backend's kernel disables it on the backend's autograd key.
pub(super) fn implicit(keys: &Keys, registered: &Registered) -> KeySet {
    if registered.has_alias(Alias::CompositeExplicitAutograd) {
        return KeySet::EMPTY;
    }
    let mut reach = keys.reach(Alias::CompositeImplicitAutograd);
    for backend in (registered.runtime & keys.sets.linked_backends).iter() {
        if let Some(autograd) = keys.autograd_of(backend) {
            reach.remove(autograd);
        }
    }
    if let Some(nested) = keys.sets.autograd_nested
        && registered.runtime.meets(&keys.sets.nested)
    {
        reach.remove(nested);
    }
    reach
}
