//! The file of a release.

use std::collections::HashMap;
use std::sync::Arc;

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_verdict::ways::Way;
use opatlas_verdict::{Answer, Foreign, Verdict, Verdicts, View, Word};
use rustc_hash::FxHashMap;
use serde::Serialize;

use super::{FORMAT, Since, lines};
use crate::matrix_ways::{FateRows, MatrixWays};

/// Fails, and is not expected to work.
const FOREIGN: char = 'F';

/// The file of a release.
#[derive(Debug)]
pub(super) struct ReleaseFile {
    head: Head,
    pub(super) operators: Vec<OperatorRow>,
}

/// A place where a call may work: the key of a backend, or a way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Key(&'static str),
    Way(&'static str),
}

impl Place {
    pub(super) fn key(self) -> Option<&'static str> {
        match self {
            Self::Key(key) => Some(key),
            Self::Way(_) => None,
        }
    }

    pub(super) fn way(self) -> Option<&'static str> {
        match self {
            Self::Key(_) => None,
            Self::Way(way) => Some(way),
        }
    }
}

/// What a release says of an operator at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(super) struct Said {
    /// The verdict, or the fate.
    word: &'static str,
    works: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct Head {
    format: u32,
    release: String,
    rules: &'static str,
    keys: Vec<KeyEntry>,
    ways: Vec<&'static str>,
    verdicts: Vec<VerdictLetter>,
    words: Vec<WordLetter>,
    fates: Vec<FateLetter>,
}

#[derive(Debug, Serialize)]
struct KeyEntry {
    key: &'static str,
    functionality: &'static str,
    backend: Option<&'static str>,
    /// Whether the word of an operator counts it.
    counts: bool,
}

#[derive(Debug, Serialize)]
struct VerdictLetter {
    letter: char,
    verdict: &'static str,
    works: &'static str,
    applicable: bool,
}

#[derive(Debug, Serialize)]
struct WordLetter {
    letter: char,
    word: &'static str,
}

#[derive(Debug, Serialize)]
struct FateLetter {
    letter: char,
    fate: &'static str,
    works: Option<&'static str>,
}

#[derive(Debug, Serialize)]
pub(super) struct OperatorRow {
    pub(super) name: String,
    schema: String,
    generated: bool,
    word: &'static str,
    /// One letter for each key.
    verdicts: String,
    words: String,
    /// One letter for each way, a blank where the way does not apply.
    ways: String,
}

/// The keys of a release and their verdicts.
pub(super) struct Columns {
    keys: Vec<KeyEntry>,
    verdicts: Vec<Verdicts>,
    foreign: Vec<Arc<Foreign>>,
}

impl Columns {
    /// `known` says since which minor release a key is known, and learns the keys of this one, whose
    /// place is `now`.
    pub(super) fn of(
        view: View<'_>,
        known: &mut FxHashMap<&'static str, usize>,
        now: usize,
    ) -> Self {
        let slots: Vec<Slot> = view.claimed_keys().collect();
        let keys = slots.iter().map(|&slot| {
            let key = view.keys().name(Key::Runtime(slot));
            let since = *known.entry(key).or_insert(now);
            KeyEntry::of(view, slot, since == 0 || now - since + 1 >= Word::MINORS)
        });
        Self {
            keys: keys.collect(),
            verdicts: slots.iter().map(|&slot| view.verdicts(slot)).collect(),
            foreign: slots.iter().map(|&slot| view.foreign(slot)).collect(),
        }
    }

    /// The verdict on each key, and whether the operator is applicable there.
    fn cells(&self, id: OperatorId) -> Vec<(Verdict, bool)> {
        let columns = self.verdicts.iter().zip(&self.foreign);
        columns
            .map(|(verdicts, foreign)| (verdicts.of(id), foreign.of(id).is_applicable()))
            .collect()
    }
}

impl KeyEntry {
    fn of(view: View<'_>, slot: Slot, is_old: bool) -> Self {
        let keys = view.keys();
        let (functionality, backend) = (keys.functionality(slot), keys.backend(slot));
        Self {
            key: keys.name(Key::Runtime(slot)),
            functionality,
            backend,
            counts: is_old && functionality == "Dense" && backend != Some("Meta"),
        }
    }
}

impl ReleaseFile {
    /// The file of a release. `since` says since which minor release each operator has worked, and
    /// becomes that of this one, whose place is `now`.
    pub(super) fn of(
        label: &str,
        view: View<'_>,
        columns: Columns,
        since: &mut Since,
        now: usize,
    ) -> Self {
        let mut ways = FateRows::default();
        let mut next = Since::default();
        let catalogue = view.inputs.catalogue.iter();
        let operators = catalogue.map(|(id, operator)| {
            let cells = columns.cells(id);
            let name = operator.qualified_name();
            let worked = working(&columns.keys, &cells, since.get(name), now);
            let row = row(operator, &columns.keys, &cells, &worked, now);
            next.insert(name.to_owned(), worked);
            OperatorRow {
                ways: ways.letters(view, id),
                ..row
            }
        });
        let operators = operators.collect();
        *since = next;
        let rules = view.keys().release().as_str();
        Self {
            head: Head::new(label, rules, columns.keys, ways.into_answer()),
            operators,
        }
    }

