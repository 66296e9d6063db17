//! Operators that lost another member of their group, whose members no longer have one signature, or
//! that lost their copy operator.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::pairing::Pairing;
use super::side::entry_place;
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::group::Group;
use opatlas_operators::operator::OperatorId;
use opatlas_operators::variants;
use opatlas_schema::function::SchemaKind;
use opatlas_source::{Stop, Stopped};

const KINDS: [SchemaKind; 5] = [
    SchemaKind::Functional,
    SchemaKind::Inplace,
    SchemaKind::Out,
    SchemaKind::Mutable,
    SchemaKind::Scratch,
];

/// Adds groups that lost a member or whose members are out of step, and views that lost their copy
/// operator.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
    stop: &Stop,
) -> Result<(), Stopped> {
    let comparison = GroupComparison {
        base,
        head,
        pairing,
        renamed: pairing.renamed.iter().map(|r| (r.base, r.head)).collect(),
        removed: pairing.removed.iter().copied().collect(),
    };
    for group in base.groups.all() {
        stop.check()?;
        if group.members().nth(1).is_some() {
            comparison.group(group, changes);
        }
    }
    view_copies(base, head, pairing, changes);
    Ok(())
}

struct GroupComparison<'a> {
    base: &'a Catalogue,
    head: &'a Catalogue,
    pairing: &'a Pairing<'a>,
    renamed: FxHashMap<OperatorId, OperatorId>,
    removed: FxHashSet<OperatorId>,
}

impl GroupComparison<'_> {
    fn group(&self, group: &Group, changes: &mut Vec<Change>) {
        let there: Vec<(OperatorId, OperatorId)> = group
            .members()
            .filter_map(|id| Some((id, self.in_head(id)?)))
            .collect();
        let is_changed = |&&(old, new): &&(OperatorId, OperatorId)| {
            let (before, after) = (self.base.operator(old), self.head.operator(new));
            !after.is_generated() && before.signature() != after.signature()
        };
        let Some(&first) = there.iter().find(is_changed).or(there.first()) else {
            return;
        };
        changes.extend(self.incomplete(group, first));
        changes.extend(self.out_of_step(&there, first));
    }

    /// The operator in the head, even under another name. Of several operators with one name, only the
    /// first is paired with the head.
    fn in_head(&self, id: OperatorId) -> Option<OperatorId> {
        let common = &self.pairing.common;
        let same = common.in_head[id.index()];
        let same = same.filter(|now| common.in_base[now.index()] == Some(id));
        same.or_else(|| self.renamed.get(&id).copied())
    }

    /// The members that were removed.
    fn incomplete(&self, group: &Group, (old, new): (OperatorId, OperatorId)) -> Option<Change> {
        let remaining = self.head.groups.of(new);
        let lost = |kind: &&SchemaKind| {
            let member = group.member(**kind);
            member.is_some_and(|id| self.removed.contains(&id))
                && remaining.member(**kind).is_none()
        };
        let missing: Vec<Arc<str>> = KINDS
            .iter()
            .filter(lost)
            .filter_map(|kind| Some(self.base.operator(group.member(*kind)?).shared_name()))
            .collect();
        if missing.is_empty() {
            return None;
        }
        let change = Change::new(
            ChangeRuleId::VariantGroupIncomplete,
            self.base.operator(old).shared_name(),
            Subject::Names(missing.clone()),
        );
        let change = change
            .old(members(self.base, group, old))
            .new_side(members(self.head, remaining, new));
        Some(change.note(Note::Missing(missing)))
    }

    /// The declared members whose signature differs from that of a changed one.
    fn out_of_step(
        &self,
        there: &[(OperatorId, OperatorId)],
        (old, new): (OperatorId, OperatorId),
    ) -> Option<Change> {
        let (before, after) = (self.base.operator(old), self.head.operator(new));
        let others = there.iter().map(|(_, now)| self.head.operator(*now));
        let others =
            others.filter(|other| !other.is_generated() && other.signature() != after.signature());
        let others: Vec<_> = others.collect();
        if others.is_empty() {
            return None;
        }
        let expected = others.iter().filter_map(|other| {
            let schema = variants::expected(after.schema(), other.schema())?;
            Some((other.shared_name(), schema.to_string().into()))
        });
        let expected: Vec<(Arc<str>, Arc<str>)> = expected.collect();
        let names = others.iter().map(|other| other.shared_name()).collect();
        let change = Change::new(
            ChangeRuleId::VariantsOutOfStep,
            before.shared_name(),
            Subject::Names(names),
        );
        let side = |catalogue: &Catalogue, id| {
            let place = entry_place(catalogue, id);
            Fragment::of_field(catalogue.operator(id).canonical(), place)
        };
        let change = change
            .old(side(self.base, old))
            .new_side(side(self.head, new));
        Some(change.note(Note::Expected(expected)))
    }
}

/// The names of a group's members, placed at one of them.
fn members(catalogue: &Catalogue, group: &Group, at: OperatorId) -> Fragment {
    let names = group.members().map(|id| catalogue.operator(id).name_text());
    let names: Vec<&str> = names.collect();
    Fragment::of_field(names.join(", "), entry_place(catalogue, at))
}

fn view_copies(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
) {
    let there = |id: OperatorId| pairing.common.in_head[id.index()];
    let groups = head.view_groups().groups.iter();
    let with_copy: FxHashSet<OperatorId> = groups
        .filter(|group| group.copy.is_some())
        .map(|group| group.view)
        .collect();
    for group in &base.view_groups().groups {
        let Some(copy) = group.copy else {
            continue;
        };
        let view = base.operator(group.view);
        let Some(now) = there(group.view).filter(|_| there(copy).is_none()) else {
            continue;
        };
        if head.operator(now).is_view && !with_copy.contains(&now) {
            let copy: Arc<str> = base.operator(copy).shared_name();
            let change = Change::new(
                ChangeRuleId::ViewCopyLost,
                view.shared_name(),
                Subject::Names(vec![copy.clone()]),
            );
            changes.push(change.note(Note::Missing(vec![copy])));
        }
    }
}
