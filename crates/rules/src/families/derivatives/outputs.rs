//! Formulas that the parser accepts but autograd code generation rejects, because of the operator's
//! inputs and outputs (`gen_variable_type.emit_body`).

use opatlas_operators::derivatives::bindings::BindingKind;
use opatlas_operators::derivatives::expand::Expansion;
use opatlas_operators::derivatives::text::uses;
use opatlas_schema::function::{Argument, SchemaKind};
use opatlas_schema::types::Type;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use opatlas_source::sentence::codes;
use opatlas_source::suggest::Budget;

use super::subjects::Subjects;
use crate::sink::Sink;

pub(super) fn check(subjects: &Subjects<'_>, expansion: &Expansion<'_>, sink: &mut Sink) {
    let check = Check {
        subjects,
        expansion,
        suggestions: &sink.suggestions,
    };
    let canonical = subjects.catalogue.operator(subjects.target.canonical);
    if !canonical.is_abstract() && expansion.backward.is_empty() {
        // No autograd code is generated for it.
        return;
    }
    let outputs = check.outputs();
    // The generator stops at the first.
    let fault = check
        .gradient_target()
        .or_else(|| check.output_count())
        .or_else(|| check.gradient_unused(outputs))
        .or_else(|| check.forward_count(outputs))
        .or_else(|| check.forward_inputs(outputs));
    if let Some(fault) = fault {
        subjects.report(sink, fault);
    }
}

struct Check<'c, 'a> {
    subjects: &'c Subjects<'a>,
    expansion: &'c Expansion<'a>,
    suggestions: &'c Budget,
}

