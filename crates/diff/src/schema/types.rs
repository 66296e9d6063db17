//! Type changes of arguments and returns.

use super::Side;
use crate::official::{Argument, Type, is_subtype, same};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeChange {
    Same,
    /// `int` became `SymInt`, inside any `?` and `[]`.
    SymInt,
    /// `SymInt` became `int`.
    DeSymInt,
    /// Another type that torch treats as equal.
    Erased,
    Widened,
    Narrowed,
    /// Neither accepts the other's values.
    Other,
}

pub(super) fn type_change(
    sides: (Side<'_>, Side<'_>),
    pair: (&Argument<'_>, &Argument<'_>),
) -> TypeChange {
    let (old, new) = (&pair.0.ty, &pair.1.ty);
    let (old_text, new_text) = (old.text(), new.text());
    if old_text == new_text {
        return if erased_types(sides.0, pair.0) == erased_types(sides.1, pair.1) {
            TypeChange::Same
        } else {
            TypeChange::Erased
        };
    }
    if same(old, new) {
        return match (symint(&old_text), symint(&new_text)) {
            (old, new) if old.0 != new.0 => TypeChange::Erased,
            (old, new) if old.1 < new.1 => TypeChange::SymInt,
            _ => TypeChange::DeSymInt,
        };
    }
    match (is_subtype(old, new), is_subtype(new, old)) {
        (true, _) => TypeChange::Widened,
        (false, true) => TypeChange::Narrowed,
        (false, false) => TypeChange::Other,
    }
}

/// The type in the text, with its annotation; `None` without spans.
fn source_type<'a>(side: Side<'a>, argument: &Argument<'_>) -> Option<&'a str> {
    if !side.has_spans {
        return None;
    }
    let text = argument.span.slice(side.text);
    let declared = text.split_once('=').map_or(text, |(declared, _)| declared);
    let declared = declared.trim_end();
    Some(declared.strip_suffix(argument.name).unwrap_or(declared))
}

/// The declared types that the runtime's parser erases (`docs/spec/compatibility.md`, section 2.1).
fn erased_types<'a>(side: Side<'a>, argument: &Argument<'_>) -> Vec<&'a str> {
    let ty = source_type(side, argument).unwrap_or_default();
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    ty.split(|c| !is_letter(c))
        .filter(|word| ["Dimname", "DeviceIndex", "ConstQuantizerPtr"].contains(word))
        .collect()
}

/// Whether `int` became `SymInt` or the reverse, in addition to another type change.
pub(super) fn moves_symint(old: &Type<'_>, new: &Type<'_>) -> bool {
    symint(&old.text()).1 != symint(&new.text()).1
}

/// The text with `int` instead of `SymInt`, and the number of replacements.
fn symint(text: &str) -> (String, usize) {
    (
        text.replace("SymInt", "int"),
        text.matches("SymInt").count(),
    )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SizeChange {
    Added,
    Removed,
    Changed,
}

/// Compares the sizes of two lists; `None` if they are equal or one side is not a list.
pub(super) fn size_change(old: &Argument<'_>, new: &Argument<'_>) -> Option<SizeChange> {
    if !is_list(&old.ty) || !is_list(&new.ty) {
        return None;
    }
    match (old.size, new.size) {
        (old, new) if old == new => None,
        (None, Some(_)) => Some(SizeChange::Added),
        (Some(_), None) => Some(SizeChange::Removed),
        _ => Some(SizeChange::Changed),
    }
}

fn is_list(ty: &Type<'_>) -> bool {
    match ty {
        Type::List(_) => true,
        Type::Optional(inner) => is_list(inner),
        _ => false,
    }
}
