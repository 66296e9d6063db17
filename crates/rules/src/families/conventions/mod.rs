//! Conventions of ATen's README that no generator checks.

mod implicit;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::Knowledge;
use opatlas_operators::derivatives::Derivatives;
use opatlas_operators::derivatives::text::identifiers;
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{DERIVATIVES, message};
use rustc_hash::FxHashSet;

use crate::scope::places::{about, declaration};
use crate::scope::{IMPLICIT, Scope, Subject};
use crate::sink::Sink;

/// Calls that a composite function must not make, with the reason. Sources: ATen's README, on
/// composite compliance.
const REFUSED: [(&str, &str); 8] = [
    ("resize_", "it changes the size of its argument in place"),
    ("resize_as_", "it changes the size of its argument in place"),
    ("set_", "it replaces the storage of its argument"),
    ("item", "it reads the value without the dispatcher"),
    (
        "_local_scalar_dense",
        "it reads the value without the dispatcher",
    ),
    ("data_ptr", "it reads memory without the dispatcher"),
    (
        "mutable_data_ptr",
        "it writes memory without the dispatcher",
    ),
    ("unsafeGetTensorImpl", "it bypasses the dispatcher"),
];

/// The suffix of functions that write to `out`.
const OUT: &str = "_out";

const NON_FUNCTIONAL: &str = "CompositeExplicitAutogradNonFunctional";

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    for subject in sink.while_wanted(scope.subjects()) {
        list_of_views(&subject, sink);
        non_functional(&subject, sink);
        masks(&subject, sink);
    }
}

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    implicit::check(scope, sink);
    if let Some(file) = &catalogue.derivatives {
        formulas(catalogue, file, sink);
        backwards(catalogue, sink);
    }
}

fn list_of_views(subject: &Subject<'_>, sink: &mut Sink) {
    let schema = subject.schema;
    let view = schema.returns.iter().find(|ret| {
        let aliases = ret.annotation.as_ref().is_some_and(|a| !a.write);
        aliases && matches!(&ret.ty, Type::List(element, _) if element.is_tensor())
    });
    let Some(letters) = view.and_then(|ret| ret.annotation.as_ref()) else {
        return;
    };
    let arguments = schema.arguments.all().iter();
    let viewed = arguments.filter_map(|argument| Some((argument, argument.annotation.as_ref()?)));
    let mut viewed = viewed.filter(|(_, annotation)| {
        let mut before = annotation.before.iter();
        before.any(|letter| letters.before.contains(letter))
    });
    let Some((argument, _)) = viewed.find(|(_, annotation)| !annotation.is_wildcard()) else {
        return;
    };
    let message = message!(
        "the operator returns a list of views of `{}`, which does not enter the wildcard set",
        argument.name
    );
    let diagnostic = Diagnostic::new(RuleId::ViewListWildcard, argument.type_at.0, message);
    subject.report(
        sink,
        diagnostic.with_help("write `(a -> *)` instead of `(a)`"),
    );
}

fn non_functional(subject: &Subject<'_>, sink: &mut Sink) {
    let aliases = subject.schema.returns.iter();
    let is_view = aliases
        .filter_map(|ret| ret.annotation.as_ref())
        .any(|annotation| !annotation.write);
    if !is_view {
        return;
    }
    let lines = subject.entry().dispatch.iter().flatten();
    for line in lines.filter(|line| line.key.as_str() == NON_FUNCTIONAL) {
        let message = message!("a view has a kernel on {}", NON_FUNCTIONAL);
        let help =
            "use CompositeExplicitAutograd; the other key is for operators that do not alias";
        let diagnostic = Diagnostic::new(RuleId::ViewNonFunctional, line.key_at, message);
        subject.report(sink, diagnostic.with_help(help));
    }
}

fn masks(subject: &Subject<'_>, sink: &mut Sink) {
    let schema = subject.schema;
    for argument in schema.arguments.all() {
        let Type::List(element, Some(size)) = &argument.ty else {
            continue;
        };
        if **element != Type::Base(BaseType::Bool) {
            continue;
        }
        let at = argument.type_at.0;
        if !(1..=4).any(|n| size.is(n)) {
            let message = message!("`bool[{}]` has more than four elements", size);
            let help = "split the argument; PyTorch's own operators use sizes from 2 to 4";
            let diagnostic = Diagnostic::new(RuleId::BoolListLong, at, message);
            subject.report(sink, diagnostic.with_help(help));
        }
        let tensors = schema
            .returns
            .iter()
            .filter(|ret| ret.ty.is_tensor())
            .count();
        if &*argument.name == "output_mask" && tensors == schema.returns.len() && !size.is(tensors)
        {
            let message = message!(
                "`output_mask` has {} elements, but the operator returns {} tensors",
                size,
                tensors
            );
            let help = message!("write `bool[{}] output_mask`", tensors);
            let diagnostic = Diagnostic::new(RuleId::OutputMaskWidth, at, message);
            subject.report(sink, diagnostic.with_help(help));
        }
    }
}

