//! Entries that torchgen accepts but the C++ compiler or PyTorch's runtime refuses.

use opatlas_runtime::{Classes, parse_definition};
use opatlas_schema::faces::default_compiles;
use opatlas_schema::function::Argument;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};

use crate::scope::{Scope, Subject};
use crate::sink::Sink;

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    let release = scope.catalogue.release;
    for subject in sink.while_wanted(scope.subjects()) {
        let text = &subject.entry().canonical;
        match parse_definition(text, Classes::Any, release) {
            Ok(_) => defaults(&subject, sink),
            Err(errors) => {
                if let Some(error) = errors.iter().find(|error| is_own(&subject, error)) {
                    load(&subject, error, sink);
                }
            }
        }
    }
}

/// `true` if the error is about a type or a default. Other rules report the order of defaults and
/// names that are not identifiers.
fn is_own(subject: &Subject<'_>, error: &Diagnostic) -> bool {
    match error.rule {
        RuleId::RuntimeSchemaType | RuleId::RuntimeSchemaDefault => true,
        RuleId::RuntimeSchemaSyntax => {
            let at = place(subject, error.span);
            let holds = |span: Span| span.start <= at.start && at.end <= span.end;
            let mut arguments = subject.schema.arguments.all().iter();
            arguments.any(|it| holds(it.type_at.0) || holds(it.default_at.0))
        }
        _ => false,
    }
}

fn load(subject: &Subject<'_>, error: &Diagnostic, sink: &mut Sink) {
    let message = message!(
        "PyTorch will fail to load: its runtime cannot parse the schema: {}",
        error.message
    );
    let span = place(subject, error.span);
    let mut diagnostic = Diagnostic::new(RuleId::SchemaLoad, span, message);
    diagnostic.help.clone_from(&error.help);
    if diagnostic.help.is_none() {
        diagnostic = diagnostic.with_help("let the kernel choose the value, or use `None`");
    }
    subject.report(sink, diagnostic);
}

/// Maps a span of the canonical text to the entry.
fn place(subject: &Subject<'_>, span: Span) -> Span {
    let name = subject.schema.name_at.0;
    if subject.is_verbatim() && !span.is_empty() {
        Span::new(name.start + span.start, name.start + span.end)
    } else {
        name
    }
}

fn defaults(subject: &Subject<'_>, sink: &mut Sink) {
    let arguments = &subject.schema.arguments;
    let options = arguments.tensor_options().unwrap_or_default();
    let in_options = |argument: &Argument| options.iter().any(|it| it.name == argument.name);
    // In C++, `TensorOptions` is a single argument with its own default.
    for argument in arguments.all().iter().filter(|it| !in_options(it)) {
        let Some(default) = &argument.default else {
            continue;
        };
        if default_compiles(&argument.ty, default) {
            continue;
        }
        let message = message!(
            "the C++ default for `{}={}` does not compile as a value of `{}`",
            argument.name,
            default,
            argument.ty
        );
        let diagnostic = Diagnostic::new(RuleId::DefaultCpp, argument.default_at.0, message)
            .with_help("remove the default, or make the argument optional with `None`");
        subject.report(sink, diagnostic);
    }
}
