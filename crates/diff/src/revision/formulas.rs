//! Changes of formulas in `derivatives.yaml`, by input and output.
//!
//! Formulas are compared as C++ tokens, so whitespace and YAML quoting make no difference. If an
//! operator loses autograd support because of its formulas, [`super::tables`] reports that instead.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::pairing::Pairing;
use crate::change::{Change, Fragment, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::derivative_match::{Basis, Origin, is_formula_key};
use opatlas_operators::derivatives::bindings::{Binding, arguments, results};
use opatlas_operators::derivatives::text::{replace_word, strip};
use opatlas_operators::derivatives::tokens::{is_not_implemented, is_same};
use opatlas_operators::derivatives::{DEFAULT_KEY, DerivativeEntry, Derivatives, Outputs};
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::FunctionSchema;
use opatlas_schema::types::BaseType;
use opatlas_source::{Span, Stop, Stopped};
use opatlas_verdict::View;
use opatlas_verdict::training::Through;

/// With more renamed arguments and results than this, formulas are compared as written.
const MOST_RENAMES: usize = 16;

/// The affixes of a name in formulas: the value, its tangent and primal, and an output's gradient.
const AFFIXES: [(&str, &str); 4] = [("", ""), ("", "_t"), ("", "_p"), ("grad_", "")];

/// The changes of formulas, if both sides have the file. If an operator lost autograd in its tables,
/// that covers the formulas it had.
pub(super) fn compare(
    base: View<'_>,
    head: View<'_>,
    pairing: &Pairing<'_>,
    of_tables: &[Change],
    stop: &Stop,
) -> Result<Vec<Change>, Stopped> {
    let (mut changes, mut removed) = (Vec::new(), Vec::new());
    let files = base.inputs.derivatives.zip(head.inputs.derivatives);
    let Some((old_file, new_file)) = files else {
        return Ok(changes);
    };
    if old_file.text == new_file.text {
        return Ok(changes);
    }
    let renamed = pairing.renamed.iter().map(|pair| (pair.base, pair.head));
    for (old, new) in pairing.common.same.iter().copied().chain(renamed) {
        stop.check()?;
        let operator = base.inputs.catalogue.operator(old).shared_name();
        let mut edits = Edits::default();
        match (Side::new(base, old), Side::new(head, new)) {
            (Some(before), Some(after)) => edits.both(&before, &after),
            (None, Some(after)) => edits.added(&after),
            (Some(before), None) if is_differentiated(head, new) => {
                edits.removed(&before);
                edits.finish(&operator, &mut removed);
                continue;
            }
            _ => continue,
        }
        edits.finish(&operator, &mut changes);
    }
    let lost: FxHashSet<&str> = of_tables
        .iter()
        .filter(|change| change.rule.id == ChangeRuleId::AutogradSupportLost)
        .map(|change| &*change.operator)
        .collect();
    removed.retain(|change: &Change| !lost.contains(&*change.operator));
    changes.append(&mut removed);
    Ok(changes)
}

/// Whether an operator is differentiated without a formula of its own.
fn is_differentiated(view: View<'_>, id: OperatorId) -> bool {
    if let Some((formulas, _)) = view.inputs.matches.of(id) {
        return formulas.is_differentiable();
    }
    let cpu = view.keys().slot("CPU");
    let answer = cpu.and_then(|cpu| view.training(id, cpu));
    answer.is_some_and(|answer| answer.training.through == Through::Composite)
}

struct Side<'a> {
    view: View<'a>,
    file: &'a Derivatives,
    entry: &'a DerivativeEntry,
    schema: &'a FunctionSchema,
}

#[derive(Debug, Clone)]
struct InputFormula<'a> {
    /// All inputs and outputs of the formula, as declared.
    names: &'a str,
    /// The text with the names of the other side.
    text: Cow<'a, str>,
    source: &'a str,
    at: Span,
    works: bool,
}

/// The formulas for one dispatch key, by input or output: whether it is an output, and its name.
type KeyFormulas<'a> = BTreeMap<(bool, Cow<'a, str>), InputFormula<'a>>;

impl<'a> Side<'a> {
    fn new(view: View<'a>, id: OperatorId) -> Option<Self> {
        let (formulas, basis) = view.inputs.matches.of(id)?;
        let (Origin::Entry(index), Basis::Own) = (formulas.origin, basis) else {
            return None;
        };
        let file = view.inputs.derivatives?;
        Some(Self {
            view,
            file,
            entry: file.entries.get(index as usize)?,
            schema: view.inputs.catalogue.operator(id).schema(),
        })
    }

