//! Alias annotations: `Tensor(a!)`, `Tensor(a -> *)` (`docs/spec/grammar.md`, section 3).

/// The alias sets of a tensor before and after the call, and whether it is written to.
///
/// As in torchgen, equality includes the order of letters. The shorthand does not count.
#[derive(Debug, Clone)]
pub struct Annotation {
    /// Letters `a` to `z` of the set before the call, in source order; never empty.
    pub before: Box<[u8]>,
    /// `!`: the tensor is written to.
    pub write: bool,
    /// The set after the arrow.
    pub after: AfterSet,
    /// Whether it was written as `Tensor!`, without a letter.
    pub shorthand: bool,
}

/// The part after the arrow.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum AfterSet {
    /// No arrow.
    Same,
    /// `-> *`: any set.
    Wildcard,
    /// `-> a|b`: these letters, in source order.
    Letters(Box<[u8]>),
}

impl Annotation {
    /// `(x!)` for one letter.
    #[must_use]
    pub fn written(letter: u8) -> Self {
        Self {
            before: Box::new([letter]),
            write: true,
            after: AfterSet::Same,
            shorthand: false,
        }
    }

    /// Whether the tensor may be in any set after the call.
    #[must_use]
    pub fn is_wildcard(&self) -> bool {
        self.after == AfterSet::Wildcard
    }
}

impl PartialEq for Annotation {
    fn eq(&self, other: &Self) -> bool {
        self.before == other.before && self.write == other.write && self.after == other.after
    }
}

impl Eq for Annotation {}

impl std::hash::Hash for Annotation {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.before.hash(state);
        self.write.hash(state);
        self.after.hash(state);
    }
}
