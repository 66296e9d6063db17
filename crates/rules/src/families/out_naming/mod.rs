//! Out arguments: names, and conditions beyond the invariants of a schema.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::function::{Argument, FunctionSchema, SchemaKind};
use opatlas_schema::types::Type;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use crate::scope::places::name_place;
use crate::scope::{Scope, Subject};
use crate::sink::Sink;

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    let text = &catalogue.native_functions.text;
    for (id, operator) in sink.while_wanted(scope.operators()) {
        let subject = operator
            .declared()
            .and_then(|placed| Subject::new(placed, text));
        let Some(subject) = subject else { break };
        let outs = operator.schema().arguments.out();
        if outs.iter().any(|out| matches!(out.ty, Type::Optional(_))) {
            continue; // refused
        }
        if operator.kind == SchemaKind::Out {
            names(&subject, sink);
            overload(catalogue, id, &subject, sink);
        } else {
            named_out(&subject, operator.kind, sink);
        }
        letters(catalogue, id, operator, &subject, sink);
    }
}

/// Whether a name is `out`, or `out` and a number.
fn is_out_name(name: &str) -> bool {
    name.strip_prefix("out")
        .is_some_and(|number| number.bytes().all(|b| b.is_ascii_digit()))
}

fn names(subject: &Subject<'_>, sink: &mut Sink) {
    let out = subject.schema.arguments.out();
    let single = out.len() == 1;
    for (i, argument) in out.iter().enumerate() {
        let name = &*argument.name;
        let result = subject.schema.returns.get(i);
        let is_of_result = result.is_some_and(|result| result.name.as_deref() == Some(name));
        if is_out_name(name) || name.starts_with("_scratch_") || is_of_result && !single {
            continue;
        }
        let expected = if single {
            "out".to_owned()
        } else {
            format!("out{i}")
        };
        let message = message!(
            "out argument `{}` should be named `{}`",
            name.escape_debug(),
            expected
        );
        let diagnostic = Diagnostic::new(RuleId::OutArgNaming, name_place(argument), message)
            .with_help(
                "name new out arguments `out`, or `out0`, `out1` and so on, or after the named \
                 returns; released arguments keep their names",
            );
        subject.report(sink, diagnostic);
    }
}

fn overload(catalogue: &Catalogue, id: OperatorId, subject: &Subject<'_>, sink: &mut Sink) {
    let overload = subject.schema.name.overload();
    let functional = catalogue
        .groups
        .of(id)
        .functional
        .map(|id| catalogue.operator(id));
    let functional = functional.filter(|functional| !functional.is_generated());
    let of_functional = functional.map(|functional| functional.name().overload());
    let suffixed = overload.strip_suffix("_out");
    let is_expected = match of_functional {
        Some("") => overload == "out",
        Some(functional) => suffixed == Some(functional),
        None => overload == "out" || suffixed.is_some(),
    };
    if is_expected {
        return;
    }
    let expected = match of_functional {
        None | Some("") => "out".to_owned(),
        Some(functional) => format!("{functional}_out"),
    };
    let base = subject.schema.name.base();
    if catalogue.find(&format!("{base}.{expected}")).is_some() {
        // Another operator has the name.
        return;
    }
    let message = message!(
        "the overload name of this out variant should be `{}`",
        expected
    );
    let diagnostic = Diagnostic::new(RuleId::OutOverloadNaming, subject.schema.name_at.0, message)
        .with_help(
            "name new out variants after the functional overload plus `_out`; released overloads \
             keep their names",
        );
    subject.report(sink, diagnostic);
}

fn has_out_overload(schema: &FunctionSchema) -> bool {
    let overload = schema.name.overload();
    overload == "out" || overload.ends_with("_out")
}

fn named_like_out(schema: &FunctionSchema) -> Option<(usize, &Argument)> {
    let mut arguments = schema.arguments.all().iter().enumerate();
    arguments.find(|(_, a)| is_out_name(&a.name) && a.ty.is_tensor_like())
}

/// How to make an argument an out argument that [`unannotated`] finds.
pub(super) const ANNOTATE: &str =
    "annotate the argument and the return: `*, Tensor(a!) out) -> Tensor(a!)`";

/// The argument that is meant as an out argument, but has no annotation. Backward operators take the
/// forward's `out` as a plain input.
pub(super) fn unannotated(schema: &FunctionSchema) -> Option<&Argument> {
    let (i, argument) = named_like_out(schema)?;
    let is_meant = schema.arguments.is_keyword_only(i) || has_out_overload(schema);
    (is_meant && !argument.is_write()).then_some(argument)
}

