//! What a report lists. A filter restricts the listing, never the conclusion.

use std::sync::Arc;

use opatlas_diff::cards::Card;
use opatlas_diff::causes::{Cause, EntryEdit};
use opatlas_diff::policy::{Judged, Judgement, Pattern};
use opatlas_diff::rules::Level;
use opatlas_diff::{Change, Subject};
use opatlas_operators::entry::KeyName;
use opatlas_source::diagnostic::{Finding, Severity};
use rustc_hash::FxHashSet;

use super::outline::{is_added, weight};
use super::{Report, count};

/// A restriction of what a report lists. The default lists everything.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    level: Option<Level>,
    operators: Vec<(Box<str>, Pattern)>,
    backends: Vec<Box<str>>,
}

impl Filter {
    /// Lists changes of at least this level, about an operator that one of the names matches, and about
    /// one of the dispatch keys. A name may have the wildcards `*` and `?`, and a base name matches
    /// all its overloads. An empty list restricts nothing.
    #[must_use]
    pub fn new(level: Option<Level>, operators: &[String], backends: &[String]) -> Self {
        let operators = operators.iter().map(|name| {
            let text = unqualified(name);
            (text.into(), Pattern::new(text))
        });
        Self {
            level,
            operators: operators.collect(),
            backends: backends.iter().map(|key| key.as_str().into()).collect(),
        }
    }

    /// Whether it lists everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.level.is_none() && self.operators.is_empty() && self.backends.is_empty()
    }

    /// The filter in words: `level breaking, operator add*`.
    #[must_use]
    pub fn words(&self) -> String {
        let level = self.level.map(|level| format!("level {level}"));
        let operators = self.operators.iter();
        let operators = operators.map(|(name, _)| format!("operator {name}"));
        let backends = self.backends.iter().map(|key| format!("backend {key}"));
        let all: Vec<String> = level.into_iter().chain(operators).chain(backends).collect();
        all.join(", ")
    }

    /// Whether it lists one of these dispatch keys.
    #[must_use]
    pub fn matches_keys<'k>(&self, mut keys: impl Iterator<Item = &'k str>) -> bool {
        let is_wanted = |name: &str| self.backends.iter().any(|key| **key == *name);
        self.backends.is_empty() || keys.any(is_wanted)
    }

    /// Whether it lists an operator of this name.
    #[must_use]
    pub fn matches_operator(&self, name: &str) -> bool {
        let name = unqualified(name);
        let mut patterns = self.operators.iter().map(|(_, pattern)| pattern);
        self.operators.is_empty()
            || patterns.any(|pattern| pattern.matches(name) || pattern.matches(base_of(name)))
    }

    fn matches_level(&self, level: Level) -> bool {
        self.level.is_none_or(|least| level >= least)
    }

    fn matches_backend(&self, change: &Change) -> bool {
        let keys = match &change.subject {
            Subject::Keys(keys) => &**keys,
            _ => &[],
        };
        self.matches_keys(keys.iter().map(KeyName::as_str))
    }

    fn matches(&self, judged: &Judged) -> bool {
        let change = &judged.change;
        // An operator that calls a changed one changes with it.
        let mut names = std::iter::once(&change.operator).chain(&change.also);
        self.matches_level(weight(judged))
            && names.any(|name| self.matches_operator(name))
            && self.matches_backend(change)
    }

    /// The names of the filter that match none of these operators.
    #[must_use]
    pub fn unmatched(&self, operators: &[&str]) -> Vec<&str> {
        let named = self.operators.iter();
        let unmatched = named.filter(|(_, pattern)| {
            let mut operators = operators.iter();
            !operators.any(|name| pattern.matches(name) || pattern.matches(base_of(name)))
        });
        unmatched.map(|(name, _)| &**name).collect()
    }

    fn matches_finding(&self, finding: &Finding) -> bool {
        let level = match finding.severity {
            Severity::Error => Level::Breaking,
            Severity::Warning => Level::Dangerous,
            Severity::Info => Level::Info,
        };
        let operator = finding.operator.as_deref();
        self.matches_level(level)
            && self.backends.is_empty()
            && (self.operators.is_empty() || operator.is_some_and(|it| self.matches_operator(it)))
    }
}

/// A name without the namespace `aten`, which changes do not have.
fn unqualified(name: &str) -> &str {
    name.strip_prefix("aten::").unwrap_or(name)
}

fn base_of(name: &str) -> &str {
    name.split_once('.').map_or(name, |(base, _)| base)
}

/// What a filter leaves of a comparison.
#[derive(Debug)]
pub struct Listed {
    filter: Filter,
    causes: Vec<Cause>,
    changes: Vec<bool>,
    /// The operators of the listed changes.
    operators: FxHashSet<Arc<str>>,
}

