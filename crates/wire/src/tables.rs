//! One operator's dispatch table, its explanation, and the table with other registrations.

use opatlas_dispatch::{Provenance, Refused, WhatIf};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::calls::measured_for;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::release::Release;
use opatlas_verdict::{Answer, View};
use serde::Serialize;
use utoipa::ToSchema;

use crate::dispatch::{GivenView, note, refused};
use crate::entry::{
    BuildView, Entry, Places, Source, Training, entry, entry_among, explained, training,
};
use crate::problem::Problem;
use crate::since::{KeyHistory, key_history, summary};
use crate::tables_query::{TableQuery, wanted};
use crate::verdict::{Support, chain};
use opatlas_service::Snapshot;
use opatlas_service::dispatch::{Profile, runtime_key};

/// The dispatch table of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct TableView<'a> {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// The release whose keys and rules apply.
    #[schema(example = "2.9")]
    pub release: &'static str,
    /// The build of the table.
    pub build: BuildView,
    /// The registrations in it.
    pub source: Source,
    /// Notes about it.
    pub notes: Vec<String>,
    /// Every runtime key of the release in table order, including `Undefined` and missing ones; or
    /// only the requested key.
    pub table: Vec<Entry<'a>>,
    /// Whether it works on a device that has only the kernels that every device must have:
    /// `empty.memory_format`, `empty_strided`, `_copy_from`, `as_strided`, `view` and `resize_`.
    pub bare: Support,
    /// The release whose recorded calls decide where composite kernels work; null where none were
    /// recorded.
    #[schema(example = "2.9")]
    pub measured: Option<&'static str>,
    /// Training on the dense backends, or on the requested key.
    pub training: Vec<Training>,
    /// Where it works and since when, in one sentence. Out-of-tree backends of which no file is known are
    /// left out.
    #[schema(example = "Works on CPU, CUDA and HIP (since 2.0.0 or earlier), MPS (since 2.14.1).")]
    pub summary: String,
    /// PyTorch's releases on the dense backends, or on the requested key. Empty for an operator that no
    /// known release has.
    pub releases: Vec<KeyHistory>,
    /// The added registrations of a what-if table.
    pub with: Vec<GivenView>,
    /// The keys without their registration in a what-if table.
    pub without: Vec<&'static str>,
    /// The actual table; null without a what-if change.
    pub before: Option<Vec<Entry<'a>>>,
    /// The table after the change.
    pub after: Option<Vec<Entry<'a>>>,
    /// The keys whose entry changes.
    pub changed: Option<Vec<&'static str>>,
}

pub(crate) struct WhatIfTable<'a> {
    with: Vec<GivenView>,
    without: Vec<&'static str>,
    before: Vec<Entry<'a>>,
    after: Vec<Entry<'a>>,
    changed: Vec<&'static str>,
}

/// Makes the requested table and passes it to `then`. Errors call the revision `title`. Fails with
/// the problem of an unknown operator, key or build, or of rejected registrations.
pub fn with_table<T>(
    snapshot: &Snapshot,
    title: &str,
    operator: &str,
    query: &TableQuery,
    then: impl FnOnce(TableView<'_>) -> T,
) -> Result<T, Problem> {
    with_view(snapshot, title, operator, query, |view, id, slot| {
        Ok(then(table_view(snapshot, view, id, slot, query)?))
    })
}

/// The tables that the query is about, with the operator and the slot of the requested key.
pub(crate) fn with_view<T>(
    snapshot: &Snapshot,
    title: &str,
    operator: &str,
    query: &TableQuery,
    then: impl FnOnce(View<'_>, OperatorId, Option<Slot>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let id = snapshot.find_in(|| title.to_owned(), operator)?;
    let release = snapshot.release();
    let source = query.source.unwrap_or_default();
    let profile = Profile::parse(query.build.as_deref(), source.into(), release)?;
    let key = query.key.as_deref();
    let slot = key
        .map(|key| runtime_key(release, key))
        .transpose()
        .map_err(|error| Problem::from(error).about("key"))?;
    let tables = snapshot.tables(&profile);
    then(View::new(snapshot.inputs(), &tables), id, slot)
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
    let what_if = if query.is_what_if() {
        let made = what_if(view, id, query)?;
        notes.extend(made.notes.iter().map(note));
        notes.extend(made.nothing_to_remove.iter().map(|&key| {
            format!(
                "no kernel is registered to `{}`, so there is none to remove",
                keys.name(key)
            )
        }));
        Some(changed(snapshot, view, id, slot, made))
    } else {
        None
    };
    let mut table: Vec<Entry<'_>> = match (query.explain, slot) {
        (Some(true), _) => {
            let table = slots.iter().filter_map(|&slot| view.explain(id, slot));
            let explained = |told| explained(snapshot, view, id, told);
            table.map(explained).collect()
        }
        (_, Some(slot)) => {
            let entries = view.entry(id, slot).into_iter();
            entries.map(|it| entry(snapshot, view, id, it)).collect()
        }
        (_, None) => {
            let mut places = Places::default();
            let one = |it| entry_among(snapshot, view, id, (it, &mut places));
            view.table(id).map(one).collect()
        }
    };
    if let Some(slot) = slot {
        for entry in &mut table {
            entry.support.chain = Some(chain(view, id, slot));
        }
    }
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
    let answers: Vec<Slot> = slots.iter().copied().filter(is_shown).collect();
    let operator = view.inputs.catalogue.operator(id);
    Ok(TableView {
        operator: operator.qualified_name().to_owned(),
        release: keys.release().as_str(),
        build: view.tables.build().into(),
        source: view.tables.source().into(),
        notes,
        table,
        bare: bare(view, id),
        measured: measured_for(keys.release()).map(Release::as_str),
        training: answers
            .iter()
            .filter_map(|&slot| view.training(id, slot))
            .map(|answer| training(view, id, &answer))
            .collect(),
        summary: summary(view, id),
        releases: answers
            .iter()
            .filter_map(|&slot| key_history(view, id, slot))
            .collect(),
        with,
        without,
        before,
        after,
        changed,
    })
}

/// Notes about the registrations in tables.
#[must_use]
pub fn notes(view: View<'_>) -> Vec<String> {
    let assumed = view.tables.provenance() == Provenance::Assumed
        && view.tables.source() == opatlas_dispatch::Source::Everything;
    let note = || {
        format!(
            "the revision differs from PyTorch {release} as released: Opatlas assumes the \
             hand-written registrations of {release}; `source=files` ignores them",
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
    id: OperatorId,
    only: Option<Slot>,
    made: WhatIf<'a>,
) -> WhatIfTable<'a> {
    let keys = view.keys();
    let is_shown = |slot: Slot| only.is_none_or(|only| only == slot);
    let changes = made.changes().filter(|change| is_shown(change.before.slot));
    let changed = changes.map(|change| change.before.key).collect();
    let entries = |table: Vec<opatlas_dispatch::Entry<'a>>| {
        let shown = table.into_iter().filter(|entry| is_shown(entry.slot));
        shown.map(|one| entry(snapshot, view, id, one)).collect()
    };
    WhatIfTable {
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

fn bare(view: View<'_>, id: OperatorId) -> Support {
    let support = view.bare_support(id);
    let is_known = Answer::from(support.verdict) != Answer::Unknown;
    Support::of(view, &support, is_known.then(|| view.known_from_calls(id)))
}
