//! One key across all operators: the entries, as JSON or CSV.

use opatlas_dispatch::Reason;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
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

/// The operators whose entries at a key to return.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wanted {
    /// The tables.
    pub profile: Profile,
    /// Whether to include generated operators.
    pub generated: search::Generated,
    /// The reason that entries have.
    pub reason: Option<Reason>,
    /// The verdict that they have.
    pub verdict: Option<Verdict>,
}

impl Wanted {
    fn fits(&self, reason: Reason, verdict: Verdict) -> bool {
        self.reason.is_none_or(|wanted| wanted == reason)
            && self.verdict.is_none_or(|wanted| wanted == verdict)
    }
}

/// The tables and operators that a query asks for, with any reason.
///
/// # Errors
/// [`Kind::UnknownBuild`](crate::problem::Kind::UnknownBuild).
pub fn wanted(
    build: Option<&str>,
    source: Option<Source>,
    generated: Option<Generated>,
    release: opatlas_pytorch::release::Release,
) -> Result<Wanted, Problem> {
    let source = source.unwrap_or_default().into();
    Ok(Wanted {
        profile: Profile::parse(build, source, release)?,
        generated: generated.map_or_else(Default::default, Into::into),
        reason: None,
        verdict: None,
    })
}

/// Whether an operator is wanted.
#[must_use]
pub fn is_wanted(generated: search::Generated, operator: &Operator) -> bool {
    match generated {
        search::Generated::Include => true,
        search::Generated::Only => operator.is_generated(),
        search::Generated::Exclude => !operator.is_generated(),
    }
}

/// The operators with their reasons and verdicts at a key; those that do not fit too.
pub(crate) fn reasons<'v>(
    view: View<'v>,
    slot: Slot,
    wanted: &Wanted,
) -> impl Iterator<Item = (OperatorId, Reason, Verdict)> + use<'v> {
    let generated = wanted.generated;
    let operators = view.inputs.catalogue.iter();
    let operators = operators.filter(move |(_, operator)| is_wanted(generated, operator));
    operators.filter_map(move |(id, _)| {
        let table = &view.tables.pattern(id)?.table;
        Some((id, table.rule(slot).reason(), view.verdict(id, slot)))
    })
}

/// Calls `each` with every wanted operator and its entry.
pub fn each_entry<'v>(
    view: View<'v>,
    slot: Slot,
    wanted: &Wanted,
    mut each: impl FnMut(OperatorId, opatlas_dispatch::Entry<'v>),
) {
    for (id, reason, verdict) in reasons(view, slot, wanted) {
        if wanted.fits(reason, verdict)
            && let Some(entry) = view.entry(id, slot)
        {
            each(id, entry);
        }
    }
}

/// One key across all operators as a sheet.
#[must_use]
pub fn csv(snapshot: &Snapshot, slot: Slot, wanted: &Wanted) -> String {
    let tables = snapshot.tables(&wanted.profile);
    let view = View::new(snapshot.inputs(), &tables);
    let mut text = CSV_HEADER.to_owned();
    each_entry(view, slot, wanted, |id, entry| {
        csv_row(&mut text, view, id, &entry);
    });
    text
}

/// Makes a part of the view of a key, and hands it to `then` with whether there is more.
pub fn with_key<T>(
    snapshot: &Snapshot,
    slot: Slot,
    wanted: &Wanted,
    part: std::ops::Range<usize>,
    then: impl FnOnce(KeyView<'_>, bool) -> T,
) -> T {
    let tables = snapshot.tables(&wanted.profile);
    let view = View::new(snapshot.inputs(), &tables);
    let keys = view.keys();
    let mut counts = [0; Reason::ALL.len()];
    let mut verdicts = VerdictCounts::default();
    let (mut operators, mut fitting) = (0, 0);
    let mut items = Vec::new();
    for (id, reason, verdict) in reasons(view, slot, wanted) {
        operators += 1;
        counts[reason as usize] += 1;
        verdicts.add(verdict);
        if !wanted.fits(reason, verdict) {
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
        items,
        next_cursor: None,
    };
    then(page, part.end < fitting)
}
