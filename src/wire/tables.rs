//! One operator's dispatch table: as it is, explained, and as it would be with other registrations.

use opatlas_dispatch::{Refused, Standing, View, WhatIf};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use serde::Serialize;
use utoipa::ToSchema;

use crate::service::Snapshot;
use crate::service::dispatch::{Profile, runtime_key};
use crate::wire::dispatch::{GivenView, note, refused};
use crate::wire::entry::{BuildView, Entry, Source, Training, entry, explained, training};
use crate::wire::problem::Problem;
use crate::wire::tables_query::{TableQuery, wanted};

/// The dispatch table of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct TableView<'a> {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// The release whose keys and rules apply.
    #[schema(example = "2.9")]
    pub release: &'static str,
    /// The build that the table is for.
    pub build: BuildView,
    /// Which registrations it is made of.
    pub source: Source,
    /// What there is to know about that.
    pub notes: Vec<String>,
    /// Every runtime key of the release in table order, `Undefined` and missing ones included; or
    /// the one asked for.
    pub table: Vec<Entry<'a>>,
    /// What works on the dense backends, or on the key asked for.
    pub training: Vec<Training>,
    /// The registrations that are added, where it is asked what would be.
    pub with: Vec<GivenView>,
    /// The keys that lose their registration.
    pub without: Vec<&'static str>,
    /// The table as it is; null where no other registrations are asked about.
    pub before: Option<Vec<Entry<'a>>>,
    /// The table as it would be.
    pub after: Option<Vec<Entry<'a>>>,
    /// The keys whose entry changes.
    pub changed: Option<Vec<&'static str>>,
}

/// A table before and after a change of registrations.
pub(crate) struct Changed<'a> {
    with: Vec<GivenView>,
    without: Vec<&'static str>,
    before: Vec<Entry<'a>>,
    after: Vec<Entry<'a>>,
    changed: Vec<&'static str>,
}

/// Makes the table that a query asks for, and hands it to `then`. `title` is what refusals call the
/// revision.
///
/// # Errors
/// The problem of an unknown operator, key or build, or of refused registrations.
pub fn with_table<T>(
    snapshot: &Snapshot,
    title: &str,
    operator: &str,
    query: &TableQuery,
    then: impl FnOnce(TableView<'_>) -> T,
) -> Result<T, Problem> {
    let id = snapshot.find_in(|| title.to_owned(), operator)?;
    let release = snapshot.release();
    let source = query.source.unwrap_or_default();
    let profile = Profile::parse(query.build.as_deref(), source.into(), release)?;
    let key = query.key.as_deref();
    let slot = key.map(|key| runtime_key(release, key)).transpose();
    let slot = slot.map_err(|error| Problem::from(error).about("key"))?;
    let tables = snapshot.tables(&profile);
    let view = View::new(snapshot.inputs(), &tables);
    Ok(then(table_view(snapshot, view, id, slot, query)?))
}

pub(crate) fn table_view<'a>(
    snapshot: &Snapshot,
    view: View<'a>,
    id: OperatorId,
    slot: Option<Slot>,
    query: &TableQuery,
) -> Result<TableView<'a>, Problem> {
    let keys = view.keys();
    let slots: Vec<Slot> = slot.map_or_else(|| keys.slots().collect(), |slot| vec![slot]);
    let mut notes = notes(view);
    let what_if = match query.is_what_if() {
        false => None,
        true => {
            let made = what_if(view, id, query)?;
            notes.extend(made.notes.iter().map(note));
            notes.extend(made.nothing_to_remove.iter().map(|&key| {
                format!(
                    "nothing is registered to `{}` that could be taken away",
                    keys.name(key)
                )
            }));
            Some(changed(snapshot, view, slot, made))
        }
    };
    let table = slots.iter().filter_map(|&slot| match query.explain {
        Some(true) => Some(explained(snapshot, keys, view.explain(id, slot)?)),
        _ => Some(entry(snapshot, keys, view.entry(id, slot)?)),
    });
    let (with, without, before, after, changed) = match what_if {
        Some(it) => (
            it.with,
            it.without,
            Some(it.before),
            Some(it.after),
            Some(it.changed),
        ),
        None => Default::default(),
    };
    let is_shown = |at: &Slot| slot.is_some() || keys.functionality(*at) == "Dense";
    let answers = slots.iter().filter(|&at| is_shown(at));
    Ok(TableView {
        operator: view.inputs.catalogue.operator(id).qualified_name(),
        release: keys.release().as_str(),
        build: view.tables.build().into(),
        source: view.tables.source().into(),
        notes,
        table: table.collect(),
        training: answers
            .filter_map(|&slot| view.training(id, slot))
            .map(|answer| training(&answer))
            .collect(),
        with,
        without,
        before,
        after,
        changed,
    })
}

/// What there is to know about the registrations that tables are made of.
#[must_use]
pub fn notes(view: View<'_>) -> Vec<String> {
    let assumed = view.tables.standing() == Standing::Assumed
        && view.tables.source() == opatlas_dispatch::Source::Everything;
    let note = || {
        format!(
            "the revision is not PyTorch {release} as released: hand-written registrations are \
             assumed to be those of {release}; `source=files` leaves them out",
            release = view.keys().release()
        )
    };
    assumed.then(note).into_iter().collect()
}

pub(crate) fn what_if<'a>(
    view: View<'a>,
    id: OperatorId,
    query: &TableQuery,
) -> Result<WhatIf<'a>, Problem> {
    let with: Vec<_> = query.with.iter().map(|text| wanted(text)).collect();
    let without: Vec<&str> = query.without.iter().map(|key| &**key).collect();
    let made = view.what_if(id, &with, &without);
    made.map_err(|faults: Vec<Refused>| refused(&faults))
}

pub(crate) fn changed<'a>(
    snapshot: &Snapshot,
    view: View<'a>,
    only: Option<Slot>,
    made: WhatIf<'a>,
) -> Changed<'a> {
    let keys = view.keys();
    let is_shown = |slot: Slot| only.is_none_or(|only| only == slot);
    let changes = made.changes().filter(|change| is_shown(change.before.slot));
    let changed = changes.map(|change| change.before.key).collect();
    let entries = |table: Vec<opatlas_dispatch::Entry<'a>>| {
        let shown = table.into_iter().filter(|entry| is_shown(entry.slot));
        shown.map(|one| entry(snapshot, keys, one)).collect()
    };
    Changed {
        with: made
            .added
            .iter()
            .map(|given| GivenView::of(keys, given))
            .collect(),
        without: made
            .removed
            .iter()
            .map(|&key: &Key| keys.name(key))
            .collect(),
        before: entries(made.before),
        after: entries(made.after),
        changed,
    }
}
