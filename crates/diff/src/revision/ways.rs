//! Changes of fate: what becomes of an operator when it is compiled, exported, batched, sharded or autocast
//! (`docs/spec/ways.md`).

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::pairing::Common;
use super::side::entry_place;
use crate::causes::stem;
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::{Audience, Audiences, ChangeRuleId, Impacts, Level};
use opatlas_operators::operator::OperatorId;
use opatlas_source::{Stop, Stopped};
use opatlas_verdict::ways::{Basis, Fate, Way};
use opatlas_verdict::{Shift, View};

type Ids = (OperatorId, OperatorId);
type KnownFate = (Way, Fate, Basis);

/// Operators with the same change of fate on the same way. Those whose entries decide it are apart by
/// variant group; what the registries of two releases decide is one change for all operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    way: Way,
    from: Fate,
    to: Fate,
    group: Option<OperatorId>,
}

/// Compares the fates of the operators that both sides have. `of_entries` are the changes of entries.
pub(super) fn compare(
    base: View<'_>,
    head: View<'_>,
    common: &Common,
    of_entries: &[Change],
    stop: &Stop,
) -> Result<Vec<Change>, Stopped> {
    let mut groups: BTreeMap<Key, Vec<Ids>> = BTreeMap::new();
    let is_same_release = base.keys().release() == head.keys().release();
    let edited = edited(base, head, common);
    for &ids in &common.same {
        stop.check()?;
        if is_same_release && !edited.contains(&ids.0) {
            continue;
        }
        let after = head.known_fates(ids.1);
        for before in base.known_fates(ids.0) {
            let of_way = after.iter().find(|(way, ..)| *way == before.0);
            if let Some(key) = of_way.and_then(|after| key((base, head), ids, before, *after)) {
                groups.entry(key).or_default().push(ids);
            }
        }
    }
    let stems = of_entries.iter().map(|change| stem(&change.operator));
    let stems: FxHashSet<&str> = stems.collect();
    let changes = groups.into_iter().map(|(key, ids)| {
        let is_edited = |ids: &&Ids| {
            let name = base.inputs.catalogue.operator(ids.0).name_text();
            stems.contains(stem(name)) == key.group.is_some()
        };
        let first = *ids.iter().find(is_edited).unwrap_or(&ids[0]);
        change((base, head), key, first, &ids)
    });
    Ok(changes.collect())
}

/// The operators of the base whose entry changed, and those of their groups.
fn edited(base: View<'_>, head: View<'_>, common: &Common) -> FxHashSet<OperatorId> {
    let (old, new) = (base.inputs.catalogue, head.inputs.catalogue);
    let mut edited = FxHashSet::default();
    for &(before, after) in &common.unshared {
        if !old.operator(before).is_shared_with(new.operator(after)) {
            edited.extend(old.groups.of(before).members());
            let of_head = new.groups.of(after).members();
            edited.extend(of_head.filter_map(|id| common.in_base[id.index()]));
        }
    }
    edited
}

/// How the fate of an operator changed; `None` if it did not.
fn key(
    (base, head): (View<'_>, View<'_>),
    ids: Ids,
    (way, from, was): KnownFate,
    (_, to, is): KnownFate,
) -> Option<Key> {
    // Training and functions of the C shim have rules of their own.
    if way == Way::Training {
        return None;
    }
    if from == Fate::Shim || from.shift(to) == Shift::Same {
        return None;
    }
    let is_by_entry =
        base.keys().release() == head.keys().release() || [was, is].contains(&Basis::Entry);
    let group = || {
        let members = base.inputs.catalogue.groups.of(ids.0).members();
        members.min().unwrap_or(ids.0)
    };
    Some(Key {
        way,
        from,
        to,
        group: is_by_entry.then(group),
    })
}

fn change((base, head): (View<'_>, View<'_>), key: Key, first: Ids, all: &[Ids]) -> Change {
    let name = |ids: &Ids| base.inputs.catalogue.operator(ids.0).shared_name();
    let rule = match key.from.shift(key.to) {
        Shift::Lost => ChangeRuleId::WayLost,
        Shift::Gained => ChangeRuleId::WayGained,
        _ => ChangeRuleId::WayChanged,
    };
    let subject = Subject::Names(vec![key.way.as_str().into()]);
    let side = |view: View<'_>, id: OperatorId, fate: Fate| {
        let catalogue = view.inputs.catalogue;
        let source = catalogue.operator(id).generated_from().unwrap_or(id);
        Fragment::of_field(fate.as_str(), entry_place(catalogue, source))
    };
    let mut change = Change::new(rule, name(&first), subject)
        .old(side(base, first.0, key.from))
        .new_side(side(head, first.1, key.to));
    if rule == ChangeRuleId::WayLost {
        (change.level, change.impacts) = loss(key);
    }
    if let Some(answer) = head.way(first.1, key.way) {
        change = change.note(Note::Reason(Arc::from(&*answer.because)));
    }
    let others = all.iter().filter(|ids| **ids != first);
    change.also = others.map(name).collect();
    change
}

/// Whom a lost fate affects. A call fails if functionalization raises, or without a Meta kernel.
fn loss(key: Key) -> (Level, Impacts) {
    let audiences = match key.way {
        Way::Inductor | Way::Functionalize => Audiences::of(&[Audience::Compiler]),
        Way::Meta | Way::Decomposition => Audiences::of(&[Audience::Compiler, Audience::Export]),
        Way::Aoti => Audiences::of(&[Audience::Aoti]),
        _ => Audiences::of(&[Audience::Transforms]),
    };
    let fails = matches!(
        (key.way, key.to),
        (Way::Functionalize, Fate::Raises) | (Way::Meta, Fate::None)
    );
    if fails {
        let impacts = Impacts {
            breaks: audiences,
            risks: Audiences::NONE,
        };
        return (Level::Breaking, impacts);
    }
    let impacts = Impacts {
        breaks: Audiences::NONE,
        risks: audiences,
    };
    (Level::Dangerous, impacts)
}
