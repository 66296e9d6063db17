//! The order of changes: by operator, the worst first, so that related changes stand together.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::change::Change;

/// Changes as they were found, and their order. Lists that are found at the same time are put in order there, and
/// only merged in the end, when all else waits for it.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    pub(super) changes: Vec<Arc<Change>>,
    pub(super) order: Order,
}

/// The places of changes, in order.
#[derive(Debug, Default)]
pub(super) struct Order(Vec<Placed>);

/// A change by what mostly decides its order: names and changes are scattered in memory.
#[derive(Debug, Clone, Copy)]
struct Placed {
    /// How the name of its operator begins. The first bytes of most already differ.
    beginning: u128,
    /// Where the name lies. Changes of an operator mostly share it.
    name: usize,
    /// Which comes first of an operator's changes.
    rank: u32,
    /// The place of the change as it was found.
    at: u32,
}

impl Ordered {
    pub(super) fn of(changes: Vec<Arc<Change>>) -> Self {
        let placed = changes.iter().zip(0..);
        let placed = placed.map(|(change, at)| Placed::of(change, at));
        let order = Order(placed.collect()).merged(&changes);
        Self { changes, order }
    }

    /// Lists one after the other, each of which is still in its own order.
    pub(super) fn together(lists: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for mut list in lists {
            let before = u32::try_from(all.changes.len()).unwrap_or(u32::MAX);
            all.changes.append(&mut list.changes);
            let order = list.order.0.into_iter();
            let moved = |placed: Placed| Placed {
                at: before + placed.at,
                ..placed
            };
            all.order.0.extend(order.map(moved));
        }
        all
    }
}

impl Order {
    /// The common order of lists of these changes: those that are alike in it stay in the order of the lists. Each list
    /// that is in order already is taken as it is.
    pub(super) fn merged(mut self, changes: &[Arc<Change>]) -> Self {
        self.0.sort_by(|a, b| a.compare(b, changes));
        self
    }

    /// The place of each change in the order.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.0.len()];
        for (place, placed) in self.0.iter().enumerate() {
            places[placed.at as usize] = place;
        }
        places
    }

    /// The changes in this order.
    pub(super) fn of_changes(&self, changes: Vec<Arc<Change>>) -> Vec<Arc<Change>> {
        let mut unsorted: Vec<_> = changes.into_iter().map(Some).collect();
        let order = self.0.iter();
        let taken = order.filter_map(|placed| unsorted[placed.at as usize].take());
        taken.collect()
    }
}

impl Placed {
    fn of(change: &Change, at: u32) -> Self {
        Self {
            beginning: beginning(&change.operator),
            name: change.operator.as_ptr().addr(),
            rank: rank(change),
            at,
        }
    }

    fn compare(&self, other: &Self, changes: &[Arc<Change>]) -> Ordering {
        let [one, two] = [self, other].map(|placed| &changes[placed.at as usize]);
        let by_name = || match self.name == other.name {
            true => Ordering::Equal,
            false => one.operator.cmp(&two.operator),
        };
        let by_beginning = self.beginning.cmp(&other.beginning);
        let by_rank = || self.rank.cmp(&other.rank);
        // Few agree in all that comes before, so the text is seldom made.
        let by_subject = || one.subject.order(&two.subject);
        by_beginning
            .then_with(by_name)
            .then_with(by_rank)
            .then_with(by_subject)
    }
}

/// Less where a change comes before others of its operator: one that represents others, then the worst, then by rule.
fn rank(change: &Change) -> u32 {
    let represented = u32::from(!change.is_compound());
    let level = u32::from(u8::MAX - change.level as u8);
    (represented << 24) | (level << 16) | u32::from(change.rule.id as u16)
}

/// The first bytes of a name as a number, which is less where the name comes before.
fn beginning(name: &str) -> u128 {
    let mut bytes = [0; size_of::<u128>()];
    for (byte, &letter) in bytes.iter_mut().zip(name.as_bytes()) {
        *byte = letter;
    }
    u128::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;

    use crate::change::Subject;
    use crate::rules::ChangeRuleId;

    use super::*;

    #[test]
    fn lists_in_order_are_merged_as_if_they_were_one() {
        let names: [Arc<str>; 5] = [
            "add",
            "add.out",
            "_adaptive_avg_pool2d",
            "_adaptive_avg_pool2d_backward",
            "z",
        ]
        .map(Into::into);
        let subjects = [
            Subject::Operator,
            Subject::Argument("self".into()),
            Subject::Return(1),
        ];
        let changes = (0..600_usize).map(|at| {
            let rule = ChangeRuleId::ALL[at * 7 % ChangeRuleId::ALL.len()];
            let name = &names[at * 11 % names.len()];
            // Most changes share the name of their operator, not all.
            let name: Arc<str> = match at % 3 {
                0 => (&**name).into(),
                _ => Arc::clone(name),
            };
            let subject = subjects[at * 13 % subjects.len()].clone();
            Arc::new(Change::new(rule, name, subject))
        });
        let changes: Vec<_> = changes.collect();
        let (one, other) = changes.split_at(250);
        let together = Ordered::together([one, other].map(|list| Ordered::of(list.to_vec())));
        let order = together.order.merged(&together.changes);
        let places = order.places();
        let merged = order.of_changes(together.changes);
        for (change, place) in changes.iter().zip(places) {
            assert!(Arc::ptr_eq(change, &merged[place]));
        }
        let mut expected = changes;
        expected.sort_by_key(|change| {
            let of_operator = (!change.is_compound(), Reverse(change.level), change.rule.id);
            (
                change.operator.clone(),
                of_operator,
                change.subject.joined(),
            )
        });
        let is_same = |(a, b): (&Arc<Change>, &Arc<Change>)| Arc::ptr_eq(a, b);
        assert!(expected.iter().zip(&merged).all(is_same));
    }
}