impl Listed {
    /// Applies a filter; `None` if it lists everything.
    #[must_use]
    pub fn new(filter: &Filter, causes: &[Cause], judgement: &Judgement) -> Option<Self> {
        if filter.is_empty() {
            return None;
        }
        let changes = judgement.changes.iter();
        let changes: Vec<bool> = changes.map(|judged| filter.matches(judged)).collect();
        let causes = causes.iter().filter_map(|cause| narrowed(cause, &changes));
        let listed = judgement.changes.iter().zip(&changes);
        let listed = listed.filter(|(_, is_listed)| **is_listed);
        let operators = listed.map(|(judged, _)| Arc::clone(&judged.change.operator));
        Some(Self {
            causes: causes.collect(),
            operators: operators.collect(),
            filter: filter.clone(),
            changes,
        })
    }

    /// The filter.
    #[must_use]
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// The causes with the changes that are listed.
    #[must_use]
    pub fn causes(&self) -> &[Cause] {
        &self.causes
    }
}

/// A cause with the operators and consequences that a filter lists. If it lists only consequences, the
/// edits that cause them stay.
fn narrowed(cause: &Cause, listed: &[bool]) -> Option<Cause> {
    let is_listed = |i: &&usize| listed[**i];
    let edited = cause.edited.iter();
    let edited = edited.filter(|edited| edited.edits.iter().any(|i| listed[*i]));
    let edited: Vec<EntryEdit> = edited.cloned().collect();
    let consequences: Vec<usize> = cause
        .consequences
        .iter()
        .filter(is_listed)
        .copied()
        .collect();
    let edited = match (edited.is_empty(), consequences.is_empty()) {
        (true, true) => return None,
        (true, false) => cause.edited.clone(),
        (false, _) => edited,
    };
    Some(Cause {
        edited,
        consequences,
        ..*cause
    })
}

impl<'a> Report<'a> {
    /// The report without its filter.
    pub(super) fn unfiltered(&self) -> Self {
        Self {
            listed: None,
            ..*self
        }
    }

    /// The causes that it lists.
    pub(super) fn listed_causes(&self) -> &'a [Cause] {
        self.listed.map_or(self.causes, |listed| &listed.causes)
    }

    /// Whether it lists a change of the judgement.
    #[must_use]
    pub fn lists(&self, change: usize) -> bool {
        self.listed.is_none_or(|listed| listed.changes[change])
    }

    /// Whether it lists a change of this operator.
    #[must_use]
    pub fn lists_operator(&self, name: &str) -> bool {
        self.listed
            .is_none_or(|listed| listed.operators.contains(name))
    }

    /// Whether it lists the card of new operators.
    #[must_use]
    pub fn lists_card(&self, card: &Card) -> bool {
        let variants = card.variants.iter().map(|variant| &*variant.operator);
        let mut names = std::iter::once(&*card.operator).chain(variants);
        names.any(|name| self.lists_operator(name))
    }

    /// Whether it lists a finding.
    #[must_use]
    pub fn lists_finding(&self, finding: &Finding) -> bool {
        let filter = self.listed.map(|listed| &listed.filter);
        filter.is_none_or(|filter| filter.matches_finding(finding))
    }

    /// The changes that it lists, in the order of the comparison.
    pub(super) fn listed_changes(&self) -> impl Iterator<Item = &'a Judged> {
        let report = *self;
        let changes = self.judgement.changes.iter().enumerate();
        changes.filter_map(move |(i, judged)| report.lists(i).then_some(judged))
    }

    /// The new errors and warnings that it lists, and all new findings on operators that the head adds:
    /// those can still be changed.
    pub(super) fn listed_findings(&self) -> Vec<&'a Finding> {
        let changes = self.judgement.changes.iter();
        let added: FxHashSet<&str> = changes
            .filter(|judged| is_added(&judged.change))
            .map(|judged| &*judged.change.operator)
            .collect();
        let is_about_added = |finding: &Finding| {
            added.contains(unqualified(finding.operator.as_deref().unwrap_or_default()))
        };
        let findings = self.found.new.findings.iter();
        findings
            .filter(|finding| finding.severity != Severity::Info || is_about_added(finding))
            .filter(|finding| self.lists_finding(finding))
            .collect()
    }

    /// What the filter leaves, in words: `showing 3 of 120 causes (filter: level breaking)`.
    #[must_use]
    pub fn showing(&self) -> Option<String> {
        let listed = self.listed?;
        let (shown, all) = (listed.causes.len(), count(self.causes.len(), "cause"));
        let words = listed.filter.words();
        Some(format!("showing {shown} of {all} (filter: {words})"))
    }
}
