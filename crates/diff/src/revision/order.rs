//! The order of changes: by operator, the worst first, so that related changes stand together.

use std::cmp::{Ordering, Reverse};
use std::sync::Arc;

use crate::change::Change;

/// Changes as they were found, and their order. Lists that are found at the same time are put in order there, and
/// only merged in the end, when all else waits for it.
#[derive(Debug, Default)]
pub(super) struct Ordered {
    pub(super) changes: Vec<Arc<Change>>,
    /// The places of all, in order, each with how the name of its operator begins: names are scattered in memory, and
    /// the first bytes of most already differ.
    order: Vec<(u128, usize)>,
}

impl Ordered {
    pub(super) fn of(changes: Vec<Arc<Change>>) -> Self {
        let beginnings = changes.iter().map(|change| beginning(&change.operator));
        let order = beginnings.zip(0..).collect();
        Self { changes, order }.in_order()
    }

    /// Lists one after the other, and their common order: changes that are alike in it stay in the order of the lists.
    pub(super) fn joined(lists: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for mut list in lists {
            let before = all.changes.len();
            all.changes.append(&mut list.changes);
            let order = list.order.into_iter();
            all.order
                .extend(order.map(|(beginning, at)| (beginning, before + at)));
        }
        all.in_order()
    }

    /// Each list that is in order already is taken as it is and merged.
    fn in_order(mut self) -> Self {
        let changes = &self.changes;
        self.order.sort_by(|&(first, a), &(second, b)| {
            let in_full = || compare(&changes[a], &changes[b]);
            first.cmp(&second).then_with(in_full)
        });
        self
    }

    /// The place of each change in the order.
    pub(super) fn places(&self) -> Vec<usize> {
        let mut places = vec![0; self.order.len()];
        for (place, &(_, found)) in self.order.iter().enumerate() {
            places[found] = place;
        }
        places
    }

    /// The changes in order.
    pub(super) fn into_changes(self) -> Vec<Arc<Change>> {
        let mut unsorted: Vec<_> = self.changes.into_iter().map(Some).collect();
        let order = self.order.iter();
        order.filter_map(|&(_, at)| unsorted[at].take()).collect()
    }
}

fn compare(a: &Change, b: &Change) -> Ordering {
    let rank = |change: &Change| {
        let of_operator = !change.is_compound();
        (of_operator, Reverse(change.level), change.rule.id)
    };
    let by_rank = || rank(a).cmp(&rank(b));
    // Few agree in all that comes before, so the text is seldom made.
    let by_subject = || a.subject.order(&b.subject);
    let by_operator = a.operator.cmp(&b.operator);
    by_operator.then_with(by_rank).then_with(by_subject)
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
    use crate::change::Subject;
    use crate::rules::ChangeRuleId;

    use super::*;

    #[test]
    fn lists_in_order_are_merged_as_if_they_were_one() {
        let names = [
            "add",
            "add.out",
            "_adaptive_avg_pool2d",
            "_adaptive_avg_pool2d_backward",
            "z",
        ];
        let subjects = [
            Subject::Operator,
            Subject::Argument("self".into()),
            Subject::Return(1),
        ];
        let changes = (0..600_usize).map(|at| {
            let rule = ChangeRuleId::ALL[at * 7 % ChangeRuleId::ALL.len()];
            let name = names[at * 11 % names.len()];
            Arc::new(Change::new(
                rule,
                name,
                subjects[at * 13 % subjects.len()].clone(),
            ))
        });
        let changes: Vec<_> = changes.collect();
        let (one, other) = changes.split_at(250);
        let merged = Ordered::joined([one, other].map(|list| Ordered::of(list.to_vec())));
        let places = merged.places();
        let merged = merged.into_changes();
        for (change, place) in changes.iter().zip(places) {
            assert!(Arc::ptr_eq(change, &merged[place]));
        }
        let mut expected = changes;
        expected.sort_by(|a, b| compare(a, b));
        let is_same = |(a, b): (&Arc<Change>, &Arc<Change>)| Arc::ptr_eq(a, b);
        assert!(expected.iter().zip(&merged).all(is_same));
    }
}
