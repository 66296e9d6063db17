//! Defaults. The schema parser reports what it cannot parse.

mod fit;

use opatlas_pytorch::release::Release;
use opatlas_schema::function::Argument;
use opatlas_schema::types::Type;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, message};

use crate::families::out_naming;
use crate::scope::subject::parameters;
use crate::scope::{Scope, Subject};
use crate::sink::Sink;

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    let release = scope.catalogue.release;
    for subject in sink.while_wanted(scope.subjects()) {
        suffix(&subject, sink);
        for argument in subject.schema.arguments.all() {
            if let Some(default) = &argument.default {
                value(&subject, argument, default, release, sink);
            }
        }
    }
    if release < Release::V2_5 {
        for placed in sink.while_wanted(scope.entries()) {
            for diagnostic in placed
                .entry
                .precomputed
                .iter()
                .flat_map(parameters)
                .filter_map(blank)
            {
                sink.entry(placed, diagnostic);
            }
        }
    }
}

fn value(
    subject: &Subject<'_>,
    argument: &Argument,
    default: &str,
    release: Release,
    sink: &mut Sink,
) {
    if let Some(diagnostic) = blank(argument).filter(|_| release < Release::V2_5) {
        subject.report(sink, diagnostic);
    } else if let Some(list) = needs_list(&argument.ty, default) {
        let message = message!(
            "default `{}` is a single value, but `{}` has no size",
            default,
            argument.ty
        );
        let help = match default {
            "None" => {
                message!(
                    "write `{}?` for an optional list, or use the default `[]`",
                    list
                )
            }
            _ => "give the list a size, or write the default as a list: `[]`".into(),
        };
        let diagnostic = Diagnostic::new(
            RuleId::DefaultUnsizedListScalar,
            argument.default_at.0,
            message,
        )
        .with_help(help);
        subject.report(sink, diagnostic);
    } else if !fit::fits(&argument.ty, default) {
        let message = message!(
            "default `{}` is not a value of type `{}`",
            default,
            argument.ty
        );
        let diagnostic = Diagnostic::new(
            RuleId::DefaultValueUnchecked,
            argument.default_at.0,
            message,
        )
        .with_help(fit::expected(&argument.ty));
        subject.report(sink, diagnostic);
    }
}

/// Before 2.4, no default may contain a space.
fn blank(argument: &Argument) -> Option<Diagnostic> {
    let default = argument.default.as_deref().filter(|d| d.contains(' '))?;
    let message = message!(
        "default `{}` contains a space, which PyTorch accepts since 2.5",
        default
    );
    Some(
        Diagnostic::new(RuleId::DefaultBlank, argument.default_at.0, message)
            .with_help("remove the spaces from the default"),
    )
}

/// Reports one value for a list of unknown size (torchgen `default_expr`).
fn needs_list<'t>(ty: &'t Type, default: &str) -> Option<&'t Type> {
    match ty {
        Type::Optional(_) if default == "None" => None,
        Type::Optional(inner) => needs_list(inner, default),
        Type::List(_, None) => {
            let is_list = default.starts_with('[') && default.ends_with(']');
            (!is_list).then_some(ty)
        }
        _ => None,
    }
}

/// Only the last arguments may have defaults. Keyword-only arguments follow in C++, unless they are
/// out arguments, or their defaults are left out there.
fn suffix(subject: &Subject<'_>, sink: &mut Sink) {
    let arguments = &subject.schema.arguments;
    let has_all_defaults =
        subject.entry().cpp_no_default_args.is_empty() && arguments.out().is_empty();
    let listed = if has_all_defaults {
        arguments.non_out()
    } else {
        arguments.positional()
    };
    let Some(first) = listed.iter().position(|a| a.default.is_some()) else {
        return;
    };
    let Some(behind) = listed[first..].iter().find(|a| a.default.is_none()) else {
        return;
    };
    let with_default = &listed[first];
    let unannotated = out_naming::unannotated(subject.schema);
    let is_out = unannotated.is_some_and(|out| std::ptr::eq(out, behind));
    if is_out && subject.entry().structured {
        return; // refused as a structured operator
    }
    let diagnostic = Diagnostic::new(
        RuleId::DefaultSuffixOnly,
        behind.at.0,
        message!(
            "argument `{}` has no default, but `{}` before it has one",
            behind.name,
            with_default.name
        ),
    )
    .with_related("this argument has a default", with_default.at.0);
    let diagnostic = if is_out {
        out_naming::annotate(
            subject.schema,
            behind,
            diagnostic.with_help(out_naming::ANNOTATE),
        )
    } else {
        diagnostic.with_help(optional_instead(with_default))
    };
    subject.report(sink, diagnostic);
}

/// ATen's advice for a default in the middle.
fn optional_instead(argument: &Argument) -> Message {
    let (ty, name) = (&argument.ty, &argument.name);
    let default = argument.default.as_deref().unwrap_or_default();
    let optional = match ty {
        Type::Optional(_) => {
            return "move the arguments with defaults to the end, or after `*`".into();
        }
        ty => format!("{ty}? {name}"),
    };
    message!(
        "move the arguments with defaults to the end or after `*`, or write `{}` and let the \
         kernel use {} for None",
        optional,
        default
    )
}
