//! The known names nearest to a misspelled one. Many lookups share a [`Budget`].

use std::cell::Cell;

/// The steps in one [`Budget`], for comparing candidates and their letters. A hundred misspelled
/// names against all operators of a release use about a tenth of it.
pub const MOST_STEPS: u64 = 16_000_000;

/// The steps left for a number of lookups. When it is used up, lookups find nothing. It counts
/// steps instead of time, so results are reproducible.
#[derive(Debug)]
pub struct Budget {
    left: Cell<u64>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            left: Cell::new(MOST_STEPS),
        }
    }
}

/// The near name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Near<'a> {
    /// The name.
    pub name: &'a str,
    /// Whether no other candidate is as near.
    pub is_only: bool,
}

impl<'a> Near<'a> {
    /// The only name that can be meant.
    #[must_use]
    pub fn only(name: &'a str) -> Self {
        Self {
            name,
            is_only: true,
        }
    }

    /// One of several names that can be meant.
    #[must_use]
    pub fn one_of_several(name: &'a str) -> Self {
        Self {
            name,
            is_only: false,
        }
    }
}

impl Budget {
    /// Like [`near`], within the budget.
    #[must_use]
    pub fn near<'a>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<Near<'a>> {
        let wanted = Wanted::new(name);
        let candidates = candidates.into_iter();
        let looked_at = candidates.map(|it| (it, wanted.may_be_near(it)));
        match self.ranked(&wanted, looked_at)[..] {
            [] => None,
            [(_, name)] => Some(Near::only(name)),
            [(first, name), (second, _), ..] => Some(Near {
                name,
                is_only: first < second,
            }),
        }
    }

    /// Like [`nearest`], within the budget.
    #[must_use]
    pub fn nearest<'a>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        self.nearest_few(name, candidates, 1).into_iter().next()
    }

    /// Like [`nearest_few`], within the budget.
    #[must_use]
    pub fn nearest_few<'a>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = &'a str>,
        count: usize,
    ) -> Vec<&'a str> {
        let wanted = Wanted::new(name);
        let candidates = candidates.into_iter();
        let looked_at = candidates.map(|it| (it, wanted.may_be_near(it)));
        self.few(&wanted, looked_at, count)
    }

    /// Like [`Budget::nearest_few`], for candidates whose letters are already counted.
    #[must_use]
    pub fn nearest_few_of<'a>(
        &self,
        name: &str,
        candidates: impl IntoIterator<Item = (&'a str, Letters)>,
        count: usize,
    ) -> Vec<&'a str> {
        let wanted = Wanted::new(name);
        let candidates = candidates.into_iter();
        let looked_at = candidates.map(|(it, letters)| (it, wanted.may_have(letters)));
        self.few(&wanted, looked_at, count)
    }

    fn few<'a>(
        &self,
        wanted: &Wanted,
        candidates: impl Iterator<Item = (&'a str, bool)>,
        count: usize,
    ) -> Vec<&'a str> {
        let near = self.ranked(wanted, candidates).into_iter();
        near.take(count).map(|(_, candidate)| candidate).collect()
    }

    /// The near candidates with their distances, nearest first.
    fn ranked<'a>(
        &self,
        wanted: &Wanted,
        candidates: impl Iterator<Item = (&'a str, bool)>,
    ) -> Vec<(usize, &'a str)> {
        let mut near: Vec<(usize, &str)> = Vec::new();
        for (candidate, may_be_near) in candidates {
            if !self.take(1) {
                return Vec::new();
            }
            if !may_be_near {
                continue;
            }
            if !self.take(wanted.steps()) {
                return Vec::new();
            }
            if let Some(distance) = wanted.distance(candidate) {
                near.push((distance, candidate));
            }
        }
        near.sort_by_key(|&(distance, _)| distance);
        near.dedup_by_key(|&mut (_, candidate)| candidate);
        near
    }

    /// The remaining steps.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.left.get()
    }

    fn take(&self, steps: u64) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(steps));
        left >= steps
    }
}

/// The candidate that differs least from `name`, if at most a third of its letters are changed,
/// inserted, dropped or swapped, or one of two letters. Case counts little, and nothing else is near to a
/// single letter. Of equally near candidates, the first wins.
/// Finds nothing among more than [`MOST_STEPS`] candidates.
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    Budget::default().nearest(name, candidates)
}

