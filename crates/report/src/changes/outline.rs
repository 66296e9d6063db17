//! What a report shows in what order: one outline for text and Markdown.
//!
//! Changes are grouped by operator, worst first. The same change to many operators is described
//! once with a list, so that a hundred removed overloads do not hide the one change that matters.

use opatlas_diff::rules::ChangeRuleId;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::Report;
use opatlas_diff::policy::Judged;
use opatlas_diff::revision::Pair;
use opatlas_diff::rules;
use opatlas_diff::rules::Level;
use opatlas_diff::{Change, Subject};

/// From this number of operators on, the same change is described once.
const MANY: usize = 4;

/// What matters most comes first; the last three are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Class {
    Unread,
    Errors,
    Breaking,
    Forward,
    Excused,
    Dangerous,
    Warnings,
    Backends,
    Quiet,
}

impl Class {
    pub(super) const ALL: [Self; 9] = [
        Self::Unread,
        Self::Errors,
        Self::Breaking,
        Self::Forward,
        Self::Excused,
        Self::Dangerous,
        Self::Warnings,
        Self::Backends,
        Self::Quiet,
    ];

    fn of(level: Level) -> Self {
        match level {
            Level::Breaking => Self::Breaking,
            Level::ForwardBreaking => Self::Forward,
            Level::Dangerous => Self::Dangerous,
            Level::Info | Level::Safe | Level::None => Self::Quiet,
        }
    }
}

/// All that is reported of an operator, besides what is listed by backends.
#[derive(Debug, Clone)]
pub(super) struct Group<'a> {
    pub operator: &'a str,
    /// Its schemas and the verdict of PyTorch's check, if its schema changed.
    pub pair: Option<&'a Pair>,
    /// The changes, by their numbers in the judgement, the worst first.
    pub changes: Vec<usize>,
    /// The change that represents all of them.
    pub compound: Option<usize>,
    pub level: Level,
    pub class: Class,
}

impl Group<'_> {
    /// All changes it covers, by index.
    pub(super) fn all(&self) -> Vec<usize> {
        self.compound.iter().chain(&self.changes).copied().collect()
    }
}

/// The same rule for many operators.
#[derive(Debug, Clone)]
pub(super) struct Family<'a> {
    /// The rule; `None` for operators with several harmless changes.
    pub rule: Option<&'static rules::ChangeRule>,
    pub level: Level,
    pub class: Class,
    pub groups: Vec<Group<'a>>,
}

/// The same effect on the same backends, for any number of operators.
#[derive(Debug, Clone)]
pub(super) struct Backends<'a> {
    pub rule: &'static rules::ChangeRule,
    pub level: Level,
    pub class: Class,
    pub keys: &'a [Box<str>],
    pub changes: Vec<usize>,
}

#[derive(Debug, Clone)]
pub(super) enum Section<'a> {
    Group(Group<'a>),
    Backends(Backends<'a>),
    Family(Family<'a>),
}

impl Section<'_> {
    pub(super) fn class(&self) -> Class {
        match self {
            Self::Group(group) => group.class,
            Self::Backends(backends) => backends.class,
            Self::Family(family) => family.class,
        }
    }

    pub(super) fn level(&self) -> Level {
        match self {
            Self::Group(group) => group.level,
            Self::Backends(backends) => backends.level,
            Self::Family(family) => family.level,
        }
    }
}

/// The sections of a report, what matters most first.
pub(super) fn outline<'a>(report: &Report<'a>) -> Vec<Section<'a>> {
    let changes = &report.judgement.changes;
    let pairs = &report.comparison.pairs;
    let pairs: FxHashMap<&str, &Pair> = pairs.iter().map(|pair| (&*pair.name, pair)).collect();
    let mut sections = backends(changes);
    let is_listed = |judged: &Judged| by_backends(&judged.change).is_some();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    let mut grouped: Vec<(&str, Vec<usize>)> = Vec::new();
    for (i, judged) in changes.iter().enumerate().filter(|(_, j)| !is_listed(j)) {
        let operator = &*judged.change.operator;
        // What is said of an exception goes by a pattern and not by an operator.
        let known = match is_about_exception(&judged.change) {
            true => None,
            false => places.get(operator).copied(),
        };
        match known {
            Some(place) => grouped[place].1.push(i),
            None => {
                if !is_about_exception(&judged.change) {
                    places.insert(operator, grouped.len());
                }
                grouped.push((operator, vec![i]));
            }
        }
    }
    let groups = grouped
        .into_iter()
        .map(|(operator, numbers)| group(changes, operator, pairs.get(operator).copied(), numbers));
    sections.extend(families(changes, groups.collect()));
    let rank = |section: &Section<'_>| {
        let kind = match section {
            Section::Group(_) => 0,
            Section::Backends(_) => 1,
            Section::Family(_) => 2,
        };
        (section.class(), Reverse(section.level()), kind)
    };
    sections.sort_by_key(rank);
    sections
}

