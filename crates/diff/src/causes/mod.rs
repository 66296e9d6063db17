//! Groups changes by cause: the edit of an entry, with its consequences.
//!
//! A single edit shows in many changes: generated operators, out and in-place forms, foreach and
//! copy forms, support per backend, autograd. Together they are one [`Cause`]. Equal edits of several
//! operators are one cause too. Every change of a comparison belongs to exactly one cause.

mod edits;
mod relations;

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::change::{Change, tag_member};
use crate::revision::Comparison;
use crate::rules::{ChangeRuleId, Group, Level};
use edits::{EditKey, edit_key, is_edit, is_listed_edit, is_without_meaning};
use opatlas_operators::catalogue::Catalogue;
use opatlas_schema::types::BaseType;
use relations::Relations;
pub use relations::stem;

/// An edit of one or several operators, with its consequences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// The edited operators, in the comparison's order. Never empty.
    pub edited: Vec<EntryEdit>,
    /// The type that the edited operators were removed with; the head no longer uses it.
    pub lost_type: Option<BaseType>,
    /// The changes that follow, as indices into the changes of the comparison.
    pub consequences: Vec<usize>,
}

/// The edits of one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryEdit {
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

    /// The most telling change: the worst edit of the first operator.
    #[must_use]
    pub fn first(&self) -> usize {
        self.edited[0].edits[0]
    }
}

/// Groups the changes of a comparison by cause, in the order of the first change of each.
#[must_use]
pub fn causes(comparison: &Comparison, base: &Catalogue, head: &Catalogue) -> Vec<Cause> {
    let changes = &comparison.changes;
    let relations = Relations::new(comparison, base, head);
    let mut entries = by_entry(changes, &relations);
    follow_tags(changes, &mut entries);
    attach(changes, &relations, &mut entries);
    entries.retain(|entry| !entry.edits.is_empty());
    merge(changes, &relations, entries)
}

#[derive(Debug)]
struct Entry<'c> {
    operator: &'c str,
    edits: Vec<usize>,
    consequences: Vec<usize>,
}

impl Entry<'_> {
    fn all(&self) -> impl Iterator<Item = usize> {
        self.edits.iter().chain(&self.consequences).copied()
    }
}

