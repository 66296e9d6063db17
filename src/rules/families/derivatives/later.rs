//! What the reader of formulas lets pass and the writers of autograd code refuse
//! (`match_differentiability_info`, `gen_variable_type`).

use super::{Subjects, declaration, example, warning};
use crate::diagnostic::Diagnostic;
use crate::model::catalogue::Catalogue;
use crate::model::derivative_match::{Basis, Origin};
use crate::model::derivatives::expand::Expansion;
use crate::model::derivatives::saved::first_use;
use crate::model::derivatives::text::uses;
use crate::model::derivatives::{Derivatives, Outputs};
use crate::model::operator::{Operator, OperatorId};
use crate::model::schema::SchemaKind;
use crate::rules::Rule;
use crate::rules::sink::Sink;

pub(super) static RULES: [Rule; 9] = [
    Rule {
        what: "An operator with a gradient, and every variant that shares it, has a `dispatch:` with more than CompositeImplicitAutograd.",
        why: "The decomposition is what autograd would differentiate, so a kernel for autograd never runs. The writer of autograd code stops at such operators.",
        bad: example("- name: decomposed(Tensor self) -> Tensor\n  self: grad\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/gen_variable_type.py, gen_variable_type_func",
        ..warning("deriv-needs-dispatch")
    },
    Rule {
        what: "`output_differentiability` speaks of every output.",
        why: "The writer of autograd code counts the flags and stops when there are more or fewer than returns.",
        bad: example("- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [True]\n  self: grad\n"),
        good: example("- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [True, False]\n  self: grad\n"),
        source: "torchgen/api/autograd.py, gen_differentiable_outputs",
        ..warning("deriv-output-count")
    },
    Rule {
        what: "No output is called not differentiable when the formulas serve an in-place variant.",
        why: "The in-place variant has to count the versions of the tensor that it writes, which it would not do for an output without gradient.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  output_differentiability: [False]\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: non_differentiable\n  other: non_differentiable\n"),
        source: "torchgen/api/autograd.py, gen_differentiable_outputs",
        ..warning("deriv-output-inplace")
    },
    Rule {
        what: "Everything that a gradient formula is for is a tensor argument, or a list or optional of tensors.",
        why: "Only tensors have gradients. The reader looks at the first name only; the writer of autograd code stops at the others.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self, othr: scale_backward(grad, self, other)\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self, other: scale_backward(grad, self, other)\n"),
        source: "torchgen/packaged/autograd/gen_variable_type.py, find_args_with_derivatives",
        ..warning("deriv-gradient-target")
    },
    Rule {
        what: "An operator with a gradient has a differentiable output, and is not among those that autograd leaves alone.",
        why: "The gradient could never be used; the writer of autograd code stops rather than to drop it.",
        bad: example("- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [False, False]\n  self: grad\n"),
        good: example("- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [True, False]\n  self: grad\n"),
        source: "torchgen/packaged/autograd/gen_variable_type.py, emit_body",
        ..warning("deriv-gradient-unused")
    },
    Rule {
        what: "There are tangent formulas for all differentiable outputs or for none.",
        why: "The writer of autograd code counts them and stops when some are missing.",
        bad: example("- name: pair(Tensor self) -> (Tensor, Tensor)\n  self: grads[0] + grads[1]\n  result0: self_t\n"),
        good: example("- name: pair(Tensor self) -> (Tensor, Tensor)\n  self: grads[0] + grads[1]\n  result0: self_t\n  result1: self_t\n"),
        source: "torchgen/packaged/autograd/gen_variable_type.py, emit_body",
        ..warning("deriv-forward-count")
    },
    Rule {
        what: "An in-place operator has at most one tangent formula, and one written for it does not use `self_p`.",
        why: "The value of `self` is overwritten when the tangent is computed: the formula may use `result`, or `original_self_p` to keep a copy.",
        bad: example("- name: stamp_(Tensor(a!) self, Tensor mark) -> Tensor(a!)\n  self: grad\n  result: self_t * self_p\n"),
        good: example("- name: stamp_(Tensor(a!) self, Tensor mark) -> Tensor(a!)\n  self: grad\n  result: self_t * result\n"),
        source: "torchgen/api/autograd.py, match_differentiability_info",
        ..warning("deriv-inplace-forward")
    },
    Rule {
        what: "The gradient for `self` does not ask for the strides of an argument when it serves an in-place operator.",
        why: "The strides would be read after `self` has been overwritten.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: scale_backward(grad, self.sym_strides())\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: scale_backward(grad, self.sym_sizes())\n"),
        source: "torchgen/api/autograd.py, match_differentiability_info",
        ..warning("deriv-inplace-strides")
    },
    Rule {
        what: "Formulas that are written for an operator that writes its arguments, and serve the functional operator generated from it, keep nothing called `self`.",
        why: "In the one `self` is what comes out, in the other what goes in; the formula would have to be rewritten.",
        bad: example("- name: stamp_(Tensor(a!) self, Tensor mark) -> Tensor(a!)\n  mark: grad * self\n"),
        good: example("- name: stamp_(Tensor(a!) self, Tensor mark) -> Tensor(a!)\n  mark: grad * mark\n"),
        source: "torchgen/api/autograd.py, match_differentiability_info",
        ..warning("deriv-generated-self")
    },
];