    fn text(&self) -> &'a str {
        self.entry.span.slice(&self.file.text)
    }

    fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let (file, release) = (self.file, self.view.inputs.catalogue.release);
        let keys = self.entry.sets.iter().map(move |set| file.key(set));
        keys.filter(move |key| is_formula_key(key, release))
    }

    /// The formulas that serve a key: its own, else the default ones. Names are replaced by those of
    /// the other side.
    fn on_key(&self, key: &str, renames: &Renames<'a>) -> KeyFormulas<'a> {
        let set = |key: &str| {
            let mut sets = self.entry.sets.iter();
            sets.find(|set| self.file.key(set) == key)
        };
        let Some(set) = set(key).or_else(|| set(DEFAULT_KEY)) else {
            return KeyFormulas::new();
        };
        let inputs = arguments(self.schema);
        let inputs: FxHashSet<&str> = inputs.iter().map(|input| &*input.name).collect();
        let mut formulas = KeyFormulas::new();
        for formula in &set.formulas {
            let Some(source) = self.file.formula(formula) else {
                continue;
            };
            let is_output = !inputs.contains(self.file.first_name(formula));
            let is_nothing = self.file.is_non_differentiable(formula);
            let one = InputFormula {
                names: self.file.value(formula.names),
                text: renames.apply(source),
                source,
                at: formula.value_at,
                works: !is_nothing && !is_not_implemented(source),
            };
            for (_, name) in self.file.names(formula) {
                formulas.insert((is_output, renames.of(name)), one.clone());
            }
        }
        formulas
    }

    fn outputs(&self) -> Vec<Option<(String, bool)>> {
        let names = results(self.schema).into_iter().map(|result| result.name);
        let types = self.schema.returns.iter().map(|one| one.ty.innermost());
        let allows = |index| {
            let declared = self.entry.output_differentiability.as_ref();
            declared.is_none_or(|declared| declared.allows(index))
        };
        let outputs = names.zip(types).enumerate();
        let outputs = outputs.map(|(index, (name, ty))| {
            (ty == Some(BaseType::Tensor)).then(|| (name.into_owned(), allows(index)))
        });
        outputs.collect()
    }

    fn output_text(&self) -> Option<(String, Span)> {
        let declared = self.entry.output_differentiability.as_ref()?;
        let text = one_line(declared.at.slice(&self.file.text));
        let text = if text.starts_with(OUTPUTS) {
            text
        } else {
            format!("{OUTPUTS}: {text}")
        };
        Some((text, declared.at))
    }

    fn has_condition(&self) -> bool {
        let declared = self.entry.output_differentiability.as_ref();
        declared.is_some_and(|declared| declared.outputs == Outputs::Condition)
    }
}

const OUTPUTS: &str = "output_differentiability";

#[derive(Debug, Default)]
struct Renames<'a>(Vec<(Cow<'a, str>, Cow<'a, str>)>);

impl<'a> Renames<'a> {
    /// Pairs names at the same position that the other side lacks.
    fn between(old: &Side<'a>, new: &Side<'a>) -> Self {
        let mut renames = Vec::new();
        for bindings in [arguments, results] {
            let (old, new): (Vec<Binding<'a>>, Vec<Binding<'a>>) =
                (bindings(old.schema), bindings(new.schema));
            if old.len() != new.len() {
                continue;
            }
            let names = |side: &[Binding<'a>]| -> FxHashSet<Cow<'a, str>> {
                side.iter().map(|one| one.name.clone()).collect()
            };
            let (of_old, of_new) = (names(&old), names(&new));
            let pairs = old.into_iter().zip(new).map(|(a, b)| (a.name, b.name));
            renames.extend(pairs.filter(|(a, b)| !of_new.contains(a) && !of_old.contains(b)));
        }
        if renames.len() > MOST_RENAMES {
            renames.clear();
        }
        Self(renames)
    }

    fn of(&self, name: &'a str) -> Cow<'a, str> {
        let renamed = self.0.iter().find(|(old, _)| old == name);
        renamed.map_or(Cow::Borrowed(name), |(_, new)| new.clone())
    }

    fn apply(&self, text: &'a str) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text);
        for (old, new) in &self.0 {
            for (before, behind) in AFFIXES {
                let [old, new] = [old, new].map(|name| format!("{before}{name}{behind}"));
                text = Cow::Owned(replace_word(&text, &old, &new));
            }
        }
        text
    }
}

/// A rule, and the old and the new text.
type Edit = (ChangeRuleId, Option<String>, Option<String>);

/// The changes of one entry: the inputs and outputs of each edit.
#[derive(Debug, Default)]
struct Edits(BTreeMap<Edit, EditTarget>);

/// The inputs and outputs of an edit, and the positions of the first one's old and new text.
#[derive(Debug)]
struct EditTarget {
    names: Vec<Arc<str>>,
    at: (Option<Span>, Option<Span>),
}

/// The text of a formula on one side, with its position.
type PlacedText = Option<(String, Span)>;

impl Edits {
    fn both(&mut self, old: &Side<'_>, new: &Side<'_>) {
        // A YAML alias may mean something else although the text is equal.
        if old.text() == new.text() && !old.text().contains(": *") {
            return;
        }
        let renames = Renames::between(old, new);
        let inputs = |side: &Side<'_>, renames: &Renames<'_>| -> FxHashSet<String> {
            let mut bindings = arguments(side.schema);
            bindings.extend(results(side.schema));
            let name = |one: Binding<'_>| {
                let renamed = renames.0.iter().find(|(old, _)| *old == one.name);
                renamed
                    .map_or(one.name, |(_, new)| new.clone())
                    .into_owned()
            };
            bindings.into_iter().map(name).collect()
        };
        let known = (inputs(old, &renames), inputs(new, &Renames::default()));
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
            && is_same(&before.text, &after.text)
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

    fn removed(&mut self, old: &Side<'_>) {
        self.one_sided(old, ChangeRuleId::FormulaChanged, |text| (Some(text), None));
    }

    fn added(&mut self, new: &Side<'_>) {
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

    fn finish(self, operator: &Arc<str>, changes: &mut Vec<Change>) {
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

fn one_line(text: &str) -> String {
    let text = strip(text);
    if text.contains(['\n', '\r']) {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        text.to_owned()
    }
}
