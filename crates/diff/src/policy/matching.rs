//! Matches exceptions with changes. Exceptions without wildcards are found by the operator's name.

use rustc_hash::FxHashMap;

use super::Exception;
use super::pattern::{Pattern, is_wild};
use crate::change::Change;

/// The compiled exceptions of a comparison.
pub(super) struct Matching<'a> {
    compiled: Vec<Compiled>,
    /// The exceptions for one operator, by its name.
    named: FxHashMap<&'a str, Vec<usize>>,
    /// The exceptions with wildcards in the operator.
    wild: Vec<usize>,
    /// The matches of operators so far: an operator has several changes, and there may be many patterns.
    known: FxHashMap<Box<str>, Vec<usize>>,
}

struct Compiled {
    operator: Pattern,
    rule: Pattern,
    argument: Option<Pattern>,
}

impl<'a> Matching<'a> {
    pub(super) fn new(exceptions: &'a [Exception]) -> Self {
        let mut matching = Self {
            compiled: Vec::with_capacity(exceptions.len()),
            named: FxHashMap::default(),
            wild: Vec::new(),
            known: FxHashMap::default(),
        };
        for (at, exception) in exceptions.iter().enumerate() {
            let operator = exception.operator();
            matching.compiled.push(Compiled {
                operator: Pattern::new(operator),
                rule: Pattern::new(&exception.rule),
                argument: exception.argument.as_deref().map(Pattern::new),
            });
            if is_wild(operator) {
                matching.wild.push(at);
            } else {
                matching.named.entry(operator).or_default().push(at);
            }
        }
        matching
    }

    /// The exceptions that match an operator, in their order.
    pub(super) fn of_operator(&mut self, name: &str) -> &[usize] {
        if self.compiled.is_empty() {
            return &[];
        }
        if !self.known.contains_key(name) {
            let wild = self.wild.iter().copied();
            let wild = wild.filter(|at| self.compiled[*at].operator.matches(name));
            let mut found: Vec<usize> = wild.collect();
            found.extend(self.named.get(name).into_iter().flatten());
            found.sort_unstable();
            self.known.insert(name.into(), found);
        }
        self.known.get(name).map_or(&[], |found| found)
    }

    /// The exceptions that match a change, in their order.
    pub(super) fn of_change(&mut self, change: &Change) -> Vec<usize> {
        let mut found = self.of_operator(&change.operator).to_vec();
        if found.is_empty() {
            return found;
        }
        let names = change.subject.names();
        found.retain(|at| {
            let compiled = &self.compiled[*at];
            let argument = compiled.argument.as_ref();
            compiled.rule.matches(change.rule.id.as_str())
                && argument.is_none_or(|argument| names.iter().any(|name| argument.matches(name)))
        });
        found
    }

    /// Whether an exception matches everything that another one matches.
    pub(super) fn covers(&self, exception: usize, other: &Exception) -> bool {
        let compiled = &self.compiled[exception];
        let argument = match (&compiled.argument, &other.argument) {
            (None, _) => true,
            (Some(own), Some(others)) => own.matches(others),
            (Some(_), None) => false,
        };
        argument
            && compiled.operator.matches(other.operator())
            && compiled.rule.matches(&other.rule)
    }

    /// Whether an exception matches an operator of this name.
    pub(super) fn matches_operator(&self, exception: usize, name: &str) -> bool {
        self.compiled[exception].operator.matches(name)
    }
}
