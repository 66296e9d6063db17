//! A comparison as JSON in pieces: nearly all of a long one are its changes and cells, of which each is
//! text of its own.

use std::ops::Range;

use opatlas_source::{Pair, both};
use serde::Serialize;

use crate::service::{LARGEST_ANSWER, ServiceError};
use crate::wire::comparison::{
    Changes, Comparison, ComparisonParts, DispatchChanges, LastCause, bare, beginning,
    dispatch_change, fill_end,
};
use crate::wire::json::around;

/// How many items are written before their length is looked at.
const STEP: usize = 64;

/// What stands around the changes and the cells.
#[derive(Debug)]
pub struct Frame(Vec<Vec<u8>>);

/// A comparison: what stands before its changes, the changes, what stands between them and the cells, the
/// cells, and the rest, each an item of its own.
#[derive(Debug, Clone, Copy)]
pub struct Pieces<'a> {
    frame: &'a Frame,
    changes: Changes<'a>,
    cells: DispatchChanges<'a>,
}

impl Frame {
    /// That of a comparison with its conclusion, which counts findings too. `finish` fills in what does not
    /// come from its parts and stands behind the changes. What stands before and what stands behind them may
    /// be made at the same time: of a long comparison it is half a megabyte.
    ///
    /// # Errors
    /// [`ServiceError::LargeAnswer`].
    pub fn of(
        told: ComparisonParts<'_>,
        in_parts: &dyn Pair,
        conclusion: &'static str,
        finish: impl FnOnce(&mut Comparison<'_>) + Send,
    ) -> Result<Self, ServiceError> {
        let parts = |mut comparison: Comparison<'_>| {
            (comparison.changes.1, comparison.dispatch_changes.1) = (&[], &[]);
            around(&comparison, ["changes", "dispatch_changes"])
        };
        let begin = || {
            let mut comparison = beginning(told);
            comparison.conclusion = conclusion;
            parts(comparison)
        };
        let end = || {
            let mut comparison = bare(told);
            fill_end(&mut comparison, told);
            finish(&mut comparison);
            parts(comparison)
        };
        let (begun, ended) = both(in_parts, begin, end);
        let frame = begun.zip(ended).map(|(mut frame, ended)| {
            frame.splice(1.., ended.into_iter().skip(1));
            Self(frame)
        });
        let limit = LARGEST_ANSWER;
        frame.ok_or(ServiceError::LargeAnswer { limit })
    }
}

impl<'a> Pieces<'a> {
    /// Those of a comparison with its frame.
    #[must_use]
    pub fn of(frame: &'a Frame, told: ComparisonParts<'a>) -> Self {
        let (changes, cells) = told.lists();
        Self {
            frame,
            changes,
            cells,
        }
    }

    /// How many items there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.frame.0.len() + self.changes.1.len() + self.cells.1.len()
    }

    /// Appends the items of a range.
    pub fn write(&self, items: Range<usize>, text: &mut Vec<u8>) {
        let between = 1 + self.changes.1.len();
        let rest = between + 1 + self.cells.1.len();
        let mut last = LastCause::default();
        for item in items {
            let part = match item {
                0 => 0,
                item if item == between => 1,
                item if item == rest => 2,
                item if item < between => {
                    let judged = self.changes.1.get(item - 1);
                    let change = judged.map(|judged| self.changes.0.change(judged));
                    push(text, item == 1, change);
                    continue;
                }
                item => {
                    let first = between + 1;
                    let change = self.cells.1.get(item - first);
                    let change =
                        change.map(|change| dispatch_change(self.cells.0, change, &mut last));
                    push(text, item == first, change);
                    continue;
                }
            };
            text.extend(self.frame.0.get(part).into_iter().flatten());
        }
    }

    /// All of them, of which two halves are made at the same time. What is larger than answers may be ends
    /// beyond that.
    #[must_use]
    pub fn whole(&self, pair: &dyn Pair) -> Vec<u8> {
        let of = |items: Range<usize>| {
            let mut text = Vec::new();
            let end = items.end;
            for from in items.step_by(STEP) {
                if text.len() <= LARGEST_ANSWER {
                    self.write(from..end.min(from + STEP), &mut text);
                }
            }
            text
        };
        let (count, half) = (self.count(), self.count() / 2);
        let (mut text, rest) = both(pair, || of(0..half), || of(half..count));
        let room = (LARGEST_ANSWER + 1).saturating_sub(text.len());
        text.extend_from_slice(&rest[..rest.len().min(room)]);
        text
    }
}

