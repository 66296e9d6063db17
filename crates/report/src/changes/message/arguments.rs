//! Sentences about arguments, defaults, annotations, out arguments and returns.

use super::{names, text, tick, ticks};
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Fragment, Note, Subject};
use opatlas_source::{Message, message};

/// `` `int` to `SymInt` ``
fn from_to(old: &str, new: &str) -> Message {
    message!("`{}` to `{}`", old, new)
}

#[derive(Debug, Clone, Copy, Default)]
struct Declaration<'a> {
    ty: &'a str,
    /// Empty for an unnamed return.
    name: &'a str,
    default: Option<&'a str>,
}

impl<'a> Declaration<'a> {
    /// Parses `int[2] x=0`. Types and names do not contain `=`.
    fn parse(fragment: Option<&'a Fragment>) -> Self {
        let (head, default) = match text(fragment).split_once('=') {
            Some((head, default)) => (head, Some(default.trim())),
            None => (text(fragment), None),
        };
        let is_name = |word: &str| {
            let is_letter = |c: char| c == '_' || c.is_alphanumeric();
            !word.is_empty() && word.chars().all(is_letter)
        };
        match head.trim().rsplit_once(' ') {
            Some((ty, name)) if is_name(name) => Self {
                ty: ty.trim(),
                name,
                default,
            },
            _ => Self {
                ty: head.trim(),
                name: "",
                default,
            },
        }
    }

    fn default(&self) -> Message {
        tick(self.default.unwrap_or(""))
    }
}

pub(super) fn message(change: &Change) -> Option<Message> {
    let old = Declaration::parse(change.old.as_ref());
    let new = Declaration::parse(change.new.as_ref());
    let id = change.rule.id;
    if id.as_str().starts_with("return-") || id.as_str().starts_with("var") {
        return returns(change, old, new);
    }
    let what = match &change.subject {
        Subject::Argument(name) if id.as_str().starts_with("out-") => {
            message!("out argument `{}`", name)
        }
        Subject::Argument(name) => message!("argument `{}`", name),
        _ => Message::default(),
    };
    let types = || from_to(old.ty, new.ty);
    Some(match id {
        ChangeRuleId::ArgumentAddedWithDefault | ChangeRuleId::ArgumentAddedContainerDefault => {
            message!(
                "new {} of type {} with default {}",
                what,
                tick(new.ty),
                new.default()
            )
        }
        ChangeRuleId::ArgumentAddedRequired => {
            message!("new {} of type {} without a default", what, tick(new.ty))
        }
        ChangeRuleId::ArgumentInserted => message!(
            "new {} of type {} before existing arguments{}",
            what,
            tick(new.ty),
            match new.default {
                Some(default) => message!(", with default `{}`", default),
                None => ", without a default".into(),
            }
        ),
        ChangeRuleId::ArgumentAddedAfterOut => message!(
            "new {} of type {} after an out argument{}",
            what,
            tick(new.ty),
            match new.default {
                Some(default) => message!(", with default `{}`", default),
                None => ", without a default".into(),
            }
        ),
        ChangeRuleId::ArgumentRemoved => match old.default {
            Some(default) => message!("{} removed; its default was {}", what, tick(default)),
            None => message!("{} removed", what),
        },
        ChangeRuleId::ArgumentRenamed | ChangeRuleId::OutArgumentRenamed => {
            message!("{} renamed to {}", what, tick(new.name))
        }
        ChangeRuleId::ArgumentReordered if change.notes.contains(&Note::SilentSwap) => message!(
            "arguments {} reordered; their types are equal, so swapped values cause no error",
            ticks(&names(change))
        ),
        ChangeRuleId::ArgumentReordered => {
            message!("arguments {} reordered", ticks(&names(change)))
        }
        ChangeRuleId::ArgumentReorderedKwargOnly => {
            message!("keyword-only arguments {} reordered", ticks(&names(change)))
        }
        ChangeRuleId::OutArgumentReordered => {
            message!("out arguments {} reordered", ticks(&names(change)))
        }
        ChangeRuleId::ArgumentTypeWidened | ChangeRuleId::OutArgumentTypeWidened => {
            message!("{} accepts more: {}{}", what, types(), besides(change))
        }
        ChangeRuleId::ArgumentTypeNarrowed | ChangeRuleId::OutArgumentTypeNarrowed => {
            message!("{} accepts less: {}{}", what, types(), besides(change))
        }
        ChangeRuleId::ArgumentTypeChanged
        | ChangeRuleId::ArgumentTypeChangedErased
        | ChangeRuleId::ArgumentTypeSymint
        | ChangeRuleId::ArgumentTypeDeSymint
        | ChangeRuleId::OutArgumentTypeChanged => {
            message!("{} changed type from {}", what, types())
        }
        ChangeRuleId::ListSizeHintRemoved => {
            message!(
                "{} no longer accepts a single number for the list: {}",
                what,
                types()
            )
        }
        ChangeRuleId::ListSizeHintAdded => {
            message!(
                "{} now accepts a single number for the list: {}",
                what,
                types()
            )
        }
        ChangeRuleId::ListSizeHintChanged => {
            message!("the list size of {} changed: {}", what, types())
        }
        ChangeRuleId::ArgumentBecameKwargOnly => message!("{} is now keyword-only", what),
        ChangeRuleId::ArgumentBecamePositional => {
            message!("{} can now be passed by position", what)
        }
        ChangeRuleId::DefaultAdded => message!("{} now has the default {}", what, new.default()),
        ChangeRuleId::DefaultRemoved => message!("{} lost its default {}", what, old.default()),
        ChangeRuleId::DefaultChanged if old.default == new.default => message!(
            "{} keeps the default {}, but as `{}` instead of `{}`",
            what,
            new.default(),
            new.ty,
            old.ty
        ),
        ChangeRuleId::DefaultChanged if change.notes.contains(&Note::SameNumberOtherKind) => {
            message!(
                "the default of {} changed from {} to {}, the same number with another type",
                what,
                old.default(),
                new.default()
            )
        }
        ChangeRuleId::DefaultChanged => message!(
            "the default of {} changed from {} to {}",
            what,
            old.default(),
            new.default()
        ),
        ChangeRuleId::DefaultRespelled if old.default == new.default => message!(
            "the default {} of {} is parsed for another type, but means the same",
            old.default(),
            what
        ),
        ChangeRuleId::DefaultRespelled => message!(
            "the default of {} is written as {} instead of {}, but means the same",
            what,
            new.default(),
            old.default()
        ),
        ChangeRuleId::DefaultChangedWithType => message!(
            "type and default of {} changed from {} to {}",
            what,
            tick(text(change.old.as_ref())),
            tick(text(change.new.as_ref()))
        ),
        ChangeRuleId::AliasAnnotationAdded => {
            message!("{} may now share memory with a return: {}", what, types())
        }
        ChangeRuleId::AliasAnnotationRemoved => {
            message!(
                "{} no longer shares memory with a return: {}",
                what,
                types()
            )
        }
        ChangeRuleId::MutabilityGained => message!("{} is now mutable: {}", what, types()),
        ChangeRuleId::MutabilityLost => message!("{} is no longer mutable: {}", what, types()),
        ChangeRuleId::AliasSetRenamed => message!(
            "the alias letters of {} changed consistently",
            ticks(&names(change))
        ),
        ChangeRuleId::AliasSetChanged => {
            message!("the alias set of {} changed: {}", what, types())
        }
        ChangeRuleId::MutabilityRespelled => {
            message!(
                "the mutable annotation of {} is written differently: {}",
                what,
                types()
            )
        }
        ChangeRuleId::ArgumentBecameOut => message!("{} became an out argument", what),
        ChangeRuleId::OutArgumentBecameInput => message!("{} became an input", what),
        ChangeRuleId::OutArgumentAdded => message!("new {} of type {}", what, tick(new.ty)),
        ChangeRuleId::OutArgumentRemoved => message!("{} removed", what),
        ChangeRuleId::OutArgumentsReplaced => "out arguments replaced by inputs".into(),
        _ => return None,
    })
}

