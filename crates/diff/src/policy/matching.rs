//! Which exceptions speak of which changes. Patterns are compiled once; exceptions that name an
//! operator are found by its name.

use rustc_hash::FxHashMap;

use super::Exception;
use super::pattern::{Pattern, is_wild};
use crate::change::Change;

/// The exceptions of a comparison, ready to be matched.
pub(super) struct Matching<'a> {
    compiled: Vec<Compiled>,
    /// Those that name one operator, by its name.
    named: FxHashMap<&'a str, Vec<usize>>,
    /// Those with a pattern of operators.
    wild: Vec<usize>,
    /// What was found for an operator.
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
            match is_wild(operator) {
                true => matching.wild.push(at),
                false => matching.named.entry(operator).or_default().push(at),
            }
        }
        matching
    }

    /// The exceptions that speak of an operator, by its name qualified unless in `aten`, in their
    /// order.
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

    /// The exceptions that speak of a change, in their order.
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

    /// Whether an exception excuses everything that another one does.
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

    /// Whether an exception has a pattern of operators that matches this name.
    pub(super) fn matches_operator(&self, exception: usize, name: &str) -> bool {
        self.compiled[exception].operator.matches(name)
    }
}
