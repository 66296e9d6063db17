//! Findings that comments in `native_functions.yaml` suppress.

use opatlas_source::diagnostic::{Complaints, RuleId};
use opatlas_source::suggest::Budget;
use opatlas_source::{NATIVE_FUNCTIONS, Span};
use rustc_hash::FxHashMap;

use super::mark::Mark;

/// Applies suppression comments to findings.
pub struct Review<'s> {
    marks: &'s mut [Mark],
    /// Marks in `native_functions.yaml` by rule, sorted by position.
    by_rule: FxHashMap<RuleId, Vec<u32>>,
    /// Finds the nearest rule for a misspelled one.
    pub suggestions: &'s Budget,
    /// Findings about the comments themselves.
    pub reports: Complaints,
}

impl<'s> Review<'s> {
    pub(super) fn new(files: &[Box<str>], marks: &'s mut [Mark], suggestions: &'s Budget) -> Self {
        let native = files.iter().position(|file| **file == *NATIVE_FUNCTIONS);
        let mut by_rule: FxHashMap<RuleId, Vec<u32>> = FxHashMap::default();
        for (index, mark) in (0..).zip(marks.iter()) {
            if Some(mark.file as usize) == native {
                by_rule.entry(mark.rule.id).or_default().push(index);
            }
        }
        Self {
            marks,
            by_rule,
            suggestions,
            reports: Complaints::default(),
        }
    }

    /// Suppresses the findings of a rule that start within a span, and returns whether there are
    /// any.
    pub fn allow(&mut self, rule: RuleId, span: Span) -> bool {
        let Some(marks) = self.by_rule.get(&rule) else {
            return false;
        };
        let start = |index: &u32| self.marks[*index as usize].span.start;
        let from = marks.partition_point(|index| start(index) < span.start);
        let to = marks.partition_point(|index| start(index) <= span.end);
        let within = marks.get(from..to).unwrap_or(&[]);
        // All of them are suppressed together, so the first one represents the others.
        let is_new = within
            .first()
            .is_some_and(|&first| !self.marks[first as usize].suppressed);
        if is_new {
            for &index in within {
                self.marks[index as usize].suppressed = true;
            }
        }
        !within.is_empty()
    }
}
