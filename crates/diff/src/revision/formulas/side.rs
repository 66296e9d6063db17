//! The formulas of one operator on one side.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::renames::Renames;
use opatlas_operators::derivative_match::{Basis, Origin, is_formula_key};
use opatlas_operators::derivatives::bindings::{arguments, results};
use opatlas_operators::derivatives::text::strip;
use opatlas_operators::derivatives::tokens::is_not_implemented;
use opatlas_operators::derivatives::{DEFAULT_KEY, DerivativeEntry, Derivatives, Outputs};
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::FunctionSchema;
use opatlas_schema::types::BaseType;
use opatlas_source::Span;
use opatlas_verdict::View;

pub(super) struct Side<'a> {
    pub view: View<'a>,
    pub file: &'a Derivatives,
    pub entry: &'a DerivativeEntry,
    pub schema: &'a FunctionSchema,
}

#[derive(Debug, Clone)]
pub(super) struct InputFormula<'a> {
    /// All inputs and outputs of the formula, as declared.
    pub names: &'a str,
    /// The text with the names of the other side.
    pub text: Cow<'a, str>,
    pub source: &'a str,
    pub at: Span,
    pub works: bool,
}

/// The formulas for one dispatch key, by input or output: whether it is an output, and its name.
pub(super) type KeyFormulas<'a> = BTreeMap<(bool, Cow<'a, str>), InputFormula<'a>>;

impl<'a> Side<'a> {
    pub fn new(view: View<'a>, id: OperatorId) -> Option<Self> {
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

    pub fn text(&self) -> &'a str {
        self.entry.span.slice(&self.file.text)
    }

    pub fn keys(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let (file, release) = (self.file, self.view.inputs.catalogue.release);
        let keys = self.entry.sets.iter().map(move |set| file.key(set));
        keys.filter(move |key| is_formula_key(key, release))
    }

    /// The formulas that serve a key: its own, else the default ones. Names are replaced by those of
    /// the other side.
    pub fn on_key(&self, key: &str, renames: &Renames<'a>) -> KeyFormulas<'a> {
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

    pub fn outputs(&self) -> Vec<Option<(String, bool)>> {
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

    /// `output_differentiability: [True, False]`, or the condition as declared.
    pub fn output_text(&self) -> Option<(String, Span)> {
        let declared = self.entry.output_differentiability.as_ref()?;
        let text = match &declared.outputs {
            Outputs::Condition => one_line(declared.at.slice(&self.file.text)),
            Outputs::Flags(flags) => {
                let words = flags
                    .iter()
                    .map(|flag| if *flag { "True" } else { "False" });
                format!("[{}]", words.collect::<Vec<_>>().join(", "))
            }
        };
        Some((format!("{OUTPUTS}: {text}"), declared.at))
    }

    pub fn has_condition(&self) -> bool {
        let declared = self.entry.output_differentiability.as_ref();
        declared.is_some_and(|declared| declared.outputs == Outputs::Condition)
    }
}

const OUTPUTS: &str = "output_differentiability";

/// A formula on one line.
pub(super) fn one_line(text: &str) -> String {
    let text = strip(text);
    if text.contains(['\n', '\r']) {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    } else {
        text.to_owned()
    }
}
