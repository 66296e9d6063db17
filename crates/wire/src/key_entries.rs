//! One key across all operators: the entries, as JSON or CSV.

use opatlas_dispatch::Reason;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_pytorch::release::Release;
use opatlas_report::table::{CSV_HEADER, csv_row};
use opatlas_verdict::{Verdict, View};
use serde::Serialize;
use utoipa::ToSchema;

use crate::entry::{Entry, ReasonCounts, Source, entry};
use crate::keys::KeyView;
use crate::paths::Generated;
use crate::problem::Problem;
use crate::tables;
use crate::verdict::VerdictCounts;
use opatlas_service::Snapshot;
use opatlas_service::dispatch::Profile;
use opatlas_service::search;

/// The entry of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct KeyEntry<'a> {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// Its entry.
    #[serde(flatten)]
    pub entry: Entry<'a>,
}

/// Which tables and which operators of a revision a request asks for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableSelection {
    /// The tables.
    pub profile: Profile,
    /// Whether to include generated operators.
    pub generated: search::Generated,
    /// The reason that entries have.
    pub reason: Option<Reason>,
    /// The verdict that they have.
    pub verdict: Option<Verdict>,
}

impl TableSelection {
    /// Parses what a query asks for. Fails with
    /// [`Kind::UnknownBuild`](crate::problem::Kind::UnknownBuild).
    pub fn parse(
        build: Option<&str>,
        source: Option<Source>,
        generated: Option<Generated>,
        release: Release,
    ) -> Result<Self, Problem> {
        let source = source.unwrap_or_default().into();
        Ok(Self {
            profile: Profile::parse(build, source, release)?,
            generated: generated.map_or_else(Default::default, Into::into),
            reason: None,
            verdict: None,
        })
    }

    fn fits(&self, reason: Reason, verdict: Verdict) -> bool {
        self.reason.is_none_or(|only| only == reason)
            && self.verdict.is_none_or(|only| only == verdict)
    }
}

/// Whether a filter by generation includes an operator.
#[must_use]
pub fn includes(generated: search::Generated, operator: &Operator) -> bool {
    match generated {
        search::Generated::Include => true,
        search::Generated::Only => operator.is_generated(),
        search::Generated::Exclude => !operator.is_generated(),
    }
}

pub(crate) fn reasons<'v>(
    view: View<'v>,
    slot: Slot,
    selection: &TableSelection,
) -> impl Iterator<Item = (OperatorId, Reason, Verdict)> + use<'v> {
    let generated = selection.generated;
    let operators = view
        .inputs
        .catalogue
        .iter()
        .filter(move |(_, operator)| includes(generated, operator));
    operators.filter_map(move |(id, _)| {
        let table = &view.tables.pattern(id)?.table;
        Some((id, table.rule(slot).reason(), view.verdict(id, slot)))
    })
}

/// Calls `each` with the selected operators in this part of the list, and their entries. Returns the
/// number of all selected operators.
pub fn each_entry<'v>(
    view: View<'v>,
    slot: Slot,
    selection: &TableSelection,
    part: std::ops::Range<usize>,
    mut each: impl FnMut(OperatorId, opatlas_dispatch::Entry<'v>),
) -> usize {
    let mut fitting = 0;
    for (id, reason, verdict) in reasons(view, slot, selection) {
        if !selection.fits(reason, verdict) {
            continue;
        }
        if part.contains(&fitting)
            && let Some(entry) = view.entry(id, slot)
        {
            each(id, entry);
        }
        fitting += 1;
    }
    fitting
}

/// A part of the list of one key across all operators, as CSV; and the length of the list.
#[must_use]
pub fn csv(
    snapshot: &Snapshot,
    slot: Slot,
    selection: &TableSelection,
    part: std::ops::Range<usize>,
) -> (String, usize) {
    let tables = snapshot.tables(&selection.profile);
    let view = View::new(snapshot.inputs(), &tables);
    let mut text = CSV_HEADER.to_owned();
    let count = each_entry(view, slot, selection, part, |id, entry| {
        csv_row(&mut text, view, id, &entry);
    });
    (text, count)
}

/// Makes a page of a key's entries, and passes it to `then` with the length of the whole list.
pub fn with_key<T>(
    snapshot: &Snapshot,
    slot: Slot,
    selection: &TableSelection,
    part: std::ops::Range<usize>,
    then: impl FnOnce(KeyView<'_>, usize) -> T,
) -> T {
    let tables = snapshot.tables(&selection.profile);
    let view = View::new(snapshot.inputs(), &tables);
    let keys = view.keys();
    let mut counts = [0; Reason::ALL.len()];
    let mut verdicts = VerdictCounts::default();
    let (mut operators, mut other_backends, mut fitting) = (0, 0, 0);
    let mut items = Vec::new();
    for (id, reason, verdict) in reasons(view, slot, selection) {
        operators += 1;
        counts[reason as usize] += 1;
        verdicts.add(verdict);
        other_backends += usize::from(!view.applicability(id, slot).is_applicable());
        if !selection.fits(reason, verdict) {
            continue;
        }
        if part.contains(&fitting)
            && let Some(found) = view.entry(id, slot)
        {
            let operator = view.inputs.catalogue.operator(id);
            items.push(KeyEntry {
                operator: operator.qualified_name().to_owned(),
                entry: entry(snapshot, view, id, found),
            });
        }
        fitting += 1;
    }
    let page = KeyView {
        key: keys.name(Key::Runtime(slot)),
        functionality: keys.functionality(slot),
        backend: keys.backend(slot),
        release: keys.release().as_str(),
        build: view.tables.build().into(),
        source: view.tables.source().into(),
        notes: tables::notes(view),
        operators,
        counts: ReasonCounts(counts),
        verdicts,
        other_backends,
        items,
        next_cursor: None,
    };
    then(page, fitting)
}