    pub(super) fn release(&self) -> &str {
        &self.head.release
    }

    /// Where calls may work: keys, then ways.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> {
        let keys = self.head.keys.iter().map(|key| Place::Key(key.key));
        keys.chain(self.head.ways.iter().map(|way| Place::Way(way)))
    }

    /// What the release says of an operator at a place; `None` if the way does not apply to it. A key
    /// that the file does not have is unknown.
    pub(super) fn said(&self, row: &OperatorRow, place: Place) -> Option<Said> {
        let head = &self.head;
        match place {
            Place::Key(name) => {
                let at = head.keys.iter().position(|key| key.key == name);
                let letter = at.and_then(|at| row.verdicts.chars().nth(at));
                let letter = letter.unwrap_or(Verdict::Unknown.letter());
                let known = head.verdicts.iter().find(|known| known.letter == letter)?;
                Some(Said {
                    word: known.verdict,
                    works: Some(known.works),
                })
            }
            Place::Way(name) => {
                let at = head.ways.iter().position(|way| *way == name)?;
                let letter = row.ways.chars().nth(at)?;
                let known = head.fates.iter().find(|known| known.letter == letter)?;
                Some(Said {
                    word: known.fate,
                    works: known.works,
                })
            }
        }
    }

    pub(super) fn to_json(&self) -> Vec<u8> {
        lines(&self.head, "operators", &self.operators)
    }
}

impl Head {
    fn new(label: &str, rules: &'static str, keys: Vec<KeyEntry>, ways: MatrixWays) -> Self {
        let fates = ways.legend.into_iter().map(|fate| FateLetter {
            letter: fate.letter,
            fate: fate.fate,
            works: fate.works,
        });
        Self {
            format: FORMAT,
            release: label.to_owned(),
            rules,
            keys,
            ways: Way::ALL.map(Way::as_str).into(),
            verdicts: verdict_letters(),
            words: Word::ALL.map(WordLetter::of).into(),
            fates: fates.collect(),
        }
    }
}

impl WordLetter {
    fn of(word: Word) -> Self {
        Self {
            letter: letter(word),
            word: word.as_str(),
        }
    }
}

/// The first letter of the word, in small; `x` for `none`, because `n` is `newly`.
fn letter(word: Word) -> char {
    match word {
        Word::Widely => 'w',
        Word::Newly => 'n',
        Word::Limited => 'l',
        Word::None => 'x',
        Word::Unknown => 'u',
    }
}

fn verdict_letters() -> Vec<VerdictLetter> {
    let of = |letter, verdict: Verdict, applicable| VerdictLetter {
        letter,
        verdict: verdict.as_str(),
        works: Answer::from(verdict).as_str(),
        applicable,
    };
    let all = Verdict::ALL.into_iter();
    let all = all.map(|verdict| of(verdict.letter(), verdict, true));
    all.chain([of(FOREIGN, Verdict::Fails, false)]).collect()
}

/// By key, since when the operator has worked in full.
fn working(
    keys: &[KeyEntry],
    cells: &[(Verdict, bool)],
    before: Option<&HashMap<&'static str, usize>>,
    now: usize,
) -> HashMap<&'static str, usize> {
    let cells = keys.iter().zip(cells);
    let working = cells.filter(|(_, (verdict, _))| Word::is_full(*verdict));
    let since = |key| before.and_then(|before| before.get(key)).copied();
    working
        .map(|(key, _)| (key.key, since(key.key).unwrap_or(now)))
        .collect()
}

fn row(
    operator: &Operator,
    keys: &[KeyEntry],
    cells: &[(Verdict, bool)],
    worked: &HashMap<&'static str, usize>,
    now: usize,
) -> OperatorRow {
    let words: Vec<Word> = keys
        .iter()
        .zip(cells)
        .map(|(key, (verdict, _))| {
            let minors = worked.get(key.key).map_or(0, |since| now - since + 1);
            Word::of(*verdict, minors)
        })
        .collect();
    let counted = keys.iter().zip(cells).zip(&words);
    let counted = counted.filter(|((key, (_, applicable)), _)| key.counts && *applicable);
    OperatorRow {
        name: operator.qualified_name().to_owned(),
        schema: operator.canonical().to_owned(),
        generated: operator.is_generated(),
        word: Word::over(counted.map(|(_, word)| *word)).as_str(),
        verdicts: cells.iter().map(|cell| verdict_letter(*cell)).collect(),
        words: words.into_iter().map(letter).collect(),
        ways: String::new(),
    }
}

fn verdict_letter((verdict, applicable): (Verdict, bool)) -> char {
    match applicable {
        true => verdict.letter(),
        false => FOREIGN,
    }
}
