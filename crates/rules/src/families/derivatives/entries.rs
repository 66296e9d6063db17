//! Names and keys of entries.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::{MOST_ARGUMENTS, TargetFault, formula_keys};
use opatlas_operators::derivatives::expand::Expansion;
use opatlas_operators::derivatives::names::free_names;
use opatlas_operators::derivatives::{DerivativeEntry, Derivatives, FormulaSet, bindings};
use opatlas_operators::operator::OperatorId;
use opatlas_schema::function::FunctionSchema;
use opatlas_schema::parse::parse_schema;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::sentence::codes;
use opatlas_source::{DERIVATIVES, Span, message};
use rustc_hash::FxHashMap;

use super::subjects::Subjects;
use crate::scope::places::{about, declaration};
use crate::sink::Sink;

pub(super) fn unmatched(
    catalogue: &Catalogue,
    file: &Derivatives,
    entry: &DerivativeEntry,
    fault: TargetFault,
    sink: &mut Sink,
) {
    let name = file.value(entry.name);
    let at = file.span(entry.name);
    match fault {
        TargetFault::Malformed => sink.file(
            DERIVATIVES,
            Diagnostic::new(RuleId::DerivMalformedName, at, "the name is not a schema")
                .with_help("write the operator's schema exactly as in native_functions.yaml"),
        ),
        TargetFault::UnknownSchema => unknown_schema(catalogue, file, entry, sink),
        TargetFault::ViewCopy(operator) => {
            let diagnostic = Diagnostic::new(
                RuleId::DerivSchemaMustMatchExactly,
                at,
                message!(
                    "`{}` is the copy of a view and cannot have an entry before 2.3",
                    operator_name(name)
                ),
            )
            .with_help("remove the entry; the copy uses the formulas of the view");
            about(catalogue, operator, sink, diagnostic);
        }
        TargetFault::NoCanonical(operator) => {
            let diagnostic = Diagnostic::new(
                RuleId::DerivCanonicalFunction,
                at,
                message!(
                    "`{}` has no variant that the formulas can belong to",
                    operator_name(name)
                ),
            )
            .with_help(
                "use an operator that has a functional or in-place variant with the same base name",
            );
            about(catalogue, operator, sink, diagnostic);
        }
        TargetFault::TooManyArguments(operator) => {
            let message = message!(
                "`{}` has more than {} arguments; Opatlas does not check its \
                 formulas",
                operator_name(name),
                MOST_ARGUMENTS
            );
            let diagnostic = Diagnostic::new(RuleId::YamlLimit, at, message).with_help(
                "real operators stay far below this limit, which bounds the time of a check",
            );
            about(catalogue, operator, sink, diagnostic);
        }
    }
}

fn operator_name(schema: &str) -> &str {
    schema.split('(').next().unwrap_or(schema)
}

