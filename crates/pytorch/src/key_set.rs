//! Sets of runtime keys as bits.

use std::fmt;
use std::ops::{BitAnd, BitOr, Sub};

/// A runtime key of one release: its index in dispatch tables, where 0 is `Undefined`.
#[derive(Copy, Clone, Eq, PartialEq, Ord, PartialOrd, Hash, Debug)]
pub struct Slot(u8);

impl Slot {
    /// The key `Undefined`, first in every release.
    pub const UNDEFINED: Self = Self(0);

    pub(super) const fn new(index: u8) -> Self {
        Self(index)
    }

    /// The index in the table.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

const WORDS: usize = 3;

/// A set of [`Slot`]s of one release.
#[derive(Copy, Clone, Eq, PartialEq, Hash, Default)]
pub struct KeySet([u64; WORDS]);

impl KeySet {
    /// The capacity of a set; no release has more keys.
    pub const CAPACITY: usize = 64 * WORDS;

    /// The empty set.
    pub const EMPTY: Self = Self([0; WORDS]);

    /// The set of one key.
    #[must_use]
    pub fn only(slot: Slot) -> Self {
        let mut set = Self::EMPTY;
        set.insert(slot);
        set
    }

    /// Adds a key.
    pub fn insert(&mut self, slot: Slot) {
        if let Some(word) = self.0.get_mut(slot.index() / 64) {
            *word |= 1 << (slot.0 % 64);
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, slot: Slot) {
        if let Some(word) = self.0.get_mut(slot.index() / 64) {
            *word &= !(1 << (slot.0 % 64));
        }
    }

    /// Whether the key is in the set.
    #[must_use]
    pub fn contains(&self, slot: Slot) -> bool {
        let word = self.0.get(slot.index() / 64);
        word.is_some_and(|word| word >> (slot.0 % 64) & 1 == 1)
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::EMPTY
    }

    /// Whether the sets have a key in common.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        !(*self & *other).is_empty()
    }

    /// The number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The keys in table order.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + use<> {
        let mut words = self.0;
        let mut at = 0;
        std::iter::from_fn(move || {
            while at < WORDS {
                if words[at] != 0 {
                    let bit = words[at].trailing_zeros();
                    words[at] &= words[at] - 1;
                    return u8::try_from(at * 64 + bit as usize).ok().map(Slot);
                }
                at += 1;
            }
            None
        })
    }
}

impl BitOr for KeySet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }
}

impl BitAnd for KeySet {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }
}

impl Sub for KeySet {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] & !other.0[i]))
    }
}

impl FromIterator<Slot> for KeySet {
    fn from_iter<I: IntoIterator<Item = Slot>>(slots: I) -> Self {
        let mut set = Self::EMPTY;
        slots.into_iter().for_each(|slot| set.insert(slot));
        set
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(Slot::index)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_gives_back_its_keys_in_order() {
        let slots = [137, 0, 64, 63, 128, 5].map(Slot);
        let set: KeySet = slots.into_iter().collect();
        let order: Vec<_> = set.iter().map(Slot::index).collect();
        assert_eq!(order, [0, 5, 63, 64, 128, 137]);
        assert_eq!(set.len(), 6);
        assert!(slots.iter().all(|&slot| set.contains(slot)) && !set.contains(Slot(1)));
    }

    #[test]
    fn algebra_is_by_key() {
        let (a, b) = (
            KeySet::from_iter([1, 70].map(Slot)),
            KeySet::from_iter([70, 130].map(Slot)),
        );
        assert_eq!((a | b).len(), 3);
        assert_eq!(a & b, KeySet::only(Slot(70)));
        assert_eq!(a - b, KeySet::only(Slot(1)));
        assert!(a.meets(&b) && !(a - b).meets(&b));
        let mut c = a;
        c.remove(Slot(70));
        assert_eq!(c, a - b);
    }

    #[test]
    fn slots_beyond_the_capacity_are_never_members() {
        let mut set = KeySet::EMPTY;
        set.insert(Slot(255));
        assert!(set.is_empty() && !set.contains(Slot(255)));
    }
}