/// The operators that an entry serves.
type Served = Vec<(OperatorId, Basis)>;

pub(super) fn check(catalogue: &Catalogue, file: &Derivatives, sink: &mut Sink) {
    let matches = &catalogue.derivative_matches;
    let mut served: Vec<Served> = vec![Vec::new(); file.entries.len()];
    for (id, _) in catalogue.iter() {
        if let Some((found, basis)) = matches.of(id)
            && let Origin::Entry(index) = found.origin
        {
            served[index as usize].push((id, basis));
        }
    }
    for (index, served) in served.iter().enumerate() {
        let Some(Ok(target)) = matches.targets.get(index) else {
            continue;
        };
        if served.is_empty() {
            // A later entry replaces this one.
            continue;
        }
        let check = Check {
            subjects: Subjects::of(catalogue, file, index, *target),
            served,
        };
        check.all(sink);
    }
}

struct Check<'c, 'a> {
    subjects: Subjects<'a>,
    served: &'c Served,
}

impl Check<'_, '_> {
    fn operator(&self, id: OperatorId) -> &Operator {
        self.subjects.catalogue.operator(id)
    }

    fn all(&self, sink: &mut Sink) {
        self.dispatch(sink);
        self.output_differentiability(sink);
        for set in &self.subjects.entry.sets {
            let expansion = self.subjects.expand(set);
            let faults = [
                self.inplace_forward(&expansion),
                self.inplace_strides(&expansion),
                self.generated(&expansion),
            ];
            let faults = faults.into_iter().flatten();
            let outputs = self.outputs(&expansion);
            let own = [
                self.gradient_targets(&expansion),
                self.gradient_unused(&expansion, outputs),
                self.forward_count(&expansion, outputs),
            ];
            let own = own.into_iter().find_map(|fault| fault);
            for fault in faults.chain(own) {
                self.subjects.report(sink, fault);
            }
        }
    }

    fn warn(&self, rule: &'static str, message: String, help: &'static str) -> Diagnostic {
        let at = self.subjects.file.span(self.subjects.entry.name);
        Diagnostic::new(rule, at, message).with_help(help)
    }

    fn name(&self, id: OperatorId) -> String {
        self.operator(id).qualified_name()
    }

    /// Served operators of which this holds, by name.
    fn those(&self, test: impl Fn(&Operator, Basis) -> bool) -> Vec<OperatorId> {
        let served = self.served.iter();
        served
            .filter(|(id, basis)| test(self.operator(*id), *basis))
            .map(|(id, _)| *id)
            .collect()
    }

    fn dispatch(&self, sink: &mut Sink) {
        let matches = &self.subjects.catalogue.derivative_matches;
        for (id, _) in self.served {
            let differentiable = matches.of(*id).is_some_and(|(f, _)| f.is_differentiable());
            if !differentiable || self.operator(*id).is_abstract() {
                continue;
            }
            let name = self.name(*id);
            let fault = self.warn(
                "deriv-needs-dispatch",
                format!("`{name}` has a gradient, but only a composite kernel"),
                "give it a `dispatch:` with backends or CompositeExplicitAutograd, or remove the formulas",
            );
            sink.about(crate::source::DERIVATIVES, &name, fault);
            if let Some(related) = declaration(self.subjects.catalogue, *id) {
                sink.relate(related);
            }
        }
    }

