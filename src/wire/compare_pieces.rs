//! A comparison as JSON in pieces: nearly all of a long one are its changes and the cells of tables, and each
//! change and each table is text of its own.

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use opatlas_source::{Pair, READ_AHEAD, both, read_ahead};

use crate::service::{LARGEST_ANSWER, ServiceError};
use crate::wire::cell_texts::CellTexts;
use crate::wire::cells::DispatchChanges;
use crate::wire::change_texts::ChangeTexts;
use crate::wire::comparison::{Changes, Comparison, ComparisonParts, bare, beginning, fill_end};
use crate::wire::json::around;

/// What stands around the changes and the cells. What stands behind the changes takes longer to make than what
/// stands before them, and may be made while those are written.
#[derive(Debug)]
pub struct Frame {
    /// How the comparison ends. Its conclusion counts findings too.
    conclusion: &'static str,
    end: OnceLock<Option<[Vec<u8>; 2]>>,
    /// One for each thread that writes pieces, while none of them does.
    texts: Mutex<Vec<Texts>>,
}

/// What pieces have in common with others of the same comparison.
#[derive(Debug, Default)]
struct Texts {
    changes: ChangeTexts,
    cells: CellTexts,
}

/// What stands between the changes and the cells, and behind them.
type End<'a> = dyn Fn() -> Result<&'a [Vec<u8>; 2], ServiceError> + Sync + 'a;

/// A comparison: what stands before its changes, the changes, what stands between them and the cells, the
/// tables with cells, and the rest, each an item of its own.
#[derive(Clone, Copy)]
pub struct Pieces<'a> {
    frame: &'a Frame,
    end: &'a End<'a>,
    told: ComparisonParts<'a>,
    changes: Changes<'a>,
    tables: DispatchChanges<'a>,
}

/// The lists of a comparison that stand apart.
const LISTS: [&str; 2] = ["changes", "dispatch_changes"];

impl Frame {
    /// That of a comparison with this conclusion.
    #[must_use]
    pub fn new(conclusion: &'static str) -> Self {
        Self {
            conclusion,
            end: OnceLock::new(),
            texts: Mutex::default(),
        }
    }

    /// What stands before the changes.
    fn begin(&self, told: ComparisonParts<'_>) -> Result<Vec<u8>, ServiceError> {
        let mut comparison = beginning(told);
        comparison.conclusion = self.conclusion;
        let [begin, ..] = parts(comparison).ok_or(TOO_LARGE)?;
        Ok(begin)
    }

