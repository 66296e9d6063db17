//! Names that formulas use (torchgen `gen_autograd_functions.process_function`,
//! `gen_variable_type.emit_body`).

use std::ops::Range;

use opatlas_operators::derivatives::Scalar;
use opatlas_operators::derivatives::expand::{Backward, Expansion};
use opatlas_operators::derivatives::names::free_names;
use opatlas_operators::derivatives::text::uses;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::sentence::codes;
use opatlas_source::suggest::Near;
use opatlas_source::{Message, Span, message};
use rustc_hash::FxHashSet;

use super::subjects::Subjects;
use crate::sink::Sink;

/// Names that generated code declares around gradient formulas.
const OF_GRADIENTS: [&str; 8] = [
    "any_grad_defined",
    "gen",
    "grad",
    "grad_input_mask",
    "grad_inputs",
    "grads",
    "needs_input_grad",
    "retain_variables",
];

/// The endings of the names of a value and its tangent in tangent formulas.
const OF_TANGENTS: [&str; 2] = ["_p", "_t"];

/// The value of an in-place operator's `self` before the call.
const ORIGINAL_SELF: &str = "original_self";

pub(super) fn check(subjects: &Subjects<'_>, expansion: &Expansion<'_>, sink: &mut Sink) {
    for backward in sink.while_wanted(&expansion.backward) {
        let used = Use {
            subjects,
            expansion: Some(expansion),
            text: backward.text,
            scalar: backward.source.formula,
            at: backward.source.value_at,
            role: Role::Gradient(backward),
        };
        used.check(sink);
    }
    for forward in sink.while_wanted(&expansion.forward) {
        let Some(text) = forward.text.filter(|_| forward.auto.is_none()) else {
            continue;
        };
        let used = Use {
            subjects,
            expansion: Some(expansion),
            text,
            scalar: forward.source.formula,
            at: forward.source.value_at,
            role: Role::Tangent,
        };
        // Another rule reports formulas for neither an argument nor an output.
        if forward.names.iter().any(|name| used.is_output(name)) {
            used.check(sink);
        }
    }
}

/// Checks the condition of `output_differentiability`.
pub(super) fn condition(subjects: &Subjects<'_>, sink: &mut Sink) {
    let Some(outputs) = &subjects.entry.output_differentiability else {
        return;
    };
    let Some(scalar) = outputs.condition else {
        return;
    };
    let used = Use {
        subjects,
        expansion: None,
        text: subjects.file.value(scalar),
        scalar: Some(scalar),
        at: outputs.at,
        role: Role::Condition,
    };
    used.check(sink);
}

#[derive(Clone, Copy)]
enum Role<'c> {
    Gradient(&'c Backward<'c>),
    Tangent,
    Condition,
}

/// A C++ expression of an entry.
struct Use<'c, 'a> {
    subjects: &'c Subjects<'a>,
    expansion: Option<&'c Expansion<'a>>,
    text: &'c str,
    scalar: Option<Scalar>,
    at: Span,
    role: Role<'c>,
}