fn unknown_schema(
    catalogue: &Catalogue,
    file: &Derivatives,
    entry: &DerivativeEntry,
    sink: &mut Sink,
) {
    const RULE: RuleId = RuleId::DerivSchemaMustMatchExactly;
    let schema = file.value(entry.name);
    let name = operator_name(schema);
    if catalogue.native_functions.may_hide(name) {
        return;
    }
    let at = file.place(entry.name, 0..schema.len());
    if let Some(operator) = catalogue.find(name) {
        let canonical = catalogue.operator(operator).canonical();
        let mut diagnostic = Diagnostic::new(
            RULE,
            difference(file, entry, canonical),
            message!("this name does not match the schema of `{}`", name),
        )
        .with_help(message!("write `{}`", canonical));
        if let Some(old) = outdated(file, entry, catalogue.operator(operator).schema()) {
            diagnostic = diagnostic.with_help(message!(
                "write `{}`, and replace `{}` in the formulas",
                canonical,
                old
            ));
        } else if file.verbatim(entry.name).is_some() {
            diagnostic = diagnostic.with_fix(at, canonical);
        }
        about(catalogue, operator, sink, diagnostic);
        return;
    }
    let at = file.place(entry.name, 0..name.len());
    let diagnostic = Diagnostic::new(RULE, at, message!("unknown operator `{}`", name));
    let base = name.split('.').next().unwrap_or(name);
    if sink.is_full(RULE) {
        sink.about(DERIVATIVES, name, diagnostic);
        return;
    }
    let names = || {
        catalogue
            .operators
            .iter()
            .map(|operator| operator.name_text())
    };
    let overloads = catalogue.overloads(base).iter().take(6);
    let overloads: Vec<&str> = overloads
        .map(|&id| catalogue.operator(id).name_text())
        .collect();
    let diagnostic = if overloads.is_empty() {
        let is_verbatim = at.slice(&file.text) == name;
        // Renaming is a fix only if the schemas then match and the operator can take this formula.
        let fits = |near: &str| {
            catalogue.find(near).is_some_and(|id| {
                let operator = catalogue.operator(id);
                operator.canonical() == schema.replacen(name, near, 1)
                    && !operator.is_composite_implicit()
                    && catalogue.derivative_matches.of(id).is_none()
            })
        };
        match sink.suggestions.near(name, names()) {
            Some(near) if is_verbatim && fits(near.name) => diagnostic.with_near_name(at, near),
            Some(near) => diagnostic.with_help(message!("did you mean `{}`?", near.name)),
            None => diagnostic
                .with_help("declare the operator in native_functions.yaml, or remove the entry"),
        }
    } else {
        diagnostic.with_help(message!(
            "the overloads of `{}` are {}",
            base,
            codes(overloads)
        ))
    };
    sink.about(DERIVATIVES, name, diagnostic);
}

/// A name in the formulas that only the entry's own schema has.
fn outdated<'f>(
    file: &'f Derivatives,
    entry: &DerivativeEntry,
    schema: &FunctionSchema,
) -> Option<&'f str> {
    let written = parse_schema(file.value(entry.name), 0).schema?;
    let has = |schema: &FunctionSchema, name: &str| {
        let arguments = schema.arguments.all().iter();
        let returns = schema.returns.iter().filter_map(|one| one.name.as_deref());
        arguments
            .map(|a| &*a.name)
            .chain(returns)
            .any(|known| known == name)
    };
    let is_outdated = |name: &str| {
        let value = ["_p", "_t"]
            .into_iter()
            .find_map(|end| name.strip_suffix(end));
        let name = value.or(name.strip_prefix("grad_")).unwrap_or(name);
        has(&written, name) && !has(schema, name)
    };
    let formulas = entry.sets.iter().flat_map(|set| &set.formulas);
    let keys = formulas.clone().flat_map(|formula| file.names(formula));
    let texts = formulas.filter_map(|formula| file.formula(formula));
    let used = texts.flat_map(|text| free_names(text).into_iter().map(move |range| &text[range]));
    keys.map(|(_, name)| name)
        .chain(used)
        .find(|name| is_outdated(name))
}

fn difference(file: &Derivatives, entry: &DerivativeEntry, canonical: &str) -> Span {
    let written = file.value(entry.name);
    let same = written
        .char_indices()
        .zip(canonical.chars())
        .find(|((_, a), b)| a != b)
        .map_or(written.len().min(canonical.len()), |((at, _), _)| at);
    let separator = |c: char| " ,()=".contains(c);
    let start = written[..same].rfind(separator).map_or(0, |at| at + 1);
    let end = written[same..]
        .find(separator)
        .map_or(written.len(), |at| same + at);
    file.place(entry.name, start..end)
}

