//! Comparisons on the wire.

use opatlas_diff::policy::{Policy, Summary};
use opatlas_diff::revision::{Cell, Pair};
use opatlas_dispatch::Source;
use opatlas_source::NATIVE_FUNCTIONS;
use opatlas_source::diagnostic::Severity;
use serde::Serialize;
use utoipa::ToSchema;

use crate::service::Snapshot;
use crate::service::compare::Compared;
use crate::wire::change::{Change, ChangeContext};
use crate::wire::finding;
use crate::wire::finding::{Finding, Span};

/// What differs between two revisions, and what that comes to.
#[derive(Debug, Serialize, ToSchema)]
pub struct Comparison {
    /// The base.
    pub base: SideView,
    /// The head.
    pub head: SideView,
    /// Whose view counts.
    #[schema(example = "strict")]
    pub profile: &'static str,
    /// Counts of changes by level under the profile; excused ones count as `excepted` alone.
    pub summary: ChangeSummary,
    /// `pass`, `warn` or `fail`. What could not be read makes it at least `warn`.
    #[schema(example = "fail")]
    pub conclusion: &'static str,
    /// Operators of the base's file that torch's own check calls incompatible.
    pub official: Official,
    /// The same of operators that `autogen` makes.
    pub official_generated: Official,
    /// The operators whose schema differs, or that one side lacks, with torch's verdicts.
    pub operators: Vec<ComparedOperator>,
    /// What changed, by operator, the worst first.
    pub changes: Vec<Change>,
    /// The cells of dispatch tables that changed.
    pub dispatch_changes: Vec<DispatchChange>,
    /// Which registrations the tables are made of: `everything` that is known, or what follows from
    /// the `files`, where the former is known of one side only.
    #[schema(example = "everything")]
    pub dispatch_source: &'static str,
    /// What the rules call an error in the base.
    pub base_findings: Vec<Finding>,
    /// What the rules call an error in the head.
    pub head_findings: Vec<Finding>,
    /// What could not be read, and operators of which nothing can be said for that reason.
    pub unread: Vec<Unread>,
    /// What the head comes to against other revisions, where that was asked for.
    pub against: Vec<Against>,
    /// What there is to know about how it was judged.
    pub notes: Vec<String>,
    /// The page of this comparison, which stays what it is; null where a side is not stored.
    pub permalink: Option<String>,
    /// The report as Markdown in parts of at most `max_chars`; empty without it.
    pub parts: Vec<String>,
}

/// A side of a comparison.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct SideView {
    /// What people call it.
    #[schema(example = "pytorch 2.12.1")]
    pub title: String,
    /// The project, for a stored revision.
    pub project: Option<String>,
    /// The revision's name.
    #[schema(example = "sha256:46f5640a0e2e")]
    pub revision: String,
    /// The label that it was addressed by.
    pub label: Option<String>,
    /// The release that it is judged as.
    #[schema(example = "2.12")]
    pub release: &'static str,
}

/// Counts of changes.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
pub struct ChangeSummary {
    /// What breaks.
    pub breaking: usize,
    /// What only breaks what is new on what is old.
    pub forward_breaking: usize,
    /// What somebody must act upon.
    pub dangerous: usize,
    /// What harms nobody.
    pub safe: usize,
    /// What is good to know.
    pub info: usize,
    /// What an exception excuses.
    pub excepted: usize,
}

/// Operators by torch's verdict.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct Official {
    /// Not backward compatible: changed so, removed, or renamed.
    pub backward: Vec<String>,
    /// Not forward compatible.
    pub forward: Vec<String>,
}

/// An operator whose schema differs, or that one side lacks.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparedOperator {
    /// Its name; the base's where both sides have it.
    pub name: String,
    /// Whether `autogen` makes it.
    pub generated: bool,
    /// Its canonical schema in the base.
    pub old: Option<String>,
    /// Its canonical schema in the head.
    pub new: Option<String>,
    /// Torch's verdict; null where one side lacks the operator, or torch would not read it.
    pub official: Option<Verdict>,
}

/// Torch's own verdict on a pair of schemas, bit for bit.
#[derive(Debug, Serialize, ToSchema)]
pub struct Verdict {
    /// Whether what was written against the old schema runs on the new one.
    pub backward_compatible: bool,
    /// Whether what was written against the new schema runs on the old one.
    pub forward_compatible: bool,
    /// The first thing that broke the backward check; torch itself gives no reason for it.
    pub backward_reason: Option<String>,
    /// Torch's own words on the forward check; empty when it holds, and for some breaks as well.
    pub forward_reason: String,
}

