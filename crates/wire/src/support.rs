//! Support of operators by backend and revision.

use std::borrow::Cow;

use opatlas_report::support::Row;
use opatlas_verdict::{Answer, Verdict};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::history::{LineName, RangeView};
use crate::place::Place;
use opatlas_service::history::{Range, Support, SupportCell, Timeline};

/// The operators and backends to report on.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SupportQuery {
    /// A comma-separated list of operators, at most 200.
    #[param(example = "add.Tensor,bmm")]
    pub operators: String,
    /// A comma-separated list of runtime keys, at most 200.
    #[param(example = "CPU,CUDA,MPS,XPU")]
    pub keys: String,
    /// The first revision; by default the first one.
    #[param(example = "2.0.0")]
    pub from: Option<String>,
    /// The last revision; by default the latest one.
    #[param(example = "latest")]
    pub to: Option<String>,
    /// The kind of timeline.
    #[param(inline)]
    pub line: Option<LineName>,
}

/// A support table.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SupportView {
    /// The project.
    #[schema(example = "pytorch")]
    pub project: String,
    /// The first revision.
    pub from: Place,
    /// The last revision.
    pub to: Place,
    /// The requested runtime keys, in order.
    pub keys: Vec<String>,
    /// One per requested operator, in order.
    pub operators: Vec<SupportOf>,
}

/// The support of an operator.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SupportOf {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// One per key.
    pub cells: Vec<Cell>,
}

/// The support of an operator on a backend.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct Cell {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: String,
    /// Whether a call works in the last revision.
    pub supported: bool,
    /// The first revision in which a call works.
    pub first: Option<Place>,
    /// True if it may have worked before `first`: just before, this is unknown, or the requested range
    /// begins there.
    pub first_at_latest: bool,
    /// The first revision with a kernel registered on the key.
    pub first_kernel: Option<Place>,
    /// The same for `first_kernel`.
    pub first_kernel_at_latest: bool,
    /// The last revision in which a call works.
    pub last: Option<Place>,
    /// The reason of the entry in that revision.
    #[schema(example = "kernel")]
    pub reason: Option<Cow<'static, str>>,
    /// Whether a call works in the last revision: `runs`, `decomposes`, `partly`, `falls-back`,
    /// `fails`, `unknown`; null on keys that are not a backend's.
    pub verdict: Option<Cow<'static, str>>,
    /// `yes`, `partly`, `no` or `unknown`; null on keys that are not a backend's.
    #[schema(example = "yes")]
    pub works: Option<Cow<'static, str>>,
    /// How the last revision serves it: `own` (a kernel registered on the key works), `inherited` (another
    /// kernel works), `partly`, `fails` or `unknown`; null without an entry.
    #[schema(example = "own")]
    pub standing: Option<Cow<'static, str>>,
    /// The ranges of revisions with the same entry.
    pub ranges: Vec<RangeView>,
}

/// Whether the support that begins at a place may be older.
#[must_use]
pub fn at_latest(cell: &SupportCell, first: Option<usize>, asked: &Range) -> bool {
    first.is_some_and(|first| cell.is_unknown_before(first, asked))
}

/// The rows for reports about a range of a timeline.
pub fn rows(timeline: &Timeline, table: &[Support], asked: &Range) -> Vec<Row> {
    let last = *asked.end();
    let title = |place: usize| timeline.items[place].title();
    let mut rows = Vec::new();
    for support in table {
        for cell in &support.cells {
            let at_last = cell.last();
            rows.push(Row {
                operator: support.operator.clone(),
                key: cell.key.clone(),
                first: cell.first().map(title),
                first_at_latest: at_latest(cell, cell.first(), asked),
                first_kernel: cell.first_kernel().map(title),
                first_kernel_at_latest: at_latest(cell, cell.first_kernel(), asked),
                last: at_last.map(|range| title(*range.range.end())),
                is_supported: at_last.is_some_and(|range| *range.range.end() == last),
                reason: at_last.map(|range| range.reason.as_str()),
                source_key: at_last.and_then(|range| range.source_key.clone()),
                kernel: at_last.and_then(|range| range.kernel.clone()),
                verdict: cell.verdict_at(last).map(Verdict::as_str),
                works: cell
                    .verdict_at(last)
                    .map(|verdict| Answer::from(verdict).as_str()),
            });
        }
    }
    rows
}
