//! Comparisons on the wire.

use opatlas_diff::policy::{Judged, Policy, Summary};
use opatlas_diff::revision::Pair;
use opatlas_diff::rules::Level;
use opatlas_dispatch::Source;
use opatlas_report::changes::{Listed, Report, ordered_causes};
use opatlas_rules::Introduced;
use opatlas_source::NATIVE_FUNCTIONS;
use opatlas_source::diagnostic::Severity;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::cause::{CardView, CauseView, causes};
use crate::cells::{DispatchChange, DispatchChanges};
use crate::change::{Change, ChangeContext};
use crate::compare_filter::Filtered;
use crate::finding;
use crate::finding::{Finding, Omitted, Span};
use opatlas_service::compare::Compared;
use opatlas_service::{Resolved, Snapshot};

/// The changes between two revisions, and the verdict on them.
#[derive(Debug, Serialize, ToSchema)]
pub struct Comparison<'a> {
    /// The base.
    pub base: SideView,
    /// The head.
    pub head: SideView,
    /// The audience to judge for.
    #[schema(example = "strict")]
    pub profile: &'static str,
    /// The least level that fails, or `never`.
    #[schema(example = "breaking")]
    pub fail_on: &'static str,
    /// Counts of changes by level under the profile; excused changes count only as `excepted`.
    pub summary: ChangeSummary,
    /// `pass`, `warn` or `fail`. Unreadable parts make it at least `warn`.
    #[schema(example = "fail")]
    pub conclusion: &'static str,
    /// Operators in the base's file that PyTorch's own check rejects.
    pub official: Official,
    /// Generated operators that PyTorch's own check rejects.
    pub official_generated: Official,
    /// The operators with different schemas or on one side only, with the verdicts of PyTorch's own
    /// check.
    pub operators: Vec<ComparedOperator<'a>>,
    /// The changes by operator, worst first.
    #[schema(value_type = Vec<Change>)]
    pub changes: Changes<'a>,
    /// The changes by cause: each edit with its consequences. Equal edits of several operators are
    /// one cause. The order is that of the report: by what must be undone.
    pub causes: Vec<CauseView>,
    /// A summary of each new operator with its new variants.
    pub new_operators: Vec<CardView<'a>>,
    /// The cells of dispatch tables that changed.
    #[schema(value_type = Vec<DispatchChange>)]
    pub dispatch_changes: DispatchChanges<'a>,
    /// The registrations in the tables: `everything` known, or only those from the `files` if more
    /// is known for one side only.
    #[schema(example = "everything")]
    pub dispatch_source: &'static str,
    /// Findings on the head's files that the base's files do not have. New errors make the conclusion
    /// `fail`.
    pub findings: NewFindings,
    /// Errors in the base.
    pub base_findings: Vec<Finding>,
    /// Errors in the head.
    pub head_findings: Vec<Finding>,
    /// Unreadable parts, and operators that could not be compared because of them.
    pub unread: Vec<Unread>,
    /// What a filter leaves of `operators`, `changes`, `causes`, `new_operators`, `dispatch_changes` and
    /// `findings`; null without a filter. Cells of dispatch tables have no level.
    pub filtered: Option<Filtered>,
    /// The verdict on the head against other revisions, if requested.
    pub against: Vec<Against>,
    /// Notes about the judgement.
    pub notes: Vec<String>,
    /// The permanent page of this comparison; null if a side is not stored.
    pub permalink: Option<String>,
    /// The report as Markdown in parts of at most `max_chars`; empty without that parameter.
    pub parts: Vec<String>,
}

/// A side of a comparison.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SideView {
    /// Its title.
    #[schema(example = "pytorch 2.12.1")]
    pub title: String,
    /// The project, for a stored revision.
    pub project: Option<String>,
    /// The revision's name.
    #[schema(example = "sha256:46f5640a0e2e")]
    pub revision: String,
    /// The label in its address.
    pub label: Option<String>,
    /// The release whose rules apply.
    #[schema(example = "2.12")]
    pub release: &'static str,
}

impl SideView {
    /// The names of a stored revision.
    #[must_use]
    pub fn of_revision(resolved: &Resolved) -> Self {
        Self {
            title: resolved.title(),
            project: Some(resolved.project.to_string()),
            revision: format!("sha256:{}", resolved.digest),
            label: resolved.label.as_ref().map(|label| label.name.to_string()),
            release: resolved.release().as_str(),
        }
    }

