//! Tangent formulas, which forward-mode differentiation uses.

use opatlas_operators::derivatives::bindings::{Binding, BindingKind};
use opatlas_operators::derivatives::expand::{Auto, Expansion, Forward};
use opatlas_operators::derivatives::saved::first_use;
use opatlas_operators::derivatives::text::uses;
use opatlas_schema::function::SchemaKind;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::sentence::codes;
use opatlas_source::suggest::Budget;
use opatlas_source::{Message, Span, message};

use super::gradients::formula_type;
use super::subjects::Subjects;
use crate::sink::Sink;

pub(super) fn check(subjects: &Subjects<'_>, expansion: &Expansion<'_>, sink: &mut Sink) {
    for forward in sink.while_wanted(&expansion.forward) {
        let check = Check {
            subjects,
            expansion,
            suggestions: &sink.suggestions,
        };
        let fault = check
            .target(forward)
            .or_else(|| check.auto(forward))
            .or_else(|| check.plain_names(forward));
        if let Some(fault) = fault {
            subjects.report(sink, fault);
        }
    }
}

struct Check<'c, 'a> {
    subjects: &'c Subjects<'a>,
    expansion: &'c Expansion<'a>,
    suggestions: &'c Budget,
}

impl Check<'_, '_> {
    fn value_at(&self, forward: &Forward<'_>) -> Span {
        let scalar = forward.source.formula;
        scalar.map_or(forward.source.value_at, |scalar| {
            self.subjects.file.span(scalar)
        })
    }

    fn target(&self, forward: &Forward<'_>) -> Option<Diagnostic> {
        let returns = &self.subjects.subject.schema.returns;
        let named = |name: &&str| returns.iter().any(|r| r.name.as_deref() == Some(name));
        if forward.names.iter().any(named) {
            return None;
        }
        let fault = |message: Message| {
            let at = self.subjects.file.span(forward.source.names);
            Some(Diagnostic::new(RuleId::DerivForwardTarget, at, message).with_help(self.outputs()))
        };
        if forward.names == ["result"] {
            return match returns.len() {
                1 => None,
                count => fault(message!(
                    "`result` refers to a single output, but the operator has {}",
                    count
                )),
            };
        }
        let numbered: Vec<usize> = forward
            .names
            .iter()
            .filter_map(|name| number(name.strip_prefix("result")?))
            .collect();
        if numbered.is_empty() {
            return Some(self.no_target(forward));
        }
        let beyond = numbered
            .into_iter()
            .find(|number| *number >= returns.len())?;
        fault(message!("unknown output `result{}`", beyond))
    }

    fn outputs(&self) -> Message {
        let results = self.expansion.results.iter();
        let names: Vec<&str> = results.map(|result| &*result.name).collect();
        match &names[..] {
            [] => "the operator has no outputs".into(),
            [name] => message!("the output is `{}`", name),
            names => message!("the outputs are {}", codes(names)),
        }
    }

    /// Checks that no argument shares the name of an output: a formula could mean either.
    fn no_target(&self, forward: &Forward<'_>) -> Diagnostic {
        let file = self.subjects.file;
        let name = forward.names.first().copied().unwrap_or("");
        let names = file.names(forward.source);
        let range = names.map(|(range, _)| range).next().unwrap_or(0..0);
        let at = file.place(forward.source.names, range);
        let arguments = || self.expansion.arguments.iter().map(|a| &*a.name);
        let near = self.suggestions.near(name, arguments());
        let text = forward.text.unwrap_or("");
        let is_gradient = uses(text, "grad")
            || uses(text, "grads")
            || text.contains("grad_")
            || file.is_non_differentiable(forward.source);
        if near.is_none() && !is_gradient {
            return Diagnostic::new(
                RuleId::DerivForwardTarget,
                at,
                message!("`{}` is not an argument or output of the operator", name),
            )
            .with_help(self.outputs());
        }
        let diagnostic = Diagnostic::new(
            RuleId::DerivUnknownArg,
            at,
            message!("the operator has no argument `{}`", name),
        );
        match near {
            Some(near) => diagnostic.with_near_name(at, near),
            None => diagnostic.with_help(message!("the arguments are {}", codes(arguments()))),
        }
    }

    fn auto(&self, forward: &Forward<'_>) -> Option<Diagnostic> {
        let inputs = self.expansion.differentiable().count();
        let tangents = &self.expansion.forward;
        let outputs = tangents.first().map_or(0, |first| first.names.len());
        let several = tangents.len() > 1 || outputs > 1;
        let gradients = self.expansion.backward.len();
        let schema = self.subjects.subject.schema;
        let (rule, word, fault) = match forward.auto? {
            Auto::ElementWise => (
                RuleId::DerivAutoElementWise,
                "auto_element_wise",
                if schema.kind() == SchemaKind::Inplace {
                    Some("does not support in-place operators".to_owned())
                } else if several {
                    Some("supports one output, not several".to_owned())
                } else if inputs != 1 {
                    Some(format!("supports one differentiable input, not {inputs}"))
                } else if gradients != 1 {
                    Some(format!("supports one gradient formula, not {gradients}"))
                } else {
                    None
                },
            ),
            Auto::Linear => (
                RuleId::DerivAutoLinear,
                "auto_linear",
                if several {
                    Some("supports one output, not several".to_owned())
                } else if inputs == 0 {
                    Some("needs a differentiable input".to_owned())
                } else {
                    None
                },
            ),
        };
        let at = self.value_at(forward);
        let fault = Diagnostic::new(rule, at, message!("`{}` {}", word, fault?));
        Some(fault.with_help("write the formula out, or remove it"))
    }

    /// Checks that formulas use `_p` or `_t` for differentiable arguments.
    fn plain_names(&self, forward: &Forward<'_>) -> Option<Diagnostic> {
        let stem = self.subjects.subject.schema.name.stem();
        let foreach = stem.starts_with("_foreach_");
        let checked = |argument: &&Binding<'_>| foreach || argument.kind != BindingKind::TensorList;
        let mut inputs = self.expansion.differentiable().filter(checked);
        let Some(text) = forward.text else {
            return inputs
                .next()
                .map(|_| formula_type(self.subjects, forward.source));
        };
        let name = inputs
            .map(|argument| &*argument.name)
            .find(|name| uses(text, name) || uses(&forward.formula, name))?;
        let written = first_use(text, name);
        let at = match (forward.source.formula, &written) {
            (Some(scalar), Some(range)) => self.subjects.file.place(scalar, range.clone()),
            _ => self.value_at(forward),
        };
        let message = if written.is_some() {
            message!(
                "`{}` is ambiguous: it may be the value or the tangent",
                name
            )
        } else {
            message!(
                "the formula derived from `{}` uses `{}`, which may be the value or the \
                 tangent",
                text,
                name
            )
        };
        let help = if written.is_some() {
            message!(
                "write `{}_p` for the value or `{}_t` for the tangent",
                name,
                name
            )
        } else {
            message!(
                "write the formula out with `{}_p` and `{}_t`, or put spaces around every \
                 `{}` in the gradient formula",
                name,
                name,
                name
            )
        };
        Some(Diagnostic::new(RuleId::DerivForwardAmbiguous, at, message).with_help(help))
    }
}

/// Parses a decimal number; saturates.
fn number(digits: &str) -> Option<usize> {
    let all = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    all.then(|| digits.parse().unwrap_or(usize::MAX))
}
