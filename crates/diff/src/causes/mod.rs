//! Changes by their cause: the edit of an entry, and what follows from it.
//!
//! A single edit shows in many changes: generated operators, out and in-place forms, foreach and
//! copy forms, support per backend, autograd. Here they are one [`Cause`]. The same edit to several
//! operators is one cause too. Every change of a comparison belongs to exactly one cause.

mod edits;
mod kin;

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::Change;
use crate::revision::Comparison;
use crate::rules::Level;
use edits::{Details, Shared, is_edit, is_listed_edit, is_without_meaning, shared};
pub use kin::stem;
use kin::{Kin, Known, OfOperators};
use opatlas_operators::catalogue::Catalogue;
use opatlas_schema::types::BaseType;

/// An edit, of one or several operators, and what follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The edited operators, in the comparison's order. Never empty.
    pub edited: Vec<Edited>,
    /// The type that all edited operators use and that no operator of the head uses.
    pub lost_type: Option<BaseType>,
    /// What follows, as indices into the changes of the comparison.
    pub consequences: Vec<usize>,
}

/// What was edited in an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// The operator, as changes name it.
    pub operator: Arc<str>,
    /// Its changes, the worst first, as indices into the changes of the comparison. Never empty.
    pub edits: Vec<usize>,
}

impl Cause {
    /// All changes that belong to it, as indices into the changes of the comparison.
    pub fn changes(&self) -> impl Iterator<Item = usize> {
        let edits = self.edited.iter().flat_map(|edited| &edited.edits);
        edits.chain(&self.consequences).copied()
    }

    /// The change that says best what was done: the worst edit of the first operator.
    #[must_use]
    pub fn first(&self) -> usize {
        self.edited[0].edits[0]
    }
}

/// Groups the changes of a comparison by cause, in the order of the first change of each.
#[must_use]
pub fn causes(comparison: &Comparison, base: &Catalogue, head: &Catalogue) -> Vec<Cause> {
    let changes = &comparison.changes;
    let kin = Kin::new(comparison, base, head);
    let mut entries = by_entry(changes, &kin);
    attach(changes, &kin, &mut entries);
    entries.retain(|entry| !entry.edits.is_empty());
    merge(changes, &kin, entries)
}

/// The changes of an entry, and of what follows from it.
#[derive(Debug)]
struct Entry<'c> {
    known: Known<'c>,
    operator: &'c str,
    edits: Vec<usize>,
    consequences: Vec<usize>,
}

impl Entry<'_> {
    fn all(&self) -> impl Iterator<Item = usize> {
        self.edits.iter().chain(&self.consequences).copied()
    }
}

/// Sorts changes by the entry that they are about; generated operators follow their owner.
fn by_entry<'c>(changes: &'c [Arc<Change>], kin: &Kin<'c>) -> Vec<Entry<'c>> {
    let mut places: OfOperators<'c, usize> = OfOperators::new(kin);
    let mut entries: Vec<Entry<'c>> = Vec::new();
    let mut first = 0;
    // The changes of an operator stand together.
    for of_operator in changes.chunk_by(|one, other| one.is_of_operator_of(other)) {
        let [owner, own] = kin.owner_of(&of_operator[0]);
        let is_own = owner == own;
        let place = places.get(owner).unwrap_or_else(|| {
            entries.push(Entry {
                known: owner,
                operator: match is_own {
                    true => &of_operator[0].operator,
                    false => kin.name(owner),
                },
                edits: Vec::new(),
                consequences: Vec::new(),
            });
            places.set(owner, entries.len() - 1);
            entries.len() - 1
        });
        let entry = &mut entries[place];
        for (i, change) in (first..).zip(of_operator) {
            match is_own && is_edit(change) {
                true => entry.edits.push(i),
                false => entry.consequences.push(i),
            }
        }
        first += of_operator.len();
    }
    for entry in &mut entries {
        // An entry that only moved has effects for another reason.
        let is_idle = |i: &usize| is_without_meaning(&changes[*i]);
        let follows = |i: &usize| !changes[*i].is_compound();
        if entry.consequences.iter().any(follows) && entry.edits.iter().all(is_idle) {
            entry.consequences.append(&mut entry.edits);
        }
        if entry.edits.is_empty() {
            // Names that `autogen` gained or lost are an edit where nothing else was edited.
            let listed = |i: &usize| is_listed_edit(&changes[*i]);
            let (edits, rest) = entry.consequences.iter().copied().partition(listed);
            (entry.edits, entry.consequences) = (edits, rest);
        }
        entry
            .edits
            .sort_by_key(|&i| (Reverse(changes[i].level), changes[i].rule.group));
    }
    entries
}

/// Moves changes of entries that nobody edited to the entry that they follow from. Where there is
/// none, they are a cause of their own.
fn attach<'c>(changes: &'c [Arc<Change>], kin: &Kin<'c>, entries: &mut [Entry<'c>]) {
    let mut edited: OfOperators<'c, usize> = OfOperators::new(kin);
    let mut names: Vec<(&'c str, usize)> = Vec::with_capacity(entries.len());
    for (place, entry) in entries.iter().enumerate() {
        if !entry.edits.is_empty() {
            edited.set(entry.known, place);
            names.push((entry.operator, place));
        }
    }
    let mut stems: Option<FxHashMap<&'c str, usize>> = None;
    for place in 0..entries.len() {
        if !entries[place].edits.is_empty() {
            continue;
        }
        let effects = std::mem::take(&mut entries[place].consequences);
        let Entry {
            known, operator, ..
        } = entries[place];
        let named = |i: &usize| kin.named(&changes[*i]);
        let mut related = effects.iter().flat_map(named).chain(kin.related(known));
        let direct = related.find_map(|operator| edited.get(operator));
        let of_stem = || {
            let stems = stems.get_or_insert_with(|| kin::stems(names.iter().copied()));
            stems.get(kin::stem(operator)).copied()
        };
        let cause = direct.or_else(of_stem);
        match cause {
            Some(cause) => entries[cause].consequences.extend(effects),
            None => {
                entries[place].edits = effects;
                let edits = &mut entries[place].edits;
                edits.sort_by_key(|&i| (changes[i].is_compound(), Reverse(changes[i].level)));
            }
        }
    }
}

/// Makes one cause of entries with the same edit.
fn merge<'c>(changes: &'c [Arc<Change>], kin: &Kin<'_>, entries: Vec<Entry<'c>>) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::new();
    let mut alike: FxHashMap<(Shared, Level), usize> = FxHashMap::default();
    let mut details = Details::default();
    for entry in entries {
        let level = entry.all().map(|i| changes[i].level).max();
        let lost_type = kin.lost_type(&changes[entry.edits[0]]);
        let known = shared(changes, &entry, lost_type, &mut details)
            .map(|shared| alike.entry((shared, level.unwrap_or(Level::None))))
            .map(|known| *known.or_insert(causes.len()));
        let of_first = &changes[entry.edits[0]].operator;
        let edited = Edited {
            operator: match **of_first == *entry.operator {
                true => Arc::clone(of_first),
                false => entry.operator.into(),
            },
            edits: entry.edits,
        };
        match known.filter(|place| *place < causes.len()) {
            Some(place) => {
                causes[place].edited.push(edited);
                causes[place].consequences.extend(entry.consequences);
            }
            None => causes.push(Cause {
                edited: vec![edited],
                lost_type,
                consequences: entry.consequences,
            }),
        }
    }
    causes
}

#[cfg(test)]
mod tests;
