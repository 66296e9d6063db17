//! The official compatibility check: `FunctionSchema::isBackwardCompatibleWith` and
//! `isForwardCompatibleWith` of torch 2.9.0 (`aten/src/ATen/core/function_schema.cpp`;
//! `docs/spec/compatibility.md`, sections 2.4 to 2.7), including blind spots and crashes.

use super::reason::{ArgumentBreak, BackwardBreak, Verdict};
use super::schema::{Argument, RuntimeSchema};
use super::subtype::is_subtype;
use super::value::Value;

/// Judges the change from `old` to `new` like torch.
///
/// ```
/// use opatlas_runtime::{compare, parse};
///
/// let old = parse("roll(Tensor self, int[1] shifts) -> Tensor").unwrap();
/// let new = parse("roll(Tensor self, int[1] shifts, int[1] dims=0) -> Tensor").unwrap();
/// let verdict = compare(&old, &new);
/// assert!(verdict.backward && !verdict.forward);
/// assert!(verdict.forward_reason.contains("has a container type as its default value"));
/// ```
#[must_use]
pub fn compare(old: &RuntimeSchema<'_>, new: &RuntimeSchema<'_>) -> Verdict {
    let backward = backward(old, new);
    let forward = forward(old, new);
    Verdict {
        backward: backward.is_ok(),
        forward: forward.is_ok(),
        backward_crash: matches!(backward, Err(BackwardBreak::Crash { .. })),
        forward_crash: matches!(forward, Err(ForwardBreak::Crash(_))),
        backward_reason: backward.err(),
        forward_reason: match forward {
            Ok(()) => String::new(),
            Err(ForwardBreak::Reason(text) | ForwardBreak::Crash(text)) => text,
        },
    }
}

/// `docs/spec/compatibility.md`, section 2.6.
fn backward(old: &RuntimeSchema<'_>, new: &RuntimeSchema<'_>) -> Result<(), BackwardBreak> {
    same_structure(old, new)?;
    if new.arguments.len() < old.arguments.len() {
        return Err(BackwardBreak::FewerArguments {
            old: old.arguments.len(),
            new: new.arguments.len(),
        });
    }
    for (index, (old, new)) in old.returns.iter().zip(&new.returns).enumerate() {
        // Callers of the old schema receive the returns of the new one, so roles are swapped.
        argument_backward(new, old).map_err(|what| BackwardBreak::Return { index, what })?;
    }
    let (old_out, new_out) = (old.out_start(), new.out_start());
    for (old, new) in old.arguments.iter().zip(&new.arguments).take(old_out) {
        argument_backward(old, new).map_err(|what| argument_break(old, what))?;
    }
    for added in new.arguments.iter().take(new_out).skip(old_out) {
        if added.default.is_none() {
            return Err(BackwardBreak::NewArgumentWithoutDefault {
                name: added.name.to_owned(),
                type_text: added.ty.erased_text(),
            });
        }
    }
    for (i, old) in old.arguments.iter().enumerate().skip(old_out) {
        let index = i - old_out + new_out;
        let new = new.arguments.get(index).ok_or(BackwardBreak::Crash {
            index,
            size: new.arguments.len(),
        })?;
        argument_backward(old, new).map_err(|what| argument_break(old, what))?;
    }
    Ok(())
}

fn same_structure(old: &RuntimeSchema<'_>, new: &RuntimeSchema<'_>) -> Result<(), BackwardBreak> {
    if (old.namespace, old.name) != (new.namespace, new.name) {
        return Err(BackwardBreak::Name);
    }
    if old.overload != new.overload {
        return Err(BackwardBreak::Overload);
    }
    if (old.is_vararg, old.is_varret) != (new.is_vararg, new.is_varret) {
        return Err(BackwardBreak::Variadic);
    }
    if old.returns.len() != new.returns.len() {
        return Err(BackwardBreak::ReturnCount {
            old: old.returns.len(),
            new: new.returns.len(),
        });
    }
    Ok(())
}

fn argument_break(argument: &Argument<'_>, what: ArgumentBreak) -> BackwardBreak {
    BackwardBreak::Argument {
        name: argument.name.to_owned(),
        what,
    }
}

