//! Signatures: the common part of an operator's variants (`docs/spec/grammar.md`, section 9,
//! torchgen `FunctionSchema.signature`). They are equal exactly if their canonical texts are equal.

use std::collections::HashSet;
use std::fmt::{self, Write};

use super::function::{Argument, FunctionSchema};
use super::name::OperatorName;
use super::types::Type;
use crate::print::write_type;

/// How a signature treats defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defaults {
    /// Kept, for grouping.
    Kept,
    /// Dropped, for matching derivatives.
    Stripped,
}

/// The canonical text of the signature.
#[must_use]
pub fn signature(schema: &FunctionSchema) -> String {
    render(schema, schema.name.stem(), Defaults::Kept)
}

/// The signature without defaults.
#[must_use]
pub fn signature_without_defaults(schema: &FunctionSchema) -> String {
    render(schema, schema.name.stem(), Defaults::Stripped)
}

/// The name under which a view copy is paired with its view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewCopyNames {
    /// `x_copy` pairs with `x` (until 2.2).
    Copy,
    /// `x_scatter` also pairs with `x_inverse` (since 2.3).
    CopyAndScatter,
}

/// The signature under the view's name: drops every `_copy`, or replaces every `scatter` with
/// `inverse`, depending on the end of the name (torchgen `view_signature`).
#[must_use]
pub fn view_signature(schema: &FunctionSchema, names: ViewCopyNames) -> String {
    let stem = schema.name.stem();
    if stem.ends_with("_copy") {
        render(schema, &stem.replace("_copy", ""), Defaults::Kept)
    } else if names == ViewCopyNames::CopyAndScatter && stem.ends_with("_scatter") {
        render(schema, &stem.replace("scatter", "inverse"), Defaults::Kept)
    } else {
        signature(schema)
    }
}

/// An argument of a signature.
#[derive(Debug, Clone, Copy)]
pub struct SignatureArgument<'s> {
    /// The argument.
    pub argument: &'s Argument,
    /// Whether it is keyword-only.
    pub is_keyword_only: bool,
    /// The default in the signature.
    pub default: Option<&'s str>,
}

/// The arguments of a signature, in order: all but out arguments and TensorOptions.
pub fn arguments(schema: &FunctionSchema) -> impl Iterator<Item = SignatureArgument<'_>> {
    let of = |argument, is_keyword_only| SignatureArgument {
        argument,
        is_keyword_only,
        default: default_of(&schema.name, argument, Defaults::Kept),
    };
    let positional = schema.arguments.positional().iter();
    let keyword_only = schema.arguments.keyword_only_without_options();
    positional
        .map(move |argument| of(argument, false))
        .chain(keyword_only.map(move |argument| of(argument, true)))
}

/// Written arguments without a return, which become returns: `self`, out arguments, others.
pub fn unreturned_writes(schema: &FunctionSchema) -> impl Iterator<Item = &Argument> {
    let arguments = &schema.arguments;
    let returned: HashSet<_> = schema
        .returns
        .iter()
        .map(|r| r.annotation.as_deref())
        .collect();
    arguments
        .self_argument()
        .into_iter()
        .chain(arguments.out())
        .chain(arguments.post_self())
        .filter(move |a| a.is_write() && !returned.contains(&a.annotation.as_deref()))
}

fn render(schema: &FunctionSchema, stem: &str, defaults: Defaults) -> String {
    let mut text = String::with_capacity(160);
    let _ = write_signature(&mut text, schema, stem, defaults);
    text
}

fn write_signature(
    w: &mut String,
    schema: &FunctionSchema,
    stem: &str,
    defaults: Defaults,
) -> fmt::Result {
    let dunder = if schema.name.is_dunder() { "__" } else { "" };
    for part in [dunder, stem, dunder, "("] {
        w.write_str(part)?;
    }
    let mut keyword_only = false;
    for (i, one) in arguments(schema).enumerate() {
        let argument = one.argument;
        if i > 0 {
            w.write_str(", ")?;
        }
        if one.is_keyword_only && !keyword_only {
            keyword_only = true;
            w.write_str("*, ")?;
        }
        write_type(w, &argument.ty)?;
        w.write_str(" ")?;
        w.write_str(&argument.name)?;
        if let Some(default) = default_of(&schema.name, argument, defaults) {
            w.write_str("=")?;
            w.write_str(default)?;
        }
    }
    w.write_str(") -> ")?;
    let count = schema.returns.len() + unreturned_writes(schema).count();
    if count != 1 {
        w.write_str("(")?;
    }
    for (i, ty) in return_types(schema).enumerate() {
        if i > 0 {
            w.write_str(", ")?;
        }
        write_type(w, ty)?;
    }
    if count != 1 {
        w.write_str(")")?;
    }
    Ok(())
}

/// The types that a signature returns: the declared ones, then those of [`unreturned_writes`].
pub fn return_types(schema: &FunctionSchema) -> impl Iterator<Item = &Type> {
    let returns = schema.returns.iter().map(|r| &r.ty);
    returns.chain(unreturned_writes(schema).map(|a| &a.ty))
}

/// `bernoulli.p` declares `float p`, but its siblings have a default, so torchgen adds it to the
/// signature, even where defaults are stripped.
fn default_of<'a>(
    name: &OperatorName,
    argument: &'a Argument,
    defaults: Defaults,
) -> Option<&'a str> {
    let default = argument
        .default
        .as_deref()
        .filter(|_| defaults == Defaults::Kept);
    let reads_default = name.as_str() == "bernoulli.p" && &*argument.name == "p";
    match default {
        None if reads_default => Some("0.5"),
        default => default,
    }
}