/// Groups changes by the entry that they are about; generated operators belong to their source, and
/// incomplete groups to the removed variant.
fn by_entry<'c>(changes: &'c [Arc<Change>], relations: &Relations<'c>) -> Vec<Entry<'c>> {
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut entries: Vec<Entry<'c>> = Vec::new();
    for (i, change) in changes.iter().enumerate() {
        let owner = match change.rule.id {
            ChangeRuleId::VariantGroupIncomplete => relations.mentioned(change).next(),
            _ => None,
        };
        let owner = owner.unwrap_or_else(|| relations.owner(&change.operator));
        let place = *places.entry(owner).or_insert_with(|| {
            entries.push(Entry {
                operator: owner,
                edits: Vec::new(),
                consequences: Vec::new(),
            });
            entries.len() - 1
        });
        if owner == &*change.operator && is_edit(change) {
            entries[place].edits.push(i);
        } else {
            entries[place].consequences.push(i);
        }
    }
    for entry in &mut entries {
        // An entry that only moved has consequences for another reason.
        let is_idle = |i: &usize| is_without_meaning(&changes[*i]);
        let follows = |i: &usize| !changes[*i].is_compound();
        if entry.consequences.iter().any(follows) && entry.edits.iter().all(is_idle) {
            entry.consequences.append(&mut entry.edits);
        }
        if entry.edits.is_empty() {
            // If nothing else was edited, names that `autogen` gained or lost are the edit.
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

/// Moves the changes of entries that only lost or replaced tags to the tag itself, if `tags.yaml` lost
/// it too.
fn follow_tags(changes: &[Arc<Change>], entries: &mut [Entry<'_>]) {
    let mut members: FxHashMap<String, usize> = FxHashMap::default();
    for (place, entry) in entries.iter().enumerate() {
        if entry.edits.iter().any(|&i| changes[i].is_about_tag()) {
            members.insert(entry.operator.to_owned(), place);
        }
    }
    if members.is_empty() {
        return;
    }
    for place in 0..entries.len() {
        let member = |change: &Change| {
            let is_of_tags = change.rule.group == Group::Tag && !change.is_about_tag();
            let names = change.subject.names();
            let places = names
                .iter()
                .map(|tag| members.get(&tag_member(tag)).copied());
            let places = places.collect::<Option<Vec<usize>>>()?;
            let is_removed = |place: &usize| {
                let mut edits = entries[*place].edits.iter();
                edits.any(|&i| changes[i].rule.id == ChangeRuleId::TagMemberRemoved)
            };
            let removed = places.into_iter().find(is_removed);
            removed.filter(|_| is_of_tags)
        };
        let edits = entries[place].edits.iter().map(|&i| &changes[i]);
        let mut edits = edits.filter(|change| !is_without_meaning(change));
        let Some(cause) = edits.next().and_then(|change| member(change)) else {
            continue;
        };
        if edits.all(|change| member(change).is_some()) {
            let edits = std::mem::take(&mut entries[place].edits);
            let consequences = std::mem::take(&mut entries[place].consequences);
            entries[cause]
                .consequences
                .extend(edits.into_iter().chain(consequences));
        }
    }
}

/// Moves the changes of entries without edits to the entry that they follow from. If there is none,
/// they are a cause of their own.
fn attach<'c>(changes: &'c [Arc<Change>], relations: &Relations<'c>, entries: &mut [Entry<'c>]) {
    let mut edited: FxHashMap<&str, usize> = FxHashMap::default();
    let mut stems: FxHashMap<&str, usize> = FxHashMap::default();
    for (place, entry) in entries.iter().enumerate() {
        if !entry.edits.is_empty() {
            edited.insert(entry.operator, place);
            stems.entry(stem(entry.operator)).or_insert(place);
        }
    }
    for place in 0..entries.len() {
        if !entries[place].edits.is_empty() {
            continue;
        }
        let effects = std::mem::take(&mut entries[place].consequences);
        let operator = entries[place].operator;
        let mentioned = effects
            .iter()
            .flat_map(|&i| relations.mentioned(&changes[i]));
        let direct = mentioned
            .chain(relations.related(operator))
            .find_map(|operator| edited.get(operator));
        match direct.or_else(|| stems.get(stem(operator))) {
            Some(&cause) => entries[cause].consequences.extend(effects),
            None => {
                entries[place].edits = effects;
                let edits = &mut entries[place].edits;
                edits.sort_by_key(|&i| (changes[i].is_compound(), Reverse(changes[i].level)));
            }
        }
    }
}

fn merge(
    changes: &[Arc<Change>],
    relations: &Relations<'_>,
    entries: Vec<Entry<'_>>,
) -> Vec<Cause> {
    let mut causes: Vec<Cause> = Vec::new();
    let mut places: FxHashMap<(EditKey, Option<Level>), usize> = FxHashMap::default();
    for entry in entries {
        let level = entry.all().map(|i| changes[i].level).max();
        let lost_type = relations.lost_type(&changes[entry.edits[0]]);
        let place = edit_key(changes, &entry, lost_type, relations.is_emptied())
            .map_or(causes.len(), |key| {
                *places.entry((key, level)).or_insert(causes.len())
            });
        let edited = EntryEdit {
            operator: entry.operator.into(),
            edits: entry.edits,
        };
        if let Some(cause) = causes.get_mut(place) {
            cause.edited.push(edited);
            cause.consequences.extend(entry.consequences);
        } else {
            causes.push(Cause {
                edited: vec![edited],
                lost_type,
                consequences: entry.consequences,
            });
        }
    }
    causes
}

#[cfg(test)]
mod tests;