fn is_about_exception(change: &Change) -> bool {
    change.rule.id.as_str().starts_with("allow-")
}

/// The keys of a change that is listed by backends.
fn by_backends(change: &Change) -> Option<&[Box<str>]> {
    let is_effect = matches!(
        change.rule.id,
        ChangeRuleId::BackendSupportLost
            | ChangeRuleId::BackendSupportGained
            | ChangeRuleId::BackendSupportKindChanged
            | ChangeRuleId::AutogradSupportLost
    );
    match &change.subject {
        Subject::Keys(keys) if is_effect => Some(keys),
        _ => None,
    }
}

/// The level that counts: an excused change has none.
pub(super) fn weight(judged: &Judged) -> Level {
    match judged.is_counted() {
        true => judged.level,
        false => Level::None,
    }
}

fn backends(changes: &[Judged]) -> Vec<Section<'_>> {
    let mut alike: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (i, judged) in changes.iter().enumerate() {
        let Some(keys) = by_backends(&judged.change) else {
            continue;
        };
        let class = match (judged.is_excused(), Class::of(judged.level)) {
            (true, _) => Class::Excused,
            (false, Class::Quiet) => Class::Backends,
            (false, class) => class,
        };
        let what = (class, Reverse(judged.level), judged.change.rule.id, keys);
        alike.entry(what).or_default().push(i);
    }
    let section = |((class, level, id, keys), changes): ((_, Reverse<Level>, _, _), _)| {
        Section::Backends(Backends {
            rule: rules::of(id),
            level: level.0,
            class,
            keys,
            changes,
        })
    };
    alike.into_iter().map(section).collect()
}

fn group<'a>(
    changes: &'a [Judged],
    operator: &'a str,
    pair: Option<&'a Pair>,
    mut numbers: Vec<usize>,
) -> Group<'a> {
    numbers.sort_by_key(|&i| (Reverse(weight(&changes[i])), Reverse(changes[i].level)));
    let compound = numbers
        .iter()
        .copied()
        .find(|&i| changes[i].change.is_compound());
    numbers.retain(|&i| Some(i) != compound);
    let level = numbers.iter().map(|&i| weight(&changes[i])).max();
    let level = level.unwrap_or(Level::None);
    let excuses = numbers.iter().any(|&i| {
        let judged = &changes[i];
        judged.is_excused() || is_about_exception(&judged.change)
    });
    let class = match Class::of(level) {
        Class::Quiet if excuses => Class::Excused,
        class => class,
    };
    Group {
        operator,
        pair,
        changes: numbers,
        compound,
        level,
        class,
    }
}

/// Describes the same change to many operators once; harmless changes appear in lists only.
fn families<'a>(changes: &'a [Judged], groups: Vec<Group<'a>>) -> Vec<Section<'a>> {
    let mut alike: BTreeMap<(Class, Reverse<Level>, Option<ChangeRuleId>), Vec<Group<'a>>> =
        BTreeMap::new();
    let mut sections = Vec::new();
    for group in groups {
        match shared_rule(changes, &group) {
            None if group.class != Class::Quiet => sections.push(Section::Group(group)),
            rule => {
                let what = (group.class, Reverse(group.level), rule);
                alike.entry(what).or_default().push(group);
            }
        }
    }
    for ((class, Reverse(level), rule), groups) in alike {
        // What is only said of exceptions needs no more than a line.
        let is_listed = class == Class::Quiet
            || class == Class::Excused
                && rule.is_some_and(|rule| rule.as_str().starts_with("allow-"));
        if groups.len() < MANY && !is_listed {
            sections.extend(groups.into_iter().map(Section::Group));
            continue;
        }
        sections.push(Section::Family(Family {
            rule: rule.map(rules::of),
            level,
            class,
            groups,
        }));
    }
    sections
}

/// The one rule that matters in a group: of all that somebody must act upon, or of all where there
/// is nothing of the kind.
fn shared_rule(changes: &[Judged], group: &Group<'_>) -> Option<ChangeRuleId> {
    let matters =
        |judged: &&Judged| group.level < Level::Dangerous || weight(judged) >= Level::Dangerous;
    let own = group.changes.iter().map(|&i| &changes[i]);
    let mut rules = own.filter(matters).map(|judged| judged.change.rule.id);
    let first = rules.next()?;
    rules.all(|rule| rule == first).then_some(first)
}
