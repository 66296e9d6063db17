//! What an entry is for: its name, its keys, the names that its formulas go by.

use opatlas_source::diagnostic::RuleId;
use opatlas_source::message;
use opatlas_source::sentence::codes;
use rustc_hash::FxHashMap;

use super::{Subjects, about, declaration, error, example, warning};
use crate::Rule;
use crate::sink::Sink;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::{MOST_ARGUMENTS, TargetFault, formula_keys};
use opatlas_operators::derivatives::bindings;
use opatlas_operators::derivatives::expand::Expansion;
use opatlas_operators::derivatives::{DerivativeEntry, Derivatives, FormulaSet};
use opatlas_operators::operator::OperatorId;
use opatlas_source::diagnostic::Diagnostic;
use opatlas_source::{DERIVATIVES, Span};

pub(crate) static RULES: [Rule; 13] = [
    Rule {
        what: "The file is a list, and each item is a mapping.",
        why: "The generator reads the file entry by entry and takes `name` and the formulas from \
              each mapping. An empty file is not a list; write `[]` for a file without entries.",
        bad: example("scale(Tensor self, Tensor other) -> Tensor:\n  self: grad * other\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, load_derivatives",
        ..error(RuleId::DerivRoot)
    },
    Rule {
        what: "Each entry has a `name`.",
        why: "The name identifies the operator that the formulas belong to.",
        bad: example("- self: grad * other\n  other: grad * self\n"),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  other: grad * self\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, load_derivatives",
        ..error(RuleId::DerivNameMissing)
    },
    Rule {
        what: "The name of an entry is a schema: `op(...)` or `op.overload(...)`, with only \
               letters, digits and underscores before the parenthesis.",
        why: "Overloads differ in their arguments, so a bare name is ambiguous.",
        bad: example("- name: scale\n  self: grad * other\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/utils.py, split_name_params",
        ..error(RuleId::DerivMalformedName)
    },
    Rule {
        what: "The name of an entry matches the schema of an operator in native_functions.yaml \
               exactly, including defaults, annotations and names of returns, but without the \
               namespace.",
        why: "The generator looks up entries by the printed schema. If a schema changes and its \
              entry does not, code generation fails for all of autograd.",
        bad: example("- name: scale(Tensor self, Tensor by) -> Tensor\n  self: grad * by\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_differentiability_info",
        ..error(RuleId::DerivSchemaMustMatchExactly)
    },
    Rule {
        what: "The operator of an entry has a variant that formulas can belong to: one with the \
            same base name that is not an out variant and whose overload is not `functional`, or \
            else a single in-place operator.",
        why: "Formulas belong to one variant, and the other variants share them. Without such a \
              variant there is nothing to differentiate.",
        bad: example("- name: tidy.functional(Tensor self) -> Tensor\n  self: grad\n"),
        good: example(
            "- name: scale.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  self: grad * other\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, canonical_function",
        ..error(RuleId::DerivCanonicalFunction)
    },
    Rule {
        what: "`dispatch:` is a mapping from dispatch keys to mappings from arguments to formulas.",
        why: "Each key has its own formulas.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch: Default\n"),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Default:\n      self: grad * other\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_differentiability_info",
        ..error(RuleId::DerivDispatchShape)
    },
    Rule {
        what: "The keys of `dispatch` are `Default`, `AutogradNestedTensor`, or `Autograd` \
               followed by the name of a backend that the generator knows.",
        why: "`Default` registers to the alias key `Autograd`; the others register to the key of \
              that name. The alias key itself and keys outside autograd cannot have formulas.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Autograd:\n      self: grad * other\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Default:\n      self: grad * other\n    AutogradCUDA:\n      self: grad * other\n",
        ),
        source: "torchgen/model.py, AUTOGRAD_KEYS",
        ..error(RuleId::DerivDispatchKey)
    },
    Rule {
        what: "The key of a formula is a string: an argument, several arguments separated by \
               commas, or an output.",
        why: "The generator splits the key at commas, so a number or null fails.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  1: grad * other\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, split_names",
        ..error(RuleId::DerivKeyType)
    },
    Rule {
        what: "An operator with an entry has no argument named `grad_input_mask` or `result`.",
        why: "The generated backward code uses both names: `grad_input_mask` for the gradients \
              requested, `result` for the output.",
        bad: example(
            "- name: masked(Tensor self, bool[2] grad_input_mask) -> Tensor\n  self: grad\n",
        ),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_differentiability_info",
        ..error(RuleId::DerivArgNames)
    },
    Rule {
        what: "The key of a formula is not both an argument and a named return of the operator.",
        why: "The formula could be the gradient of the argument or the tangent of the return.",
        bad: example(
            "- name: clash(Tensor self, Tensor values) -> (Tensor values, Tensor rest)\n  values: grads[0] + grads[1]\n",
        ),
        good: example(
            "- name: clash(Tensor self, Tensor values) -> (Tensor values, Tensor rest)\n  self: grads[0] + grads[1]\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, set_up_derivatives",
        ..error(RuleId::DerivArgReturnClash)
    },
    Rule {
        what: "`output_differentiability` is a list of booleans, one per output, or a list with \
               exactly one C++ condition.",
        why: "PyTorch supports a condition only for operators with a single output.",
        bad: example(
            "- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [condition, other]\n  self: grad\n",
        ),
        good: example(
            "- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [True, False]\n  self: grad\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_differentiability_info",
        ..error(RuleId::DerivOutputDifferentiability)
    },
    Rule {
        what: "Each operator has only one entry, including variants that share the formulas.",
        why: "If an operator has two entries, the last one silently wins and the formulas of the \
              other are lost.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n- name: scale(Tensor self, Tensor other) -> Tensor\n  other: grad * self\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  other: grad * self\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, load_derivatives",
        ..warning(RuleId::DerivDuplicateEntry)
    },
    Rule {
        what: "An entry with `dispatch:` has no formulas outside it.",
        why: "The generator reads only the formulas under a dispatch key and silently drops the \
              others.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Default:\n      self: grad * other\n  other: grad * self\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Default:\n      self: grad * other\n      other: grad * self\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, load_derivatives",
        ..warning(RuleId::DerivIgnoredKey)
    },
];

/// An entry that means no operator.
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
        if file.verbatim(entry.name).is_some() {
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
    let help = if overloads.is_empty() {
        match sink.suggestions.nearest(name, names()) {
            Some(nearest) => message!("did you mean `{}`?", nearest),
            None => "declare the operator in native_functions.yaml, or remove the entry".into(),
        }
    } else {
        message!("the overloads of `{}` are {}", base, codes(overloads))
    };
    sink.about(DERIVATIVES, name, diagnostic.with_help(help));
}

/// Where the name begins to differ from the schema, to the end of that word; the operator's name
/// stays out of it.
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

/// What is wrong with an entry as a whole.
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

/// A key that cannot have formulas.
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
        .nearest(name, known.iter().map(String::as_str));
    let diagnostic = match (name, near) {
        ("Autograd", _) => diagnostic
            .with_help("write `Default` for the formulas of the alias key `Autograd`")
            .with_fix(file.span(key), "Default"),
        (_, Some(near)) => diagnostic.with_near_name(file.span(key), name, near),
        (_, None) => diagnostic.with_help(message!("the valid keys are {}", known.join(", "))),
    };
    subjects.report(sink, diagnostic);
}

/// Entries for an operator that has one already.
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

/// Names that are both an argument and a return.
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