pub(super) fn check(subjects: &Subjects<'_>, sink: &mut Sink) {
    let Subjects { file, entry, .. } = *subjects;
    for at in &entry.ignored {
        subjects.report(
            sink,
            Diagnostic::new(
                RuleId::DerivIgnoredKey,
                *at,
                message!(
                    "PyTorch ignores the formula for `{}`, because the entry has a `dispatch`",
                    at.slice(&file.text)
                ),
            )
            .with_help("move the formula under `Default:`"),
        );
    }
    for argument in bindings::arguments(subjects.subject.schema) {
        let used_for = match &*argument.name {
            "grad_input_mask" => "the requested gradients",
            "result" => "the output",
            _ => continue,
        };
        subjects.report(
            sink,
            Diagnostic::new(
                RuleId::DerivArgNames,
                file.span(entry.name),
                message!(
                    "argument `{}` has the name that generated backward code uses for {}",
                    argument.name,
                    used_for
                ),
            )
            .with_help("rename the argument in native_functions.yaml"),
        );
    }
}

pub(super) fn unknown_key(subjects: &Subjects<'_>, set: &FormulaSet, sink: &mut Sink) {
    let Some(key) = set.key else { return };
    let file = subjects.file;
    let name = file.value(key);
    if sink.is_full(RuleId::DerivDispatchKey) {
        let message = message!("`{}` cannot have formulas", name);
        let diagnostic = Diagnostic::new(RuleId::DerivDispatchKey, file.span(key), message);
        return subjects.report(sink, diagnostic);
    }
    let known: Vec<String> = formula_keys(subjects.catalogue.release).collect();
    let diagnostic = Diagnostic::new(
        RuleId::DerivDispatchKey,
        file.span(key),
        message!("`{}` cannot have formulas", name),
    );
    let near = sink
        .suggestions
        .near(name, known.iter().map(String::as_str));
    let diagnostic = match (name, near) {
        ("Autograd", _) => diagnostic
            .with_help("write `Default` for the formulas of the alias key `Autograd`")
            .with_fix(file.span(key), "Default"),
        (_, Some(near)) => diagnostic.with_near_name(file.span(key), near),
        (_, None) => diagnostic.with_help(message!("the valid keys are {}", known.join(", "))),
    };
    subjects.report(sink, diagnostic);
}

pub(super) fn repeated(catalogue: &Catalogue, file: &Derivatives, sink: &mut Sink) {
    let mut last: FxHashMap<OperatorId, usize> = FxHashMap::default();
    let targets = &catalogue.derivative_matches.targets;
    for (index, target) in sink.while_wanted(targets.iter().enumerate()) {
        let Ok(target) = target else { continue };
        let Some(earlier) = last.insert(target.canonical, index) else {
            continue;
        };
        let name = |index: usize| file.entries[index].name;
        let operator = catalogue.operator(target.canonical).qualified_name();
        sink.about(
            DERIVATIVES,
            operator,
            Diagnostic::new(
                RuleId::DerivDuplicateEntry,
                file.span(name(earlier)),
                message!("a later entry for `{}` replaces this one", operator),
            )
            .with_help("move all formulas into one entry")
            .with_related("the later entry is here", file.span(name(index))),
        );
        if let Some(related) = declaration(catalogue, target.canonical) {
            sink.relate(related);
        }
    }
}

pub(super) fn clashes(
    subjects: &Subjects<'_>,
    set: &FormulaSet,
    expansion: &Expansion<'_>,
    sink: &mut Sink,
) {
    let returns = &subjects.subject.schema.returns;
    for formula in &set.formulas {
        for (range, name) in subjects.file.names(formula) {
            let is_argument = expansion.arguments.iter().any(|a| a.name == name);
            let is_return = returns.iter().any(|r| r.name.as_deref() == Some(name));
            if is_argument && is_return {
                subjects.report(
                    sink,
                    Diagnostic::new(
                        RuleId::DerivArgReturnClash,
                        subjects.file.place(formula.names, range),
                        message!(
                            "`{}` is both an argument and a return of the operator",
                            name
                        ),
                    )
                    .with_help("rename one of them in native_functions.yaml"),
                );
            }
        }
    }
}