/// The nearest candidate, and whether it is the only one that near.
#[must_use]
pub fn near<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<Near<'a>> {
    Budget::default().near(name, candidates)
}

/// Up to `count` near candidates, nearest first.
#[must_use]
pub fn nearest_few<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    count: usize,
) -> Vec<&'a str> {
    Budget::default().nearest_few(name, candidates, count)
}

/// Letter counts of a name. Names with very different counts are not near.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Letters {
    count: usize,
    /// The count of each letter, ignoring case; some letters share a count.
    times: [u8; KINDS],
}

/// As many as fit into a register.
const KINDS: usize = 32;

impl Letters {
    /// Counts the letters of a name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        if name.is_ascii() {
            Self::of_each(name.bytes().map(char::from))
        } else {
            Self::of_each(name.chars())
        }
    }

    fn of_each(letters: impl Iterator<Item = char>) -> Self {
        let mut all = Self::default();
        for letter in letters {
            all.count += 1;
            let times = &mut all.times[letter.to_ascii_lowercase() as usize % KINDS];
            *times = times.saturating_add(1);
        }
        all
    }

    fn lacks(&self, other: &Self) -> u32 {
        let both = self.times.iter().zip(&other.times);
        both.map(|(here, there)| u32::from(there.saturating_sub(*here)))
            .sum()
    }
}

struct Wanted {
    letters: Vec<char>,
    all: Letters,
    limit: usize,
}

impl Wanted {
    fn new(name: &str) -> Self {
        let letters: Vec<char> = name.chars().take(MAX_LENGTH).collect();
        Self {
            all: Letters::of_each(letters.iter().copied()),
            limit: match letters.len() {
                // Another letter shares nothing with it, unless only the case differs.
                0 | 1 => CHANGE - 1,
                count => (count / 3).clamp(1, 4) * CHANGE,
            },
            letters,
        }
    }

    fn may_be_near(&self, candidate: &str) -> bool {
        let most = self.limit / CHANGE;
        candidate.len() <= (self.letters.len() + most) * 4 && self.may_have(Letters::of(candidate))
    }

    fn may_have(&self, candidate: Letters) -> bool {
        let most = self.limit / CHANGE;
        if candidate.count.abs_diff(self.all.count) > most {
            return false;
        }
        // One change replaces one letter with another.
        let lacking = self.all.lacks(&candidate).max(candidate.lacks(&self.all));
        lacking as usize <= most
    }

    fn steps(&self) -> u64 {
        16 + 4 * self.letters.len() as u64
    }

    fn distance(&self, candidate: &str) -> Option<usize> {
        let mut letters = ['\0'; ROW];
        let mut count = 0;
        for letter in candidate.chars() {
            *letters.get_mut(count)? = letter;
            count += 1;
        }
        let distance = distance_within(self.limit, &self.letters, &letters[..count]);
        distance.filter(|&distance| distance > 0)
    }
}

/// How similar two names are, in percent; for a name within the other, the ratio of lengths.
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

const MAX_LENGTH: usize = 128;
/// The cost of a changed, inserted or deleted letter. A change of case costs 1.
const CHANGE: usize = 4;

/// Candidates may be longer than the name, within the limit.
const ROW: usize = MAX_LENGTH + 8;

