//! The order of a report's sections, for text and Markdown.
//!
//! Each cause is a section: an edit of one or several operators with its consequences. New findings
//! belong to the cause that they follow from; the others are grouped by rule and message. Changes to
//! fix or accept come first, then changes to review, new operators, and the rest.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::Report;
use opatlas_diff::Change;
use opatlas_diff::causes::{Cause, stem};
use opatlas_diff::policy::{Judged, Treatment};
use opatlas_diff::rules::{ChangeRuleId, Group, Level};
use opatlas_source::diagnostic::{Finding, Severity};

/// The most sections to fix, and to review, that are not folded.
const SHOWN: usize = 8;

/// The most operators of a cause to which findings are attributed by stem.
const FEW: usize = 8;

/// The class of a section, the most important first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Class {
    /// New errors, and edits that cause them.
    Errors,
    Unread,
    /// Changes that the policy rejects, and breaking changes.
    Fix,
    /// More of these, folded.
    MoreToFix,
    Look,
    /// More of these, folded.
    MoreToLook,
    /// Excused changes, and changes about exceptions.
    Excused,
    New,
    Backends,
    Quiet,
}

impl Class {
    pub(super) const ALL: [Self; 10] = [
        Self::Errors,
        Self::Unread,
        Self::Fix,
        Self::MoreToFix,
        Self::Look,
        Self::MoreToLook,
        Self::Excused,
        Self::New,
        Self::Backends,
        Self::Quiet,
    ];
}

#[derive(Debug, Clone)]
pub(super) struct Section<'a> {
    pub class: Class,
    pub level: Level,
    pub kind: Kind<'a>,
}

#[derive(Debug, Clone)]
pub(super) enum Kind<'a> {
    /// A cause with the new findings that follow from it.
    Cause(&'a Cause, Vec<&'a Finding>),
    /// New findings without a cause, of one rule with one message.
    Findings(Vec<&'a Finding>),
    /// Changes about exceptions, as indices into the judgement.
    Exceptions(Vec<usize>),
}

/// The level that counts: an excused change has none.
pub(super) fn weight(judged: &Judged) -> Level {
    if judged.is_counted() {
        judged.level
    } else {
        Level::None
    }
}

pub(super) fn fails(report: &Report<'_>, judged: &Judged) -> bool {
    let fail_on = report.policy.fail_on;
    judged.is_counted()
        && judged.treatment > Treatment::Warn
        && fail_on.is_some_and(|least| judged.level >= least)
}

/// The sections of a report, the most important first.
pub(super) fn outline<'a>(report: &Report<'a>) -> Vec<Section<'a>> {
    let causes = report.causes;
    let (mut of_cause, loose) = findings(report, causes);
    let mut sections: Vec<Section<'_>> = causes
        .iter()
        .enumerate()
        .map(|(i, cause)| section(report, cause, of_cause.remove(&i).unwrap_or_default()))
        .collect();
    sections.extend(loose.into_iter().map(|findings| Section {
        class: match findings[0].severity {
            Severity::Error => Class::Errors,
            Severity::Warning | Severity::Info => Class::Look,
        },
        level: Level::None,
        kind: Kind::Findings(findings),
    }));
    sections.extend(exceptions(report));
    sections.sort_by_key(|section| {
        let kind = match &section.kind {
            Kind::Cause(cause, _) => (0, Reverse(cause.edited.len())),
            Kind::Findings(findings) => (1, Reverse(findings.len())),
            Kind::Exceptions(_) => (2, Reverse(0)),
        };
        (section.class, kind.0, Reverse(section.level), kind.1)
    });
    for (class, more) in [
        (Class::Fix, Class::MoreToFix),
        (Class::Look, Class::MoreToLook),
    ] {
        let own = sections.iter_mut().filter(|section| section.class == class);
        own.skip(SHOWN).for_each(|section| section.class = more);
    }
    sections.sort_by_key(|section| section.class);
    sections
}

/// Attributes new findings to causes; the others are grouped by rule and message.
fn findings<'a>(
    report: &Report<'a>,
    causes: &[Cause],
) -> (FxHashMap<usize, Vec<&'a Finding>>, Vec<Vec<&'a Finding>>) {
    let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
    let mut by_stem: FxHashMap<&str, usize> = FxHashMap::default();
    for (i, cause) in causes.iter().enumerate() {
        let first = &report.judgement.changes[cause.first()].change;
        if is_added(first) && cause.edited.len() > 1 || first.rule.group == Group::File {
            continue;
        }
        for edited in &cause.edited {
            by_name.entry(&edited.operator).or_insert(i);
            if cause.edited.len() <= FEW {
                by_stem.entry(stem(&edited.operator)).or_insert(i);
            }
        }
    }
    let mut of_cause: FxHashMap<usize, Vec<&Finding>> = FxHashMap::default();
    let mut alike: FxHashMap<(Severity, _, &str), usize> = FxHashMap::default();
    let mut loose: Vec<Vec<&Finding>> = Vec::new();
    for finding in report.found.listed() {
        let name = finding.operator.as_deref();
        let name = name.map(|name| name.strip_prefix("aten::").unwrap_or(name));
        let cause = name.and_then(|name| by_name.get(name).or_else(|| by_stem.get(stem(name))));
        if let Some(&cause) = cause {
            of_cause.entry(cause).or_default().push(finding);
            continue;
        }
        let what = (finding.severity, finding.rule, &*finding.message);
        let place = *alike.entry(what).or_insert(loose.len());
        if place == loose.len() {
            loose.push(Vec::new());
        }
        loose[place].push(finding);
    }
    (of_cause, loose)
}

pub(super) fn is_added(change: &Change) -> bool {
    matches!(
        change.rule.id,
        ChangeRuleId::OperatorAdded | ChangeRuleId::OverloadAdded
    )
}

fn section<'a>(report: &Report<'a>, cause: &'a Cause, found: Vec<&'a Finding>) -> Section<'a> {
    let changes = &report.judgement.changes;
    let own = || cause.changes().map(|i| &changes[i]);
    let level = own().map(weight).max().unwrap_or(Level::None);
    let worst = found.iter().map(|finding| finding.severity).min();
    let class = if worst == Some(Severity::Error) {
        Class::Errors
    } else if level >= Level::Breaking || own().any(|judged| fails(report, judged)) {
        Class::Fix
    } else if is_added(&changes[cause.first()].change)
        && level < Level::Dangerous
        && found.is_empty()
    {
        Class::New
    } else if level >= Level::Dangerous || worst.is_some() {
        Class::Look
    } else if own().any(Judged::is_excused) {
        Class::Excused
    } else {
        Class::Quiet
    };
    Section {
        class,
        level,
        kind: Kind::Cause(cause, found),
    }
}

/// The changes about exceptions.
fn exceptions<'a>(report: &Report<'_>) -> Option<Section<'a>> {
    let changes = report.judgement.changes.iter().enumerate();
    let about = changes.filter(|(_, judged)| judged.change.is_about_exception());
    let about: Vec<usize> = about.map(|(i, _)| i).collect();
    (!about.is_empty()).then_some(Section {
        class: Class::Excused,
        level: Level::None,
        kind: Kind::Exceptions(about),
    })
}
