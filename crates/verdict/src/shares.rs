//! Percentages that add up.

/// Whole percentages of parts that add up to 100 (to 0 when there is nothing).
pub(crate) fn percentages<const N: usize>(parts: [u32; N]) -> [u8; N] {
    split(100, parts)
}

/// Whole shares of parts that add up to `all`, at most 100 (to 0 when there is nothing): each is rounded
/// down, and the largest remainders are rounded up, earlier parts first.
pub(crate) fn split<const N: usize>(all: u8, parts: [u32; N]) -> [u8; N] {
    let whole: u64 = parts.iter().map(|&part| u64::from(part)).sum();
    let mut rounded = [0; N];
    if whole == 0 {
        return rounded;
    }
    let mut order: Vec<usize> = (0..N).collect();
    let share = |index: usize| u64::from(parts[index]) * u64::from(all);
    for (index, rounded) in rounded.iter_mut().enumerate() {
        *rounded = u8::try_from(share(index) / whole).unwrap_or(all);
    }
    let left = usize::from(all) - rounded.iter().map(|&part| usize::from(part)).sum::<usize>();
    order.sort_by_key(|&index| std::cmp::Reverse(share(index) % whole));
    for index in order.into_iter().take(left) {
        rounded[index] += 1;
    }
    rounded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up() {
        assert_eq!(percentages([1, 1, 1]), [34, 33, 33]);
        assert_eq!(percentages([0, 0, 0]), [0, 0, 0]);
        assert_eq!(percentages([1, 999, 0]), [0, 100, 0]);
        assert_eq!(percentages([u32::MAX, u32::MAX]), [50, 50]);
    }
}