/// Edit distance with swaps of neighbors (optimal string alignment), unless it is over the limit.
fn distance_within(limit: usize, a: &[char], b: &[char]) -> Option<usize> {
    if b.len() + 1 > ROW {
        return None;
    }
    // Each step off the diagonal costs a change, so a path within the limit stays near it.
    let band = limit / CHANGE;
    let beyond = limit + CHANGE;
    let mut rows = [[beyond; ROW]; 3];
    let [before_last, last, row] = &mut rows;
    let (mut before_last, mut last, mut row) = (before_last, last, row);
    for (j, cost) in last.iter_mut().enumerate().take(band.min(b.len()) + 1) {
        *cost = j * CHANGE;
    }
    let mut least_before = 0;
    for (i, &x) in a.iter().enumerate() {
        let from = (i + 1).saturating_sub(band);
        let to = (i + 1 + band).min(b.len());
        match from.checked_sub(1) {
            None => row[0] = (i + 1) * CHANGE,
            Some(outside) => row[outside.min(b.len())] = beyond,
        }
        row[to + 1] = beyond;
        for j in from.max(1)..=to {
            let y = b[j - 1];
            let change = match (x == y, x.eq_ignore_ascii_case(&y)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => CHANGE,
            };
            let mut best = (last[j - 1] + change)
                .min(last[j] + CHANGE)
                .min(row[j - 1] + CHANGE);
            if i > 0 && j > 1 && x == b[j - 2] && a[i - 1] == y {
                best = best.min(before_last[j - 2] + CHANGE);
            }
            row[j] = best;
        }
        // Each row depends on the two before it, and costs never decrease.
        let reached = row.get(from..=to).unwrap_or(&[]);
        let least = reached.iter().copied().min().unwrap_or(beyond);
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
        let keys = ["CPU", "CUDA", "SparseCPU", "variants", "dispatch", "t"];
        for (name, expected) in [
            ("T", Some("t")),
            ("tt", Some("t")),
            ("Cpu", Some("CPU")),
            ("CDUA", Some("CUDA")),
            ("variant", Some("variants")),
            ("dispach", Some("dispatch")),
            ("banana", None),
            ("C", None),
            ("@", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, keys), expected, "{name}");
        }
    }

    #[test]
    fn a_name_is_the_only_one_if_no_other_is_as_near() {
        let only = |name: &str, names: &[&'static str]| {
            near(name, names.iter().copied()).map(|near| (near.name, near.is_only))
        };
        assert_eq!(
            only("dispach", &["dispatch", "device"]),
            Some(("dispatch", true))
        );
        assert_eq!(only("XPUU", &["CPU", "XPU"]), Some(("XPU", true)));
        assert_eq!(only("DPU", &["CPU", "XPU"]), Some(("CPU", false)));
        assert_eq!(only("CDUA", &["CUDA", "CUDA"]), Some(("CUDA", true)));
        assert_eq!(only("banana", &["CPU"]), None);
    }

    /// The plain algorithm: all cells, no limit.
    fn distance(a: &[char], b: &[char]) -> usize {
        let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
        for i in 0..=a.len() {
            for j in 0..=b.len() {
                if i == 0 || j == 0 {
                    rows[i][j] = (i + j) * CHANGE;
                    continue;
                }
                let (x, y) = (a[i - 1], b[j - 1]);
                let change = match (x == y, x.eq_ignore_ascii_case(&y)) {
                    (true, _) => 0,
                    (_, true) => 1,
                    _ => CHANGE,
                };
                let mut best = (rows[i - 1][j - 1] + change)
                    .min(rows[i - 1][j] + CHANGE)
                    .min(rows[i][j - 1] + CHANGE);
                if i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y {
                    best = best.min(rows[i - 2][j - 2] + CHANGE);
                }
                rows[i][j] = best;
            }
        }
        rows[a.len()][b.len()]
    }

    proptest::proptest! {
        #[test]
        fn distances_are_those_of_the_plain_algorithm(
            a in "[abAB_é]{0,9}",
            b in "[abAB_é]{0,9}",
            limit in 0_usize..40,
        ) {
            let (x, y): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
            let expected = Some(distance(&x, &y)).filter(|&d| d <= limit);
            proptest::prop_assert_eq!(distance_within(limit, &x, &y), expected);
            let wanted = Wanted::new(&a);
            if wanted.distance(&b).is_some() {
                proptest::prop_assert!(wanted.may_be_near(&b));
            }
        }
    }

    #[test]
    fn a_budget_ends_lookups_and_not_their_results() {
        let names: Vec<String> = (0..5_000).map(|n| format!("operator_{n:05}")).collect();
        let whole = Budget {
            left: Cell::new(MOST_STEPS),
        };
        let _ = whole.nearest("operator_04210x", names.iter().map(|n| &**n));
        let cost = MOST_STEPS - whole.left();
        let budget = Budget {
            left: Cell::new(cost * 5 / 2),
        };
        let mut found = 0;
        for _ in 0..20 {
            let near = budget.nearest("operator_04210x", names.iter().map(|n| &**n));
            match near {
                Some(near) => assert_eq!(near, "operator_04210"),
                None => assert_eq!(budget.left(), 0),
            }
            found += usize::from(near.is_some());
        }
        assert_eq!(found, 2);
    }
}
