//! Types: which ones a release knows, and which ones have a C++ type. The schema parser reports
//! texts that are not a type in any release.

use opatlas_operators::operator::PlacedEntry;
use opatlas_pytorch::release::Release;
use opatlas_schema::function::Argument;
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};

use crate::scope::Scope;
use crate::scope::subject::parameters;
use crate::scope::types::{Fault, fault};
use crate::sink::Sink;

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    let release = scope.catalogue.release;
    for subject in sink.while_wanted(scope.subjects()) {
        for argument in subject.schema.arguments.all() {
            judge(
                &argument.ty,
                argument.type_at.0,
                release,
                subject.placed,
                sink,
            );
            nested(argument, subject.placed, sink);
        }
        for ret in &subject.schema.returns {
            judge(&ret.ty, ret.at.0, release, subject.placed, sink);
        }
    }
    for placed in sink.while_wanted(scope.entries()) {
        for argument in placed.entry.precomputed.iter().flat_map(parameters) {
            judge(&argument.ty, argument.type_at.0, release, placed, sink);
        }
    }
}

fn judge(ty: &Type, at: Span, release: Release, placed: &PlacedEntry, sink: &mut Sink) {
    if let Some(fault) = fault(ty, release) {
        sink.entry(placed, diagnostic(ty, &fault, at, release));
    }
}

fn nested(argument: &Argument, placed: &PlacedEntry, sink: &mut Sink) {
    if !has_nested_symint(&argument.ty) {
        return;
    }
    let message = message!(
        "`{}` has no C++ type: a SymInt can be inside at most one list and one `?`",
        argument.ty
    );
    sink.entry(
        placed,
        Diagnostic::new(RuleId::TypeNotGenerated, argument.type_at.0, message)
            .with_help("use `SymInt`, `SymInt?`, `SymInt[]` or `SymInt[]?`, or an `int`"),
    );
}

fn diagnostic(ty: &Type, fault: &Fault<'_>, at: Span, release: Release) -> Diagnostic {
    match fault {
        Fault::Unknown(base) => unknown(*base, at, release),
        Fault::NotGenerated(base) => Diagnostic::new(
            RuleId::TypeNotGenerated,
            at,
            message!("PyTorch {} has no C++ type for `{}`", release, base),
        )
        .with_help("choose another type, or register the operator from a library"),
        Fault::Custom(name) => Diagnostic::new(
            RuleId::TypeNotGenerated,
            at,
            message!(
                "the custom class `{}` has no type in the generated C++",
                name
            ),
        )
        .with_help("choose another type, or register the operator from a library"),
        Fault::Runtime(text) => Diagnostic::new(
            RuleId::TypeNotGenerated,
            at,
            message!("`{}` has no type in the generated C++", text),
        )
        .with_help("choose another type, or register the operator from a library"),
        Fault::Unsized => Diagnostic::new(
            RuleId::BoolListSize,
            at,
            message!("`{}` is a list of `bool` without a size", ty),
        )
        .with_help("add the number of elements, such as `bool[3]`"),
    }
}

fn unknown(base: BaseType, at: Span, release: Release) -> Diagnostic {
    let knows = |release: Release| release.data().base_types.contains(base.as_str());
    let first = Release::all().find(|&release| knows(release));
    let last = Release::all().rev().find(|&release| knows(release));
    let message = match (first, last) {
        (Some(first), _) if release < first => {
            message!(
                "type `{}` exists since PyTorch {} (checking against {})",
                base,
                first,
                release
            )
        }
        (_, Some(last)) => match Release::all().find(|&release| release > last) {
            Some(removed) => {
                message!(
                    "type `{}` was removed in PyTorch {} (checking against {})",
                    base,
                    removed,
                    release
                )
            }
            None => message!("unknown type `{}`", base),
        },
        _ => message!("unknown type `{}`", base),
    };
    let names: Vec<_> = release.data().base_types.iter().collect();
    Diagnostic::new(RuleId::TypeUnknown, at, message)
        .with_help(message!("the base types are {}", names.join(", ")))
}

/// C++ converts a SymInt to an int only if it is plain, optional, or in a plain or optional list.
fn has_nested_symint(ty: &Type) -> bool {
    if ty.innermost() != Some(BaseType::SymInt) {
        return false;
    }
    let is_symint = |ty: &Type| *ty == Type::Base(BaseType::SymInt);
    let passes = match ty {
        Type::Base(_) | Type::Custom(_) | Type::Runtime(_) => true,
        Type::List(inner, _) => is_symint(inner),
        Type::Optional(inner) => match &**inner {
            Type::List(inner, _) => is_symint(inner),
            inner => is_symint(inner),
        },
    };
    !passes
}
