//! Changes of the computed dispatch tables: which backends lost or gained an operator, and by which
//! kind of kernel it runs there (`docs/spec/compatibility.md`, section 4, item 7).

mod causes;
mod cells;
mod training;
mod verdicts;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::pairing::Common;
use super::side::entry_place;
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::{ChangeRuleId, Level};
use opatlas_dispatch::{Precedence, autograd_key};
use opatlas_operators::entry::KeyName;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_source::{Stop, Stopped};
use opatlas_verdict::{Shift, Verdict, View};

use cells::KeyChange;
use training::TrainingComparison;
use verdicts::{KeyVerdicts, Leaders, RemovedNeeds, add_leaders};

pub(super) use causes::set_causes;
pub use cells::{Cell, CellChange, TableChange};

/// Compares the tables of all operators that both sides have. `of_entries` are the changes of their
/// entries.
pub(super) fn compare(
    base: View<'_>,
    head: View<'_>,
    common: &Common,
    of_entries: &[Change],
    stop: &Stop,
) -> Result<(Vec<TableChange>, Vec<Change>), Stopped> {
    let comparison = TableComparison::new(base, head, common);
    let training = TrainingComparison::new(base, head, comparison.dense_backends(), of_entries);
    let (mut tables, mut changes) = (Vec::new(), Vec::new());
    let mut followers = Followers::default();
    for &ids in &common.same {
        stop.check()?;
        let Some(keys) = comparison.key_changes(ids) else {
            continue;
        };
        if keys.is_empty() && !training.may_differ(ids) {
            continue;
        }
        comparison.support(ids, &keys, &mut changes, &mut followers);
        changes.extend(training.losses(ids));
        if !keys.is_empty() {
            tables.push(TableChange {
                operator: base.inputs.catalogue.operator(ids.0).shared_name(),
                cause: None,
                ids,
                keys: keys.into(),
            });
        }
    }
    for change in &mut changes {
        let key = (Arc::clone(&change.operator), change.rule.id);
        change
            .also
            .extend(followers.remove(&key).unwrap_or_default());
    }
    Ok((tables, changes))
}

/// The operators that lost or gained a key only because another operator did, by that operator and
/// rule.
type Followers = FxHashMap<(Arc<str>, ChangeRuleId), Vec<Arc<str>>>;

struct CommonKey {
    base: Slot,
    head: Slot,
    /// Whether both sides claim anything about the backend.
    is_claimed: bool,
    /// `None` if it is not a backend's key.
    verdicts: Option<KeyVerdicts>,
}

struct TableComparison<'a> {
    base: View<'a>,
    head: View<'a>,
    /// In the base's order.
    keys: Vec<CommonKey>,
    leaders: Leaders,
    removed: RemovedNeeds,
}

impl<'a> TableComparison<'a> {
    fn new(base: View<'a>, head: View<'a>, common: &Common) -> Self {
        let (old, new) = (base.keys(), head.keys());
        let (mut leaders, mut removed) = (Leaders::default(), RemovedNeeds::default());
        let keys = old.slots().filter_map(|slot| {
            let there = new.slot(old.name(Key::Runtime(slot)))?;
            let verdicts = autograd_key(old, slot).map(|_| KeyVerdicts {
                before: base.verdicts(slot),
                after: head.verdicts(there),
            });
            if let Some(verdicts) = &verdicts {
                add_leaders(
                    (base, slot),
                    (head, there),
                    verdicts,
                    common,
                    (&mut leaders, &mut removed),
                );
            }
            Some(CommonKey {
                is_claimed: base.claims(slot) && head.claims(there),
                base: slot,
                head: there,
                verdicts,
            })
        });
        Self {
            keys: keys.collect(),
            leaders,
            removed,
            base,
            head,
        }
    }

    fn dense_backends(&self) -> Vec<(Slot, Slot)> {
        let backends = self.keys.iter().filter(|key| key.verdicts.is_some());
        let dense = backends.filter(|key| self.base.keys().functionality(key.base) == "Dense");
        dense.map(|key| (key.base, key.head)).collect()
    }

    /// The keys of an operator whose precedence or verdict changed; `None` if a side has no table.
    fn key_changes(&self, (old, new): (OperatorId, OperatorId)) -> Option<Vec<KeyChange>> {
        let (before, after) = (
            self.base.tables.pattern(old)?,
            self.head.tables.pattern(new)?,
        );
        let keys = self.keys.iter().map(|key| KeyChange {
            base: key.base,
            head: key.head,
            before: before.rule(key.base),
            after: after.rule(key.head),
            is_claimed: key.is_claimed,
            verdicts: key
                .verdicts
                .as_ref()
                .map(|verdicts| (verdicts.before.of(old), verdicts.after.of(new))),
        });
        let is_changed = |key: &KeyChange| {
            key.before != key.after || key.verdicts.is_some_and(|(was, is)| was != is)
        };
        Some(keys.filter(is_changed).collect())
    }

