//! The dispatch keys of a release.

use std::fmt;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::alias::{Alias, Sets};
use super::key_set::{KeySet, Slot};
use crate::release::{Release, RuntimeKey};

/// A key for registrations.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub enum Key {
    /// A key with a slot in the table.
    Runtime(Slot),
    /// An alias of several keys.
    Alias(Alias),
}

/// Why a kernel cannot be registered to a name.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Debug)]
pub enum NotRegistrable {
    /// No key of this release has the name.
    Unknown,
    /// A slot whose name the runtime cannot parse; only aliases reach it.
    Unparseable(Slot),
    /// `Undefined` does not accept registrations.
    Undefined,
    /// A functionality that exists once per backend (`Sparse`); register to one of its keys.
    Functionality,
}

/// The keys of one release, from [`Keys::of`].
#[derive(Debug)]
pub struct Keys {
    release: Release,
    index: FxHashMap<&'static str, Key>,
    unparseable: KeySet,
    fallbacks: KeySet,
    fallthrough_fallbacks: KeySet,
    fallback_files: Vec<Option<&'static str>>,
    /// The key sets for computing tables.
    pub sets: Sets,
}

impl Keys {
    /// The keys of a release.
    #[must_use]
    pub fn of(release: Release) -> &'static Self {
        static KEYS: [OnceLock<Keys>; Release::COUNT] = [const { OnceLock::new() }; Release::COUNT];
        KEYS[release.index()].get_or_init(|| Self::build(release))
    }

    fn build(release: Release) -> Self {
        let lists = &release.data().runtime;
        let slots = (0..=u8::MAX).map(Slot::new);
        let mut index: FxHashMap<_, _> = lists
            .keys
            .iter()
            .zip(slots)
            .map(|(key, slot)| (key.name, Key::Runtime(slot)))
            .collect();
        let slot_of = |name: &str| match index.get(name) {
            Some(Key::Runtime(slot)) => Some(*slot),
            _ => None,
        };
        let unparseable = lists.unparseable.iter().filter_map(slot_of).collect();
        let fallbacks = lists
            .fallbacks
            .iter()
            .filter_map(|row| slot_of(row.key))
            .collect();
        let passing = lists.fallbacks.iter().filter(|row| row.fallthrough);
        let fallthrough_fallbacks = passing.filter_map(|row| slot_of(row.key)).collect();
        let mut fallback_files = vec![None; lists.keys.len()];
        for row in lists.fallbacks {
            let file = slot_of(row.key).and_then(|slot| fallback_files.get_mut(slot.index()));
            if let Some(file) = file {
                *file = Some(row.file);
            }
        }
        index.extend(Alias::ALL.map(|alias| (alias.name(), Key::Alias(alias))));
        let sets = Sets::of(release.data());
        Self {
            release,
            index,
            unparseable,
            fallbacks,
            fallthrough_fallbacks,
            fallback_files,
            sets,
        }
    }

    /// The release.
    #[must_use]
    pub fn release(&self) -> Release {
        self.release
    }

    /// The number of runtime keys, including `Undefined`.
    #[must_use]
    pub fn count(&self) -> usize {
        self.rows().len()
    }

    /// The runtime keys in table order.
    pub fn slots(&self) -> impl Iterator<Item = Slot> + use<> {
        self.sets.all.iter()
    }

    /// The runtime or alias key of a name, including `Undefined` and unparseable ones.
    #[must_use]
    pub fn lookup(&self, name: &str) -> Option<Key> {
        self.index.get(name).copied()
    }

    /// The slot of a runtime key's name.
    #[must_use]
    pub fn slot(&self, name: &str) -> Option<Slot> {
        match self.lookup(name)? {
            Key::Runtime(slot) => Some(slot),
            Key::Alias(_) => None,
        }
    }

    /// The key to which a registration by this name goes.
    ///
    /// # Errors
    /// [`NotRegistrable`] when the runtime refuses the name.
    pub fn registrable(&self, name: &str) -> Result<Key, NotRegistrable> {
        match self.lookup(name) {
            Some(Key::Runtime(Slot::UNDEFINED)) => Err(NotRegistrable::Undefined),
            Some(Key::Runtime(slot)) if self.unparseable.contains(slot) => {
                Err(NotRegistrable::Unparseable(slot))
            }
            Some(key) => Ok(key),
            None if self.rows().iter().any(|row| row.functionality == name) => {
                Err(NotRegistrable::Functionality)
            }
            None => Err(NotRegistrable::Unknown),
        }
    }

    /// Whether a registration can name this key.
    #[must_use]
    pub fn is_parseable(&self, slot: Slot) -> bool {
        slot != Slot::UNDEFINED && !self.unparseable.contains(slot)
    }

    /// All names: runtime keys in table order, then aliases.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let aliases = Alias::ALL.into_iter().map(Alias::name);
        self.rows().iter().map(|row| row.name).chain(aliases)
    }

    /// The name of a key.
    #[must_use]
    pub fn name(&self, key: Key) -> &'static str {
        match key {
            Key::Runtime(slot) => self.row(slot).map_or("", |row| row.name),
            Key::Alias(alias) => alias.name(),
        }
    }

    /// `Sparse` for `SparseCPU`; a single key is its own functionality.
    #[must_use]
    pub fn functionality(&self, slot: Slot) -> &'static str {
        self.row(slot).map_or("", |row| row.functionality)
    }

    /// `CPU` for `SparseCPU`; `None` for a single key.
    #[must_use]
    pub fn backend(&self, slot: Slot) -> Option<&'static str> {
        self.row(slot)?.backend
    }

    /// The runtime keys that an alias reaches, including `Undefined`, which the runtime's query
    /// omits.
    #[must_use]
    pub fn reach(&self, alias: Alias) -> KeySet {
        self.sets.reach[alias.index()]
    }

    /// The runtime keys that a registration to this key may serve.
    #[must_use]
    pub fn reach_of(&self, key: Key) -> KeySet {
        match key {
            Key::Runtime(slot) => KeySet::only(slot),
            Key::Alias(alias) => self.reach(alias),
        }
    }

    /// The backends of an autograd key: a kernel at one of them blocks the implicit composite
    /// kernel (`docs/spec/dispatch.md`, section 3). Empty for other keys.
    #[must_use]
    pub fn backends_of_autograd(&self, slot: Slot) -> KeySet {
        if self.sets.autograd_other == Some(slot) {
            return self.sets.autogradother_backends;
        }
        if self.sets.autograd_nested == Some(slot) {
            return self.sets.nested;
        }
        let linked = self.sets.linked_backends.iter();
        linked
            .filter(|backend| self.autograd_of(*backend) == Some(slot))
            .collect()
    }

    /// The keys with a backend fallback.
    #[must_use]
    pub fn fallbacks(&self) -> KeySet {
        self.fallbacks
    }

    /// The [`Keys::fallbacks`] that fall through.
    #[must_use]
    pub fn fallthrough_fallbacks(&self) -> KeySet {
        self.fallthrough_fallbacks
    }

    /// The source file that registers the backend fallback of a key.
    #[must_use]
    pub fn fallback_file(&self, slot: Slot) -> Option<&'static str> {
        *self.fallback_files.get(slot.index())?
    }

    /// The autograd key for which kernels of a dense backend count.
    pub fn autograd_of(&self, backend: Slot) -> Option<Slot> {
        *self.sets.autograd_of.get(backend.index())?
    }

    fn rows(&self) -> &'static [RuntimeKey] {
        self.release.data().runtime.keys
    }

    fn row(&self, slot: Slot) -> Option<&'static RuntimeKey> {
        self.rows().get(slot.index())
    }
}

impl fmt::Display for NotRegistrable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unknown => "this release has no dispatch key of this name",
            Self::Unparseable(_) => {
                "the key exists in the runtime, but the runtime cannot parse its name"
            }
            Self::Undefined => "no kernel can be registered to Undefined",
            Self::Functionality => "this is a functionality key; use one of its per-backend keys",
        })
    }
}
