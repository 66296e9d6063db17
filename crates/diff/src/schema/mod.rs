//! Changes between two schemas, argument by argument (`docs/spec/compatibility.md`, section 4, item 4).
//!
//! Both sides are in the runtime's form ([`RuntimeSchema`]), so schemas that come from no file can be
//! compared too. Arguments are paired by name first, unlike in PyTorch's own check, which compares by
//! position.

mod alias;
mod align;
mod arguments;
mod defaults;
mod names;
mod outs;
mod returns;
mod types;

use std::sync::Arc;

use super::change::{Change, Fragment, Note, Part, Subject};
use super::official::{Argument, RuntimeSchema};
use super::rules::{Impacts, Level};
use crate::rules::ChangeRuleId;
use opatlas_source::Span;

use align::Alignment;
pub use names::rename_rule;

/// One side: a schema and its text.
#[derive(Debug, Clone, Copy)]
pub struct Side<'a> {
    /// The schema.
    pub schema: &'a RuntimeSchema<'a>,
    /// The text of the schema.
    pub text: &'a str,
    /// Whether the schema's spans refer to the text. They do not for schemas that torch cannot parse.
    pub has_spans: bool,
}

/// The index of an argument or return; a schema has far fewer than 2^32.
fn place(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

impl Side<'_> {
    fn argument(&self, index: usize) -> Option<Fragment> {
        let argument = self.schema.arguments.get(index)?;
        Some(self.cut(argument, Part::Argument(place(index))))
    }

    /// The whole schema, placed at an argument.
    fn whole_at(&self, index: usize) -> Fragment {
        Fragment {
            part: Part::Argument(place(index)),
            ..self.whole()
        }
    }

    fn result(&self, index: usize) -> Option<Fragment> {
        let result = self.schema.returns.get(index)?;
        Some(self.cut(result, Part::Return(place(index))))
    }

    fn cut(&self, argument: &Argument<'_>, part: Part) -> Fragment {
        if self.has_spans {
            let text = argument.span.slice(self.text);
            return Fragment::of_schema(text, part, Some(argument.span));
        }
        let text = format!("{} {}", argument.ty.text(), argument.name);
        Fragment::of_schema(text.trim_end(), part, None)
    }

    fn returns(&self) -> Fragment {
        let start = self.text.rfind("->").map_or(0, |arrow| arrow + 2);
        let start = start + self.text[start..].len() - self.text[start..].trim_start().len();
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let span = Span::new(offset(start), offset(self.text.len()));
        Fragment::of_schema(&self.text[start..], Part::Returns, Some(span))
    }

    fn name(&self) -> Fragment {
        let end = self.text.find('(').unwrap_or(self.text.len());
        let span = Span::new(0, u32::try_from(end).unwrap_or(u32::MAX));
        Fragment::of_schema(self.text[..end].trim(), Part::Name, Some(span))
    }

    fn whole(&self) -> Fragment {
        Fragment::of_schema(self.text, Part::Schema, None)
    }
}

/// All changes between two schemas of an operator, in the order of the schema. Equal schemas with
/// different texts give `signature-respelled`. If there are several changes, `compound` comes first.
#[must_use]
pub fn compare(operator: impl Into<Arc<str>>, old: Side<'_>, new: Side<'_>) -> Vec<Change> {
    let mut found = ChangeCollector::new(operator.into(), old, new);
    let is_other_kind = names::compare(&mut found);
    let alignment = Alignment::new(old.schema, new.schema);
    arguments::compare(&mut found, &alignment);
    outs::compare(&mut found, &alignment);
    if !is_other_kind {
        alias::compare(&mut found, &alignment);
    }
    returns::compare(&mut found, &alignment, is_other_kind);
    found.finish()
}

struct ChangeCollector<'a> {
    operator: Arc<str>,
    old: Side<'a>,
    new: Side<'a>,
    changes: Vec<Change>,
}

impl<'a> ChangeCollector<'a> {
    fn new(operator: Arc<str>, old: Side<'a>, new: Side<'a>) -> Self {
        Self {
            operator,
            old,
            new,
            changes: Vec::new(),
        }
    }

    fn change(&self, rule: ChangeRuleId, subject: Subject) -> Change {
        Change::new(rule, Arc::clone(&self.operator), subject)
    }

    /// A change of an argument, given by its index on each side.
    fn argument(&self, rule: ChangeRuleId, old: Option<usize>, new: Option<usize>) -> Change {
        let name = match (old, new) {
            (Some(old), _) => self.old.schema.arguments[old].name,
            (None, Some(new)) => self.new.schema.arguments[new].name,
            (None, None) => "",
        };
        self.change(rule, Subject::Argument(name.into()))
            .old(old.and_then(|i| self.old.argument(i)))
            .new_side(new.and_then(|i| self.new.argument(i)))
    }

    fn result(&self, rule: ChangeRuleId, old: usize, new: usize) -> Change {
        self.change(rule, Subject::Return(old))
            .old(self.old.result(old))
            .new_side(self.new.result(new))
    }

    fn add(&mut self, change: Change) {
        self.changes.push(change);
    }

    fn finish(mut self) -> Vec<Change> {
        let (old, new) = (self.old, self.new);
        if self.changes.is_empty() && old.text != new.text {
            let respelled = self.change(ChangeRuleId::SignatureRespelled, Subject::Operator);
            let respelled = respelled.old(old.whole()).new_side(new.whole());
            self.add(respelled);
        }
        let mut changes = self.changes;
        if let Some(mut compound) = compound(&self.operator, &changes) {
            compound = compound.old(old.whole()).new_side(new.whole());
            changes.insert(0, compound);
        }
        changes
    }
}

fn is_also(changes: &[Change], change: &Change, rule: ChangeRuleId) -> bool {
    changes
        .iter()
        .any(|other| other.rule.id == rule && other.subject == change.subject)
}

/// Combines the counted changes of one operator: the worst level, and all affected audiences. `None`
/// for fewer than two.
#[must_use]
pub fn compound(operator: &Arc<str>, changes: &[Change]) -> Option<Change> {
    let counted: Vec<&Change> = changes
        .iter()
        .filter(|change| change.is_counted())
        .collect();
    // A change that a wider rule reports too counts once.
    let is_covered = |change: &&Change| match change.rule.id {
        ChangeRuleId::ArgumentRenamed => is_also(changes, change, ChangeRuleId::OutArgumentRenamed),
        ChangeRuleId::ReturnTypeChanged => {
            is_also(changes, change, ChangeRuleId::ReturnCountChanged)
        }
        _ => false,
    };
    if counted.iter().filter(|change| !is_covered(change)).count() < 2 {
        return None;
    }
    let mut compound = Change::new(
        ChangeRuleId::Compound,
        Arc::clone(operator),
        Subject::Operator,
    );
    compound.level = counted.iter().map(|c| c.level).max().unwrap_or(Level::None);
    let mut impacts = Impacts::default();
    for change in &counted {
        impacts.breaks = impacts.breaks.union(change.impacts.breaks);
        impacts.risks = impacts.risks.union(change.impacts.risks);
    }
    impacts.risks = impacts.risks.without(impacts.breaks);
    compound.impacts = impacts;
    let rules = counted.iter().map(|change| change.rule.id).collect();
    Some(compound.note(Note::Rules(rules)))
}
