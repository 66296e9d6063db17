//! Answers about files that are not stored.

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::search::{self, Filter, search};
use crate::service::{JudgedRelease, Snapshot};
use crate::wire::finding;
use crate::wire::finding::{Finding, Omitted, SummaryView};
use crate::wire::operator::{Operator, operator};
use crate::wire::paths::Generated;
use crate::wire::revisions::notes;

/// What the rules say of a bundle.
#[derive(Debug, Serialize, ToSchema)]
pub struct Validation {
    /// Whether PyTorch's generator takes it: there is no finding of severity error.
    pub valid: bool,
    /// The release that it is judged as.
    #[schema(example = "2.15")]
    pub release: &'static str,
    /// What there is to know about that.
    pub notes: Vec<String>,
    /// Counts of its operators and findings.
    pub summary: SummaryView,
    /// The findings, by file and place: at most 1,000 of a rule and 10,000 in all.
    pub findings: Vec<Finding>,
    /// How many findings more there are of each rule; empty for every real file.
    pub omitted: Vec<Omitted>,
}

/// The operators of a bundle.
#[derive(Debug, Serialize, ToSchema)]
pub struct Parsed<'a> {
    /// The release that it is judged as.
    #[schema(example = "2.15")]
    pub release: &'static str,
    /// What there is to know about that.
    pub notes: Vec<String>,
    /// The operators that can be read.
    pub operators: Vec<Operator<'a>>,
    /// The findings, by file and place: at most 1,000 of a rule and 10,000 in all.
    pub findings: Vec<Finding>,
    /// How many findings more there are of each rule; empty for every real file.
    pub omitted: Vec<Omitted>,
}

/// How a bundle is parsed.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ParseQuery {
    /// The release of PyTorch whose rules apply; by default the newest known.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// Whether generated operators are wanted; by default they are not.
    #[param(inline)]
    pub generated: Option<Generated>,
}

pub(crate) fn validation(snapshot: &Snapshot, judged: &JudgedRelease) -> Validation {
    Validation {
        valid: snapshot.is_valid(),
        release: judged.release.as_str(),
        notes: notes(judged),
        summary: snapshot.summary().into(),
        findings: finding::all(snapshot),
        omitted: finding::omitted(snapshot),
    }
}

pub(crate) fn parsed<'s>(
    snapshot: &'s Snapshot,
    judged: &JudgedRelease,
    generated: search::Generated,
) -> Parsed<'s> {
    let filter = Filter {
        generated,
        ..Filter::default()
    };
    let chosen = search(&snapshot.catalogue, &filter).into_iter();
    Parsed {
        release: judged.release.as_str(),
        notes: notes(judged),
        operators: chosen.map(|id| operator(snapshot, id)).collect(),
        findings: finding::all(snapshot),
        omitted: finding::omitted(snapshot),
    }
}
