//! Alias annotations and mutation. The schema parser reports what it cannot parse; the invariants of a
//! schema are reported here.

mod optional;

use opatlas_schema::annotation::Annotation;
use opatlas_schema::function::Return;
use opatlas_schema::invariants::broken_invariants;
use opatlas_schema::types::Type;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};

use crate::scope::subject::parameters;
use crate::scope::{Scope, Subject};
use crate::sink::Sink;

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    for subject in sink.while_wanted(scope.subjects()) {
        if shorthand(&subject, sink) {
            continue;
        }
        let broken = broken_invariants(subject.schema);
        let sound = broken.is_empty();
        for diagnostic in broken {
            subject.report(sink, diagnostic);
        }
        if sound {
            written_self(&subject, sink);
            returned_type(&subject, sink);
        }
    }
    for placed in sink.while_wanted(scope.entries()) {
        for argument in placed
            .entry
            .precomputed
            .iter()
            .flat_map(parameters)
            .filter(|a| is_shorthand(a.annotation.as_deref()))
        {
            sink.entry(placed, bang(argument.type_at.0));
        }
    }
    optional::operators(scope, sink);
}

fn is_shorthand(annotation: Option<&Annotation>) -> bool {
    annotation.is_some_and(|annotation| annotation.shorthand)
}

fn bang(at: Span) -> Diagnostic {
    Diagnostic::new(
        RuleId::AnnotationShorthandTensorBang,
        at,
        "no release of PyTorch accepts `Tensor!`",
    )
    .with_help("use an alias letter: `Tensor(a!)`")
}

/// Reports the first `Tensor!`. The fix rewrites all of them, since each needs its own letter.
fn shorthand(subject: &Subject<'_>, sink: &mut Sink) -> bool {
    let arguments = subject.schema.arguments.all().iter();
    let arguments = arguments.filter(|a| is_shorthand(a.annotation.as_deref()));
    let returns = subject.schema.returns.iter();
    let returns = returns.filter(|r| is_shorthand(r.annotation.as_deref()));
    let places: Vec<Span> = arguments
        .map(|argument| argument.type_at.0)
        .chain(returns.map(|ret| ret.at.0))
        .collect();
    let Some(&first) = places.first() else {
        return false;
    };
    let mut diagnostic = bang(first);
    let schema = subject.schema.name_at.0.to(subject.schema.returns_at.0);
    let canonical = &*subject.entry().canonical;
    if spelled_out(schema.slice(subject.text()), canonical, places.len()) {
        diagnostic = diagnostic.with_safe_fix(schema, canonical);
    }
    for &other in &places[1..] {
        diagnostic = diagnostic.with_related("also here", other);
    }
    // The canonical text is the fix here, so it is not compared with the declared text.
    sink.entry(subject.placed, diagnostic);
    true
}

/// Whether a text differs from the canonical one only in `count` shorthands.
fn spelled_out(text: &str, canonical: &str, count: usize) -> bool {
    let pieces: Vec<&str> = text.split("Tensor!").collect();
    let mut rest = canonical;
    for (i, piece) in pieces.iter().enumerate() {
        if i > 0 {
            let Some(behind) = rest.strip_prefix("Tensor(").and_then(|r| r.get(3..)) else {
                return false;
            };
            rest = behind;
        }
        let Some(behind) = rest.strip_prefix(piece) else {
            return false;
        };
        rest = behind;
    }
    rest.is_empty() && pieces.len() == count + 1
}

fn written_self(subject: &Subject<'_>, sink: &mut Sink) {
    let name = &subject.schema.name;
    let this = subject.schema.arguments.self_argument();
    let Some(this) = this.filter(|this| this.is_write() && !name.is_inplace()) else {
        return;
    };
    let message = message!(
        "operator mutates `self`, but its name `{}` does not end in `_`",
        name.base()
    );
    let diagnostic = Diagnostic::new(RuleId::MutableSelfNotInplace, this.type_at.0, message)
        .with_help(message!(
            "rename it to `{}_`, or do not mutate `self`",
            name.base()
        ))
        .with_related("the name is here", subject.schema.name_at.0);
    subject.report(sink, diagnostic);
}

fn returned_type(subject: &Subject<'_>, sink: &mut Sink) {
    let (true, [ret]) = (
        subject.schema.name.is_inplace(),
        &subject.schema.returns[..],
    ) else {
        return;
    };
    let plain = subject
        .schema
        .arguments
        .self_argument()
        .is_some_and(|this| this.ty.is_tensor());
    if !plain || !matches!(&ret.ty, Type::Optional(inner) if inner.is_tensor()) {
        return;
    }
    let expected = Return {
        ty: Type::TENSOR,
        ..ret.clone()
    };
    let diagnostic = Diagnostic::new(
        RuleId::InplaceReturnTypeUnchecked,
        ret.at.0,
        "the return type is an optional tensor, but `self` is a plain tensor",
    )
    .with_help(message!("write `-> {}`", expected))
    .with_fix(ret.at.0, expected.to_string());
    subject.report(sink, diagnostic);
}
