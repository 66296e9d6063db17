//! What to do about a change: the smallest safe alternative, and how to accept the change.

use crate::escape::shell;
use crate::findings::first_sentence;
use opatlas_diff::rules::{ChangeRule, ChangeRuleId, Group, Level};
use opatlas_diff::{Change, Fragment, Note, Subject};
use opatlas_operators::derivatives::tokens::is_not_implemented;
use opatlas_source::sentence::codes;
use opatlas_source::{Message, message};

/// The longest explanation that is shown in full, in bytes.
const SHORT_WHY: usize = 240;

/// The advice for a formula in derivatives.yaml whose schema differs from its operator's.
pub(super) const FORMULA: &str = "Its formula in `derivatives.yaml` no longer matches: change the \
                                  schema there in the same way.";

/// The smallest safe alternative to this change; `None` if nothing needs to be done.
#[must_use]
pub fn help(change: &Change) -> Option<Message> {
    let instead = change.rule.instead?;
    match change.rule.group {
        Group::Operator | Group::Generated => of_operator(change, instead),
        Group::Argument | Group::Default | Group::Out => Some(of_argument(change, instead)),
        Group::Dispatch => of_kernels(change, instead),
        Group::Computed | Group::Way => of_support(change, instead),
        _ => Some(instead.into()),
    }
}

fn text(fragment: Option<&Fragment>) -> &str {
    fragment.map_or("", |fragment| &fragment.text)
}

fn of_operator(change: &Change, instead: &'static str) -> Option<Message> {
    Some(match change.rule.id {
        ChangeRuleId::OperatorRemoved | ChangeRuleId::OverloadRemoved => match candidates(change) {
            Some(candidate) => message!(
                "Keep it, and forward it to `{}` if that replaces it.",
                candidate
            ),
            None => instead.into(),
        },
        // `autogen` cannot generate an in-place variant.
        ChangeRuleId::VariantGroupIncomplete if has_inplace(change) => "Keep the variant.".into(),
        ChangeRuleId::VariantsOutOfStep => out_of_step(change),
        ChangeRuleId::AutogenRemoved if change.notes.contains(&Note::StillGenerated) => {
            return None;
        }
        ChangeRuleId::AutogenRemoved if let Some(source) = source(change) => {
            message!("Keep `{}`, which it is generated from.", source)
        }
        ChangeRuleId::AutogenRemoved => message!(
            "Keep `{}` in `autogen`, or declare it as an entry.",
            change.operator
        ),
        _ => instead.into(),
    })
}

fn has_inplace(change: &Change) -> bool {
    let names = change.subject.names();
    let is_inplace = |name: &String| {
        let base = name.split('.').next().unwrap_or(name);
        base.ends_with('_') && !base.ends_with("__")
    };
    names.iter().any(is_inplace)
}

/// The schemas that bring the variants in step.
fn out_of_step(change: &Change) -> Message {
    let expected = change.notes.iter().find_map(|note| match note {
        Note::Expected(expected) => Some(&expected[..]),
        _ => None,
    });
    let names = codes(change.subject.names());
    match expected.unwrap_or_default() {
        [] => message!("Make the same change in {}.", names),
        schemas => {
            let schemas = schemas.iter().map(|(_, schema)| schema);
            message!("Make the same change in {}: {}.", names, codes(schemas))
        }
    }
}

fn of_argument(change: &Change, instead: &'static str) -> Message {
    let subject = match &change.subject {
        Subject::Argument(name) => Message::code(name),
        _ => Message::default(),
    };
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    match change.rule.id {
        ChangeRuleId::ArgumentRenamed | ChangeRuleId::OutArgumentRenamed => message!(
            "Keep the name {}, or add an overload with the new name and keep this one.",
            subject
        ),
        ChangeRuleId::ArgumentAddedRequired => message!(
            "Append {} after `*` with a default that keeps the current behavior, or add an \
             overload.",
            subject
        ),
        ChangeRuleId::ArgumentInserted if new.contains('=') => {
            message!("Append `{}` as the last keyword-only argument.", new)
        }
        ChangeRuleId::ArgumentInserted => message!(
            "Append `{}` as the last keyword-only argument, with a default that keeps the current \
             behavior.",
            new
        ),
        ChangeRuleId::ArgumentAddedAfterOut if new.contains('=') => {
            message!("Move `{}` before the out arguments.", new)
        }
        ChangeRuleId::ArgumentAddedAfterOut => {
            message!("Move `{}` before the out arguments, with a default.", new)
        }
        ChangeRuleId::ArgumentRemoved => {
            message!("Keep `{}`, ignore its value and document this.", old)
        }
        ChangeRuleId::DefaultChanged if default(old) == default(new) => {
            message!("Keep `{}`.", old)
        }
        ChangeRuleId::DefaultChanged
        | ChangeRuleId::ArgumentTypeDeSymint
        | ChangeRuleId::ArgumentTypeNarrowed => message!("Keep `{}`. {}", old, instead),
        ChangeRuleId::DefaultRemoved => message!("Keep `{}`.", old),
        _ => instead.into(),
    }
}

