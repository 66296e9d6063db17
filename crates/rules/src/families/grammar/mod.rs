//! The shape of the schema and the operator's name. The schema parser reports what it cannot parse;
//! these rules are about odd text that it accepts.

mod files;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::{Argument, FunctionSchema};
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};
use rustc_hash::FxHashMap;

use crate::scope::places::name_place;
use crate::scope::subject::{STRAY, is_identifier, is_quirk};
use crate::scope::{Scope, Subject};
use crate::sink::Sink;

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    for subject in sink.while_wanted(scope.subjects()) {
        quirks(&subject, sink);
        if !files::writable(&subject, scope.catalogue.release, sink) {
            charset(&subject, sink);
        }
        overload(&subject, sink);
    }
}

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    files::written_twice(catalogue, sink);
    namespaces(catalogue, sink);
}

fn quirks(subject: &Subject<'_>, sink: &mut Sink) {
    for argument in subject.schema.arguments.all() {
        if is_quirk(&argument.name) {
            let diagnostic = match &*argument.name {
                "" => quirk(argument.at.0, "the name of this argument is empty"),
                name => quirk(
                    name_place(argument),
                    message!("`{}` is parsed as the argument's name", name),
                ),
            };
            subject.report(sink, mend(argument, diagnostic));
        } else if let Some(default) = argument.default.as_deref().filter(|d| d.contains(") -> ")) {
            let message = message!(
                "`{}` is parsed as the default, because the arguments end at the last `) -> \
                 `",
                default
            );
            subject.report(sink, quirk(argument.default_at.0, message));
        }
    }
    for ret in &subject.schema.returns {
        let Some(name) = ret.name.as_deref().filter(|name| is_quirk(name)) else {
            continue;
        };
        let diagnostic = if name.is_empty() {
            let end = Span::new(ret.at.0.end.saturating_sub(1), ret.at.0.end);
            quirk(end, "the trailing space makes the return's name empty").with_fix(end, "")
        } else {
            quirk(
                ret.at.0,
                message!("`{}` is parsed as the return's name", name),
            )
        };
        subject.report(sink, diagnostic);
    }
}

fn quirk(at: Span, message: impl Into<opatlas_source::Message>) -> Diagnostic {
    Diagnostic::new(RuleId::SchemaQuirkAccepted, at, message)
        .with_help("write `Type name`, separated by `, `, without other punctuation")
}

fn mend(argument: &Argument, diagnostic: Diagnostic) -> Diagnostic {
    let bare = argument.name.trim_end_matches(STRAY);
    if is_identifier(bare) {
        diagnostic.with_fix(argument.name_at.0, bare)
    } else {
        diagnostic
    }
}

fn charset(subject: &Subject<'_>, sink: &mut Sink) {
    let name = &subject.schema.name;
    let overload = name.overload();
    let well_formed = overload
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let (what, text) = if !is_identifier(name.base()) {
        ("base", name.base())
    } else if !well_formed {
        ("overload", overload)
    } else {
        return;
    };
    let message = message!(
        "{} name `{}` is not an identifier",
        what,
        text.escape_debug()
    );
    let diagnostic = Diagnostic::new(RuleId::OpNameCharset, subject.schema.name_at.0, message)
        .with_help("use letters, digits and underscores, and do not start with a digit");
    subject.report(sink, diagnostic);
}

fn overload(subject: &Subject<'_>, sink: &mut Sink) {
    let overload = subject.schema.name.overload();
    let message = if overload == "default" {
        "overload name `default` is reserved: the runtime uses it for the overload without a name"
            .into()
    } else if lists_types(subject.schema) {
        message!("overload name `{}` only lists the argument types", overload)
    } else {
        return;
    };
    let at = subject.schema.name_at.0;
    let length = u32::try_from(overload.len()).unwrap_or(0);
    let at = Span::new(at.end.saturating_sub(length), at.end);
    let diagnostic = Diagnostic::new(RuleId::OverloadSemantic, at, message).with_help(
        "name the difference from the other overloads, such as an argument that only this one has; \
         a released overload keeps its name",
    );
    subject.report(sink, diagnostic);
}

/// Whether the overload name lists the types of all arguments, at least three, in order. PyTorch
/// itself often lists two.
fn lists_types(schema: &FunctionSchema) -> bool {
    let arguments = schema.arguments.non_out();
    let overload = schema.name.overload();
    let words = overload.strip_suffix("_out").unwrap_or(overload);
    arguments.len() >= 3
        && words.split('_').count() == arguments.len()
        && words
            .split('_')
            .zip(arguments)
            .all(|(word, argument)| names_type(word, &argument.ty))
}

fn names_type(word: &str, ty: &Type) -> bool {
    ty.innermost()
        .map(BaseType::as_str)
        .is_some_and(|name| word.eq_ignore_ascii_case(name))
}

/// Reports operators of one name in several namespaces. If their kernels or signatures are equal,
/// other rules report them.
fn namespaces(catalogue: &Catalogue, sink: &mut Sink) {
    if catalogue.shared_names().next().is_none() {
        return;
    }
    let mut first: FxHashMap<&str, OperatorId> = FxHashMap::default();
    for (id, operator) in sink.while_wanted(catalogue.native()) {
        let Some(placed) = operator.declared() else {
            break;
        };
        let earlier = *first.entry(operator.name_text()).or_insert(id);
        let other = catalogue.operator(earlier);
        let meet = operator
            .kernels()
            .iter()
            .any(|kernel| other.has_kernel(kernel.key.as_str()));
        if other.namespace() == operator.namespace()
            || meet
            || other.signature() == operator.signature()
        {
            continue;
        }
        let Some(earlier) = other.declared() else {
            continue;
        };
        let name = operator.name();
        let message = message!(
            "`{}` is also declared in namespace `{}`, and PyTorch looks up operators by name \
             alone",
            name,
            other.namespace()
        );
        sink.entry(
            placed,
            Diagnostic::new(
                RuleId::NamespaceNotPartOfIdentity,
                operator.schema().name_at.0,
                message,
            )
            .with_help("rename one of the operators or overloads"),
        );
        sink.relate(opatlas_source::diagnostic::Related {
            message: "the other declaration is here".into(),
            file: None,
            span: earlier.place(other.schema().name_at.0),
        });
    }
}