    fn output_differentiability(&self, sink: &mut Sink) {
        let Some(outputs) = &self.subjects.entry.output_differentiability else {
            return;
        };
        let count = self.subjects.subject.schema.returns.len();
        if outputs.count() != count {
            let fault = Diagnostic::new(
                "deriv-output-count",
                outputs.at,
                format!("{} outputs are spoken of, but the operator has {count}", outputs.count()),
            )
            .with_help("give one flag for each output");
            self.subjects.report(sink, fault);
            return;
        }
        let not_all = matches!(&outputs.outputs, Outputs::Flags(flags) if flags.contains(&false));
        let inplace = self.those(|operator, _| operator.kind == SchemaKind::Inplace);
        if let Some(first) = inplace.first().filter(|_| not_all) {
            let fault = Diagnostic::new(
                "deriv-output-inplace",
                outputs.at,
                format!("the formulas serve the in-place `{}`, whose output cannot be called not differentiable", self.name(*first)),
            )
            .with_help("call the arguments `non_differentiable` instead");
            self.subjects.report(sink, fault);
        }
    }

    /// How many differentiable outputs the canonical function has; none of an operator that
    /// autograd leaves alone.
    fn outputs(&self, expansion: &Expansion<'_>) -> usize {
        let schema = self.subjects.subject.schema;
        let lists = &self.subjects.catalogue.release.data().codegen;
        let left_alone = &lists.dont_require_derivative;
        let base = schema.name.stem();
        if left_alone.contains(base) || left_alone.contains(&schema.default_kernel()) {
            return 0;
        }
        let returns = schema.returns.iter().zip(&expansion.results).enumerate();
        if let Some(outputs) = &self.subjects.entry.output_differentiability {
            return returns.filter(|(index, _)| outputs.allows(*index)).count();
        }
        let excluded = |name: &str| {
            let name = if schema.name.is_inplace() { "self" } else { name };
            expansion.non_differentiable.iter().any(|(n, _)| *n == name)
        };
        let count = returns
            .filter(|(_, (ret, result))| ret.ty.is_tensor_like() && !excluded(&result.name))
            .count();
        let single = expansion.backward.iter().any(|b| uses(b.formula(), "grad"));
        if single { count.min(1) } else { count }
    }

    fn gradient_targets(&self, expansion: &Expansion<'_>) -> Option<Diagnostic> {
        let arguments = &self.subjects.subject.schema.arguments;
        let tensor = |name: &str| {
            let mut inputs = arguments.non_out().iter();
            inputs.any(|a| *a.name == *name && a.ty.is_tensor_like())
        };
        let file = self.subjects.file;
        let mut names = expansion
            .backward
            .iter()
            .flat_map(|b| file.names(b.source).map(|(range, name)| (b, range, name)));
        let (backward, range, name) = names.find(|(_, _, name)| !tensor(name))?;
        let known = expansion.arguments.iter().any(|a| a.name == name);
        let message = if known {
            format!("`{name}` is no tensor and has no gradient")
        } else {
            format!("the operator has no argument `{name}`")
        };
        let at = file.place(backward.source.names, range);
        let fault = Diagnostic::new("deriv-gradient-target", at, message);
        let tensors = arguments.non_out().iter().filter(|a| a.ty.is_tensor_like());
        let tensors: Vec<&str> = tensors.map(|a| &*a.name).collect();
        match crate::suggest::nearest(name, tensors.iter().copied()).filter(|_| !known) {
            Some(near) => Some(fault.with_help(format!("did you mean `{near}`?")).with_fix(at, near)),
            None => Some(fault.with_help(format!("the tensors are `{}`", tensors.join("`, `")))),
        }
    }

    fn gradient_unused(&self, expansion: &Expansion<'_>, outputs: usize) -> Option<Diagnostic> {
        let first = expansion.backward.first()?;
        let returns = self.subjects.subject.schema.returns.len();
        let counted = self.subjects.entry.output_differentiability.as_ref();
        let miscounted = counted.is_some_and(|o| o.count() != returns);
        if outputs > 0 || returns == 0 || miscounted {
            return None;
        }
        let at = self.subjects.file.span(first.source.names);
        Some(
            Diagnostic::new(
                "deriv-gradient-unused",
                at,
                "the operator has a gradient, but no differentiable output",
            )
            .with_help("remove the formula, or call an output differentiable"),
        )
    }