/// Checks the functions that formulas call. Searches for identifiers as torchgen does, without
/// parsing C++.
fn formulas(catalogue: &Catalogue, file: &Derivatives, sink: &mut Sink) {
    let targets = &catalogue.derivative_matches.targets;
    for (index, entry) in sink.while_wanted(file.entries.iter().enumerate()) {
        let target = targets.get(index).and_then(|target| target.ok());
        for formula in entry.sets.iter().flat_map(|set| &set.formulas) {
            let (Some(scalar), Some(text)) = (formula.formula, file.formula(formula)) else {
                continue;
            };
            for (from, to, why) in refused(text) {
                let message = message!("the formula calls `{}`: {}", &text[from..to], why);
                let help = "write the formula with operators that go through the dispatcher, or \
                            move this part into an operator with a kernel of its own";
                let at = file.place(scalar, from..to);
                let diagnostic = Diagnostic::new(RuleId::DerivCompositeCall, at, message);
                match target {
                    Some(target) => {
                        about(catalogue, target.named, sink, diagnostic.with_help(help))
                    }
                    None => sink.file(DERIVATIVES, diagnostic.with_help(help)),
                }
            }
        }
    }
}

fn refused(text: &str) -> Vec<(usize, usize, &'static str)> {
    let mut found: Vec<(usize, usize, &'static str)> = Vec::new();
    for (name, why) in REFUSED {
        let calls = identifiers(text, name);
        let calls = calls.filter(|one| is_called(text, one.end));
        found.extend(calls.map(|one| (one.start, one.end, why)));
    }
    // Functions that end in `_out`, such as `at::mul_out(`.
    for (at, _) in text.match_indices("_out(") {
        let end = at + OUT.len();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let start = text[..at].rfind(|c| !is_word(c)).map_or(0, |i| i + 1);
        found.push((start, end, "it writes to `out`, which vmap cannot do"));
    }
    found.sort_unstable();
    found
}

fn is_called(text: &str, end: usize) -> bool {
    // `item<double>()` is a call too.
    text[end..].trim_start().starts_with(['(', '<'])
}

/// Reports pairs `foo` and `foo_backward` that no formula connects.
fn backwards(catalogue: &Catalogue, sink: &mut Sink) {
    let matches = &catalogue.derivative_matches;
    if matches.knowledge != Knowledge::Complete {
        return;
    }
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    for (_, operator) in sink.while_wanted(catalogue.iter()) {
        let base = operator.base_name();
        let (Some(stem), Some(placed)) = (base.strip_suffix("_backward"), operator.declared())
        else {
            continue;
        };
        let forward = catalogue.overloads(stem);
        let is_trained =
            |&id: &_| matches.of(id).is_some() || catalogue.operator(id).has_kernel(IMPLICIT);
        if forward.is_empty() || forward.iter().any(is_trained) || !seen.insert(base) {
            continue;
        }
        let at = placed
            .entry
            .schema
            .as_ref()
            .map_or(placed.entry.func_at, |s| s.name_at.0);
        let message = message!(
            "no formula connects `{}` with `{}`, which cannot be differentiated",
            base,
            stem
        );
        let help = message!(
            "add an entry for `{}` to derivatives.yaml whose formulas call `{}`",
            stem,
            base
        );
        let diagnostic = Diagnostic::new(RuleId::BackwardWithoutFormula, at, message);
        sink.entry(placed, diagnostic.with_help(help));
        if let Some(related) = forward.first().and_then(|&id| declaration(catalogue, id)) {
            sink.relate(related);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refused_calls_are_found_by_name_and_by_ending() {
        for (text, expected) in [
            ("grad.sum(0)", &[][..]),
            ("grad.item()", &["item"]),
            (
                "grad.item <double>() * self.set_ (other)",
                &["item", "set_"],
            ),
            ("items(grad) + item", &[]),
            ("at::mul_out(grad, self)", &["mul_out"]),
            ("at::mul_out (grad, self)", &[]),
            ("_out(grad)", &["_out"]),
            (
                "grad.data_ptr<float>() < self.item\u{a0}()",
                &["data_ptr", "item"],
            ),
        ] {
            let found = refused(text);
            let found: Vec<_> = found.iter().map(|&(from, to, _)| &text[from..to]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
