//! Cells as JSON. A comparison of two releases has ten thousand of them but only a few hundred sorts, so what stands
//! around the names of operators and kernels is written once for each sort.

use opatlas_pytorch::key_set::KeySet;
use rustc_hash::FxHashMap;

use crate::wire::cells::{CellView, DispatchChange};
use crate::wire::json;
use crate::wire::static_text::StaticText;

/// What has been written of the cells of a comparison.
#[derive(Debug, Default)]
pub(super) struct CellTexts {
    written: Vec<Written>,
    /// Where that of a sort is.
    places: FxHashMap<Sort, usize>,
    /// Where that of the last change is.
    last: usize,
    operator: Repeated,
    cause: Repeated,
}

/// A text that mostly comes several times, one after the other: each cell repeats the operator and the cause of its
/// table.
#[derive(Debug, Default)]
struct Repeated {
    text: String,
    is_none: bool,
    json: Vec<u8>,
}

impl Repeated {
    fn json(&mut self, text: Option<&str>) -> &[u8] {
        let is_same = self.is_none == text.is_none() && self.text == text.unwrap_or_default();
        if self.json.is_empty() || !is_same {
            self.is_none = text.is_none();
            self.text.clear();
            self.text.push_str(text.unwrap_or_default());
            self.json.clear();
            json::push(&mut self.json, &text);
        }
        &self.json
    }
}

/// What has been written of a sort.
#[derive(Debug)]
struct Written {
    sort: Sort,
    /// What stands between the operator and the first kernel, between the kernels, and between the second one and
    /// the cause.
    texts: [Vec<u8>; 3],
    /// The place of the sort that came next when this one last came. Mostly it does so again, and to compare it is
    /// less work than to look it up.
    next: usize,
}

/// A change of cells but for the names of operator, kernels and cause.
type Sort = (KeySet, CellSort, CellSort);

/// A cell but for its kernel: reason, key and verdict, and whether it has one.
type CellSort = (StaticText, Option<StaticText>, Option<StaticText>, bool);

impl CellTexts {
    /// Appends what a [`DispatchChange`] is as JSON.
    pub(super) fn push(&mut self, text: &mut Vec<u8>, change: &DispatchChange<'_>) {
        text.extend_from_slice(br#"{"operator":"#);
        text.extend_from_slice(self.operator.json(Some(change.operator)));
        let [before, after] = [&change.before, &change.after];
        let [first, second, third] = self.of_sort(change);
        for (kernel, front) in [(before.kernel, first), (after.kernel, second)] {
            text.extend_from_slice(front);
            if let Some(kernel) = kernel {
                json::push(text, kernel);
            }
        }
        text.extend_from_slice(third);
        text.extend_from_slice(self.cause.json(change.cause));
        text.push(b'}');
    }

    fn of_sort(&mut self, change: &DispatchChange<'_>) -> &[Vec<u8>; 3] {
        let [before, after] = [&change.before, &change.after];
        let sort = (change.keys.set(), sort(before), sort(after));
        let next = self.written.get(self.last).map_or(0, |last| last.next);
        let is_next = self.written.get(next).is_some_and(|next| next.sort == sort);
        let place = match is_next {
            true => next,
            false => *self.places.entry(sort).or_insert_with(|| {
                let texts = around_kernels(change);
                let next = self.written.len() + 1;
                self.written.push(Written { sort, texts, next });
                self.written.len() - 1
            }),
        };
        if let Some(last) = self.written.get_mut(self.last) {
            last.next = place;
        }
        self.last = place;
        &self.written[place].texts
    }
}

fn sort(cell: &CellView<'_>) -> CellSort {
    let [key, verdict] = [cell.source_key, cell.verdict].map(|text| text.map(StaticText::of));
    let reason = StaticText::of(cell.reason);
    (reason, key, verdict, cell.kernel.is_some())
}

/// What the sort of a change decides.
fn around_kernels(change: &DispatchChange<'_>) -> [Vec<u8>; 3] {
    let keys = json::json(&change.keys);
    let [before, after] = [&change.before, &change.after].map(around_kernel);
    [
        [br#","keys":"#, &*keys, br#","before":"#, &before[0]].concat(),
        [&*before[1], br#","after":"#, &after[0]].concat(),
        [&*after[1], br#","cause":"#].concat(),
    ]
}

/// What stands in front of a cell's kernel and behind it; of a cell without one, all and nothing.
fn around_kernel(cell: &CellView<'_>) -> [Vec<u8>; 2] {
    const NAME: &[u8] = br#""kernel":"#;
    const EMPTY: &[u8] = br#""kernel":"""#;
    let kernel = cell.kernel.map(|_| "");
    let text = json::json(&CellView { kernel, ..*cell });
    match memchr::memmem::find(&text, EMPTY) {
        Some(at) => [
            text[..at + NAME.len()].to_vec(),
            text[at + EMPTY.len()..].to_vec(),
        ],
        None => [text, Vec::new()],
    }
}

#[cfg(test)]
mod tests {
    use opatlas_pytorch::key_set::KeySet;
    use opatlas_pytorch::keys::Keys;
    use opatlas_pytorch::release::Release;

    use super::*;
    use crate::wire::cells::KeyNames;

    #[test]
    fn a_cell_is_what_it_is_by_itself() {
        let keys = Keys::of(Release::LATEST);
        let sets = keys
            .slots()
            .take(3)
            .map(|slot| KeyNames::new(keys, KeySet::only(slot)));
        let all = keys.slots().take(3).fold(KeySet::EMPTY, |mut all, slot| {
            all.insert(slot);
            all
        });
        let sets: Vec<_> = sets.chain([KeyNames::new(keys, all)]).collect();
        let kernels = [None, Some(""), Some("add\"\\"), Some("ä\u{1}"), Some("at")];
        let mut cells = Vec::new();
        for reason in ["kernel", "missing"] {
            for source_key in [None, Some("CPU"), Some("")] {
                for verdict in [None, Some("runs")] {
                    cells.extend(kernels.map(|kernel| CellView {
                        reason,
                        source_key,
                        kernel,
                        verdict,
                    }));
                }
            }
        }
        let mut texts = CellTexts::default();
        for (at, before) in cells.iter().enumerate() {
            for after in &cells {
                let change = DispatchChange {
                    operator: ["add", "\"kernel\":\"\""][at % 2],
                    keys: sets[at % sets.len()],
                    before: *before,
                    after: *after,
                    cause: (at % 3 > 0).then_some("0a"),
                };
                let mut text = b"x".to_vec();
                texts.push(&mut text, &change);
                assert_eq!(text[1..], json::json(&change));
            }
        }
    }
}
