//! Entries that moved within the file. Their order has no meaning, so this is informational.

use super::pairing::Pairing;
use super::side::name_fragment;
use crate::change::{Change, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;

/// Adds the smallest set of moved entries that explains the new order.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
) {
    let declared: Vec<(OperatorId, OperatorId)> = pairing
        .common
        .same
        .iter()
        .copied()
        .filter(|&(a, b)| !base.operator(a).is_generated() && !head.operator(b).is_generated())
        .collect();
    if declared.is_sorted_by_key(|pair| pair.1) {
        return;
    }
    let stays = longest_increasing(&declared.iter().map(|pair| pair.1.0).collect::<Vec<_>>());
    for (i, &(old, new)) in declared.iter().enumerate() {
        if !stays[i] {
            let name = base.operator(old).shared_name();
            let change = Change::new(ChangeRuleId::EntryMoved, name, Subject::Operator);
            let (old, new) = (name_fragment(base, old), name_fragment(head, new));
            changes.push(change.old(old).new_side(new));
        }
    }
}

/// Marks the items of a longest increasing subsequence.
fn longest_increasing(items: &[u32]) -> Vec<bool> {
    // `ends[k]` is the index of the smallest item that ends an increasing run of `k + 1` items.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; items.len()];
    for (i, item) in items.iter().enumerate() {
        let at = ends.partition_point(|&end| items[end] < *item);
        before[i] = at.checked_sub(1).map(|last| ends[last]);
        match ends.get_mut(at) {
            Some(end) => *end = i,
            None => ends.push(i),
        }
    }
    let mut increasing = vec![false; items.len()];
    let mut next = ends.last().copied();
    while let Some(i) = next {
        increasing[i] = true;
        next = before[i];
    }
    increasing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_items_move() {
        let moved = |items: &[u32]| {
            let increasing = longest_increasing(items);
            increasing.iter().filter(|stays| !**stays).count()
        };
        assert_eq!(moved(&[]), 0);
        assert_eq!(moved(&[1, 2, 3]), 0);
        assert_eq!(moved(&[2, 1]), 1);
        assert_eq!(moved(&[4, 1, 2, 3]), 1);
        assert_eq!(moved(&[3, 2, 1]), 2);
    }
}
