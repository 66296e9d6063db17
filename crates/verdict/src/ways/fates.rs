//! Fates without reasons and releases, for answers about all operators.

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::ways::facts;

use super::membership::{Entry, Membership, Shape, counterpart};
use super::{Basis, Fate, Way, decide, own};
use crate::{Answer, View};

impl<'a> View<'a> {
    /// The fate of an operator on each way that applies to it.
    #[must_use]
    pub fn fates(self, id: OperatorId) -> Vec<(Way, Fate)> {
        let shape = Shape::of(self, id);
        let named = self.membership(id);
        let ways = Way::ALL.into_iter();
        ways.filter_map(|way| Some((way, self.fate_of(id, way, &shape, named)?)))
            .collect()
    }

    /// [`View::fates`], each with what it is known from.
    #[must_use]
    pub fn known_fates(self, id: OperatorId) -> Vec<(Way, Fate, Basis)> {
        let shape = Shape::of(self, id);
        let named = self.membership(id);
        let basis = |way, fate| {
            let of = self.served_as(id, way, named);
            Basis::of(fate, self.recorded(id, way, fate, &shape, of))
        };
        let ways = Way::ALL.into_iter();
        ways.filter_map(|way| {
            let fate = self.fate_of(id, way, &shape, named)?;
            Some((way, fate, basis(way, fate)))
        })
        .collect()
    }

    /// The fate of an operator on one way; `None` if the way does not apply to it.
    #[must_use]
    pub fn fate(self, id: OperatorId, way: Way) -> Option<Fate> {
        self.fate_of(id, way, &Shape::of(self, id), self.membership(id))
    }

    /// The answer to "do calls work?", given the fate: on the meta device, kernels and composites
    /// have verdicts.
    #[must_use]
    pub fn works(self, id: OperatorId, way: Way, fate: Fate) -> Option<Answer> {
        match (way, fate, self.keys().slot("Meta")) {
            (Way::Meta, Fate::Kernel | Fate::Decomposes, Some(meta)) => {
                Some(Answer::from(self.verdict(id, meta)))
            }
            _ => fate.answer(way),
        }
    }

    fn fate_of(
        self,
        id: OperatorId,
        way: Way,
        shape: &Shape,
        named: Membership<'a>,
    ) -> Option<Fate> {
        match way {
            Way::Training => Some(own::training(self, id).0),
            Way::Vmap => Some(own::vmap(self, id).0),
            _ => decide(way, shape, self.served_as(id, way, named)).map(|found| found.0),
        }
    }

    /// The registries of the operator whose fate counts on a way.
    fn served_as(self, id: OperatorId, way: Way, named: Membership<'a>) -> Membership<'a> {
        match counterpart(self, id, way) {
            same if same == id => named,
            other => self.membership(other),
        }
    }

    pub(super) fn membership(self, id: OperatorId) -> Membership<'a> {
        let name = self.inputs.catalogue.operator(id).name_text();
        Membership::of_entry(name, Entry::of(self, id), facts(self.keys().release()))
    }
}
