//! Sentences about arguments, defaults, annotations, out arguments and returns.

use std::fmt;

use super::{Tick, names, text, ticks};
use opatlas_diff::rules::ChangeRuleId;
use opatlas_diff::{Change, Fragment, Note, Subject};

/// `` `int` to `SymInt` ``
struct FromTo<'t>(&'t str, &'t str);

impl fmt::Display for FromTo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", Tick(self.0), Tick(self.1))
    }
}

/// An argument or return as its schema writes it.
#[derive(Debug, Clone, Copy, Default)]
struct Declared<'a> {
    ty: &'a str,
    /// Empty for a return without one.
    name: &'a str,
    default: Option<&'a str>,
}

impl<'a> Declared<'a> {
    /// Takes apart `int[2] x=0`. Neither types nor names hold `=`.
    fn of(fragment: Option<&'a Fragment>) -> Self {
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

    fn default(&self) -> Tick<'a> {
        Tick(self.default.unwrap_or(""))
    }
}

pub(super) fn message(change: &Change) -> Option<String> {
    let old = Declared::of(change.old.as_ref());
    let new = Declared::of(change.new.as_ref());
    let id = change.rule.id;
    if id.as_str().starts_with("return-") || id.as_str().starts_with("var") {
        return returns(change, old, new);
    }
    let what = fmt::from_fn(|f| match &change.subject {
        Subject::Argument(name) if id.as_str().starts_with("out-") => {
            write!(f, "out argument {}", Tick(name))
        }
        Subject::Argument(name) => write!(f, "argument {}", Tick(name)),
        _ => Ok(()),
    });
    let types = || FromTo(old.ty, new.ty);
    Some(match id {
        ChangeRuleId::ArgumentAddedWithDefault | ChangeRuleId::ArgumentAddedContainerDefault => {
            format!(
                "new {what} of type {} with default {}",
                Tick(new.ty),
                new.default()
            )
        }
        ChangeRuleId::ArgumentAddedRequired => {
            format!("new {what} of type {} without a default", Tick(new.ty))
        }
        ChangeRuleId::ArgumentInserted => format!(
            "new {what} of type {} before existing arguments{}",
            Tick(new.ty),
            match new.default {
                Some(default) => format!(", with default {}", Tick(default)),
                None => ", without a default".to_owned(),
            }
        ),
        ChangeRuleId::ArgumentAddedAfterOut => format!(
            "new {what} of type {} after an out argument{}",
            Tick(new.ty),
            match new.default {
                Some(default) => format!(", with default {}", Tick(default)),
                None => ", without a default".to_owned(),
            }
        ),
        ChangeRuleId::ArgumentRemoved => match old.default {
            Some(default) => format!("{what} removed; its default was {}", Tick(default)),
            None => format!("{what} removed"),
        },
        ChangeRuleId::ArgumentRenamed | ChangeRuleId::OutArgumentRenamed => {
            format!("{what} renamed to {}", Tick(new.name))
        }
        ChangeRuleId::ArgumentReordered if change.notes.contains(&Note::SilentSwap) => format!(
            "arguments {} reordered; their types are equal, so swapped values cause no error",
            ticks(&names(change))
        ),
        ChangeRuleId::ArgumentReordered => {
            format!("arguments {} reordered", ticks(&names(change)))
        }
        ChangeRuleId::ArgumentReorderedKwargOnly => {
            format!("keyword-only arguments {} reordered", ticks(&names(change)))
        }
        ChangeRuleId::OutArgumentReordered => {
            format!("out arguments {} reordered", ticks(&names(change)))
        }
        ChangeRuleId::ArgumentTypeWidened | ChangeRuleId::OutArgumentTypeWidened => {
            format!("{what} accepts more: {}{}", types(), besides(change))
        }
        ChangeRuleId::ArgumentTypeNarrowed | ChangeRuleId::OutArgumentTypeNarrowed => {
            format!("{what} accepts less: {}{}", types(), besides(change))
        }
        ChangeRuleId::ArgumentTypeChanged
        | ChangeRuleId::ArgumentTypeChangedErased
        | ChangeRuleId::ArgumentTypeSymint
        | ChangeRuleId::ArgumentTypeDeSymint
        | ChangeRuleId::OutArgumentTypeChanged => format!("{what} changed type from {}", types()),
        ChangeRuleId::ListSizeHintRemoved => {
            format!(
                "{what} no longer accepts a single number for the list: {}",
                types()
            )
        }
        ChangeRuleId::ListSizeHintAdded => {
            format!(
                "{what} now accepts a single number for the list: {}",
                types()
            )
        }
        ChangeRuleId::ListSizeHintChanged => {
            format!("the list size of {what} changed: {}", types())
        }
        ChangeRuleId::ArgumentBecameKwargOnly => format!("{what} is now keyword-only"),
        ChangeRuleId::ArgumentBecamePositional => format!("{what} can now be passed by position"),
        ChangeRuleId::DefaultAdded => format!("{what} now has the default {}", new.default()),
        ChangeRuleId::DefaultRemoved => format!("{what} lost its default {}", old.default()),
        ChangeRuleId::DefaultChanged if change.notes.contains(&Note::SameNumberOtherKind) => {
            format!(
                "the default of {what} changed from {} to {}, the same number with another type",
                old.default(),
                new.default()
            )
        }
        ChangeRuleId::DefaultChanged => format!(
            "the default of {what} changed from {} to {}",
            old.default(),
            new.default()
        ),
        ChangeRuleId::DefaultRespelled if old.default == new.default => format!(
            "the default {} of {what} is parsed for another type, but means the same",
            old.default()
        ),
        ChangeRuleId::DefaultRespelled => format!(
            "the default of {what} is written as {} instead of {}, but means the same",
            new.default(),
            old.default()
        ),
        ChangeRuleId::DefaultChangedWithType => format!(
            "type and default of {what} changed from {} to {}",
            Tick(text(change.old.as_ref())),
            Tick(text(change.new.as_ref()))
        ),
        ChangeRuleId::AliasAnnotationAdded => {
            format!("{what} may now share memory with a return: {}", types())
        }
        ChangeRuleId::AliasAnnotationRemoved => {
            format!("{what} no longer shares memory with a return: {}", types())
        }
        ChangeRuleId::MutabilityGained => format!("{what} is now mutable: {}", types()),
        ChangeRuleId::MutabilityLost => format!("{what} is no longer mutable: {}", types()),
        ChangeRuleId::AliasSetRenamed => format!(
            "the alias letters of {} changed consistently",
            ticks(&names(change))
        ),
        ChangeRuleId::AliasSetChanged => {
            format!("the alias set of {what} changed: {}", types())
        }
        ChangeRuleId::MutabilityRespelled => {
            format!(
                "the mutable annotation of {what} is written differently: {}",
                types()
            )
        }
        ChangeRuleId::ArgumentBecameOut => format!("{what} became an out argument"),
        ChangeRuleId::OutArgumentBecameInput => format!("{what} became an input"),
        ChangeRuleId::OutArgumentAdded => format!("new {what} of type {}", Tick(new.ty)),
        ChangeRuleId::OutArgumentRemoved => format!("{what} removed"),
        ChangeRuleId::OutArgumentsReplaced => "out arguments replaced by inputs".to_owned(),
        _ => return None,
    })
}

