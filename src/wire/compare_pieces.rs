//! A comparison as JSON in pieces: nearly all of a long one are its changes and the cells of tables, and each
//! change and each table is text of its own.

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use crate::service::{LARGEST_ANSWER, ServiceError};
use crate::wire::cell_texts::CellTexts;
use crate::wire::cells::DispatchChanges;
use crate::wire::change_texts::ChangeTexts;
use crate::wire::comparison::{Changes, Comparison, ComparisonParts, bare, beginning, fill_end};
use crate::wire::json::{Around, push_before};

/// What stands around the changes and the cells. What stands behind the changes takes longer to make than what
/// stands before them, and may be made while those are written.
#[derive(Debug)]
pub struct Frame {
    /// How the comparison ends. Its conclusion counts findings too.
    conclusion: &'static str,
    end: OnceLock<Option<End>>,
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
pub type End = Around<2>;
/// What gives it.
type GiveEnd<'a> = dyn Fn() -> Result<&'a End, ServiceError> + Sync + 'a;

/// A comparison: what stands before its changes, the changes, what stands between them and the cells, the
/// tables with cells, and the rest, each an item of its own. What stands between is several, since of a long
/// comparison it is a quarter of a megabyte, as much as five pieces.
#[derive(Clone, Copy)]
pub struct Pieces<'a> {
    frame: &'a Frame,
    end: &'a GiveEnd<'a>,
    told: ComparisonParts<'a>,
    changes: Changes<'a>,
    tables: DispatchChanges<'a>,
    places: Places,
}

/// Where items that are neither changes nor tables stand.
#[derive(Debug, Clone, Copy)]
struct Places {
    /// The first one of what stands between the changes and the cells.
    between: usize,
    /// The first table.
    tables: usize,
    rest: usize,
}

/// Of how many changes what stands between them and the cells is an item: of their causes and operators there is as
/// much to tell as of this many.
const OF_AN_ITEM: usize = 16;

impl Places {
    fn of(changes: Changes<'_>, tables: DispatchChanges<'_>) -> Self {
        let between = 1 + changes.1.len();
        let first_table = between + changes.1.len().div_ceil(OF_AN_ITEM).max(1);
        Self {
            between,
            tables: first_table,
            rest: first_table + tables.1.len(),
        }
    }

    fn count(self) -> usize {
        self.rest + 1
    }

    /// The part of what stands between that is this item.
    fn part(self, between: &[u8], item: usize) -> &[u8] {
        let place =
            |item: usize| between.len() * (item - self.between) / (self.tables - self.between);
        &between[place(item)..place(item + 1)]
    }
}

/// The lists of a comparison that stand apart.
const LISTS: [&str; 2] = ["changes", "dispatch_changes"];
/// About how many bytes an operator takes before the changes.
const OF_OPERATOR: usize = 400;
/// About how many bytes stand behind the changes for each of them.
const BEHIND_CHANGE: usize = 96;
/// And for all of them.
const BEHIND_ALL: usize = 16 << 10;

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

    /// Appends what stands before the changes.
    fn begin(&self, told: ComparisonParts<'_>, text: &mut Vec<u8>) -> Result<(), ServiceError> {
        let mut comparison = beginning(told);
        comparison.conclusion = self.conclusion;
        (comparison.changes.1, comparison.dispatch_changes.1) = (&[], &[]);
        let room = comparison.operators.len() * OF_OPERATOR;
        // To grow would copy all that an empty buffer has room for.
        if text.is_empty() && text.capacity() < room {
            *text = Vec::with_capacity(room);
        }
        push_before(text, &comparison, LISTS[0]).ok_or(TOO_LARGE)
    }

    /// What stands behind the changes, made when it is first asked for: of a long comparison a third of a megabyte.
    /// `finish` fills in what does not come from the parts of the comparison.
    ///
    /// # Errors
    /// [`ServiceError::LargeAnswer`].
    pub fn end(
        &self,
        told: ComparisonParts<'_>,
        finish: impl FnOnce(&mut Comparison<'_>),
    ) -> Result<&End, ServiceError> {
        let make = || {
            let mut comparison = bare(told);
            fill_end(&mut comparison, told);
            finish(&mut comparison);
            let changes = comparison.changes.1.len();
            (comparison.changes.1, comparison.dispatch_changes.1) = (&[], &[]);
            Around::of(&comparison, LISTS, changes * BEHIND_CHANGE + BEHIND_ALL)
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

impl<'a> Pieces<'a> {
    /// Those of a comparison with its frame, and what gives the end of that.
    #[must_use]
    pub fn of(frame: &'a Frame, end: &'a GiveEnd<'a>, told: ComparisonParts<'a>) -> Self {
        let (changes, tables) = told.lists();
        Self {
            frame,
            end,
            told,
            changes,
            tables,
            places: Places::of(changes, tables),
        }
    }

    /// How many items a comparison has.
    #[must_use]
    pub fn count(told: ComparisonParts<'_>) -> usize {
        let (changes, tables) = told.lists();
        Places::of(changes, tables).count()
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
        let places = self.places;
        for item in items {
            if item == 0 {
                self.frame.begin(self.told, text)?;
            } else if item < places.between {
                if let Some(judged) = self.changes.1.get(item - 1) {
                    let change = self.changes.0.change(judged);
                    push_item(text, &mut (item == 1), |text| changes.push(text, &change))?;
                }
            } else if item < places.tables {
                text.extend_from_slice(places.part((self.end)()?.behind(0), item));
            } else if item < places.rest {
                let mut is_first = item == places.tables;
                if let Some(table) = self.tables.1.get(item - places.tables) {
                    cells.push(text, self.tables, table, &mut is_first)?;
                }
            } else {
                text.extend_from_slice((self.end)()?.behind(1));
            }
        }
        Ok(())
    }

    /// All of them.
    ///
    /// # Errors
    /// As [`Pieces::write`].
    pub fn whole(&self) -> Result<Vec<u8>, ServiceError> {
        let mut text = Vec::new();
        self.write(0..self.places.count(), &mut text)?;
        match text.len() > LARGEST_ANSWER {
            true => Err(TOO_LARGE),
            false => Ok(text),
        }
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
    use opatlas_source::{Bundle, Stop};

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
        assert_eq!(text(&pieces.whole().unwrap()), text(&json(&whole)));
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
            let (from, to) = (pieces.places.tables, pieces.places.rest);
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
