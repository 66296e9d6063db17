//! Work on the items of a list that do not need each other.

use crate::{Pair, both};

/// What `of` makes of each part of a list, in order: half beside half, and each half so again, so that a processor
/// which becomes idle meanwhile takes over some. `part` is how many items a part has at most.
pub fn in_halves<T: Sync, R: Send>(
    items: &[T],
    part: usize,
    pair: &dyn Pair,
    of: &(dyn Fn(&[T]) -> R + Sync),
) -> Vec<R> {
    let part = part.max(1);
    if items.len() <= part {
        return vec![of(items)];
    }
    // Whole parts, so that all but the last one are as long as they may be.
    let parts = items.len().div_ceil(part);
    let (one, other) = items.split_at(parts / 2 * part);
    let half = |items| in_halves(items, part, pair, of);
    let (mut one, mut other) = both(pair, || half(one), || half(other));
    one.append(&mut other);
    one
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InTurn;

    #[test]
    fn all_items_are_there_once_and_in_order() {
        for count in 0..40 {
            let items: Vec<usize> = (0..count).collect();
            for part in 0..7 {
                let parts = in_halves(&items, part, &InTurn, &<[usize]>::to_vec);
                assert!(parts.iter().all(|it| it.len() <= part.max(1)));
                assert_eq!(parts.concat(), items);
            }
        }
    }
}
