//! The order of a report's sections, for text and Markdown.
//!
//! Each cause is a section: an edit of one or several operators with its consequences. New findings
//! belong to the cause that they follow from; the others are grouped by rule and message. Changes to
//! fix or accept come first, then changes to review, new operators, and the rest.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::Report;
use opatlas_diff::causes::{Cause, stem};
use opatlas_diff::policy::{Judged, Treatment};
use opatlas_diff::rules::{Audiences, ChangeRuleId, Group, Impacts, Level};
use opatlas_diff::{Change, Subject};
use opatlas_rules::{Stage, registry};
use opatlas_source::diagnostic::{Finding, RuleId, Severity};
use opatlas_source::sentence::Piece;

/// The most entries of a list. Every rendering counts the rest.
pub(super) const SHOWN: usize = 20;

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
    /// Further revisions that the head does not pass against.
    Further,
    Look,
    /// Excused changes, and changes about exceptions.
    Excused,
    /// Conventions that new operators do not follow.
    Conventions,
    New,
    Quiet,
    Backends,
}

impl Class {
    pub(super) const ALL: [Self; 10] = [
        Self::Errors,
        Self::Unread,
        Self::Fix,
        Self::Further,
        Self::Look,
        Self::Excused,
        Self::Conventions,
        Self::New,
        Self::Quiet,
        Self::Backends,
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
///
/// Errors in the text of an entry come first, then edits that cause errors elsewhere, then other errors,
/// as PyTorch's code generator finds them. Edits come in the order of what must be undone: by level,
/// removals first, then by how many audiences and backends they break, then by the number of operators.
pub(super) fn outline<'a>(report: &Report<'a>) -> Vec<Section<'a>> {
    let causes = report.listed_causes();
    let (mut of_cause, loose) = findings(report, causes);
    let mut sections: Vec<Section<'_>> = causes
        .iter()
        .enumerate()
        .map(|(i, cause)| section(report, cause, of_cause.remove(&i).unwrap_or_default()))
        .collect();
    sections.extend(loose.into_iter().map(|findings| Section {
        class: match findings[0].severity {
            Severity::Error => Class::Errors,
            Severity::Warning => Class::Look,
            Severity::Info => Class::Conventions,
        },
        level: Level::None,
        kind: Kind::Findings(findings),
    }));
    sections.extend(exceptions(report));
    sections.sort_by_cached_key(|section| rank(report, section));
    sections
}

/// The causes that a report lists, the most important first.
#[must_use]
pub fn ordered_causes<'a>(report: &Report<'a>) -> Vec<&'a Cause> {
    let sections = outline(report).into_iter();
    sections
        .filter_map(|section| match section.kind {
            Kind::Cause(cause, _) => Some(cause),
            Kind::Findings(_) | Kind::Exceptions(_) => None,
        })
        .collect()
}

/// Cuts a list to [`SHOWN`] entries and counts the rest.
pub(super) fn shown<T>(all: &[T]) -> (&[T], usize) {
    let shown = &all[..all.len().min(SHOWN)];
    (shown, all.len() - shown.len())
}

/// The position of a section in the order of [`outline`].
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    class: Class,
    stage: Stage,
    kind: usize,
    fails: Reverse<bool>,
    level: Reverse<Level>,
    is_removal: Reverse<bool>,
    breadth: Reverse<(usize, usize)>,
    count: Reverse<usize>,
}

fn rank(report: &Report<'_>, section: &Section<'_>) -> Rank {
    let stage = |found: &[&Finding]| {
        let errors = found.iter().filter(|one| one.severity == Severity::Error);
        let stages = errors.map(|finding| registry::of(finding.rule).stage);
        stages.min().unwrap_or(Stage::Convention)
    };
    let changes = &report.judgement.changes;
    let of_edit = |found: &[&Finding]| stage(found).min(Stage::File);
    let plain = Rank {
        class: section.class,
        stage: Stage::Convention,
        kind: 2,
        fails: Reverse(false),
        level: Reverse(section.level),
        is_removal: Reverse(false),
        breadth: Reverse((0, 0)),
        count: Reverse(0),
    };
    match &section.kind {
        Kind::Cause(cause, found) => Rank {
            stage: of_edit(found),
            kind: 0,
            fails: Reverse(cause.changes().any(|i| fails(report, &changes[i]))),
            is_removal: Reverse(is_removal(&changes[cause.first()].change)),
            breadth: Reverse(breadth(report, cause)),
            count: Reverse(cause.edited.len()),
            ..plain
        },
        Kind::Findings(found) => Rank {
            stage: stage(found),
            kind: 1,
            count: Reverse(found.len()),
            ..plain
        },
        Kind::Exceptions(_) => plain,
    }
}

