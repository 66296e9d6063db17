//! Answers about files that are not stored.

use opatlas_source::{Stop, Stopped};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::finding;
use crate::finding::{Finding, Omitted, SummaryView};
use crate::operator::{Operator, operator};
use crate::paths::Generated;
use crate::revisions::notes;
use opatlas_service::search::{self, Filter, search};
use opatlas_service::{JudgedRelease, Snapshot};

/// The findings of a bundle.
#[derive(Debug, Serialize, ToSchema)]
pub struct Validation {
    /// Whether PyTorch's generator accepts it: there is no finding with severity error.
    pub valid: bool,
    /// The release whose rules apply.
    #[schema(example = "2.15")]
    pub release: &'static str,
    /// Notes about it.
    pub notes: Vec<String>,
    /// Counts of its operators and findings.
    pub summary: SummaryView,
    /// The findings, by file and position: at most 1,000 per rule and 10,000 in total.
    pub findings: Vec<Finding>,
    /// The number of omitted findings per rule; empty for every real file.
    pub omitted: Vec<Omitted>,
}

/// The operators of a bundle.
#[derive(Debug, Serialize, ToSchema)]
pub struct Parsed<'a> {
    /// The release whose rules apply.
    #[schema(example = "2.15")]
    pub release: &'static str,
    /// Notes about it.
    pub notes: Vec<String>,
    /// The operators with a valid schema.
    pub operators: Vec<Operator<'a>>,
    /// The findings, by file and position: at most 1,000 per rule and 10,000 in total.
    pub findings: Vec<Finding>,
    /// The number of omitted findings per rule; empty for every real file.
    pub omitted: Vec<Omitted>,
}

/// How to parse a bundle.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ParseQuery {
    /// The release of PyTorch whose rules apply; by default the newest known.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// Whether to include generated operators; by default no.
    #[param(inline)]
    pub generated: Option<Generated>,
}

/// Findings on files that are not stored.
pub fn validation(snapshot: &Snapshot, judged: &JudgedRelease) -> Validation {
    Validation {
        valid: snapshot.is_valid(),
        release: judged.release.as_str(),
        notes: notes(judged),
        summary: snapshot.summary().into(),
        findings: finding::all(snapshot),
        omitted: finding::omitted(snapshot),
    }
}

/// Operators of files that are not stored. Fails if the client hung up.
pub fn parsed<'s>(
    snapshot: &'s Snapshot,
    judged: &JudgedRelease,
    generated: search::Generated,
    stop: &Stop,
) -> Result<Parsed<'s>, Stopped> {
    let filter = Filter {
        generated,
        ..Filter::default()
    };
    let chosen = search(&snapshot.catalogue, &filter, stop)?.into_iter();
    Ok(Parsed {
        release: judged.release.as_str(),
        notes: notes(judged),
        operators: chosen.map(|id| operator(snapshot, id)).collect(),
        findings: finding::all(snapshot),
        omitted: finding::omitted(snapshot),
    })
}
