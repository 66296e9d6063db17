//! Support of operators by backend and revision.

use opatlas_report::support::Row;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::history::{Support, Timeline};
use crate::wire::history::{LineName, RangeView};
use crate::wire::place::Place;

/// Which operators and backends.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct SupportQuery {
    /// A comma list of operators, at most 200.
    #[param(example = "add.Tensor,bmm")]
    pub operators: String,
    /// A comma list of runtime keys, at most 200.
    #[param(example = "CPU,CUDA,MPS,XPU")]
    pub keys: String,
    /// Where to begin; by default with the first revision.
    #[param(example = "2.0.0")]
    pub from: Option<String>,
    /// Where to end; by default with the last revision.
    #[param(example = "latest")]
    pub to: Option<String>,
    /// What the timeline is made of.
    #[param(inline)]
    pub line: Option<LineName>,
}

/// A support table.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportView {
    /// The project.
    #[schema(example = "pytorch")]
    pub project: String,
    /// Where it begins.
    pub from: Place,
    /// Where it ends.
    pub to: Place,
    /// The runtime keys, in the order asked for.
    pub keys: Vec<String>,
    /// One for each operator, in the order asked for.
    pub operators: Vec<SupportOf>,
}

/// The support of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct SupportOf {
    /// The operator.
    #[schema(example = "add.Tensor")]
    pub operator: String,
    /// One for each key.
    pub cells: Vec<Cell>,
}

/// What a backend has of an operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct Cell {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: String,
    /// Whether a call gets to a kernel in the last revision.
    pub supported: bool,
    /// The first revision in which it does.
    pub first: Option<Place>,
    /// The first in which the key has a kernel of its own.
    pub first_kernel: Option<Place>,
    /// The last revision in which a call gets to a kernel.
    pub last: Option<Place>,
    /// Why it serves there.
    #[schema(example = "kernel")]
    pub reason: Option<&'static str>,
    /// The stretches in which one thing served.
    pub ranges: Vec<RangeView>,
}

/// The table's rows as reports take them.
pub(crate) fn rows(timeline: &Timeline, table: &[Support], last: usize) -> Vec<Row> {
    let title = |place: usize| timeline.items[place].title();
    let mut rows = Vec::new();
    for support in table {
        for cell in &support.cells {
            let at_last = cell.last();
            rows.push(Row {
                operator: support.operator.clone(),
                key: cell.key.clone(),
                first: cell.first().map(title),
                first_kernel: cell.first_kernel().map(title),
                last: at_last.map(|range| title(*range.range.end())),
                is_supported: at_last.is_some_and(|range| *range.range.end() == last),
                reason: at_last.map(|range| range.reason.as_str()),
                source_key: at_last.and_then(|range| range.source_key.clone()),
                kernel: at_last.and_then(|range| range.kernel.clone()),
            });
        }
    }
    rows
}
