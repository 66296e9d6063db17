//! Arguments and their names. The schema parser reports what it cannot parse.

mod options;

use opatlas_pytorch::release::Release;
use opatlas_schema::function::Argument;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use rustc_hash::FxHashMap;

use crate::scope::places::name_place;
use crate::scope::subject::{is_identifier, is_quirk};
use crate::scope::{Scope, Subject};
use crate::sink::Sink;

/// Python's keywords (`keyword.kwlist`), equal in all releases.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Names that are reserved in derivative formulas.
const FORMULA_WORDS: [&str; 2] = ["result", "grad_input_mask"];

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    for subject in sink.while_wanted(scope.subjects()) {
        names(&subject, scope.catalogue.release, sink);
        duplicates(&subject, sink);
        options::optional(&subject, sink);
    }
}

fn names(subject: &Subject<'_>, release: Release, sink: &mut Sink) {
    let arguments = &subject.schema.arguments;
    for (i, argument) in arguments.all().iter().enumerate() {
        let name = &*argument.name;
        let at = name_place(argument);
        let diagnostic = if is_quirk(name) {
            continue; // reported as schema-quirk-accepted
        } else if !is_identifier(name) {
            let message = message!(
                "argument name `{}` is not an identifier",
                name.escape_debug()
            );
            Diagnostic::new(RuleId::ArgumentNameCharset, at, message)
                .with_help("use letters, digits and underscores, and do not start with a digit")
        } else if KEYWORDS.contains(&name) && !is_exempt(subject, argument, release) {
            let message = message!("argument name `{}` is a Python keyword", name);
            Diagnostic::new(RuleId::ArgumentNameKeyword, at, message)
                .with_help(message!("rename it, for example to `{}_`", name))
                .with_fix(at, format!("{name}_"))
        } else if FORMULA_WORDS.contains(&name) && !arguments.is_out(i) {
            let message = message!(
                "argument name `{}` is reserved in derivative formulas",
                name
            );
            Diagnostic::new(RuleId::ArgumentNamingSemantic, at, message)
                .with_help("rename it; otherwise the operator cannot have a derivative")
        } else {
            continue;
        };
        subject.report(sink, diagnostic);
    }
}

fn is_exempt(subject: &Subject<'_>, argument: &Argument, release: Release) -> bool {
    let exempt = release.data().python_keyword_argument_exemptions;
    exempt.iter().any(|(operator, arguments)| {
        *operator == subject.schema.name.as_str() && arguments.contains(&&*argument.name)
    })
}

fn duplicates(subject: &Subject<'_>, sink: &mut Sink) {
    let mut by_name: FxHashMap<&str, &Argument> = FxHashMap::default();
    for argument in subject.schema.arguments.all() {
        let first = *by_name.entry(&argument.name).or_insert(argument);
        if std::ptr::eq(first, argument) || is_quirk(&argument.name) {
            continue;
        }
        let message = message!("duplicate argument `{}`", argument.name.escape_debug());
        let diagnostic =
            Diagnostic::new(RuleId::ArgumentNameDuplicate, name_place(argument), message)
                .with_help("give each argument a unique name")
                .with_related("first declared here", name_place(first));
        subject.report(sink, diagnostic);
    }
}
