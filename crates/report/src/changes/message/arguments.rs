//! Sentences about arguments, defaults, annotations, out arguments and returns.

use super::{names, text, tick, ticks};
use opatlas_diff::{Change, Fragment, Note, Subject};

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

    fn default(&self) -> String {
        tick(self.default.unwrap_or(""))
    }
}

pub(super) fn message(change: &Change) -> Option<String> {
    let old = Declared::of(change.old.as_ref());
    let new = Declared::of(change.new.as_ref());
    let id = change.rule.id;
    if id.starts_with("return-") || id.starts_with("var") {
        return returns(change, old, new);
    }
    let what = match &change.subject {
        Subject::Argument(name) if id.starts_with("out-") => format!("out argument {}", tick(name)),
        Subject::Argument(name) => format!("argument {}", tick(name)),
        _ => String::new(),
    };
    let types = || format!("{} to {}", tick(old.ty), tick(new.ty));
    Some(match id {
        "argument-added-with-default" | "argument-added-container-default" => {
            format!(
                "new {what} of type {} with default {}",
                tick(new.ty),
                new.default()
            )
        }
        "argument-added-required" => {
            format!("new {what} of type {} without a default", tick(new.ty))
        }
        "argument-inserted" => format!(
            "new {what} of type {} before others{}",
            tick(new.ty),
            match new.default {
                Some(default) => format!(", with default {}", tick(default)),
                None => ", without a default".to_owned(),
            }
        ),
        "argument-added-after-out" => format!(
            "new {what} of type {} behind an out argument{}",
            tick(new.ty),
            match new.default {
                Some(default) => format!(", with default {}", tick(default)),
                None => ", without a default".to_owned(),
            }
        ),
        "argument-removed" => match old.default {
            Some(default) => format!("{what} is gone; its default was {}", tick(default)),
            None => format!("{what} is gone"),
        },
        "argument-renamed" | "out-argument-renamed" => {
            format!("{what} is now called {}", tick(new.name))
        }
        "argument-reordered" if change.notes.contains(&Note::SilentSwap) => format!(
            "arguments {} changed places; their types are equal, so that nothing complains when \
             values end up in the wrong one",
            ticks(&names(change))
        ),
        "argument-reordered" => format!("arguments {} changed places", ticks(&names(change))),
        "argument-reordered-kwarg-only" => format!(
            "the keyword-only arguments {} changed places",
            ticks(&names(change))
        ),
        "out-argument-reordered" => {
            format!("the out arguments {} changed places", ticks(&names(change)))
        }
        "argument-type-widened" | "out-argument-type-widened" => {
            format!("{what} takes more: {}{}", types(), besides(change))
        }
        "argument-type-narrowed" | "out-argument-type-narrowed" => {
            format!("{what} takes less: {}{}", types(), besides(change))
        }
        "argument-type-changed"
        | "argument-type-changed-erased"
        | "argument-type-symint"
        | "argument-type-de-symint"
        | "out-argument-type-changed" => format!("{what} changed type from {}", types()),
        "list-size-hint-removed" => {
            format!(
                "{what} lost its list size, so that one number no longer does: {}",
                types()
            )
        }
        "list-size-hint-added" => {
            format!(
                "{what} got a list size, so that one number does as well: {}",
                types()
            )
        }
        "list-size-hint-changed" => format!("{what} has another list size: {}", types()),
        "argument-became-kwarg-only" => format!("{what} must be passed by keyword now"),
        "argument-became-positional" => format!("{what} may be passed by position now"),
        "default-added" => format!("{what} has the default {} now", new.default()),
        "default-removed" => format!("{what} lost its default {}", old.default()),
        "default-changed" if change.notes.contains(&Note::SameNumberOtherKind) => format!(
            "the default of {what} changed from {} to {}, the same number of another kind",
            old.default(),
            new.default()
        ),
        "default-changed" => format!(
            "the default of {what} changed from {} to {}",
            old.default(),
            new.default()
        ),
        "default-respelled" if old.default == new.default => format!(
            "the default {} of {what} is read for another type and means the same",
            old.default()
        ),
        "default-respelled" => format!(
            "the default of {what} is written {} instead of {} and means the same",
            new.default(),
            old.default()
        ),
        "default-changed-with-type" => format!(
            "type and default of {what} both changed, from {} to {}",
            tick(text(change.old.as_ref())),
            tick(text(change.new.as_ref()))
        ),
        "alias-annotation-added" => {
            format!("{what} may share memory with a result now: {}", types())
        }
        "alias-annotation-removed" => {
            format!("{what} no longer shares memory with a result: {}", types())
        }
        "mutability-gained" => format!("{what} is written to now: {}", types()),
        "mutability-lost" => format!("{what} is no longer written to: {}", types()),
        "alias-set-renamed" => format!(
            "the alias sets of {} have other letters, throughout",
            ticks(&names(change))
        ),
        "alias-set-changed" => format!("{what} shares memory with other values: {}", types()),
        "mutability-respelled" => {
            format!("{what} is marked as written to in another way: {}", types())
        }
        "argument-became-out" => format!("{what} became an out argument"),
        "out-argument-became-input" => format!("{what} became an input"),
        "out-argument-added" => format!("new {what} of type {}", tick(new.ty)),
        "out-argument-removed" => format!("{what} is gone"),
        "out-arguments-replaced" => "out arguments were traded for inputs".to_owned(),
        _ => return None,
    })
}

/// `, and `int` became `SymInt` or the reverse`, where the note says so.
fn besides(change: &Change) -> &'static str {
    match change.notes.contains(&Note::AlsoSymInt) {
        true => ", and `int` traded places with `SymInt`",
        false => "",
    }
}

fn returns(change: &Change, old: Declared<'_>, new: Declared<'_>) -> Option<String> {
    let (before, after) = (text(change.old.as_ref()), text(change.new.as_ref()));
    let what = match (&change.subject, old.name) {
        (Subject::Return(_), name) if !name.is_empty() => format!("the result {}", tick(name)),
        (Subject::Return(0), _) => "the result".to_owned(),
        (Subject::Return(index), _) => format!("result {}", index + 1),
        _ => String::new(),
    };
    let types = || format!("{} to {}", tick(old.ty), tick(new.ty));
    let all = || format!("{} to {}", tick(before), tick(after));
    Some(match change.rule.id {
        "return-count-changed" => match (values(before), values(after)) {
            (old, 1) => format!("it returns one value instead of {old}"),
            (old, new) => format!("it returns {new} values instead of {old}"),
        },
        "return-renamed" => format!("{what} is now called {}", tick(new.name)),
        "return-name-added" => format!("its results got names: {}", all()),
        "return-name-removed" => format!("its results lost names: {}", all()),
        "return-reordered" => format!("its results changed places: {}", all()),
        "return-type-widened" => format!("{what} may be more than before: {}", types()),
        "return-type-narrowed" => format!("{what} is more definite: {}", types()),
        "return-type-changed" | "return-type-changed-erased" | "return-type-symint" => {
            format!("{what} changed type from {}", types())
        }
        "return-alias-changed" => {
            format!(
                "{what} shares memory with other values or is marked as written to: {}",
                types()
            )
        }
        "vararg-changed" if is_longer(before, after) => {
            "it takes any number of further arguments now".to_owned()
        }
        "vararg-changed" => "it no longer takes any number of further arguments".to_owned(),
        "varret-changed" if is_longer(before, after) => {
            "it may return any number of further values now".to_owned()
        }
        "varret-changed" => "it no longer returns any number of further values".to_owned(),
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
