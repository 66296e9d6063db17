//! Operators that lost another member of their group, or their copy operator.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::pairing::Pairing;
use super::side::name_fragment;
use crate::change::{Change, Note, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::group::Group;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::SchemaKind;
use opatlas_source::{Stop, Stopped};

const KINDS: [SchemaKind; 5] = [
    SchemaKind::Functional,
    SchemaKind::Inplace,
    SchemaKind::Out,
    SchemaKind::Mutable,
    SchemaKind::Scratch,
];

/// Adds groups that lost a member, and views that lost their copy operator.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
    stop: &Stop,
) -> Result<(), Stopped> {
    for group in base.groups.all() {
        stop.check()?;
        if group.members().nth(1).is_some() {
            incomplete(base, head, pairing, group, changes);
        }
    }
    view_copies(base, head, pairing, changes);
    Ok(())
}

fn incomplete(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    group: &Group,
    changes: &mut Vec<Change>,
) {
    // Only the first of several operators with one name is paired with the head.
    let there = |id: OperatorId| {
        let found = pairing.common.in_head[id.index()];
        found.filter(|now| pairing.common.in_base[now.index()] == Some(id))
    };
    let Some((stays, now)) = group.members().find_map(|id| Some((id, there(id)?))) else {
        return;
    };
    let new_group = head.groups.of(now);
    let lost =
        |kind: &SchemaKind| group.member(*kind).is_some() && new_group.member(*kind).is_none();
    let missing: Vec<Arc<str>> = KINDS
        .iter()
        .filter(|kind| lost(kind))
        .filter_map(|kind| Some(base.operator(group.member(*kind)?).shared_name()))
        .collect();
    if missing.is_empty() {
        return;
    }
    let operator = base.operator(stays);
    let change = Change::new(
        ChangeRuleId::VariantGroupIncomplete,
        operator.shared_name(),
        Subject::Names(missing.clone()),
    );
    let (old, new) = (name_fragment(base, stays), name_fragment(head, now));
    let change = change.old(old).new_side(new);
    changes.push(change.note(Note::Missing(missing)));
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