    /// The names of files that are not stored.
    #[must_use]
    pub fn of_files(title: String, snapshot: &Snapshot) -> Self {
        Self {
            title,
            project: None,
            revision: format!("sha256:{}", snapshot.digest),
            label: None,
            release: snapshot.release().as_str(),
        }
    }
}

/// Counts of changes.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct ChangeSummary {
    /// Breaking changes.
    pub breaking: usize,
    /// Forward-breaking changes: new code fails on the old side.
    pub forward_breaking: usize,
    /// Dangerous changes.
    pub dangerous: usize,
    /// Safe changes.
    pub safe: usize,
    /// Informational changes.
    pub info: usize,
    /// Excused changes.
    pub excepted: usize,
}

/// Operators by the verdict of PyTorch's own check.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Official {
    /// Not backward compatible: changed incompatibly, removed, or renamed.
    pub backward: Vec<String>,
    /// Not forward compatible.
    pub forward: Vec<String>,
}

/// An operator with different schemas or on one side only.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparedOperator<'a> {
    /// Its name, as in the base if both sides have it.
    pub name: &'a str,
    /// Whether it is generated.
    pub generated: bool,
    /// Its canonical schema in the base.
    pub old: Option<&'a str>,
    /// Its canonical schema in the head.
    pub new: Option<&'a str>,
    /// The verdict of PyTorch's own check; null if one side lacks the operator, or PyTorch cannot
    /// parse it.
    pub official: Option<Verdict>,
}

/// The verdict of PyTorch's own check on a pair of schemas, bit for bit.
#[derive(Debug, Serialize, ToSchema)]
pub struct Verdict {
    /// Whether code for the old schema runs on the new one.
    pub backward_compatible: bool,
    /// Whether code for the new schema runs on the old one.
    pub forward_compatible: bool,
    /// The first reason that the backward check fails; PyTorch itself reports none.
    pub backward_reason: Option<String>,
    /// PyTorch's own message for the forward check; empty if it passes, and for some failures.
    pub forward_reason: String,
}

/// The findings that a change introduces. Findings are matched by rule, operator and text, not by
/// line.
#[derive(Debug, Clone, Default, Serialize, ToSchema)]
pub struct NewFindings {
    /// The findings that only the head has, errors first.
    pub new: Vec<Finding>,
    /// New findings that are counted but not listed.
    pub omitted: Vec<Omitted>,
    /// The number of findings that only the base has.
    pub gone: usize,
    /// The number of errors in the head, old and new ones.
    pub head_errors: usize,
}

/// An unreadable part.
#[derive(Debug, Serialize, ToSchema)]
pub struct Unread {
    /// `base` or `head`.
    #[schema(example = "head")]
    pub side: &'static str,
    /// The operator, if known.
    pub operator: Option<String>,
    /// Why.
    pub message: String,
    /// The position on that side.
    pub span: Option<Span>,
}

/// The verdict on the head against another revision.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Against {
    /// The revision that replaces the base.
    pub base: SideView,
    /// `pass`, `warn` or `fail`.
    pub conclusion: &'static str,
    /// Counts of changes.
    pub summary: ChangeSummary,
    /// The changes that fail or warn and are not listed above.
    pub changes: Vec<Change<'static>>,
}

impl From<Summary> for ChangeSummary {
    fn from(summary: Summary) -> Self {
        Self {
            breaking: summary.breaking,
            forward_breaking: summary.forward_breaking,
            dangerous: summary.dangerous,
            safe: summary.safe,
            info: summary.info,
            excepted: summary.excepted,
        }
    }
}

impl Verdict {
    /// The verdicts of PyTorch's own check.
    #[must_use]
    pub fn of(verdict: &opatlas_diff::official::Verdict) -> Self {
        Self {
            backward_compatible: verdict.backward,
            forward_compatible: verdict.forward,
            backward_reason: verdict
                .backward_reason
                .as_ref()
                .map(|reason| reason.message().to_string()),
            forward_reason: verdict.forward_reason.clone(),
        }
    }
}

/// Changes, converted one at a time during serialization, which saves memory.
#[derive(Debug, Clone)]
pub struct Changes<'a>(pub(super) ChangeContext<'a>, pub(super) Vec<&'a Judged>);