fn named_out(subject: &Subject<'_>, kind: SchemaKind, sink: &mut Sink) {
    let arguments = &subject.schema.arguments;
    let overload = subject.schema.name.overload();
    if let Some((i, argument)) = named_like_out(subject.schema) {
        if !argument.is_write() && unannotated(subject.schema).is_none() {
            return;
        }
        if !argument.is_write() {
            let diagnostic = Diagnostic::new(
                RuleId::OutArgumentAnnotation,
                argument.type_at.0,
                message!(
                    "argument `{}` has the name of an out argument, but is not annotated as \
                     mutable",
                    argument.name
                ),
            )
            .with_help(ANNOTATE);
            subject.report(sink, annotate(subject.schema, argument, diagnostic));
            return;
        }
        let returned = subject
            .schema
            .returns
            .iter()
            .any(|r| r.annotation == argument.annotation);
        if argument.is_write() && returned {
            return; // refused
        }
        if !arguments.is_keyword_only(i) {
            let diagnostic = Diagnostic::new(
                RuleId::SchemaKind,
                argument.at.0,
                message!(
                    "`{}` is positional, so this is not an out variant but a {} operator",
                    argument.name,
                    kind.as_str()
                ),
            )
            .with_help("put `*` before it to make it an out argument, or rename it");
            subject.report(sink, diagnostic);
            return;
        }
    }
    if arguments.out().is_empty() && has_out_overload(subject.schema) {
        let diagnostic = Diagnostic::new(
            RuleId::SchemaKind,
            subject.schema.name_at.0,
            message!(
                "overload `{}` has no out arguments, so this is a {} operator",
                overload,
                kind.as_str()
            ),
        )
        .with_help("add `*, Tensor(a!) out` and return it, or choose another overload name");
        subject.report(sink, diagnostic);
    }
}

/// The edit that annotates the only tensor called `out`, and the only return with it.
pub(super) fn annotate(
    schema: &FunctionSchema,
    argument: &Argument,
    diagnostic: Diagnostic,
) -> Diagnostic {
    let arguments = &schema.arguments;
    let last = arguments
        .keyword_only()
        .last()
        .is_some_and(|last| std::ptr::eq(last, argument));
    let annotated = |annotation: &Option<_>| annotation.is_some();
    let is_bare = !arguments.all().iter().any(|a| annotated(&a.annotation));
    let [ret] = &schema.returns[..] else {
        return diagnostic;
    };
    if !last
        || !is_bare
        || annotated(&ret.annotation)
        || !ret.ty.is_tensor()
        || !argument.ty.is_tensor()
    {
        return diagnostic;
    }
    let name = ret
        .name
        .as_ref()
        .map_or_else(String::new, |name| format!(" {name}"));
    let text = format!("Tensor(a!) {}) -> Tensor(a!){name}", argument.name);
    diagnostic.with_fix(argument.at.0.to(schema.returns_at.0), text)
}

fn letters(
    catalogue: &Catalogue,
    id: OperatorId,
    operator: &Operator,
    subject: &Subject<'_>,
    sink: &mut Sink,
) {
    let arguments = subject.schema.arguments.all();
    let written = || arguments.iter().filter(|a| a.is_write());
    if written().count() < 2 {
        return;
    }
    let twins = written().enumerate().find_map(|(i, argument)| {
        let earlier = written()
            .take(i)
            .find(|a| a.annotation == argument.annotation)?;
        Some((earlier, argument))
    });
    let Some((first, second)) = twins else { return };
    let returned = subject
        .schema
        .returns
        .iter()
        .any(|r| r.annotation == second.annotation);
    let group = catalogue.groups.of(id);
    let grouped =
        group.functional.is_some() && group.out.is_some() && operator.kind != SchemaKind::Scratch;
    let outs = subject.schema.arguments.out();
    let both_out = outs.contains(first) && outs.contains(second);
    let rule = match (grouped && returned, both_out) {
        (true, true) => RuleId::OutAnnotationsDistinct,
        (true, false) => return, // refused with the group
        (false, _) => RuleId::WrittenLettersShared,
    };
    let message = message!(
        "`{}` and `{}` share an annotation, as if they were one tensor",
        first.name,
        second.name
    );
    let diagnostic = Diagnostic::new(rule, second.type_at.0, message)
        .with_help(
            "give each mutable argument its own alias letter, and each return the letter of its \
             argument",
        )
        .with_related("the other argument is here", first.type_at.0);
    subject.report(sink, diagnostic);
}