enum ForwardBreak {
    Reason(String),
    Crash(String),
}

/// `docs/spec/compatibility.md`, section 2.7.
fn forward(old: &RuntimeSchema<'_>, new: &RuntimeSchema<'_>) -> Result<(), ForwardBreak> {
    same_structure(old, new).map_err(|_| ForwardBreak::Reason(String::new()))?;
    let (old_out, new_out) = (old.out_start(), new.out_start());
    if old.arguments.len() - old_out != new.arguments.len() - new_out {
        let reason = "Function schema should have the same number of out arguments";
        return Err(ForwardBreak::Reason(reason.to_owned()));
    }
    let plain = old_out.min(new_out);
    for (old, new) in old.arguments.iter().zip(&new.arguments).take(plain) {
        argument_forward(old, new).map_err(|_| {
            let name = new.name;
            let reason = "is not forward compatible with the older version of the schema";
            ForwardBreak::Reason(format!("'{name}' {reason}"))
        })?;
    }
    for added in new.arguments.iter().take(new_out).skip(old_out) {
        added_argument_forward(added)?;
    }
    let out_pairs = old.arguments.iter().skip(old_out);
    for (i, (old, changed)) in out_pairs
        .zip(new.arguments.iter().skip(new_out))
        .enumerate()
    {
        if argument_forward(old, changed).is_err() {
            return Err(out_argument_reason(new, i + old_out));
        }
    }
    Ok(())
}

fn added_argument_forward(added: &Argument<'_>) -> Result<(), ForwardBreak> {
    let complaint = match &added.default {
        None => "did not provide a default value.",
        Some(default) if default.is_list() => "has a container type as its default value.",
        Some(_) => return Ok(()),
    };
    let (name, type_text) = (added.name, added.ty.erased_text());
    let reason = "Function schema is not forward compatible since the new argument";
    Err(ForwardBreak::Reason(format!(
        "{reason} '{name}' of type {type_text} {complaint}"
    )))
}

/// PyTorch reports the argument at the old schema's index, which may be another argument or none.
fn out_argument_reason(new: &RuntimeSchema<'_>, index: usize) -> ForwardBreak {
    match new.arguments.get(index) {
        Some(named) => ForwardBreak::Reason(format!(
            "Out argument ''{} is not FC with the older version of the schema",
            named.name
        )),
        None => ForwardBreak::Crash(BackwardBreak::crash_text(index, new.arguments.len())),
    }
}

/// Whether every valid call of `old` is valid for `new`.
fn argument_backward(old: &Argument<'_>, new: &Argument<'_>) -> Result<(), ArgumentBreak> {
    same_head(old, new)?;
    if !is_subtype(&old.ty, &new.ty) {
        return Err(ArgumentBreak::Type);
    }
    default_kept(old.default.as_ref(), new.default.as_ref())
}

/// Whether every valid call of `new` is valid for `old`.
fn argument_forward(old: &Argument<'_>, new: &Argument<'_>) -> Result<(), ArgumentBreak> {
    same_head(old, new)?;
    if !is_subtype(&new.ty, &old.ty) {
        return Err(ArgumentBreak::Type);
    }
    if new.default.is_some() && old.default.is_none() {
        return Err(ArgumentBreak::Default);
    }
    default_kept(old.default.as_ref(), new.default.as_ref())
}

/// `docs/spec/compatibility.md`, section 2.4.
fn same_head(old: &Argument<'_>, new: &Argument<'_>) -> Result<(), ArgumentBreak> {
    if old.name != new.name {
        return Err(ArgumentBreak::Name);
    }
    if old.size != new.size {
        return Err(ArgumentBreak::Size);
    }
    if old.alias != new.alias {
        return Err(ArgumentBreak::Alias);
    }
    if new.is_kwarg_only && !old.is_kwarg_only {
        return Err(ArgumentBreak::KwargOnly);
    }
    Ok(())
}

fn default_kept(old: Option<&Value<'_>>, new: Option<&Value<'_>>) -> Result<(), ArgumentBreak> {
    if old.is_some() && old != new {
        return Err(ArgumentBreak::Default);
    }
    Ok(())
}