/// Cells of an operator's table that changed alike.
#[derive(Debug, Serialize, ToSchema)]
pub struct DispatchChange {
    /// The operator.
    pub operator: String,
    /// The runtime keys.
    pub keys: Vec<&'static str>,
    /// What served them.
    pub before: CellView,
    /// What serves them now.
    pub after: CellView,
    /// The fingerprint of the change of an entry that this follows from.
    pub cause: Option<String>,
}

/// What serves a key.
#[derive(Debug, Serialize, ToSchema)]
pub struct CellView {
    /// Why.
    #[schema(example = "kernel")]
    pub reason: &'static str,
    /// The registered key that serves it; null where nothing or a fallback does.
    pub source_key: Option<&'static str>,
    /// The kernel.
    pub kernel: Option<String>,
}

/// What could not be read.
#[derive(Debug, Serialize, ToSchema)]
pub struct Unread {
    /// `base` or `head`.
    #[schema(example = "head")]
    pub side: &'static str,
    /// The operator, where it can be told.
    pub operator: Option<String>,
    /// Why.
    pub message: String,
    /// Where on that side.
    pub span: Option<Span>,
}

/// What the head comes to against a further revision.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Against {
    /// The revision that takes the place of the base.
    pub base: SideView,
    /// `pass`, `warn` or `fail`.
    pub conclusion: &'static str,
    /// Counts of changes.
    pub summary: ChangeSummary,
    /// Those that fail or warn and are not among the changes above already.
    pub changes: Vec<Change>,
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
    /// What the official check says.
    #[must_use]
    pub fn of(verdict: &opatlas_diff::official::Verdict) -> Self {
        Self {
            backward_compatible: verdict.backward,
            forward_compatible: verdict.forward,
            backward_reason: verdict.backward_reason.as_ref().map(ToString::to_string),
            forward_reason: verdict.forward_reason.clone(),
        }
    }
}

/// The sides and the judgement of a comparison to be told.
#[derive(Debug, Clone, Copy)]
pub struct ComparisonParts<'a> {
    /// What differs.
    pub compared: &'a Compared,
    /// The base, as people call it.
    pub base: &'a SideView,
    /// The head.
    pub head: &'a SideView,
    /// The policy.
    pub policy: &'a Policy,
    /// What it comes to, and what it is told with.
    pub context: ChangeContext<'a>,
}

/// The whole comparison.
#[must_use]
pub fn comparison(told: ComparisonParts<'_>, notes: Vec<String>) -> Comparison {
    let ComparisonParts {
        compared,
        base,
        head,
        policy,
        context,
    } = told;
    let found = &compared.comparison;
    Comparison {
        base: base.clone(),
        head: head.clone(),
        profile: policy.profile.as_str(),
        summary: context.judgement.summary.into(),
        conclusion: context.judgement.conclusion.as_str(),
        official: official(&found.pairs, false),
        official_generated: official(&found.pairs, true),
        operators: found.pairs.iter().map(operator).collect(),
        changes: context
            .judgement
            .changes
            .iter()
            .map(|judged| context.change(judged))
            .collect(),
        dispatch_changes: found
            .dispatch
            .iter()
            .map(|change| DispatchChange {
                operator: change.operator.to_string(),
                keys: change.keys.clone(),
                before: cell(&change.before),
                after: cell(&change.after),
                cause: change.cause.map(|cause| cause.to_string()),
            })
            .collect(),
        dispatch_source: match compared.source {
            Source::Everything => "everything",
            Source::Files => "files",
        },
        base_findings: errors(&compared.base),
        head_findings: errors(&compared.head),
        unread: unread(compared),
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

pub(crate) fn operator(pair: &Pair) -> ComparedOperator {
    ComparedOperator {
        name: pair.name.to_string(),
        generated: pair.is_generated,
        old: pair.old.as_deref().map(Into::into),
        new: pair.new.as_deref().map(Into::into),
        official: pair.verdict.as_ref().map(Verdict::of),
    }
}

pub(crate) fn cell(cell: &Cell) -> CellView {
    CellView {
        reason: cell.reason.as_str(),
        source_key: cell.source_key,
        kernel: cell.kernel.as_deref().map(Into::into),
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