/// Appends an item of a list.
fn push(text: &mut Vec<u8>, is_first: bool, item: Option<impl Serialize>) {
    if !is_first {
        text.push(b',');
    }
    // Writing to memory does not fail, and ours have string keys only.
    let _ = item.map(|item| serde_json::to_writer(text, &item));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::civil::date;
    use opatlas_diff::policy::Policy;
    use opatlas_pytorch::release::Release;
    use opatlas_source::{Bundle, InTurn, Stop};

    use super::*;
    use crate::service::Snapshot;
    use crate::service::compare::Compared;
    use crate::wire::change::ChangeContext;
    use crate::wire::comparison::{SideView, comparison};
    use crate::wire::json::json;

    fn read(entries: &str) -> Arc<Snapshot> {
        let bundle = Bundle::of_native_functions(entries.as_bytes());
        Arc::new(Snapshot::read(bundle, Release::LATEST, None))
    }

    fn view(title: &str) -> SideView {
        SideView {
            title: title.to_owned(),
            project: None,
            revision: "sha256:0".to_owned(),
            label: None,
            release: "2.15",
        }
    }

    /// With changes, cells, causes, new operators, findings and something unread, and without any.
    #[test]
    fn the_pieces_are_the_whole() {
        let old = "- func: f(Tensor self, int n) -> Tensor\n  dispatch:\n    CPU: f_cpu\n\
                   - func: g(Tensor self) -> Tensor\n\
                   - func: h(Tensor self -> Tensor\n";
        let new = "- func: f(Tensor self, int m=1) -> Tensor\n  dispatch:\n    CUDA: f_cuda\n\
                   - func: k(Tensor self,Tensor b) -> Tensor\n";
        for (old, new) in [(old, new), (new, old), (old, old)] {
            let (base, head) = (read(old), read(new));
            let compared = Compared::new(base, head, &Stop::never());
            let compared = compared.unwrap_or_else(|error| panic!("{error}"));
            let policy = Policy::default();
            let judgement = compared.judge(&policy, &[], date(2026, 6, 1));
            let told = ComparisonParts {
                compared: &compared,
                base: &view("old"),
                head: &view("new"),
                policy: &policy,
                introduced: &compared.introduced(),
                cards: &compared.cards(&Stop::never()).unwrap(),
                context: ChangeContext {
                    judgement: &judgement,
                    exceptions: &[],
                    base: Some(compared.base.changed_files()),
                    head: Some(compared.head.changed_files()),
                },
            };
            let mut whole = comparison(told, vec!["a note".to_owned()]);
            whole.conclusion = "fail";
            whole.permalink = Some("/p".to_owned());
            assert_eq!(old == new, whole.changes.1.is_empty());
            let frame = Frame::of(told, &InTurn, "fail", |end| {
                end.notes = vec!["a note".to_owned()];
                end.permalink = Some("/p".to_owned());
            });
            let frame = frame.unwrap_or_else(|error| panic!("{error}"));
            let pieces = Pieces::of(&frame, told);
            let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
            assert_eq!(text(&pieces.whole(&InTurn)), text(&json(&whole)));
            let mut one_by_one = Vec::new();
            (0..pieces.count()).for_each(|item| pieces.write(item..item + 1, &mut one_by_one));
            assert_eq!(text(&one_by_one), text(&json(&whole)));
        }
    }
}
