//! Search in a sorted list, close to the previous result.

/// The index of the first item at or after `from` for which `is_before` is false. The list must be
/// partitioned by `is_before`, as for [`slice::partition_point`]. Logarithmic in the distance from
/// `from`, so searching a whole list in order is linear.
#[must_use]
pub fn gallop<T>(sorted: &[T], from: usize, is_before: impl Fn(&T) -> bool) -> usize {
    let (mut low, mut step) = (from, 1);
    while sorted.get(low + step - 1).is_some_and(&is_before) {
        low += step;
        step *= 2;
    }
    let high = sorted.len().min(low + step - 1);
    let rest = sorted.get(low..high).unwrap_or_default();
    low + rest.partition_point(is_before)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_the_partition_point(
            mut list in prop::collection::vec(0..100_u32, 0..60),
            wanted in 0..101_u32,
            from in 0..60_usize,
        ) {
            list.sort_unstable();
            let expected = list.partition_point(|it| *it < wanted);
            let from = from.min(expected);
            prop_assert_eq!(gallop(&list, from, |it| *it < wanted), expected);
        }
    }
}
