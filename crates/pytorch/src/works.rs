//! What the verdicts say of each operator in each known patch release (`data/works.txt`).
//!
//! ```
//! use opatlas_pytorch::works;
//!
//! let shift = works::operator("bitwise_left_shift.Tensor").unwrap();
//! let runs: Vec<_> = shift.runs("MPS").collect();
//! assert_eq!((runs[0].first, runs[0].word, runs[0].works), (0, "fails", "no"));
//! ```

use std::ops::Range;

include!(concat!(env!("OUT_DIR"), "/works.rs"));

/// An operator of at least one release.
#[derive(Copy, Clone, Debug)]
pub struct Operator {
    exists: u64,
    rows: [u16; 2],
}

/// Releases in a row that say the same of an operator at a place.
#[derive(Copy, Clone, Eq, PartialEq, Debug)]
pub struct Run {
    /// The place of the first release in [`releases`].
    pub first: usize,
    /// The place of the last release.
    pub last: usize,
    /// The verdict, or the fate.
    pub word: &'static str,
    /// `yes`, `partly`, `no` or `unknown`.
    pub works: &'static str,
}

/// The known patch releases, oldest first.
#[must_use]
pub fn releases() -> &'static [&'static str] {
    RELEASES
}

/// The keys of backends about which any release says something, then the ways.
#[must_use]
pub fn places() -> &'static [&'static str] {
    PLACES
}

/// The names of all operators, in order.
pub fn operators() -> impl Iterator<Item = &'static str> {
    (0..OPERATORS.len()).map(name)
}

/// An operator by its name: `add.Tensor`.
#[must_use]
pub fn operator(wanted: &str) -> Option<Operator> {
    let (mut low, mut high) = (0, OPERATORS.len());
    while low < high {
        let middle = usize::midpoint(low, high);
        if name(middle) < wanted {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    let (exists, first, second) = *OPERATORS.get(low)?;
    let rows = [first, second];
    (name(low) == wanted).then_some(Operator { exists, rows })
}

impl Operator {
    /// Whether a release, by its place in [`releases`], has the operator.
    #[must_use]
    pub fn exists(self, release: usize) -> bool {
        self.exists >> release & 1 == 1
    }

    /// What the releases that have the operator say of it at a place: the key of a backend, or a way.
    /// Releases in which the way does not apply are left out. Empty if no release knows the place.
    pub fn runs(self, place: &str) -> impl Iterator<Item = Run> {
        let place = PLACES.iter().position(|known| *known == place);
        let changes = place.map_or(&[][..], |place| self.changes(place));
        let ends = changes.iter().skip(1).map(|(at, _)| usize::from(*at));
        let ends = ends.chain([RELEASES.len()]);
        let runs = changes.iter().zip(ends);
        let runs = runs.filter(|((_, word), _)| *word != 0);
        runs.flat_map(move |(&(first, word), end)| {
            let (word, works) = WORDS[usize::from(word)];
            let existing = self.existing(usize::from(first)..end);
            existing.map(move |(first, last)| Run {
                first,
                last,
                word,
                works,
            })
        })
    }

    /// The changes of a history: the first release, and the word from then on.
    fn changes(self, place: usize) -> &'static [(u8, u8)] {
        let own = self.rows.iter().flat_map(|row| {
            let row = usize::from(*row);
            &ROW_PAIRS[between(ROW_BOUNDS, row)]
        });
        let mut own = own.filter(|(at, _)| usize::from(*at) == place);
        let history = own.next().map_or(USUAL[place], |(_, history)| *history);
        &HISTORY_PAIRS[between(HISTORY_BOUNDS, usize::from(history))]
    }

    /// The parts of a range of releases in which the operator exists: the first and the last of each.
    pub fn existing(self, range: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
        let exists = move |at: usize| range.contains(&at) && self.exists(at);
        let begins = {
            let exists = exists.clone();
            move |at: &usize| exists(*at) && (*at == 0 || !exists(*at - 1))
        };
        (0..RELEASES.len()).filter(begins).map(move |first| {
            let last = (first..RELEASES.len()).take_while(|at| exists(*at)).last();
            (first, last.unwrap_or(first))
        })
    }
}

fn name(number: usize) -> &'static str {
    &NAMES[between(NAME_BOUNDS, number)]
}

fn between(bounds: &[u32], number: usize) -> Range<usize> {
    bounds[number] as usize..bounds[number + 1] as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(name: &str, place: &str) -> Vec<(&'static str, &'static str, &'static str)> {
        let runs = operator(name).unwrap().runs(place);
        runs.map(|run| (RELEASES[run.first], RELEASES[run.last], run.word))
            .collect()
    }

    #[test]
    fn histories_are_those_of_the_data() {
        assert_eq!(
            said("bitwise_left_shift.Tensor", "MPS"),
            [("2.0.0", "2.4.1", "fails"), ("2.5.0", "2.15.0", "runs")]
        );
        assert_eq!(said("hash_tensor", "CPU"), [("2.9.0", "2.15.0", "runs")]);
        assert_eq!(said("add.Tensor", "NoSuchKey"), []);
    }

    #[test]
    fn names_are_found_and_sorted() {
        let names: Vec<_> = operators().collect();
        assert!(names.is_sorted());
        assert!(names.iter().all(|name| operator(name).is_some()));
        assert!(operator("").is_none() && operator("zzz").is_none());
    }

    #[test]
    fn each_history_covers_the_releases_that_have_the_operator() {
        for name in operators() {
            let operator = operator(name).unwrap();
            let keys = PLACES
                .iter()
                .filter(|place| place.starts_with(char::is_uppercase));
            for key in keys {
                let covered: usize = operator.runs(key).map(|run| run.last - run.first + 1).sum();
                assert_eq!(
                    covered,
                    operator.exists.count_ones() as usize,
                    "{name} on {key}"
                );
            }
        }
    }
}