    fn support(
        &self,
        ids: (OperatorId, OperatorId),
        keys: &[KeyChange],
        changes: &mut Vec<Change>,
        followers: &mut Followers,
    ) {
        let of = |shift: Shift| -> Vec<&KeyChange> {
            let keys = keys.iter();
            keys.filter(|key| key.shift() == Some(shift)).collect()
        };
        let lost = of(Shift::Lost);
        if let Some(change) = self.of_keys(ids, ChangeRuleId::BackendSupportLost, &lost) {
            let mut change = change.note(Note::ServedByNothing);
            if let Some(names) = self.removed.get(&ids.0).filter(|names| !names.is_empty()) {
                let names = names.iter().copied().map(Arc::from).collect();
                change = change.note(Note::NeedsRemoved(names));
            }
            let change = self.by_parts(change, &lost);
            changes.extend(self.without_followers(ids.0, change, &lost, followers));
        }
        let gained = of(Shift::Gained);
        if let Some(change) = self.of_keys(ids, ChangeRuleId::BackendSupportGained, &gained) {
            changes.extend(self.without_followers(ids.0, change, &gained, followers));
        }
        let of_other_kind = of(Shift::OtherKind);
        let rule = ChangeRuleId::BackendSupportKindChanged;
        changes.extend(self.of_keys(ids, rule, &of_other_kind));
        for (shift, rule) in [
            (Shift::KernelGained, ChangeRuleId::BackendSupportGained),
            (Shift::KernelLost, ChangeRuleId::BackendSupportLost),
        ] {
            let keys = of(shift);
            let change = self.of_keys(ids, rule, &keys);
            let change = change.map(|change| change.note(Note::SupportUnknown));
            changes.extend(change.map(|change| match shift {
                Shift::KernelLost => self.by_parts(change, &keys),
                _ => change,
            }));
        }
        let ambiguous: Vec<&KeyChange> = keys.iter().filter(|key| key.is_ambiguity()).collect();
        if let Some(change) = self.of_keys(ids, ChangeRuleId::AutogradSupportLost, &ambiguous) {
            changes.push(change.note(Note::Ambiguous));
        }
    }

    /// A change of these keys, with the reasons on each side; `None` without keys.
    fn of_keys(
        &self,
        (old, new): (OperatorId, OperatorId),
        rule: ChangeRuleId,
        keys: &[&KeyChange],
    ) -> Option<Change> {
        if keys.is_empty() {
            return None;
        }
        let reasons = |of: fn(&KeyChange) -> Precedence| {
            let mut reasons: Vec<&str> = keys.iter().map(|key| of(key).reason().as_str()).collect();
            reasons.sort_unstable();
            reasons.dedup();
            reasons.join(", ")
        };
        let (mut was, mut is) = (reasons(|key| key.before), reasons(|key| key.after));
        if was == is {
            (was, is) = self.by_key(keys);
        }
        let name = self.base.inputs.catalogue.operator(old).shared_name();
        let change = Change::new(rule, name, self.subject(keys.iter().copied()))
            .old(Fragment::of_field(was, source_place(self.base, old)))
            .new_side(Fragment::of_field(is, source_place(self.head, new)));
        Some(change)
    }

    /// The reason and verdict of each key, before and after: `CPU: math kernel (fails)`.
    fn by_key(&self, keys: &[&KeyChange]) -> (String, String) {
        let side = |of: fn(&KeyChange) -> (Precedence, Option<Verdict>)| {
            let words = keys.iter().map(|key| {
                let (rule, verdict) = of(key);
                let name = self.base.keys().name(Key::Runtime(key.base));
                let verdict = verdict.map_or("", Verdict::as_str);
                format!("{name}: {} ({verdict})", rule.reason().as_str())
            });
            words.collect::<Vec<_>>().join(", ")
        };
        (
            side(|key| (key.before, key.verdicts.map(|verdicts| verdicts.0))),
            side(|key| (key.after, key.verdicts.map(|verdicts| verdicts.1))),
        )
    }

    fn subject<'k>(&self, keys: impl Iterator<Item = &'k KeyChange>) -> Subject {
        let names = self.base.keys();
        Subject::Keys(
            keys.map(|key| KeyName::Known(names.name(Key::Runtime(key.base))))
                .collect(),
        )
    }

    /// Removes the keys on which the operator only follows another one; `None` if no key is left.
    fn without_followers(
        &self,
        old: OperatorId,
        mut change: Change,
        keys: &[&KeyChange],
        followers: &mut Followers,
    ) -> Option<Change> {
        let mut own = Vec::new();
        for key in keys {
            let Some(leader) = self.leaders.get(&(old, key.base)) else {
                own.push(*key);
                continue;
            };
            let leader = self.base.inputs.catalogue.operator(*leader).shared_name();
            let names = followers.entry((leader, change.rule.id)).or_default();
            if names.last() != Some(&change.operator) {
                names.push(Arc::clone(&change.operator));
            }
        }
        change.subject = self.subject(own.iter().copied());
        (!own.is_empty()).then_some(change)
    }

    /// Lowers a loss on keys where nothing was promised.
    fn by_parts(&self, change: Change, keys: &[&KeyChange]) -> Change {
        if keys.iter().all(|key| self.is_by_parts(key)) {
            change.at_risk(Level::Dangerous).note(Note::RanByParts)
        } else {
            change
        }
    }

    /// Whether nested tensors ran the operator through an implicit composite. That works only if they
    /// run its parts, and was never promised.
    fn is_by_parts(&self, key: &KeyChange) -> bool {
        let is_nested = self.base.keys().functionality(key.base) == "NestedTensor";
        key.before.alias() == Some(Alias::CompositeImplicitAutograd) && is_nested
    }
}

/// Where the entry is that the table of an operator follows from: its own, or that of its source.
fn source_place(view: View<'_>, id: OperatorId) -> Option<opatlas_source::Span> {
    let catalogue = view.inputs.catalogue;
    entry_place(
        catalogue,
        catalogue.operator(id).generated_from().unwrap_or(id),
    )
}