/// The suffix for a change that also exchanged `int` and `SymInt`.
fn besides(change: &Change) -> &'static str {
    if change.notes.contains(&Note::AlsoSymInt) {
        ", and `int` and `SymInt` were swapped"
    } else {
        ""
    }
}

fn returns(change: &Change, old: Declaration<'_>, new: Declaration<'_>) -> Option<Message> {
    let (before, after) = (text(change.old.as_ref()), text(change.new.as_ref()));
    let what = match (&change.subject, old.name) {
        (Subject::Return(_), name) if !name.is_empty() => message!("return `{}`", name),
        (Subject::Return(0), _) => "the return".into(),
        (Subject::Return(index), _) => message!("return {}", index + 1),
        _ => Message::default(),
    };
    let types = || from_to(old.ty, new.ty);
    let all = || from_to(before, after);
    Some(match change.rule.id {
        ChangeRuleId::ReturnCountChanged => match (values(before), values(after)) {
            (old, 1) => message!("it returns one value instead of {}", old),
            (old, new) => message!("it returns {} values instead of {}", new, old),
        },
        ChangeRuleId::ReturnRenamed => message!("{} renamed to {}", what, tick(new.name)),
        ChangeRuleId::ReturnNameAdded => message!("returns gained names: {}", all()),
        ChangeRuleId::ReturnNameRemoved => message!("returns lost their names: {}", all()),
        ChangeRuleId::ReturnReordered => message!("returns reordered: {}", all()),
        ChangeRuleId::ReturnTypeWidened => {
            message!("{} can now be of more types: {}", what, types())
        }
        ChangeRuleId::ReturnTypeNarrowed => {
            message!("{} is now of a narrower type: {}", what, types())
        }
        ChangeRuleId::ReturnTypeChanged
        | ChangeRuleId::ReturnTypeChangedErased
        | ChangeRuleId::ReturnTypeSymint => {
            message!("{} changed type from {}", what, types())
        }
        ChangeRuleId::ReturnAliasChanged => {
            message!("the alias annotation of {} changed: {}", what, types())
        }
        ChangeRuleId::VarargChanged if is_longer(before, after) => {
            "it now takes any number of further arguments".into()
        }
        ChangeRuleId::VarargChanged => "it no longer takes any number of further arguments".into(),
        ChangeRuleId::VarretChanged if is_longer(before, after) => {
            "it can now return any number of further values".into()
        }
        ChangeRuleId::VarretChanged => "it no longer returns any number of further values".into(),
        _ => return None,
    })
}

fn values(returns: &str) -> usize {
    let Some(list) = returns.strip_prefix('(') else {
        return 1;
    };
    if list.trim() == ")" {
        return 0;
    }
    let mut depth = 0_i32;
    let commas = list.chars().filter(|char| {
        match char {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            _ => {}
        }
        *char == ',' && depth == 0
    });
    1 + commas.count()
}

/// Whether `...` was added, not removed.
fn is_longer(before: &str, after: &str) -> bool {
    before.matches("...").count() < after.matches("...").count()
}