    /// What stands behind the changes, made when it is first asked for: of a long comparison half a megabyte.
    /// `finish` fills in what does not come from the parts of the comparison.
    ///
    /// # Errors
    /// [`ServiceError::LargeAnswer`].
    pub fn end(
        &self,
        told: ComparisonParts<'_>,
        finish: impl FnOnce(&mut Comparison<'_>),
    ) -> Result<&[Vec<u8>; 2], ServiceError> {
        let make = || {
            let mut comparison = bare(told);
            fill_end(&mut comparison, told);
            finish(&mut comparison);
            let [_, between, rest] = parts(comparison)?;
            Some([between, rest])
        };
        self.end.get_or_init(make).as_ref().ok_or(TOO_LARGE)
    }

    fn texts(&self) -> MutexGuard<'_, Vec<Texts>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

const TOO_LARGE: ServiceError = ServiceError::LargeAnswer {
    limit: LARGEST_ANSWER,
};

/// What stands around the lists.
fn parts(mut comparison: Comparison<'_>) -> Option<[Vec<u8>; 3]> {
    (comparison.changes.1, comparison.dispatch_changes.1) = (&[], &[]);
    around(&comparison, LISTS)?.try_into().ok()
}

impl<'a> Pieces<'a> {
    /// Those of a comparison with its frame, and what gives the end of that.
    #[must_use]
    pub fn of(frame: &'a Frame, end: &'a End<'a>, told: ComparisonParts<'a>) -> Self {
        let (changes, tables) = told.lists();
        Self {
            frame,
            end,
            told,
            changes,
            tables,
        }
    }

    /// How many items a comparison has.
    #[must_use]
    pub fn count(told: ComparisonParts<'_>) -> usize {
        let (changes, tables) = told.lists();
        Self::count_of(changes, tables)
    }

    fn count_of(changes: Changes<'_>, tables: DispatchChanges<'_>) -> usize {
        1 + changes.1.len() + 1 + tables.1.len() + 1
    }

    /// Appends the items of a range.
    ///
    /// # Errors
    /// [`ServiceError::LargeAnswer`] where the text becomes larger than an answer may be.
    pub fn write(&self, items: Range<usize>, text: &mut Vec<u8>) -> Result<(), ServiceError> {
        let mut texts = self.frame.texts().pop().unwrap_or_default();
        let written = self.write_with(&mut texts, items, text);
        self.frame.texts().push(texts);
        written
    }

    fn write_with(
        &self,
        Texts { changes, cells }: &mut Texts,
        items: Range<usize>,
        text: &mut Vec<u8>,
    ) -> Result<(), ServiceError> {
        let between = 1 + self.changes.1.len();
        let rest = between + 1 + self.tables.1.len();
        for item in items.clone() {
            if (item - items.start).is_multiple_of(READ_AHEAD) {
                self.read_ahead(item, items.end.min(item + READ_AHEAD));
            }
            match item {
                0 => text.extend_from_slice(&self.frame.begin(self.told)?),
                item if item == between => text.extend_from_slice(&(self.end)()?[0]),
                item if item == rest => text.extend_from_slice(&(self.end)()?[1]),
                item if item < between => {
                    if let Some(judged) = self.changes.1.get(item - 1) {
                        let change = self.changes.0.change(judged);
                        push_item(text, &mut (item == 1), |text| changes.push(text, &change))?;
                    }
                }
                item => {
                    let mut is_first = item == between + 1;
                    if let Some(table) = self.tables.1.get(item - between - 1) {
                        cells.push(text, self.tables, table, &mut is_first)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Reads ahead what the texts of a range of items are made of.
    fn read_ahead(&self, from: usize, to: usize) {
        fn within<T>(list: &[T], first: usize, (from, to): (usize, usize)) -> &[T] {
            let places = [from, to].map(|item| item.saturating_sub(first).min(list.len()));
            &list[places[0]..places[1]]
        }
        let changes = within(self.changes.1, 1, (from, to));
        read_ahead(changes.iter().map(|judged| judged.change.glimpse()));
        let (base, head) = self.tables.0.views();
        let tables = within(self.tables.1, self.changes.1.len() + 2, (from, to));
        read_ahead(tables.iter().map(|table| table.glimpse(base, head)));
    }

    /// All of them; changes and cells, of which there is mostly as much text, are written at the same time.
    ///
    /// # Errors
    /// As [`Pieces::write`].
    pub fn whole(&self, pair: &dyn Pair) -> Result<Vec<u8>, ServiceError> {
        let of = |items: Range<usize>| {
            let mut text = Vec::new();
            self.write(items, &mut text)?;
            Ok::<_, ServiceError>(text)
        };
        let count = Self::count_of(self.changes, self.tables);
        let between = 1 + self.changes.1.len();
        let (text, rest) = both(pair, || of(0..between), || of(between..count));
        let (mut text, rest) = (text?, rest?);
        if text.len() + rest.len() > LARGEST_ANSWER {
            return Err(TOO_LARGE);
        }
        text.extend_from_slice(&rest);
        Ok(text)
    }
}

/// Appends an item of a list, which is not the first one from then on.
///
/// # Errors
/// [`ServiceError::LargeAnswer`] where the text becomes larger than an answer may be.
pub(super) fn push_item(
    text: &mut Vec<u8>,
    is_first: &mut bool,
    item: impl FnOnce(&mut Vec<u8>),
) -> Result<(), ServiceError> {
    if !mem::take(is_first) {
        text.push(b',');
    }
    item(text);
    match text.len() > LARGEST_ANSWER {
        true => Err(TOO_LARGE),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::civil::date;
    use opatlas_diff::policy::Policy;
    use opatlas_pytorch::keys::{Key, Keys};
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

    /// What `look` sees of the comparison of two texts.
    fn of<T>(old: &str, new: &str, look: impl FnOnce(ComparisonParts<'_>) -> T) -> T {
        let (base, head) = (read(old), read(new));
        let compared = Compared::new(base, head, &Stop::never());
        let compared = compared.unwrap_or_else(|error| panic!("{error}"));
        let policy = Policy::default();
        let judgement = compared.judge(&policy, &[], date(2026, 6, 1));
        look(ComparisonParts {
            compared: &compared,
            base: &view("old"),
            head: &view("new"),
            policy: &policy,
            introduced: &compared.introduced(),
            context: ChangeContext {
                judgement: &judgement,
                exceptions: &[],
                base: Some(compared.base.changed_files()),
                head: Some(compared.head.changed_files()),
            },
        })
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
            of(old, new, |told| is_whole(told, old == new));
        }
    }

    fn is_whole(told: ComparisonParts<'_>, is_empty: bool) {
        let mut whole = comparison(told, vec!["a note".to_owned()]);
        whole.conclusion = "fail";
        whole.permalink = Some("/p".to_owned());
        assert_eq!(is_empty, whole.changes.1.is_empty());
        let frame = Frame::new("fail");
        let end = || {
            frame.end(told, |end| {
                end.notes = vec!["a note".to_owned()];
                end.permalink = Some("/p".to_owned());
            })
        };
        let pieces = Pieces::of(&frame, &end, told);
        let text = |text: &[u8]| String::from_utf8_lossy(text).into_owned();
        assert_eq!(text(&pieces.whole(&InTurn).unwrap()), text(&json(&whole)));
        let mut one_by_one = Vec::new();
        for item in 0..Pieces::count(told) {
            pieces.write(item..item + 1, &mut one_by_one).unwrap();
        }
        assert_eq!(text(&one_by_one), text(&json(&whole)));
    }

    /// Each cell repeats the name of its operator, so a few tables can have more to tell than files are long.
    #[test]
    fn no_more_is_written_than_an_answer_may_have() {
        const NAME: usize = 60_000;
        let keys = Keys::of(Release::LATEST);
        let dense = keys
            .slots()
            .filter(|&slot| keys.functionality(slot) == "Dense");
        let kernels: String = dense
            .map(|slot| keys.name(Key::Runtime(slot)))
            .map(|key| format!("    {key}: k_{key}\n"))
            .collect();
        let name = "x".repeat(NAME);
        let entries = |more: &str| -> String {
            (0..90)
                .map(|i| format!("- func: f{i}{name}(Tensor self) -> Tensor\n{more}"))
                .collect()
        };
        let (old, new) = (entries(""), entries(&format!("  dispatch:\n{kernels}")));
        of(&old, &new, |told| {
            let frame = Frame::new("pass");
            let end = || frame.end(told, |_| ());
            let pieces = Pieces::of(&frame, &end, told);
            let (from, to) = (2 + pieces.changes.1.len(), Pieces::count(told) - 1);
            let mut text = Vec::new();
            let written = pieces.write(from..to, &mut text);
            assert!(
                matches!(written, Err(ServiceError::LargeAnswer { .. })),
                "{}",
                text.len()
            );
            assert!(text.len() < LARGEST_ANSWER + 2 * NAME, "{}", text.len());
        });
    }
}
