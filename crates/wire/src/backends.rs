//! A backend between two revisions, as JSON.

use opatlas_diff::backend::{BackendImpact, Cell};
use opatlas_diff::declarations::KernelChange;
use opatlas_report::backend::verdict;
use opatlas_report::changes::message::message;
use opatlas_rules::KernelFit;
use opatlas_verdict::Answer;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::comparison::SideView;

/// The path of a comparison for a stored backend.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct BackendPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `BASE...HEAD`, two revision addresses.
    #[param(example = "2.14.1...2.15.0")]
    pub range: String,
    /// The project whose last revision has the backend file.
    #[param(example = "acme-npu")]
    pub backend: String,
}

/// How to read a backend file.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct BackendQuery {
    /// The release whose rules apply to revisions addressed by digest.
    #[param(example = "2.15")]
    pub release: Option<String>,
    /// The name of the backend file in the request.
    #[param(example = "acme")]
    pub name: Option<String>,
}

/// The changes of a new revision for a backend.
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
    /// The number of operators that it lists.
    pub listed: usize,
    /// Whether the vendor must act before the upgrade.
    pub breaks: bool,
    /// The verdict, in a sentence.
    pub verdict: String,
    /// Listed operators that the head does not have.
    pub unknown: Vec<UnknownOperator>,
    /// `fail` if the vendor must act before the upgrade, otherwise `pass`.
    pub conclusion: &'static str,
    /// Kernels whose declarations differ, or that sources register with a type that does not fit the head.
    /// `old` and `new` are what torchgen declares for them.
    pub kernels: Vec<KernelView>,
    /// Types that are only spelled differently. Kernels compile unchanged.
    pub respelled: Vec<Respelled>,
    /// Listed operators with changes that affect kernels.
    pub changed: Vec<ChangedOperator>,
    /// Operators that it does not list, that worked in the base, and that fail in the head.
    pub lost: Vec<BackendCell>,
    /// Other operators that it does not list, that did not fail, and that another kernel serves now, or
    /// none.
    pub reassigned: Vec<ReassignedView>,
    /// New operators that fail on the backend, and that it is expected to have.
    pub lacking: Vec<BackendCell>,
    /// New operators that fail because only other backends have them, for example in cuDNN.
    pub other_backends: Vec<BackendCell>,
    /// New operators that work without a kernel of the backend.
    pub inherited: Vec<BackendCell>,
    /// New operators that work partly, or for which this is unknown.
    pub uncertain: Vec<BackendCell>,
}

/// An operator that a backend file lists and the head does not have.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnknownOperator {
    /// The name as listed.
    pub operator: String,
    /// Whether the base has it.
    pub vanished: bool,
    /// Similar names in the head.
    pub suggestions: Vec<String>,
}

/// A kernel whose declaration differs.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = KernelChange)]
pub struct KernelView {
    /// The operator.
    pub operator: String,
    /// The declaration for the base; null where its torchgen makes none.
    pub old: Option<String>,
    /// The declaration for the head; null where its torchgen makes none.
    pub new: Option<String>,
    /// Whether only parameter names differ.
    pub only_names: bool,
    /// Whether a kernel that was written for the base compiles and loads with the head: `yes`, `no`, or
    /// `unknown` if sources register it and do not show its type.
    #[schema(example = "no")]
    pub fits: &'static str,
    /// The reason if it does not fit, or if that is unknown.
    pub why: Option<String>,
}

/// A type that is spelled differently.
#[derive(Debug, Serialize, ToSchema)]
pub struct Respelled {
    /// The spelling in the base.
    #[schema(example = "c10::optional")]
    pub old: &'static str,
    /// The spelling in the head.
    #[schema(example = "::std::optional")]
    pub new: &'static str,
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
    /// The level for all audiences together.
    pub level: &'static str,
    /// What changed, in a sentence.
    pub message: String,
    /// The old text.
    pub old: Option<String>,
    /// The new text.
    pub new: Option<String>,
}

/// The kernel of an operator on the backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackendCell {
    /// The operator.
    pub operator: String,
    /// Why.
    pub reason: &'static str,
    /// The registered key that serves it.
    pub source_key: Option<&'static str>,
    /// Whether a call works: `runs`, `decomposes`, `partly`, `falls-back`, `fails` or `unknown`.
    #[schema(example = "fails")]
    pub verdict: &'static str,
    /// `yes`, `partly`, `no` or `unknown`.
    #[schema(example = "no")]
    pub works: &'static str,
    /// The operators without a working kernel that it needs.
    pub needs: Vec<String>,
    /// Whether it is tagged `core`.
    pub core: bool,
}

/// An operator that a backend inherits, and that is served differently now.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Reassigned)]
pub struct ReassignedView {
    /// The kernel that the backend inherited.
    pub old: BackendCell,
    /// The kernel that it gets now.
    pub new: BackendCell,
}

/// The wire form of the changes for a backend.
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
                message: message(change).to_string(),
                old: change.old.as_ref().map(|side| side.text.to_string()),
                new: change.new.as_ref().map(|side| side.text.to_string()),
            })
            .collect(),
    });
    let kernels = impact.declarations.kernels.iter().map(kernel_view);
    let respelled = impact.declarations.respelled.iter();
    let reassigned = impact.reassigned.iter().map(|one| ReassignedView {
        old: cell(&one.old),
        new: cell(&one.new),
    });
    BackendReport {
        base,
        head,
        file,
        key: impact.key,
        listed: impact.listed,
        breaks: impact.breaks(),
        verdict: verdict(impact),
        conclusion: if impact.breaks() { "fail" } else { "pass" },
        unknown: unknown.collect(),
        kernels: kernels.collect(),
        respelled: respelled
            .map(|&(old, new)| Respelled { old, new })
            .collect(),
        changed: changed.collect(),
        lost: impact.lost.iter().map(cell).collect(),
        reassigned: reassigned.collect(),
        lacking: impact.lacking().map(cell).collect(),
        other_backends: impact.of_others().map(cell).collect(),
        inherited: impact.inherited().map(cell).collect(),
        uncertain: impact.uncertain().map(cell).collect(),
    }
}

pub(crate) fn kernel_view(kernel: &KernelChange) -> KernelView {
    let (fits, why) = match &kernel.fit {
        KernelFit::Fits => ("yes", None),
        KernelFit::Unknown(why) => ("unknown", Some(why.to_string())),
        KernelFit::Refused(why) => ("no", Some(why.to_string())),
    };
    KernelView {
        operator: kernel.operator.clone(),
        old: kernel.old.clone(),
        new: kernel.new.clone(),
        only_names: kernel.only_names,
        fits,
        why,
    }
}

pub(crate) fn cell(cell: &Cell) -> BackendCell {
    BackendCell {
        operator: cell.operator.clone(),
        reason: cell.reason.as_str(),
        source_key: cell.source_key,
        verdict: cell.verdict.as_str(),
        works: Answer::from(cell.verdict).as_str(),
        needs: cell.needs.clone(),
        core: cell.is_core,
    }
}
