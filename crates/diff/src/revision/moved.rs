//! Entries that moved within the file. Their order has no meaning, so this is informational.

use super::pairing::Pairing;
use crate::change::{Change, Fragment, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;

/// Adds the fewest entries whose moving explains the new order.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
) {
    let written: Vec<(OperatorId, OperatorId)> = pairing
        .common
        .same
        .iter()
        .copied()
        .filter(|&(a, b)| !base.operator(a).is_generated() && !head.operator(b).is_generated())
        .collect();
    if written.is_sorted_by_key(|pair| pair.1) {
        return;
    }
    let stays = longest_rising(&written.iter().map(|pair| pair.1.0).collect::<Vec<_>>());
    for (i, &(old, new)) in written.iter().enumerate() {
        if !stays[i] {
            let name = base.operator(old).shared_name();
            let change = Change::new(ChangeRuleId::EntryMoved, name, Subject::Operator);
            let change = change.old(place(base, old)).new_side(place(head, new));
            changes.push(change);
        }
    }
}

fn place(catalogue: &Catalogue, id: OperatorId) -> Option<Fragment> {
    let placed = catalogue.operator(id).declared()?;
    let text = catalogue.operator(id).name_text();
    Some(Fragment::of_field(
        text,
        Some(placed.place(placed.entry.func_at)),
    ))
}

/// Which items belong to a longest rising subsequence.
fn longest_rising(items: &[u32]) -> Vec<bool> {
    // `ends[k]` is the index of the smallest item that ends a rising run of `k + 1`.
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
    let mut rising = vec![false; items.len()];
    let mut next = ends.last().copied();
    while let Some(i) = next {
        rising[i] = true;
        next = before[i];
    }
    rising
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_items_move() {
        let moved = |items: &[u32]| {
            let rising = longest_rising(items);
            rising.iter().filter(|stays| !**stays).count()
        };
        assert_eq!(moved(&[]), 0);
        assert_eq!(moved(&[1, 2, 3]), 0);
        assert_eq!(moved(&[2, 1]), 1);
        assert_eq!(moved(&[4, 1, 2, 3]), 1);
        assert_eq!(moved(&[3, 2, 1]), 2);
    }
}
