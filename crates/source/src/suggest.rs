//! The nearest known name to a misspelt one.

/// The candidate that differs least from `name`, if it is near enough to be meant: at most a
/// third of its letters changed, inserted, dropped or swapped. Letter case counts little. The
/// first of equally near ones is given.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_few(name, candidates, 1).into_iter().next()
}

/// Up to `count` near candidates, nearest first.
#[must_use]
pub fn nearest_few<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    let wanted: Vec<char> = name.chars().take(MAX_LENGTH).collect();
    let limit = (wanted.len() / 3).clamp(1, 4) * CHANGE;
    let mut near: Vec<(usize, &str)> = candidates
        .into_iter()
        .filter(|candidate| candidate.chars().count().abs_diff(wanted.len()) * CHANGE <= limit)
        .filter_map(|candidate| {
            let letters: Vec<char> = candidate.chars().collect();
            let distance = distance_within(limit, &wanted, &letters)?;
            (distance > 0).then_some((distance, candidate))
        })
        .collect();
    near.sort_by_key(|&(distance, _)| distance);
    near.dedup_by_key(|&mut (_, candidate)| candidate);
    near.truncate(count);
    near.into_iter().map(|(_, candidate)| candidate).collect()
}

/// How alike two names are, in percent: 100 where they are equal, 0 where nothing is. A name that is
/// part of the other is as alike as it is long.
#[must_use]
pub fn similarity(a: &str, b: &str) -> u8 {
    let letters = |name: &str| name.chars().take(MAX_LENGTH).collect::<Vec<char>>();
    let (a, b) = (letters(a), letters(b));
    let longest = a.len().max(b.len());
    if longest == 0 {
        return 100;
    }
    let worst = longest * CHANGE;
    let distance = distance_within(worst, &a, &b).unwrap_or(worst);
    let alike = (worst - distance) * 100 / worst;
    u8::try_from(alike).unwrap_or(100)
}

/// Names are compared up to this many characters.
const MAX_LENGTH: usize = 128;
/// What a changed, inserted or dropped letter counts; another case counts 1.
const CHANGE: usize = 4;

/// Edit distance with swaps of neighbours (optimal string alignment), unless it is over the limit.
fn distance_within(limit: usize, a: &[char], b: &[char]) -> Option<usize> {
    let width = b.len() + 1;
    let mut before_last: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).map(|j| j * CHANGE).collect();
    let mut row = vec![0; width];
    let mut least_before = 0;
    for (i, &x) in a.iter().enumerate() {
        row[0] = (i + 1) * CHANGE;
        for (j, &y) in b.iter().enumerate() {
            let change = match (x == y, x.eq_ignore_ascii_case(&y)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => CHANGE,
            };
            let mut best = (last[j] + change)
                .min(last[j + 1] + CHANGE)
                .min(row[j] + CHANGE);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                best = best.min(before_last[j - 1] + CHANGE);
            }
            row[j + 1] = best;
        }
        // A row follows from the two before it, and costs never sink.
        let least = row.iter().copied().min().unwrap_or(0);
        if least.min(least_before) > limit {
            return None;
        }
        least_before = least;
        std::mem::swap(&mut before_last, &mut last);
        std::mem::swap(&mut last, &mut row);
    }
    Some(last[b.len()]).filter(|distance| *distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_was_meant() {
        let keys = ["CPU", "CUDA", "SparseCPU", "variants", "dispatch"];
        for (name, expected) in [
            ("Cpu", Some("CPU")),
            ("CDUA", Some("CUDA")),
            ("variant", Some("variants")),
            ("dispach", Some("dispatch")),
            ("banana", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, keys), expected, "{name}");
        }
    }
}
