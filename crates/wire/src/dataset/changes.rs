//! What changed from release to release.

use std::collections::HashMap;

use serde::Serialize;

use super::release::{OperatorRow, Place, ReleaseFile, Said};
use super::{FORMAT, lines};

/// What changed from one release to the next.
#[derive(Debug, Serialize)]
pub(super) struct ReleaseChanges {
    from: String,
    release: String,
    added: Vec<String>,
    removed: Vec<String>,
    changes: Vec<Group>,
}

/// Operators with the same change at a place.
#[derive(Debug, Serialize)]
struct Group {
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    way: Option<&'static str>,
    before: Option<Said>,
    after: Option<Said>,
    operators: Vec<String>,
}

#[derive(Serialize)]
struct Head {
    format: u32,
}

impl ReleaseChanges {
    /// The changes between two releases.
    pub(super) fn between(base: &ReleaseFile, head: &ReleaseFile) -> Self {
        let before = by_name(base);
        let after = by_name(head);
        let names = |file: &ReleaseFile, other: &HashMap<&str, &OperatorRow>| {
            let rows = file.operators.iter().map(|row| &row.name);
            rows.filter(|name| !other.contains_key(name.as_str()))
                .cloned()
                .collect()
        };
        let mut places: Vec<Place> = head.places().collect();
        places.extend(
            base.places()
                .filter(|place| !head.places().any(|it| it == *place)),
        );
        let kept = head.operators.iter();
        let kept: Vec<_> = kept
            .filter_map(|row| Some((*before.get(row.name.as_str())?, row)))
            .collect();
        let changes = places.into_iter().flat_map(|place| {
            let said = |(was, is): &(&OperatorRow, &OperatorRow)| {
                let change = (base.said(was, place), head.said(is, place));
                (change.0 != change.1).then(|| (change, is.name.clone()))
            };
            grouped(place, kept.iter().filter_map(said))
        });
        Self {
            from: base.release().to_owned(),
            release: head.release().to_owned(),
            added: names(head, &before),
            removed: names(base, &after),
            changes: changes.collect(),
        }
    }
}

type Change = (Option<Said>, Option<Said>);

fn grouped(place: Place, changes: impl Iterator<Item = (Change, String)>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for ((before, after), operator) in changes {
        let known = groups
            .iter_mut()
            .find(|group| group.before == before && group.after == after);
        match known {
            Some(group) => group.operators.push(operator),
            None => groups.push(Group {
                key: place.key(),
                way: place.way(),
                before,
                after,
                operators: vec![operator],
            }),
        }
    }
    groups.sort_by_key(|group| (group.before, group.after));
    groups
}

fn by_name(file: &ReleaseFile) -> HashMap<&str, &OperatorRow> {
    let rows = file.operators.iter();
    rows.map(|row| (row.name.as_str(), row)).collect()
}

/// The file of all changes, the oldest release first.
pub(super) fn to_json(changes: &[ReleaseChanges]) -> Vec<u8> {
    lines(&Head { format: FORMAT }, "releases", changes)
}
