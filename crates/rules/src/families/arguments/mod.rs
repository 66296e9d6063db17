//! Arguments and their names. What cannot be read is reported by `syntax::schema`; how the parts
//! of a schema must fit together, by `model::invariants` through the family of annotations.

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

/// Python's keywords (`keyword.kwlist`; the same in all releases).
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Words of derivative formulas that no argument may be called by.
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
        if is_plain(name) {
            continue;
        }
        let at = name_place(argument);
        let is_identifier = is_identifier(name);
        if is_identifier && !may_be_reserved(name) {
            continue;
        }
        let diagnostic = if is_quirk(name) {
            continue; // reported as schema-quirk-accepted
        } else if !is_identifier {
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

/// The names of nearly all arguments: nothing to say about them.
fn is_plain(name: &str) -> bool {
    matches!(
        name,
        "self" | "other" | "input" | "out" | "dim" | "size" | "dtype" | "layout" | "device"
    )
}

/// Of each length the first letters of the keywords and the words of formulas, one bit for each. They tell
/// nearly all names from them.
static FIRST_LETTERS: [u32; 16] = {
    let mut letters = [0; 16];
    let mut i = 0;
    while i < KEYWORDS.len() + FORMULA_WORDS.len() {
        let word = if i < KEYWORDS.len() {
            KEYWORDS[i].as_bytes()
        } else {
            FORMULA_WORDS[i - KEYWORDS.len()].as_bytes()
        };
        letters[word.len()] |= 1 << (word[0] % 32);
        i += 1;
    }
    letters
};

/// Whether a name may be a keyword or a word of formulas.
fn may_be_reserved(name: &str) -> bool {
    let letters = FIRST_LETTERS.get(name.len()).copied().unwrap_or_default();
    let first = name.as_bytes().first().copied().unwrap_or_default();
    letters >> (first % 32) & 1 == 1
}

fn is_exempt(subject: &Subject<'_>, argument: &Argument, release: Release) -> bool {
    let exempt = release.data().python_keyword_argument_exemptions;
    exempt.iter().any(|(operator, arguments)| {
        *operator == subject.schema.name.as_str() && arguments.contains(&&*argument.name)
    })
}

/// Up to this many arguments are compared with one another to find out whether any share a name.
const FEW: usize = 16;

/// Whether no two of a few arguments share a name, which a look at each pair shows more quickly than a
/// table.
fn are_few_and_distinct(arguments: &[Argument]) -> bool {
    // Names that differ in the bit that their length, beginning and end choose need not be compared.
    let mut bits = 0_u64;
    let is_new = |(i, argument): (usize, &Argument)| {
        let name = argument.name.as_bytes();
        let end = |byte: Option<&u8>| byte.map_or(0, |byte| usize::from(*byte));
        let bit = 1 << ((name.len() * 11 + end(name.first()) * 5 + end(name.last())) % 64);
        let is_first = bits & bit == 0;
        bits |= bit;
        let before = &arguments[..i];
        is_first || before.iter().all(|other| other.name != argument.name)
    };
    arguments.len() <= FEW && arguments.iter().enumerate().all(is_new)
}

fn duplicates(subject: &Subject<'_>, sink: &mut Sink) {
    if are_few_and_distinct(subject.schema.arguments.all()) {
        return;
    }
    let mut by_name: FxHashMap<&str, &Argument> = FxHashMap::default();
    for argument in subject.schema.arguments.all() {
        let first = *by_name.entry(&argument.name).or_insert(argument);
        if std::ptr::eq(first, argument) {
            continue;
        }
        if is_quirk(&argument.name) {
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
