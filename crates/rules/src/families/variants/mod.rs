//! `variants`. Lowering reports unknown words.

use opatlas_operators::entry::Field;
use opatlas_operators::operator::PlacedEntry;
use opatlas_schema::function::Argument;
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use crate::scope::{Scope, Subject};
use crate::sink::Sink;

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    for placed in sink.while_wanted(scope.entries()) {
        if placed.entry.variants.method {
            module(placed, sink);
        }
    }
    let methods = scope.subjects().filter(|it| it.entry().variants.method);
    for subject in sink.while_wanted(methods) {
        if subject.schema.arguments.out().is_empty() {
            method(&subject, sink);
        } else {
            out(&subject, sink);
        }
    }
}

fn module(placed: &PlacedEntry, sink: &mut Sink) {
    let entry = &placed.entry;
    let Some(variants) = entry.field(Field::Variants) else {
        return;
    };
    let Some(module) = &entry.python_module else {
        return;
    };
    let diagnostic = Diagnostic::new(
        RuleId::ModuleNotMethod,
        variants.value,
        message!(
            "an operator in Python module `{}` cannot be a method",
            module.value.escape_debug()
        ),
    )
    .with_help("write `variants: function`")
    .with_related("the module is here", module.at)
    .with_fix(variants.value, "function");
    sink.entry(placed, diagnostic);
}

fn out(subject: &Subject<'_>, sink: &mut Sink) {
    let at = subject.field_or_name(Field::Variants);
    let out = subject.schema.arguments.out();
    let diagnostic = Diagnostic::new(
        RuleId::OutFunctionOnly,
        at,
        "an operator with out arguments cannot be a method",
    )
    .with_help("write `variants: function`, or remove the field")
    .with_related("an out argument is here", out[0].at.0)
    .with_fix(at, "function");
    subject.report(sink, diagnostic);
}

/// Methods pass themselves as `self` (torchgen `ComputeTensorMethod`).
fn method(subject: &Subject<'_>, sink: &mut Sink) {
    let arguments = &subject.schema.arguments;
    let this = arguments.self_argument();
    if let Some(this) = this
        && (passes_itself(this, subject) || arguments_supply(this, subject))
    {
        return;
    }
    let at = subject.field_or_name(Field::Variants);
    let mut diagnostic = match this {
        Some(this) => Diagnostic::new(
            RuleId::MethodNeedsSelf,
            at,
            message!(
                "a method needs `self` to be a plain tensor, but it is `{}`",
                this.ty
            ),
        )
        .with_help("make `self` a plain `Tensor`, or write `variants: function`")
        .with_related("`self`", this.at.0),
        None => Diagnostic::new(
            RuleId::MethodNeedsSelf,
            at,
            "a method needs a positional argument `self`",
        )
        .with_help(
            "name the tensor that the method belongs to `self`, or write `variants: function`",
        ),
    };
    if this.is_none()
        && let Some(named) = arguments.keyword_only().iter().find(|a| &*a.name == "self")
    {
        diagnostic = diagnostic.with_related("this `self` is keyword-only", named.at.0);
    }
    subject.report(sink, diagnostic.with_fix(at, "function"));
}

fn passes_itself(this: &Argument, subject: &Subject<'_>) -> bool {
    let mutable = this.is_write() && !subject.entry().use_const_ref_for_mutable_tensors;
    match &this.ty {
        Type::Optional(inner) => inner.is_tensor() && mutable,
        ty => ty.is_tensor(),
    }
}

fn arguments_supply(this: &Argument, subject: &Subject<'_>) -> bool {
    let all = subject.schema.arguments.all().iter();
    let twins = all.filter(|a| {
        a.name == this.name && a.is_write() == this.is_write() && is_same_in_cpp(&a.ty, &this.ty)
    });
    twins.count() > 1
}

/// Whether two types have one C++ type: SymInt is int, and list sizes do not matter.
fn is_same_in_cpp(a: &Type, b: &Type) -> bool {
    let integer = |base: &BaseType| matches!(base, BaseType::Int | BaseType::SymInt);
    match (a, b) {
        (Type::Base(a), Type::Base(b)) => a == b || integer(a) && integer(b),
        (Type::Optional(a), Type::Optional(b)) => is_same_in_cpp(a, b),
        (Type::List(x, n), Type::List(y, m)) if **x == Type::Base(BaseType::Bool) => {
            n == m && x == y
        }
        (Type::List(a, _), Type::List(b, _)) => is_same_in_cpp(a, b),
        (a, b) => a == b,
    }
}