/// `, and `int` became `SymInt` or the reverse`, where the note says so.
fn besides(change: &Change) -> &'static str {
    match change.notes.contains(&Note::AlsoSymInt) {
        true => ", and `int` and `SymInt` were swapped",
        false => "",
    }
}

fn returns(change: &Change, old: Declared<'_>, new: Declared<'_>) -> Option<String> {
    let (before, after) = (text(change.old.as_ref()), text(change.new.as_ref()));
    let what = fmt::from_fn(|f| match (&change.subject, old.name) {
        (Subject::Return(_), name) if !name.is_empty() => write!(f, "return {}", Tick(name)),
        (Subject::Return(0), _) => f.write_str("the return"),
        (Subject::Return(index), _) => write!(f, "return {}", index + 1),
        _ => Ok(()),
    });
    let types = || FromTo(old.ty, new.ty);
    let all = || FromTo(before, after);
    Some(match change.rule.id {
        ChangeRuleId::ReturnCountChanged => match (values(before), values(after)) {
            (old, 1) => format!("it returns one value instead of {old}"),
            (old, new) => format!("it returns {new} values instead of {old}"),
        },
        ChangeRuleId::ReturnRenamed => format!("{what} renamed to {}", Tick(new.name)),
        ChangeRuleId::ReturnNameAdded => format!("returns gained names: {}", all()),
        ChangeRuleId::ReturnNameRemoved => format!("returns lost their names: {}", all()),
        ChangeRuleId::ReturnReordered => format!("returns reordered: {}", all()),
        ChangeRuleId::ReturnTypeWidened => format!("{what} can now be of more types: {}", types()),
        ChangeRuleId::ReturnTypeNarrowed => {
            format!("{what} is now of a narrower type: {}", types())
        }
        ChangeRuleId::ReturnTypeChanged
        | ChangeRuleId::ReturnTypeChangedErased
        | ChangeRuleId::ReturnTypeSymint => {
            format!("{what} changed type from {}", types())
        }
        ChangeRuleId::ReturnAliasChanged => {
            format!("the alias annotation of {what} changed: {}", types())
        }
        ChangeRuleId::VarargChanged if is_longer(before, after) => {
            "it now takes any number of further arguments".to_owned()
        }
        ChangeRuleId::VarargChanged => {
            "it no longer takes any number of further arguments".to_owned()
        }
        ChangeRuleId::VarretChanged if is_longer(before, after) => {
            "it can now return any number of further values".to_owned()
        }
        ChangeRuleId::VarretChanged => {
            "it no longer returns any number of further values".to_owned()
        }
        _ => return None,
    })
}

/// How many values a list of returns holds.
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

/// Whether `...` came rather than went.
fn is_longer(before: &str, after: &str) -> bool {
    before.matches("...").count() < after.matches("...").count()
}
