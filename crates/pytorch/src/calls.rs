//! Calls of composite kernels, recorded by running PyTorch's operator tests on a device with a
//! minimum of kernels (`docs/spec/support.md`, section 3).
//!
//! Recordings contain the direct calls through the dispatcher.

use crate::release::Release;

/// The recorded calls of one composite kernel. Operators are indices into [`names`].
#[derive(Debug, Clone, Copy)]
pub struct RecordedCalls {
    /// The operator.
    pub operator: u16,
    /// The recorded release.
    pub recorded_with: Release,
    /// The operators that every sample called, in the order of the first call.
    pub always: &'static [u16],
    /// The operators that some samples called.
    pub sometimes: &'static [u16],
    /// Those of them that more than half of the samples called.
    pub mostly: &'static [u16],
}

/// All recorded operators of namespace `aten`: `chunk`, `add.Tensor`.
pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
    BOUNDS
        .windows(2)
        .map(|bounds| &NAMES[bounds[0] as usize..bounds[1] as usize])
}

/// The calls of each operator from the recording nearest to `release`. If it has none there, those
/// of the next recording with calls count as conditional.
pub fn of_release(release: Release) -> impl Iterator<Item = RecordedCalls> {
    all_rows(ROWS, release)
}

/// What training calls besides: all calls of the backward, and those of a forward with gradients that
/// one without does not make.
pub fn of_training(release: Release) -> impl Iterator<Item = RecordedCalls> {
    all_rows(TRAINING, release)
}

fn all_rows(rows: &'static [Row], release: Release) -> impl Iterator<Item = RecordedCalls> {
    let order: Vec<Release> = nearest(release, MEASURED).collect();
    let of_operators = rows.chunk_by(|a, b| a.operator == b.operator);
    of_operators.filter_map(move |rows| of_rows(rows, &order))
}

/// The calls of one operator; `order` has the recordings, nearest first.
fn of_rows(rows: &[Row], order: &[Release]) -> Option<RecordedCalls> {
    let mut recorded = order.iter().filter_map(|&known| {
        let row = rows.iter().find(|row| row.holds_in(known))?;
        Some((known, row))
    });
    let (recorded_with, row) = recorded.next()?;
    // The samples of another release may be more thorough.
    let others = recorded.find(|(_, other)| row.begin == row.end && other.begin < other.end);
    let (recorded_with, sometimes) = match others {
        Some((release, other)) => (release, called(other.begin, other.end)),
        None => (recorded_with, called(row.always_end, row.end)),
    };
    Some(RecordedCalls {
        operator: row.operator,
        recorded_with,
        always: called(row.begin, row.always_end),
        sometimes,
        mostly: called(row.end, row.mostly_end),
    })
}

/// The release whose recording has the calls of an operator in `release`.
#[must_use]
pub fn recorded_with(release: Release, operator: &str) -> Option<Release> {
    let place = names().position(|name| name == operator)?;
    let begin = ROWS.partition_point(|row| usize::from(row.operator) < place);
    let end = ROWS.partition_point(|row| usize::from(row.operator) <= place);
    let order: Vec<Release> = nearest(release, MEASURED).collect();
    Some(of_rows(ROWS.get(begin..end)?, &order)?.recorded_with)
}

/// A recorded call that the first samples of the operator's own tests never make. Numbers are indices
/// into [`names`].
#[derive(Debug, Clone, Copy)]
pub struct RareCall {
    /// The operator that makes the call.
    pub operator: u16,
    /// The operator that it calls.
    pub call: u16,
    /// The operators whose tests reach the call, each with the chain of calls from it to
    /// [`RareCall::operator`], both included.
    pub within: &'static [&'static [u16]],
}

/// The rare calls of the recording nearest to `release`.
pub fn rare(release: Release) -> impl Iterator<Item = RareCall> {
    nearest_rows(RARE, release)
}

/// Calls that no sample makes, but a call without optional arguments does, of the recording nearest to
/// `release`.
pub fn without_options(release: Release) -> impl Iterator<Item = RareCall> {
    nearest_rows(MADE, release)
}

fn nearest_rows(rows: &'static [RareRow], release: Release) -> impl Iterator<Item = RareCall> {
    let used = nearest(release, RARE_MEASURED).next();
    let rows = rows.iter();
    let rows = rows.filter(move |row| used.is_some_and(|used| contains(row.releases, used)));
    rows.map(|row| RareCall {
        operator: row.operator,
        call: row.call,
        within: row.within,
    })
}

/// Those of the recorded releases, nearest first: `release` itself, earlier ones from the newest,
/// later ones from the oldest.
fn nearest(release: Release, recorded: u64) -> impl Iterator<Item = Release> {
    let before = Release::all().filter(move |&known| known <= release).rev();
    let after = Release::all().filter(move |&known| known > release);
    let all = before.chain(after);
    all.filter(move |&known| contains(recorded, known))
}

/// The recorded release nearest to `release`; `None` without recordings.
#[must_use]
pub fn measured_for(release: Release) -> Option<Release> {
    nearest(release, MEASURED).next()
}

/// Whether a mask has the bit of a release.
fn contains(mask: u64, release: Release) -> bool {
    mask >> release.index() & 1 == 1
}

/// `releases` has a bit for each minor release; `begin..end` and `end..mostly_end` are ranges of
/// [`CALLED`].
#[derive(Debug)]
struct Row {
    operator: u16,
    releases: u64,
    begin: u32,
    always_end: u32,
    end: u32,
    mostly_end: u32,
}

impl Row {
    fn holds_in(&self, release: Release) -> bool {
        contains(self.releases, release)
    }
}

#[derive(Debug)]
struct RareRow {
    operator: u16,
    call: u16,
    releases: u64,
    within: &'static [&'static [u16]],
}

// MEASURED has a bit for each recorded release. NAMES concatenates all sorted names; BOUNDS has
// their boundaries. ROWS and TRAINING are sorted by operator. RARE, MADE and RARE_MEASURED
// are of `data/rare_calls.json`.
include!(concat!(env!("OUT_DIR"), "/calls.rs"));

fn called(begin: u32, end: u32) -> &'static [u16] {
    let called = CALLED.get(begin as usize..end as usize);
    called.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_measured_release_stands_in() {
        for release in Release::all() {
            let used = measured_for(release);
            assert_eq!(used.is_some(), MEASURED != 0);
            if contains(MEASURED, release) {
                assert_eq!(used, Some(release));
            }
        }
    }

    #[test]
    fn every_release_has_the_calls_of_every_operator() {
        let operators: std::collections::BTreeSet<u16> =
            ROWS.iter().map(|row| row.operator).collect();
        for release in Release::all() {
            let recorded: Vec<u16> = of_release(release).map(|calls| calls.operator).collect();
            assert!(recorded.iter().eq(&operators), "{release}");
        }
    }

    #[test]
    fn rows_name_each_call_once() {
        for release in Release::all() {
            for calls in of_release(release) {
                let mut called = [calls.always, calls.sometimes].concat();
                let count = called.len();
                called.sort_unstable();
                called.dedup();
                let operator = names().nth(usize::from(calls.operator));
                assert_eq!(called.len(), count, "{operator:?} in {release}");
            }
        }
    }
}
