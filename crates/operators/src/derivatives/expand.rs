//! Expands a set of formulas like the code generator (torchgen `set_up_derivatives` and
//! `postprocess_forward_derivatives`). Invalid formulas stay as they are; rules report why.

use opatlas_pytorch::release::Release;
use opatlas_schema::function::FunctionSchema;
use rustc_hash::FxHashSet;

use super::bindings::{Binding, arguments, results};
use super::saved::{Saved, saved};
use super::text::replace_identifier;
use super::{Derivatives, Formula, FormulaSet};
use crate::entry::Variants;

/// The operator of the formulas.
#[derive(Debug, Clone, Copy)]
pub struct Subject<'a> {
    /// The base name in the entry, for generated calls.
    pub name: &'a str,
    /// The schema of the canonical function.
    pub schema: &'a FunctionSchema,
    /// The variants of the canonical function.
    pub variants: Variants,
    /// The release.
    pub release: Release,
}

/// A gradient formula.
#[derive(Debug, Clone)]
pub struct Backward<'d> {
    /// Its source.
    pub source: &'d Formula,
    /// The text.
    pub text: &'d str,
    /// Its arguments.
    pub names: Vec<&'d str>,
    /// Saved arguments, and the formula without them.
    pub of_arguments: Saved,
    /// Saved results, and the formula without arguments or results.
    pub of_results: Saved,
}

impl Backward<'_> {
    /// The final formula.
    #[must_use]
    pub fn formula(&self) -> &str {
        &self.of_results.formula
    }
}

/// A keyword instead of a forward formula.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Auto {
    /// `auto_element_wise`: derived from the gradient formula.
    ElementWise,
    /// `auto_linear`: applies the operator to the tangents.
    Linear,
}

/// A tangent formula.
#[derive(Debug, Clone)]
pub struct Forward<'d> {
    /// Its source.
    pub source: &'d Formula,
    /// The text in the file; `None` if it is not a string.
    pub text: Option<&'d str>,
    /// The outputs that it is the tangent of.
    pub names: Vec<&'d str>,
    /// The keyword.
    pub auto: Option<Auto>,
    /// The expanded formula; the original text if a keyword cannot be expanded.
    pub formula: String,
}

/// An expanded set of formulas.
#[derive(Debug, Clone)]
pub struct Expansion<'d> {
    /// The operator's arguments.
    pub arguments: Vec<Binding<'d>>,
    /// The operator's results.
    pub results: Vec<Binding<'d>>,
    /// Gradients.
    pub backward: Vec<Backward<'d>>,
    /// Tangents.
    pub forward: Vec<Forward<'d>>,
    /// Non-differentiable arguments, each with its formula.
    pub non_differentiable: Vec<(&'d str, &'d Formula)>,
    /// Gradients that are not strings.
    pub unreadable: Vec<&'d Formula>,
    /// By argument.
    has_gradient: Vec<bool>,
}

impl Expansion<'_> {
    /// The arguments with a gradient, in C++ order.
    pub fn differentiable(&self) -> impl Iterator<Item = &Binding<'_>> {
        let all = self.arguments.iter().zip(&self.has_gradient);
        all.filter(|(_, has)| **has).map(|(argument, _)| argument)
    }
}

/// Expands a set of formulas.
#[must_use]
pub fn expand<'d>(
    file: &'d Derivatives,
    set: &'d FormulaSet,
    subject: Subject<'d>,
) -> Expansion<'d> {
    let mut expansion = Expansion {
        arguments: arguments(subject.schema),
        results: results(subject.schema),
        backward: Vec::new(),
        forward: Vec::new(),
        non_differentiable: Vec::new(),
        unreadable: Vec::new(),
        has_gradient: Vec::new(),
    };
    for formula in &set.formulas {
        expansion.sort_out(file, formula, subject.release);
    }
    let backward = expansion.backward.iter();
    let names: FxHashSet<&str> = backward.flat_map(|b| b.names.iter().copied()).collect();
    let arguments = expansion.arguments.iter();
    expansion.has_gradient = arguments.map(|a| names.contains(&*a.name)).collect();
    // Keywords need a single formula and a single output.
    if let [forward] = &expansion.forward[..] {
        let formula = match forward.auto {
            Some(Auto::ElementWise) => expansion.element_wise(),
            Some(Auto::Linear) => Some(expansion.linear(subject)),
            None => None,
        };
        if let Some(formula) = formula {
            expansion.forward[0].formula = formula;
        }
    }
    expansion
}

impl<'d> Expansion<'d> {
    fn sort_out(&mut self, file: &'d Derivatives, formula: &'d Formula, release: Release) {
        let names: Vec<&str> = file.names(formula).map(|(_, name)| name).collect();
        let text = file.formula(formula);
        let first = names.first().copied().unwrap_or("");
        if !self.arguments.iter().any(|a| a.name == first) {
            self.forward.push(Forward {
                source: formula,
                text,
                names,
                auto: text.and_then(auto),
                formula: text.unwrap_or("").to_owned(),
            });
            return;
        }
        let Some(text) = text else {
            self.unreadable.push(formula);
            return;
        };
        if file.is_non_differentiable(formula) {
            let names = names.into_iter().map(|name| (name, formula));
            self.non_differentiable.extend(names);
            return;
        }
        let of_arguments = saved(text, &self.arguments, release);
        let of_results = saved(&of_arguments.formula, &self.results, release);
        self.backward.push(Backward {
            source: formula,
            text,
            names,
            of_arguments,
            of_results,
        });
    }

    /// The Jacobian is diagonal, so the gradient formula also maps tangents.
    fn element_wise(&self) -> Option<String> {
        let input = &self.differentiable().next()?.name;
        let gradient = self.backward.first()?.text;
        let mut formula = replace_identifier(gradient, "grad", &format!("{input}_t.conj()"));
        for argument in self.differentiable() {
            let name = &argument.name;
            formula = replace_identifier(&formula, name, &format!("{name}_p"));
        }
        Some(format!("({formula}).conj()"))
    }

    /// The tangent of a linear function is the function of the tangents.
    fn linear(&self, subject: Subject<'_>) -> String {
        let tangents: Vec<String> = self
            .arguments
            .iter()
            .map(|argument| {
                let differentiable = self.differentiable().any(|d| d.name == argument.name);
                let suffix = if differentiable { "_t" } else { "" };
                format!("{}{suffix}", argument.name)
            })
            .collect();
        let symint = if subject.schema.has_symint() {
            "_symint"
        } else {
            ""
        };
        let name = subject.name;
        match tangents.split_first() {
            Some((first, rest)) if !subject.variants.function => {
                format!("{first}.{name}{symint}({})", rest.join(", "))
            }
            _ => format!("at::{name}{symint}({})", tangents.join(", ")),
        }
    }
}

fn auto(text: &str) -> Option<Auto> {
    match text {
        "auto_element_wise" => Some(Auto::ElementWise),
        "auto_linear" => Some(Auto::Linear),
        _ => None,
    }
}
