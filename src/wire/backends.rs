//! A backend between two revisions, as JSON.

use opatlas_diff::backend::{BackendImpact, Cell};
use opatlas_report::backend::verdict;
use opatlas_report::changes::message::message;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::wire::comparison::SideView;

/// The path of a comparison for a stored backend.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct BackendPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `BASE...HEAD`, both as revisions are addressed.
    #[param(example = "2.14.1...2.15.0")]
    pub range: String,
    /// The project whose last revision has the backend file.
    #[param(example = "acme-npu")]
    pub backend: String,
}

/// How a backend file is read.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct BackendQuery {
    /// The release whose rules apply to revisions that are addressed by digest.
    #[param(example = "2.15")]
    pub release: Option<String>,
    /// What the backend file is called, for files that are sent.
    #[param(example = "acme")]
    pub name: Option<String>,
}

/// What a new revision changes for a backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackendReport {
    /// The base.
    pub base: SideView,
    /// The head.
    pub head: SideView,
    /// The backend file, by its name in a bundle.
    #[schema(example = "backends/acme.yaml")]
    pub file: String,
    /// The dispatch key of its kernels.
    #[schema(example = "PrivateUse1")]
    pub key: &'static str,
    /// How many operators it lists.
    pub listed: usize,
    /// Whether the vendor has to act before the upgrade.
    pub breaks: bool,
    /// What it comes to, in a sentence.
    pub verdict: String,
    /// Operators that it lists and the head does not have.
    pub unknown: Vec<UnknownOperator>,
    /// Operators that it lists and that changed for who registers kernels.
    pub changed: Vec<ChangedOperator>,
    /// Operators that it does not list, that something served before and nothing does now.
    pub lost: Vec<BackendCell>,
    /// Operators that the head has new and nothing serves on the backend.
    pub lacking: Vec<BackendCell>,
    /// Operators that the head has new and something else serves on the backend.
    pub inherited: Vec<BackendCell>,
}

/// An operator that a backend file lists and the head does not have.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnknownOperator {
    /// The name as it is listed.
    pub operator: String,
    /// Whether the base has it.
    pub vanished: bool,
    /// Names in the head that are near.
    pub suggestions: Vec<String>,
}

/// An operator that a backend file lists and that changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedOperator {
    /// The operator.
    pub operator: String,
    /// Whether its kernel must change.
    pub breaks: bool,
    /// What changed.
    pub changes: Vec<BackendChange>,
}

/// A change of an operator that a backend registers.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackendChange {
    /// The change rule.
    #[schema(example = "argument-added")]
    pub rule: &'static str,
    /// How bad it is, to everybody together.
    pub level: &'static str,
    /// What changed, in a sentence.
    pub message: String,
    /// What stood there before.
    pub old: Option<String>,
    /// What stands there now.
    pub new: Option<String>,
}

/// What serves an operator on the backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackendCell {
    /// The operator.
    pub operator: String,
    /// Why.
    pub reason: &'static str,
    /// The registered key that serves.
    pub source_key: Option<&'static str>,
    /// Whether it is tagged `core`.
    pub core: bool,
}

/// What a new revision changes for a backend, on the wire.
#[must_use]
pub fn view(
    impact: &BackendImpact<'_>,
    file: String,
    base: SideView,
    head: SideView,
) -> BackendReport {
    let unknown = impact.unknown.iter().map(|unknown| UnknownOperator {
        operator: unknown.name.clone(),
        vanished: unknown.vanished,
        suggestions: unknown.near.clone(),
    });
    let changed = impact.changed.iter().map(|changed| ChangedOperator {
        operator: changed.operator.clone(),
        breaks: changed.breaks,
        changes: changed
            .changes
            .iter()
            .map(|change| BackendChange {
                rule: change.rule.id.as_str(),
                level: change.level.as_str(),
                message: message(change),
                old: change.old.as_ref().map(|side| side.text.to_string()),
                new: change.new.as_ref().map(|side| side.text.to_string()),
            })
            .collect(),
    });
    BackendReport {
        base,
        head,
        file,
        key: impact.key,
        listed: impact.listed,
        breaks: impact.breaks(),
        verdict: verdict(impact),
        unknown: unknown.collect(),
        changed: changed.collect(),
        lost: impact.lost.iter().map(cell).collect(),
        lacking: impact.lacking().map(cell).collect(),
        inherited: impact.inherited().map(cell).collect(),
    }
}

pub(crate) fn cell(cell: &Cell) -> BackendCell {
    BackendCell {
        operator: cell.operator.clone(),
        reason: cell.reason.as_str(),
        source_key: cell.source_key,
        core: cell.is_core,
    }
}