    fn forward_count(&self, expansion: &Expansion<'_>, outputs: usize) -> Option<Diagnostic> {
        let first = expansion.forward.first()?;
        let schema = self.subjects.subject.schema;
        let counted = self.subjects.entry.output_differentiability.as_ref();
        let miscounted = counted.is_some_and(|o| o.count() != schema.returns.len());
        let inputs = schema.arguments.non_out().iter().any(|a| {
            let none = |(name, _): &(&str, _)| **name == *a.name;
            a.ty.is_tensor_like() && !expansion.non_differentiable.iter().any(none)
        });
        let tangents: usize = expansion.forward.iter().map(|f| f.names.len()).sum();
        let inplace = schema.kind() == SchemaKind::Inplace;
        if outputs == 0 || !inputs || miscounted || inplace || tangents == outputs {
            return None;
        }
        let at = self.subjects.file.span(first.source.names);
        Some(
            Diagnostic::new(
                "deriv-forward-count",
                at,
                format!("there are tangents for {tangents} outputs, but {outputs} are differentiable"),
            )
            .with_help("write a formula for each differentiable output, or for none"),
        )
    }

    fn inplace_forward(&self, expansion: &Expansion<'_>) -> Option<Diagnostic> {
        const RULE: &str = "deriv-inplace-forward";
        let first = expansion.forward.first()?;
        let inplace = self.those(|operator, _| operator.kind == SchemaKind::Inplace);
        let name = self.name(*inplace.first()?);
        let file = self.subjects.file;
        if expansion.forward.len() > 1 {
            let message = format!("the formulas serve the in-place `{name}`, which can have one tangent formula only");
            let at = file.span(first.source.names);
            return Some(
                Diagnostic::new(RULE, at, message)
                    .with_help("keep the formula for the output that is written in place"),
            );
        }
        let own = self.those(|operator, basis| {
            operator.kind == SchemaKind::Inplace && basis == Basis::Own
        });
        if own.is_empty() || !uses(&first.formula, "self_p") {
            return None;
        }
        let range = first.text.and_then(|text| first_use(text, "self_p"));
        let at = match (first.source.formula, range) {
            (Some(scalar), Some(range)) => file.place(scalar, range),
            _ => first.source.value_at,
        };
        Some(
            Diagnostic::new(RULE, at, "the value of `self` is overwritten when the tangent is computed")
                .with_help("use `result`, or `original_self_p` for a copy of the old value"),
        )
    }

    fn inplace_strides(&self, expansion: &Expansion<'_>) -> Option<Diagnostic> {
        let inplace = self.those(|operator, _| operator.kind == SchemaKind::Inplace);
        let name = self.name(*inplace.first()?);
        let fault = expansion.backward.iter().find(|backward| {
            backward.names.contains(&"self") && !backward.of_arguments.strides_of.is_empty()
        })?;
        let at = self.subjects.file.span(fault.source.formula?);
        Some(
            Diagnostic::new(
                "deriv-inplace-strides",
                at,
                format!("the formula serves the in-place `{name}`, where strides cannot be asked for"),
            )
            .with_help("write an entry of its own for the in-place operator, or do without strides"),
        )
    }

    fn generated(&self, expansion: &Expansion<'_>) -> Option<Diagnostic> {
        let generated = self.those(|_, basis| basis == Basis::Generated);
        let name = self.name(*generated.first()?);
        let keeps = |b: &&crate::model::derivatives::expand::Backward<'_>| {
            b.of_arguments.keeps_part("self")
        };
        let backward = expansion.backward.iter().find(keeps)?;
        let at = self.subjects.file.span(backward.source.formula?);
        Some(
            Diagnostic::new(
                "deriv-generated-self",
                at,
                format!("the formula uses `self`, but serves the generated `{name}` too"),
            )
            .with_help("do without `self`, or write the functional operator out with an entry of its own"),
        )
    }
}
