//! The edits of the formulas of one operator.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::renames::Renames;
use super::side::{InputFormula, Side, one_line};
use crate::change::{Change, Fragment, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::derivatives::DEFAULT_KEY;
use opatlas_operators::derivatives::tokens::is_same;
use opatlas_source::Span;

/// A rule, and the old and the new text.
type Edit = (ChangeRuleId, Option<String>, Option<String>);

/// The changes of one entry: the inputs and outputs of each edit.
#[derive(Debug, Default)]
pub(super) struct Edits(BTreeMap<Edit, EditTarget>);

/// The inputs and outputs of an edit, and the positions of the first one's old and new text.
#[derive(Debug)]
struct EditTarget {
    names: Vec<Arc<str>>,
    at: (Option<Span>, Option<Span>),
}

/// The text of a formula on one side, with its position.
type PlacedText = Option<(String, Span)>;

impl Edits {
    pub fn both(&mut self, old: &Side<'_>, new: &Side<'_>) {
        // A YAML alias may mean something else although the text is equal.
        if old.text() == new.text() && !old.text().contains(": *") {
            return;
        }
        let renames = Renames::between(old, new);
        let known = (
            renames.names(old.schema),
            Renames::default().names(new.schema),
        );
        let keys: BTreeSet<&str> = old.keys().chain(new.keys()).collect();
        for key in keys {
            let before = old.on_key(key, &renames);
            let after = new.on_key(key, &Renames::default());
            let all: BTreeSet<_> = before.keys().chain(after.keys()).collect();
            for subject in all {
                // The change of the argument covers the formula of an argument that was added or removed.
                let name = &*subject.1;
                if known.0.contains(name) && known.1.contains(name) {
                    let sides = (before.get(subject), after.get(subject));
                    self.formula(key, subject, sides);
                }
            }
        }
        self.outputs(old, new);
    }

    fn formula(
        &mut self,
        key: &str,
        (is_output, name): &(bool, Cow<'_, str>),
        (before, after): (Option<&InputFormula<'_>>, Option<&InputFormula<'_>>),
    ) {
        let works = |side: Option<&InputFormula<'_>>| side.is_some_and(|formula| formula.works);
        let rule = match (works(before), works(after)) {
            (true, false) => ChangeRuleId::FormulaRemoved,
            (false, true) => ChangeRuleId::FormulaAdded,
            _ => ChangeRuleId::FormulaChanged,
        };
        let mut is_regrouped = false;
        if let (Some(before), Some(after)) = (before, after)
            && (is_same(before.source, after.source) || is_same(&before.text, &after.text))
        {
            is_regrouped = before.names.split(',').count() != after.names.split(',').count();
            if !is_regrouped {
                return;
            }
        }
        let text = |formula: &InputFormula<'_>| {
            let text = if is_regrouped {
                one_line(&format!("{}: {}", formula.names, formula.source))
            } else {
                one_line(formula.source)
            };
            (text, formula.at)
        };
        let subject = subject(key, *is_output, name);
        self.push(rule, (before.map(text), after.map(text)), subject);
    }

    fn outputs(&mut self, old: &Side<'_>, new: &Side<'_>) {
        let texts = (old.output_text(), new.output_text());
        let (before, after) = (old.outputs(), new.outputs());
        if texts == (None, None) || before.len() != after.len() {
            return;
        }
        let is_condition = old.has_condition() || new.has_condition();
        let is_other = match &texts {
            (Some((a, _)), Some((b, _))) => !is_same(a, b),
            _ => true,
        };
        for (was, is) in before.into_iter().zip(after) {
            let (Some((_, was)), Some((name, is))) = (was, is) else {
                continue;
            };
            let rule = match (was, is) {
                (true, false) => ChangeRuleId::FormulaRemoved,
                (false, true) => ChangeRuleId::FormulaAdded,
                (true, true) if is_condition && is_other => ChangeRuleId::FormulaChanged,
                _ => continue,
            };
            self.push(rule, texts.clone(), name);
        }
    }

    pub fn removed(&mut self, old: &Side<'_>) {
        self.one_sided(old, ChangeRuleId::FormulaChanged, |text| (Some(text), None));
    }

    pub fn added(&mut self, new: &Side<'_>) {
        self.one_sided(new, ChangeRuleId::FormulaAdded, |text| (None, Some(text)));
    }

    fn one_sided(
        &mut self,
        side: &Side<'_>,
        rule: ChangeRuleId,
        sides: fn((String, Span)) -> (PlacedText, PlacedText),
    ) {
        for key in side.keys() {
            for ((is_output, name), formula) in side.on_key(key, &Renames::default()) {
                if formula.works {
                    let text = (one_line(formula.source), formula.at);
                    self.push(rule, sides(text), subject(key, is_output, &name));
                }
            }
        }
    }

    fn push(&mut self, rule: ChangeRuleId, (old, new): (PlacedText, PlacedText), subject: String) {
        let (old, old_at) = old.unzip();
        let (new, new_at) = new.unzip();
        let target = self
            .0
            .entry((rule, old, new))
            .or_insert_with(|| EditTarget {
                names: Vec::new(),
                at: (old_at, new_at),
            });
        target.names.push(subject.into());
    }

    pub fn finish(self, operator: &Arc<str>, changes: &mut Vec<Change>) {
        for ((rule, before, after), target) in self.0 {
            let fragment = |(text, at): (String, Span)| Fragment::of_formula(text, at);
            let (old, new) = (before.zip(target.at.0), after.zip(target.at.1));
            let change = Change::new(rule, Arc::clone(operator), Subject::Names(target.names));
            changes.push(change.old(old.map(fragment)).new_side(new.map(fragment)));
        }
    }
}

/// `self`, `result (forward)`, `self (AutogradNestedTensor)`.
fn subject(key: &str, is_output: bool, name: &str) -> String {
    match (is_output, key == DEFAULT_KEY) {
        (false, true) => name.to_owned(),
        (true, true) => format!("{name} (forward)"),
        (false, false) => format!("{name} ({key})"),
        (true, false) => format!("{name} (forward, {key})"),
    }
}