impl<'a> Check<'_, 'a> {
    fn inputs(&self) -> impl Iterator<Item = &'a Argument> {
        let inputs = self.subjects.subject.schema.arguments.non_out().iter();
        inputs.filter(|a| {
            let none = |(name, _): &(&str, _)| **name == *a.name;
            a.ty.is_tensor_like() && !self.expansion.non_differentiable.iter().any(none)
        })
    }

    fn output_count(&self) -> Option<Diagnostic> {
        let outputs = self.subjects.entry.output_differentiability.as_ref()?;
        let count = self.subjects.subject.schema.returns.len();
        let spoken = outputs.count();
        let fault = || {
            let message = message!(
                "the list has {} flags, but the number of outputs is {}",
                spoken,
                count
            );
            Diagnostic::new(RuleId::DerivOutputCount, outputs.at, message)
                .with_help("write one flag per output")
        };
        (spoken != count).then(fault)
    }

    /// The number of differentiable outputs of the canonical function; 0 if autograd skips it.
    fn outputs(&self) -> usize {
        let schema = self.subjects.subject.schema;
        let lists = &self.subjects.catalogue.release.data().codegen;
        let left_alone = &lists.dont_require_derivative;
        let base = schema.name.stem();
        if left_alone.contains(base) || left_alone.contains(&schema.default_kernel()) {
            return 0;
        }
        let returns = schema
            .returns
            .iter()
            .zip(&self.expansion.results)
            .enumerate();
        if let Some(outputs) = &self.subjects.entry.output_differentiability {
            return returns.filter(|(index, _)| outputs.allows(*index)).count();
        }
        let excluded = |name: &str| {
            let name = if schema.name.is_inplace() {
                "self"
            } else {
                name
            };
            self.expansion
                .non_differentiable
                .iter()
                .any(|(n, _)| *n == name)
        };
        let count = returns
            .filter(|(_, (ret, result))| ret.ty.is_tensor_like() && !excluded(&result.name))
            .count();
        let single = self
            .expansion
            .backward
            .iter()
            .any(|b| uses(b.formula(), "grad"));
        if single { count.min(1) } else { count }
    }

    fn gradient_target(&self) -> Option<Diagnostic> {
        let arguments = &self.subjects.subject.schema.arguments;
        let tensor = |name: &str| {
            let mut inputs = arguments.non_out().iter();
            inputs.any(|a| *a.name == *name && a.ty.is_tensor_like())
        };
        let file = self.subjects.file;
        let mut names = self.expansion.backward.iter().flat_map(|b| {
            file.names(b.source)
                .map(move |(range, name)| (b, range, name))
        });
        let (backward, range, name) = names.find(|(_, _, name)| !tensor(name))?;
        let known = self.expansion.arguments.iter().any(|a| a.name == name);
        let message = if known {
            message!("`{}` is not a tensor and has no gradient", name)
        } else {
            message!("the operator has no argument `{}`", name)
        };
        let at = file.place(backward.source.names, range);
        let fault = Diagnostic::new(RuleId::DerivGradientTarget, at, message);
        let tensors = arguments.non_out().iter().filter(|a| a.ty.is_tensor_like());
        let tensors: Vec<&str> = tensors.map(|a| &*a.name).collect();
        let budget = self.suggestions;
        match budget
            .near(name, tensors.iter().copied())
            .filter(|_| !known)
        {
            Some(near) => Some(fault.with_near_name(at, near)),
            None => Some(fault.with_help(message!("the tensor arguments are {}", codes(tensors)))),
        }
    }

    fn gradient_unused(&self, outputs: usize) -> Option<Diagnostic> {
        let first = self.expansion.backward.first()?;
        let returns = self.subjects.subject.schema.returns.len();
        if outputs > 0 || returns == 0 {
            return None;
        }
        let at = self.subjects.file.span(first.source.names);
        Some(
            Diagnostic::new(
                RuleId::DerivGradientUnused,
                at,
                "the operator has a gradient, but no differentiable output",
            )
            .with_help("remove the formula, or mark an output as differentiable"),
        )
    }

    fn forward_count(&self, outputs: usize) -> Option<Diagnostic> {
        let first = self.expansion.forward.first()?;
        let schema = self.subjects.subject.schema;
        let tangents: usize = self.expansion.forward.iter().map(|f| f.names.len()).sum();
        let inplace = schema.kind() == SchemaKind::Inplace;
        if outputs == 0 || self.inputs().next().is_none() || inplace || tangents == outputs {
            return None;
        }
        let at = self.subjects.file.span(first.source.names);
        Some(
            Diagnostic::new(
                RuleId::DerivForwardCount,
                at,
                message!(
                    "{} outputs have tangents, but {} are differentiable",
                    tangents,
                    outputs
                ),
            )
            .with_help("write a formula for each differentiable output, or for none"),
        )
    }

    fn forward_inputs(&self, outputs: usize) -> Option<Diagnostic> {
        let schema = self.subjects.subject.schema;
        let foreach = schema.name.stem().starts_with("_foreach_");
        let mut inputs = self.inputs();
        let (first, second) = (inputs.next()?, inputs.next());
        let one_list = second.is_none() && matches!(first.ty, Type::List(..));
        if outputs == 0 || one_list {
            return None;
        }
        let idle = self.expansion.forward.iter().find(|forward| {
            let text = forward.text.unwrap_or("");
            let used = self
                .expansion
                .differentiable()
                .filter(|a| foreach || a.kind != BindingKind::TensorList)
                .any(|a| uses(text, &format!("{}_t", a.name)));
            forward.auto.is_none() && !used
        })?;
        let at = match idle.source.formula {
            Some(formula) => self.subjects.file.span(formula),
            None => self.subjects.file.span(idle.source.names),
        };
        let names: Vec<String> = self
            .expansion
            .differentiable()
            .map(|a| format!("{}_t", a.name))
            .collect();
        let help = if names.is_empty() {
            "write gradient formulas first; only arguments with a gradient have a tangent".into()
        } else {
            message!("use one of {}", codes(names))
        };
        Some(
            Diagnostic::new(
                RuleId::DerivForwardInputs,
                at,
                "the formula does not use the tangent of an argument that has a gradient",
            )
            .with_help(help),
        )
    }
}
