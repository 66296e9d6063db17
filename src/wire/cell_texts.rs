//! Cells as JSON. A comparison of two releases has ten thousand of them but only a few hundred sorts, so what stands
//! around the names of operators and kernels is written once for each sort.

use opatlas_pytorch::key_set::KeySet;
use rustc_hash::FxHashMap;

use crate::wire::cells::{CellView, DispatchChange};
use crate::wire::json;

/// What has been written of the cells of a comparison.
#[derive(Default)]
pub(super) struct CellTexts {
    /// Lists of keys.
    keys: FxHashMap<KeySet, Vec<u8>>,
    /// What stands in front of the kernel of a cell and behind it.
    around_kernels: FxHashMap<Sort, [Vec<u8>; 2]>,
}

/// A cell but for its kernel: reason, key and verdict, and whether it has one.
type Sort = (
    &'static str,
    Option<&'static str>,
    Option<&'static str>,
    bool,
);

impl CellTexts {
    /// Appends what a [`DispatchChange`] is as JSON.
    pub(super) fn push(&mut self, text: &mut Vec<u8>, change: &DispatchChange<'_>) {
        let keys = self.keys.entry(change.keys.set());
        let keys = keys.or_insert_with(|| json::json(&change.keys));
        text.extend_from_slice(br#"{"operator":"#);
        json::push(text, change.operator);
        text.extend_from_slice(br#","keys":"#);
        text.extend_from_slice(keys);
        text.extend_from_slice(br#","before":"#);
        self.cell(text, &change.before);
        text.extend_from_slice(br#","after":"#);
        self.cell(text, &change.after);
        text.extend_from_slice(br#","cause":"#);
        json::push(text, &change.cause);
        text.push(b'}');
    }

    fn cell(&mut self, text: &mut Vec<u8>, cell: &CellView<'_>) {
        let has_kernel = cell.kernel.is_some();
        let sort = (cell.reason, cell.source_key, cell.verdict, has_kernel);
        let known = self.around_kernels.entry(sort);
        let [before, after] = known.or_insert_with(|| around_kernel(cell));
        text.extend_from_slice(before);
        if let Some(kernel) = cell.kernel {
            json::push(text, kernel);
        }
        text.extend_from_slice(after);
    }
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
