//! Cells as JSON. A comparison of two releases has ten thousand of them but only a few hundred sorts, so what stands
//! around the names of operators and kernels is written once for each sort. The tables of a shape mostly have cells of
//! the same sorts in the same order: those are looked up once for the shape, and the kernels found once for each table.

use std::ptr;

use opatlas_diff::Digits;
use opatlas_diff::revision::{Served, TableChange};
use opatlas_dispatch::Verdict;
use opatlas_pytorch::key_set::KeySet;
use rustc_hash::FxHashMap;

use crate::service::ServiceError;
use crate::wire::cells::{CellView, DispatchChange, DispatchChanges, KeyNames};
use crate::wire::compare_pieces::push_item;
use crate::wire::json;
use crate::wire::static_text::StaticText;

/// What has been written of the cells of a comparison.
#[derive(Debug, Default)]
pub(super) struct CellTexts {
    written: Vec<OfSort>,
    /// Where that of a sort is.
    places: FxHashMap<Sort, usize>,
    /// Where those of the cells of a shape are, by where the layout of these lies.
    layouts: FxHashMap<usize, Box<[usize]>>,
    operator: Vec<u8>,
    kernels: [Kernels; 2],
    cause: Vec<u8>,
}

/// A change of cells of a sort, with empty texts for the names of the operator and the kernels, and without a cause.
#[derive(Debug)]
struct OfSort {
    json: Vec<u8>,
    /// Where the kernels stand.
    kernels: [usize; 2],
}

/// A change of cells but for the names of operator, kernels and cause.
type Sort = (KeySet, CellSort, CellSort);

/// A cell but for its kernel: reason, key and verdict.
type CellSort = (StaticText, Option<StaticText>, Option<StaticText>);

/// The kernels of a table on one side.
#[derive(Debug, Default)]
struct Kernels {
    json: Vec<u8>,
    ends: Vec<usize>,
}

impl Kernels {
    fn fill(&mut self, names: impl Iterator<Item = Option<impl AsRef<str>>>) {
        self.json.clear();
        self.ends.clear();
        for name in names {
            json::push(&mut self.json, &name.as_ref().map(AsRef::as_ref));
            self.ends.push(self.json.len());
        }
    }

    fn get(&self, place: usize) -> &[u8] {
        let from = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.json[from..self.ends[place]]
    }
}

impl CellTexts {
    /// Appends the cells of a table, each as a [`DispatchChange`] is as JSON.
    ///
    /// # Errors
    /// [`ServiceError::LargeAnswer`] where the text becomes larger than an answer may be.
    pub(super) fn push(
        &mut self,
        text: &mut Vec<u8>,
        tables: DispatchChanges<'_>,
        table: &TableChange,
        is_first: &mut bool,
    ) -> Result<(), ServiceError> {
        let (base, head) = tables.0.views();
        let layout = table.layout(base, head);
        let Some(sorts) = layout.fixed() else {
            return tables.each(table, |change| {
                push_item(text, is_first, |text| self.push_cell(text, change))
            });
        };
        let cause = tables.cause(table);
        self.cause.clear();
        json::push(&mut self.cause, &cause.as_ref().map(Digits::as_str));
        self.operator.clear();
        json::push(&mut self.operator, &*table.operator);
        let [of_base, of_head] = table.kernels(layout, base, head);
        self.kernels[0].fill(of_base);
        self.kernels[1].fill(of_head);
        let layout = ptr::from_ref(layout).addr();
        if !self.layouts.contains_key(&layout) {
            let places = sorts.iter().map(|sort| {
                let keys = KeyNames::new(base.keys(), sort.slots);
                self.place(
                    keys,
                    &without_kernel(&sort.before),
                    &without_kernel(&sort.after),
                )
            });
            let places = places.collect();
            self.layouts.insert(layout, places);
        }
        let places = &self.layouts[&layout];
        for (sort, &place) in sorts.iter().zip(places) {
            let kernels = [(0, &sort.before), (1, &sort.after)];
            let kernels = kernels.map(|(side, served)| self.kernels[side].get(served.kernel));
            let written = &self.written[place];
            push_item(text, is_first, |text| {
                written.put(text, &self.operator, kernels, &self.cause);
            })?;
        }
        Ok(())
    }

    /// Appends what a [`DispatchChange`] is as JSON.
    fn push_cell(&mut self, text: &mut Vec<u8>, change: &DispatchChange<'_>) {
        let place = self.place(change.keys, &change.before, &change.after);
        let operator = json::json(change.operator);
        let kernels = [&change.before, &change.after].map(|cell| json::json(&cell.kernel));
        let kernels = kernels.each_ref().map(Vec::as_slice);
        let cause = json::json(&change.cause);
        self.written[place].put(text, &operator, kernels, &cause);
    }

    /// Where what has been written of a sort is.
    fn place(&mut self, keys: KeyNames, before: &CellView<'_>, after: &CellView<'_>) -> usize {
        let sort = (keys.set(), sort(before), sort(after));
        *self.places.entry(sort).or_insert_with(|| {
            self.written.push(OfSort::of(keys, before, after));
            self.written.len() - 1
        })
    }
}

fn without_kernel(served: &Served) -> CellView<'static> {
    CellView {
        reason: served.reason().as_str(),
        source_key: served.source_key,
        kernel: None,
        verdict: served.verdict.map(Verdict::as_str),
    }
}

fn sort(cell: &CellView<'_>) -> CellSort {
    let [key, verdict] = [cell.source_key, cell.verdict].map(|text| text.map(StaticText::of));
    (StaticText::of(cell.reason), key, verdict)
}

impl OfSort {
    fn of(keys: KeyNames, before: &CellView<'_>, after: &CellView<'_>) -> Self {
        const KERNEL: &[u8] = br#""kernel":"#;
        let unnamed = |cell: &CellView<'_>| CellView {
            kernel: Some(""),
            ..*cell
        };
        let json = json::json(&DispatchChange {
            operator: "",
            keys,
            before: unnamed(before),
            after: unnamed(after),
            cause: None,
        });
        // No name of a key, reason or verdict has quotation marks.
        let mut ends = memchr::memmem::find_iter(&json, KERNEL).map(|at| at + KERNEL.len());
        let kernels = [(); 2].map(|()| ends.next().unwrap_or(json.len()));
        Self { json, kernels }
    }

    /// Appends the change with these names and this cause.
    fn put(&self, text: &mut Vec<u8>, operator: &[u8], [before, after]: [&[u8]; 2], cause: &[u8]) {
        const OPERATOR: usize = br#"{"operator":"#.len();
        const NAME: usize = br#""""#.len();
        const NO_CAUSE: usize = b"null}".len();
        let [first, second] = self.kernels;
        let json = &*self.json;
        let parts = [
            &json[..OPERATOR],
            operator,
            &json[OPERATOR + NAME..first],
            before,
            &json[first + NAME..second],
            after,
            &json[second + NAME..json.len() - NO_CAUSE],
            cause,
            b"}",
        ];
        text.reserve(parts.iter().map(|part| part.len()).sum());
        for part in parts {
            text.extend_from_slice(part);
        }
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
                texts.push_cell(&mut text, &change);
                assert_eq!(text[1..], json::json(&change));
            }
        }
    }
}