fn is_removal(change: &Change) -> bool {
    matches!(
        change.rule.id,
        ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved
    )
}

/// The audiences that a cause affects: those of its edits, and of its consequences that are at least
/// dangerous.
pub(super) fn impacts(report: &Report<'_>, cause: &Cause) -> Impacts {
    let changes = &report.judgement.changes;
    let edits = cause.edited.iter().flat_map(|edited| &edited.edits);
    let consequences = cause.consequences.iter();
    let worse = consequences.filter(|&&i| weight(&changes[i]) >= Level::Dangerous);
    let all = edits.chain(worse).map(|&i| changes[i].change.impacts);
    let sum = all.fold(Impacts::default(), |sum, one| Impacts {
        breaks: sum.breaks.union(one.breaks),
        risks: sum.risks.union(one.risks),
    });
    Impacts {
        risks: sum.risks.without(sum.breaks),
        ..sum
    }
}

/// How much the worst change of a cause breaks, and how much it puts at risk: audiences, or backends if
/// these are fewer.
fn breadth(report: &Report<'_>, cause: &Cause) -> (usize, usize) {
    let changes = cause.changes().map(|i| &report.judgement.changes[i]);
    let breadths = changes.filter(|judged| judged.is_counted()).map(|judged| {
        let Impacts { breaks, risks } = judged.change.impacts;
        let most = match &judged.change.subject {
            Subject::Keys(keys) => keys.len(),
            _ => usize::MAX,
        };
        let count = |audiences: Audiences| audiences.iter().count().min(most);
        (count(breaks), count(risks))
    });
    breadths.max().unwrap_or_default()
}

/// The removed tags as code, each with its cause.
fn removed_tags(report: &Report<'_>, causes: &[Cause]) -> Vec<(String, usize)> {
    let mut removed = Vec::new();
    for (i, cause) in causes.iter().enumerate() {
        let edits = cause.edited.iter().flat_map(|edited| &edited.edits);
        let changes = edits.map(|&edit| &report.judgement.changes[edit].change);
        let changes = changes.filter(|change| change.rule.id == ChangeRuleId::TagMemberRemoved);
        let names = changes.flat_map(|change| change.subject.names());
        removed.extend(names.map(|tag| (format!("`{tag}`"), i)));
    }
    removed
}

/// Attributes new findings to the causes that edit their operators or one that they mention; the others
/// are grouped by rule and message.
fn findings<'a>(
    report: &Report<'a>,
    causes: &[Cause],
) -> (FxHashMap<usize, Vec<&'a Finding>>, Vec<Vec<&'a Finding>>) {
    let mut by_name: FxHashMap<&str, usize> = FxHashMap::default();
    let mut by_stem: FxHashMap<&str, usize> = FxHashMap::default();
    let removed_tags = removed_tags(report, causes);
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
    for finding in report.listed_findings() {
        let name = finding.operator.as_deref();
        let name = name.map(|name| name.strip_prefix("aten::").unwrap_or(name));
        let mut of_tag = removed_tags
            .iter()
            .filter(|(tag, _)| finding.rule == RuleId::Tags && finding.message.contains(&**tag))
            .map(|(_, cause)| cause);
        let own = name.and_then(|name| by_name.get(name).or_else(|| by_stem.get(stem(name))));
        let mut mentioned = finding.message.pieces().filter_map(|piece| match piece {
            Piece::Code(name) => by_name.get(name),
            Piece::Text(_) => None,
        });
        let cause = of_tag.next().or(own).or_else(|| mentioned.next());
        // Conventions are about new operators, and one message may be about many of them.
        let cause = cause.filter(|_| finding.severity != Severity::Info);
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
    } else if level >= Level::Dangerous || !found.is_empty() {
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
    let about = about.filter(|(i, _)| report.lists(*i));
    let about: Vec<usize> = about.map(|(i, _)| i).collect();
    (!about.is_empty()).then_some(Section {
        class: Class::Excused,
        level: Level::None,
        kind: Kind::Exceptions(about),
    })
}