fn default(argument: &str) -> Option<&str> {
    argument.split_once('=').map(|(_, default)| default.trim())
}

fn of_kernels(change: &Change, instead: &'static str) -> Option<Message> {
    let (old, new) = (text(change.old.as_ref()), text(change.new.as_ref()));
    Some(match change.rule.id {
        // The structured delegate or a composite serves the key now.
        ChangeRuleId::DispatchKernelRemoved if change.level < Level::Dangerous => return None,
        ChangeRuleId::CompositeExplicitNonfunctionalChanged => match (old, new) {
            ("", _) => return None,
            (old, _) if old.contains("NonFunctional") => {
                "Keep `CompositeExplicitAutogradNonFunctional` unless the kernel works on sparse \
                 and other layouts."
                    .into()
            }
            _ => instead.into(),
        },
        ChangeRuleId::FormulaRemoved if new.starts_with("output_differentiability") => {
            "Keep the output in `output_differentiability`.".into()
        }
        ChangeRuleId::FormulaChanged if is_not_implemented(new) || is_nothing(new) => return None,
        _ => instead.into(),
    })
}

fn is_nothing(formula: &str) -> bool {
    formula.trim().eq_ignore_ascii_case("non_differentiable")
}

fn of_support(change: &Change, instead: &'static str) -> Option<Message> {
    let needed = change.notes.iter().find_map(|note| match note {
        Note::NeedsRemoved(names) => Some(names),
        _ => None,
    });
    Some(match change.rule.id {
        ChangeRuleId::BackendSupportLost if let Some(needed) = needed => {
            message!("Keep {}.", codes(needed))
        }
        ChangeRuleId::AutogradSupportLost => return of_training(change),
        ChangeRuleId::ShimChanged if let Some(line) = shim_version(change) => message!(
            "Add `{}` to `torchgen/aoti/fallback_ops.py`, then run \
             `python torchgen/gen.py --update-aoti-c-shim`.",
            line
        ),
        _ => instead.into(),
    })
}

fn of_training(change: &Change) -> Option<Message> {
    let has = |note: &Note| change.notes.contains(note);
    let is_on_purpose = |note: &Note| matches!(note, Note::GradientStops(_));
    let is_of_inputs =
        |note: &Note| matches!(note, Note::GradientRaises(_) | Note::GradientRefused(_));
    Some(match &change.notes {
        _ if has(&Note::FormulaUnmatched) => FORMULA.into(),
        _ if has(&Note::FormulaRemoved) => "Keep the formula in `derivatives.yaml`.".into(),
        _ if has(&Note::Ambiguous) => {
            "Register the composite kernel to `CompositeExplicitAutograd` and add a formula, or \
             remove the backend's kernel."
                .into()
        }
        notes if notes.iter().any(is_of_inputs) => {
            "Give each input that can have a gradient a formula in `derivatives.yaml`.".into()
        }
        notes if notes.iter().any(is_on_purpose) => {
            "Check that no gradient is lost: callers get no error.".into()
        }
        _ if has(&Note::WasComposite) => {
            "Add a formula to `derivatives.yaml`, or keep `CompositeImplicitAutograd`.".into()
        }
        _ if has(&Note::NoEntry) || has(&Note::NoFormulas) => {
            "Add a formula to `derivatives.yaml`.".into()
        }
        _ => return None,
    })
}

/// Why a change matters: the rule's explanation if it is short, else its first sentence.
pub(super) fn why(rule: &ChangeRule) -> &'static str {
    if rule.why.len() <= SHORT_WHY {
        rule.why
    } else {
        first_sentence(rule.why)
    }
}

fn shim_version(change: &Change) -> Option<&str> {
    change.notes.iter().find_map(|note| match note {
        Note::ShimVersion(line) => Some(&**line),
        _ => None,
    })
}

/// The removed operator that this one was generated from.
fn source(change: &Change) -> Option<&str> {
    change.notes.iter().find_map(|note| match note {
        Note::WentWith(source) => Some(&**source),
        _ => None,
    })
}

fn candidates(change: &Change) -> Option<&str> {
    change.notes.iter().find_map(|note| match note {
        Note::Candidates(names) => names.first().map(|name| &**name),
        _ => None,
    })
}

/// The command that accepts a change. The user fills in the reason and the end. Every word is quoted
/// for a shell.
///
/// ```
/// use opatlas_diff::rules::ChangeRuleId;
/// use opatlas_diff::{Change, Subject};
/// use opatlas_report::changes::accept;
///
/// let change = Change::new(ChangeRuleId::ArgumentRenamed, "can_cast", Subject::Argument("from".into()));
/// assert_eq!(
///     accept(&change),
///     "opatlas exception add can_cast argument-renamed --argument from --reason ... --until ..."
/// );
/// ```
#[must_use]
pub fn accept(change: &Change) -> String {
    let argument = match &change.subject {
        Subject::Argument(name) => format!(" --argument {}", shell(name)),
        _ => String::new(),
    };
    let (operator, rule) = (shell(&change.operator), change.rule.id);
    format!("opatlas exception add {operator} {rule}{argument} --reason ... --until ...")
}