impl Serialize for Changes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.1.iter().map(|judged| self.0.change(judged)))
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct ComparisonParts<'a> {
    pub compared: &'a Compared,
    pub base: &'a SideView,
    pub head: &'a SideView,
    pub policy: &'a Policy,
    pub introduced: &'a Introduced,
    pub listed: Option<&'a Listed>,
    pub context: ChangeContext<'a>,
}

pub(crate) fn comparison<'a>(
    parts: ComparisonParts<'a>,
    report: &Report<'_>,
    notes: Vec<String>,
) -> Comparison<'a> {
    let ComparisonParts {
        compared,
        base,
        head,
        policy,
        introduced,
        listed,
        context,
    } = parts;
    let found = &compared.comparison;
    let judgement = context.judgement;
    Comparison {
        base: base.clone(),
        head: head.clone(),
        profile: policy.profile.as_str(),
        fail_on: policy.fail_on.map_or("never", Level::as_str),
        summary: judgement.summary.into(),
        conclusion: judgement.conclusion.as_str(),
        official: official(&found.pairs, false),
        official_generated: official(&found.pairs, true),
        operators: {
            let pairs = found.pairs.iter();
            let listed = pairs.filter(|pair| report.lists_operator(&pair.name));
            listed.map(operator).collect()
        },
        changes: {
            let changes = judgement.changes.iter().enumerate();
            let listed = changes.filter(|(i, _)| report.lists(*i));
            Changes(context, listed.map(|(_, judged)| judged).collect())
        },
        causes: causes(&ordered_causes(report), judgement),
        new_operators: {
            let cards = compared.cards().iter();
            let listed = cards.filter(|card| report.lists_card(card));
            listed.map(CardView::of).collect()
        },
        dispatch_changes: DispatchChanges(compared, &found.tables, listed),
        dispatch_source: match compared.source {
            Source::Everything => "everything",
            Source::Files => "files",
        },
        findings: new_findings(&compared.head, introduced, report),
        base_findings: errors(&compared.base),
        head_findings: errors(&compared.head),
        unread: unread(compared),
        filtered: None,
        against: Vec::new(),
        notes,
        permalink: None,
        parts: Vec::new(),
    }
}

pub(crate) fn official(pairs: &[Pair], generated: bool) -> Official {
    let of_base = pairs
        .iter()
        .filter(|pair| pair.base.is_some() && pair.is_generated == generated);
    let mut official = Official::default();
    for pair in of_base {
        if !pair.is_backward_compatible() {
            official.backward.push(pair.name.to_string());
        }
        if !pair.is_forward_compatible() {
            official.forward.push(pair.name.to_string());
        }
    }
    official
}

pub(crate) fn operator(pair: &Pair) -> ComparedOperator<'_> {
    ComparedOperator {
        name: &pair.name,
        generated: pair.is_generated,
        old: pair.old.as_deref(),
        new: pair.new.as_deref(),
        official: pair.verdict.as_ref().map(Verdict::of),
    }
}

pub(crate) fn new_findings(
    head: &Snapshot,
    introduced: &Introduced,
    report: &Report<'_>,
) -> NewFindings {
    let new = introduced.new.iter();
    let new = new.filter(|finding| report.lists_finding(finding));
    let omitted = introduced.omitted.iter();
    NewFindings {
        new: new.map(|new| finding::one(head, new)).collect(),
        omitted: omitted.map(|omitted| (*omitted).into()).collect(),
        gone: introduced.gone,
        head_errors: introduced.head_errors,
    }
}

pub(crate) fn errors(snapshot: &Snapshot) -> Vec<Finding> {
    let errors = snapshot.listed();
    errors
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding::one(snapshot, finding))
        .collect()
}

pub(crate) fn unread(compared: &Compared) -> Vec<Unread> {
    let unread = compared.comparison.unread.iter();
    unread
        .map(|unread| {
            let snapshot = match unread.side {
                opatlas_diff::revision::UnreadSide::Base => &compared.base,
                opatlas_diff::revision::UnreadSide::Head => &compared.head,
            };
            Unread {
                side: unread.side.as_str(),
                operator: unread.operator.as_deref().map(Into::into),
                message: unread.message.to_string(),
                span: unread
                    .place
                    .map(|place| finding::place(snapshot, NATIVE_FUNCTIONS, place)),
            }
        })
        .collect()
}