impl<'c> Use<'c, '_> {
    fn check(&self, sink: &mut Sink) {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        for range in free_names(self.text) {
            let name = &self.text[range.clone()];
            if !self.is_known(name) && seen.insert(name) {
                let diagnostic = self.unknown(name, range, sink);
                self.subjects.report(sink, diagnostic);
            }
        }
    }

    fn is_known(&self, name: &str) -> bool {
        let is_of_foreach = name == "i"
            && self
                .subjects
                .subject
                .schema
                .name
                .stem()
                .starts_with("_foreach_");
        self.is_argument(name)
            || self.is_result(name)
            || is_of_foreach
            || match self.role {
                Role::Gradient(backward) => self.is_of_gradient(backward, name),
                Role::Tangent => self.is_of_tangent(name),
                Role::Condition => false,
            }
    }

    fn is_argument(&self, name: &str) -> bool {
        let arguments = self.subjects.subject.schema.arguments.all().iter();
        let in_cpp = self.expansion.iter().flat_map(|all| &all.arguments);
        arguments.map(|argument| &*argument.name).any(|a| a == name)
            || in_cpp
                .flat_map(|a| [&a.name, &a.saved_as])
                .any(|a| a == name)
    }

    fn is_result(&self, name: &str) -> bool {
        let mut results = self.expansion.iter().flat_map(|all| &all.results);
        results.any(|result| result.name == name)
    }

    fn is_output(&self, name: &str) -> bool {
        let mut returns = self.subjects.subject.schema.returns.iter();
        self.is_result(name) || returns.any(|one| one.name.as_deref() == Some(name))
    }

    fn is_of_gradient(&self, backward: &Backward<'_>, name: &str) -> bool {
        if OF_GRADIENTS.contains(&name) {
            return name != "grad_input_mask" || backward.names.len() > 1;
        }
        let of_input = ["_ix", "_size_"]
            .into_iter()
            .find_map(|end| name.strip_suffix(end));
        let is_gradient = name
            .strip_prefix("grad_")
            .is_some_and(|output| self.is_differentiable(output));
        is_gradient || of_input.is_some_and(|input| self.is_argument(input))
    }

    fn is_differentiable(&self, output: &str) -> bool {
        let flags = self.subjects.entry.output_differentiability.as_ref();
        let mut returns = self.subjects.subject.schema.returns.iter().enumerate();
        returns.any(|(index, one)| {
            one.name.as_deref() == Some(output)
                && one.ty.is_tensor_like()
                && flags.is_none_or(|flags| flags.allows(index))
        })
    }

    fn is_of_tangent(&self, name: &str) -> bool {
        let value = OF_TANGENTS
            .into_iter()
            .find_map(|end| name.strip_suffix(end));
        value.is_some_and(|value| self.is_argument(value) || value == ORIGINAL_SELF)
    }

    fn unknown(&self, name: &str, range: Range<usize>, sink: &Sink) -> Diagnostic {
        let at = self
            .scalar
            .map_or(self.at, |scalar| self.subjects.file.place(scalar, range));
        let what = match self.role {
            Role::Condition => "condition",
            Role::Gradient(_) | Role::Tangent => "formula",
        };
        let message = message!(
            "the {} uses `{}`, which is not an argument of `{}`",
            what,
            name,
            self.subjects.subject.name
        );
        let diagnostic = Diagnostic::new(RuleId::DerivUnknownName, at, message);
        if sink.is_full(RuleId::DerivUnknownName) {
            return diagnostic;
        }
        if let Some(help) = self.misplaced(name) {
            return diagnostic.with_help(help);
        }
        let is_verbatim = at.slice(&self.subjects.file.text) == name;
        match self.near(name, sink) {
            // An edit is certain only for a name that the formula does not use yet.
            Some((near, is_only)) if is_verbatim && !uses(self.text, &near) => {
                let name = &near;
                diagnostic.with_near_name(at, Near { name, is_only })
            }
            Some((near, _)) => diagnostic.with_help(message!("did you mean `{}`?", near)),
            None => diagnostic.with_help(self.names()),
        }
    }

    /// Explains a name that exists in other formulas.
    fn misplaced(&self, name: &str) -> Option<Message> {
        match self.role {
            Role::Gradient(_) if name == "grad_input_mask" => {
                Some("`grad_input_mask` exists only in a formula for several arguments".into())
            }
            Role::Gradient(_) if self.is_of_tangent(name) => {
                Some("tangents exist only in formulas for outputs".into())
            }
            Role::Tangent if OF_GRADIENTS.contains(&name) => {
                Some("gradients exist only in formulas for arguments".into())
            }
            _ => None,
        }
    }

    /// The name that may be meant, with the ending of a tangent formula.
    /// The near name, and whether it is the only one.
    fn near(&self, name: &str, sink: &Sink) -> Option<(String, bool)> {
        let is_tangent = matches!(self.role, Role::Tangent);
        let endings = OF_TANGENTS.into_iter().filter(|_| is_tangent);
        let ending = endings
            .into_iter()
            .find(|end| name.ends_with(end))
            .unwrap_or("");
        let stem = name.strip_suffix(ending).unwrap_or(name);
        let names: Vec<&str> = self.arguments().collect();
        let near = sink.suggestions.near(stem, names)?;
        Some((format!("{}{ending}", near.name), near.is_only))
    }

    fn arguments(&self) -> impl Iterator<Item = &'c str> {
        let subjects: &'c Subjects<'_> = self.subjects;
        let arguments = subjects.subject.schema.arguments.all().iter();
        arguments.map(|argument| &*argument.name)
    }

    fn names(&self) -> Message {
        let names: Vec<&str> = self.arguments().collect();
        match &names[..] {
            [] => "the operator has no arguments".into(),
            [name] => message!("the argument is `{}`", name),
            names => message!("the arguments are {}", codes(names)),
        }
    }
}
