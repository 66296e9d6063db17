//! How the fates of an operator changed from release to release, as the registries were recorded.

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::Release;
use opatlas_pytorch::ways::all;

use super::membership::{Shape, counterpart};
use super::{Fate, Way, by_record};
use crate::{Shift, View};

opatlas_source::words! {
    /// A change of fate for the operator.
    pub enum Turn {
        /// Something of the operator's own serves it now.
        Gained = "gained",
        /// Nothing of the operator's own serves it any more.
        Lost = "lost",
        /// Something else serves it.
        Changed = "changed",
    }
}

/// A change of fate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FateChange {
    /// The way.
    pub way: Way,
    /// The first release with the new fate.
    pub release: Release,
    /// The fate before.
    pub before: Fate,
    /// The fate since.
    pub after: Fate,
}

impl FateChange {
    /// Better, worse, or different.
    #[must_use]
    pub fn turn(self) -> Turn {
        match self.before.shift(self.after) {
            Shift::Gained => Turn::Gained,
            Shift::Lost => Turn::Lost,
            _ => Turn::Changed,
        }
    }
}

impl View<'_> {
    /// The changes of an operator's fates by release, in order. Training and vmap are left out: these
    /// follow from verdicts, not from registries. Releases that lack the operator or a registry are
    /// passed over, and so are unknown fates.
    #[must_use]
    pub fn fate_changes(self, id: OperatorId) -> Vec<FateChange> {
        let shape = Shape::of(self, id);
        let mut changes = Vec::new();
        for way in Way::ALL {
            let of = self.membership(counterpart(self, id, way));
            let known = all().filter_map(|facts| {
                let (fate, _) = by_record(way, &shape, of.at(facts))?;
                (fate != Fate::Unknown).then(|| (facts.release(), fate))
            });
            let known: Vec<(Release, Fate)> = known.collect();
            let pairs = known.windows(2).filter(|pair| pair[0].1 != pair[1].1);
            changes.extend(pairs.map(|pair| FateChange {
                way,
                release: pair[1].0,
                before: pair[0].1,
                after: pair[1].1,
            }));
        }
        changes.sort_by_key(|change| (change.release, change.way));
        changes
    }
}
