//! Invariants of a schema (torchgen `FunctionSchema.__post_init__`, `Arguments.__post_init__`,
//! `FunctionSchema.kind`).
//!
//! They are apart from the rules because generated schemas must satisfy them too.

use std::collections::HashSet;

use opatlas_source::diagnostic::{Applicability, Diagnostic, Fix, RuleId};
use opatlas_source::{Span, message};

use super::annotation::{AfterSet, Annotation};
use super::function::{Argument, Arguments, FunctionSchema, Return, SchemaKind};
use super::types::Type;

/// Every invariant that the schema breaks.
#[must_use]
pub fn broken_invariants(schema: &FunctionSchema) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    // A shortcut: most schemas write nothing, and all invariants concern writes.
    if writes_nothing(schema) {
        return found;
    }
    pre_self_immutable(schema, &mut found);
    if let Some(diagnostic) = inplace_and_out(schema) {
        found.push(diagnostic);
        return found;
    }
    mutable_positional_not_returned(schema, &mut found);
    written_returns_alias(schema, &mut found);
    out_returned(schema, &mut found);
    inplace_returns_self(schema, &mut found);
    returns_alike(schema, &mut found);
    kinds_agree(schema, &mut found);
    found
}

fn writes_nothing(schema: &FunctionSchema) -> bool {
    !schema.name.is_inplace()
        && !schema.arguments.all().iter().any(Argument::is_write)
        && !schema.returns.iter().any(Return::is_write)
}

fn pre_self_immutable(schema: &FunctionSchema, found: &mut Vec<Diagnostic>) {
    for argument in schema.arguments.pre_self().iter().filter(|a| a.is_write()) {
        found.push(
            Diagnostic::new(
                RuleId::PreSelfMutable,
                argument.type_at.0,
                message!(
                    "argument `{}` precedes `self` and is mutable",
                    argument.name
                ),
            )
            .with_help("move it after `self`, or remove the `!`"),
        );
    }
}

fn mutable_positional_not_returned(schema: &FunctionSchema, found: &mut Vec<Diagnostic>) {
    if schema.name.is_inplace() && schema.arguments.self_argument().is_none() {
        return; // one of them is meant to be `self`, which inplace-self says
    }
    let written = schema.arguments.post_self().iter();
    let mut written = written.filter(|a| a.is_write()).peekable();
    if written.peek().is_none() {
        return;
    }
    let returned: HashSet<_> = schema
        .returns
        .iter()
        .map(|r| r.annotation.as_deref())
        .collect();
    for argument in written {
        let is_returned = returned.contains(&argument.annotation.as_deref());
        if let Some(ret) = schema
            .returns
            .iter()
            .find(|r| is_returned && r.annotation == argument.annotation)
        {
            found.push(
                Diagnostic::new(
                    RuleId::MutablePositionalReturned,
                    ret.at.0,
                    message!(
                        "this return is the mutable argument `{}`, which is neither `self` nor an \
                         out argument",
                        argument.name
                    ),
                )
                .with_help(message!(
                    "return a new value, put `{}` after `*` to make it an out argument, or rename \
                     it to `self`",
                    argument.name
                ))
                .with_related("declared mutable here", argument.at.0),
            );
            let last = found
                .last_mut()
                .filter(|_| is_out_but_for_the_marker(schema, argument));
            if let Some(diagnostic) = last {
                diagnostic.fix = Some(Fix {
                    span: Span::at(argument.at.0.start),
                    replacement: "*, ".into(),
                    applicability: Applicability::Suggested,
                });
            }
        }
    }
}

/// Whether adding `*` before the argument would make an out variant.
fn is_out_but_for_the_marker(schema: &FunctionSchema, argument: &Argument) -> bool {
    let arguments = schema.arguments.all();
    let behind = arguments.iter().skip_while(|a| !std::ptr::eq(*a, argument));
    argument.name.starts_with("out")
        && schema.arguments.positional().len() == arguments.len()
        && behind.into_iter().all(Argument::is_write)
}

/// Only if each return is valid by itself.
fn returns_alike(schema: &FunctionSchema, found: &mut Vec<Diagnostic>) {
    let returns = schema.returns_at.0;
    if found
        .iter()
        .any(|d| returns.start <= d.span.start && d.span.end <= returns.end)
    {
        return;
    }
    let written = schema.returns.iter().find(|r| r.is_write());
    let fresh = schema.returns.iter().find(|r| !r.is_write());
    if let (Some(written), Some(fresh)) = (written, fresh) {
        found.push(
            Diagnostic::new(
                RuleId::MixedMutableImmutableReturns,
                schema.returns_at.0,
                "some returns are mutable aliases and others are not",
            )
            .with_help("return only the mutated arguments, or only new values")
            .with_related("a mutable alias", written.at.0)
            .with_related("not mutable", fresh.at.0),
        );
    }
}

fn written_returns_alias(schema: &FunctionSchema, found: &mut Vec<Diagnostic>) {
    let arguments = &schema.arguments;
    // An out argument's own return is judged by out-return-matches.
    let paired = arguments.out().len();
    // The only return of an in-place operator is judged by inplace-self and inplace-return.
    let is_judged = schema.name.is_inplace() && schema.returns.len() == 1;
    let returns = schema.returns.iter().skip(paired);
    let mut returns = returns
        .filter(|ret| ret.is_write() && !is_judged)
        .peekable();
    if returns.peek().is_none() {
        return;
    }
    let selves = arguments.positional().iter().filter(|a| &*a.name == "self");
    let owners = arguments.out().iter().chain(selves);
    let owned: HashSet<_> = owners.map(|a| a.annotation.as_deref()).collect();
    let written = arguments.post_self().iter().filter(|a| a.is_write());
    let written: HashSet<_> = written.map(|a| a.annotation.as_deref()).collect();
    for ret in returns {
        if owned.contains(&ret.annotation.as_deref()) {
            continue;
        }
        if written.contains(&ret.annotation.as_deref()) {
            continue; // reported as mutable-positional-returned
        }
        found.push(
            Diagnostic::new(
                RuleId::MutableReturnMustAlias,
                ret.at.0,
                message!(
                    "return `{}` is mutable, but neither `self` nor an out argument has this \
                     annotation",
                    ret
                ),
            )
            .with_help("annotate that argument in the same way, or remove the `!`"),
        );
    }
}

/// Without `_scratch_` arguments.
fn returned_outs(schema: &FunctionSchema) -> impl Iterator<Item = &Argument> {
    let out = schema.arguments.out().iter();
    out.filter(|a| !a.name.starts_with("_scratch_"))
}

fn out_returned(schema: &FunctionSchema, found: &mut Vec<Diagnostic>) {
    let out = schema.arguments.out();
    if out.is_empty() {
        return;
    }
    if let Some(list) = out.iter().find(|a| !a.ty.is_tensor()) {
        if !schema.returns.is_empty() {
            let message = message!(
                "out argument `{}` is not a plain tensor, so the operator must not return a value",
                list.name
            );
            let at = schema.returns_at.0;
            let diagnostic = Diagnostic::new(RuleId::OutListReturnsNothing, at, message)
                .with_related("the out argument is here", list.at.0);
            // An optional out argument is refused without returns, too.
            let is_optional = matches!(list.ty, Type::Optional(_));
            found.push(if is_optional {
                diagnostic.with_help("declare the out argument as a plain `Tensor`")
            } else {
                diagnostic.with_help("write `-> ()`").with_fix(at, "()")
            });
        }
        return;
    }
    let mismatch = out
        .iter()
        .zip(&schema.returns)
        .find(|(argument, ret)| argument.annotation != ret.annotation);
    if let (Some(_), Some(scratch)) = (mismatch, misplaced_scratch(out)) {
        found.push(
            Diagnostic::new(
                RuleId::Scratch,
                scratch.at.0,
                message!(
                    "out argument `{}` is not returned, so it must follow those that are",
                    scratch.name
                ),
            )
            .with_help(
                "move it to the end: PyTorch matches returns with out arguments by position",
            ),
        );
    } else if let Some((argument, ret)) = mismatch {
        let expected = expected_returns(schema);
        found.push(
            Diagnostic::new(
                RuleId::OutReturnMatches,
                ret.at.0,
                message!(
                    "out argument `{}` is `Tensor({})`, but the return at its position is `{}`",
                    argument.name,
                    argument
                        .annotation
                        .as_ref()
                        .map_or_else(String::new, ToString::to_string),
                    unnamed(ret)
                ),
            )
            .with_help(message!("write `-> {}`", expected))
            .with_related("the out argument is here", argument.at.0)
            .with_fix(schema.returns_at.0, expected),
        );
    } else if returned_outs(schema).count() != schema.returns.len() {
        let expected = expected_returns(schema);
        found.push(
            Diagnostic::new(
                RuleId::OutReturnCount,
                schema.returns_at.0,
                message!(
                    "the operator must return {} out {}, but returns {}",
                    returned_outs(schema).count(),
                    plural(returned_outs(schema).count(), "argument", "arguments"),
                    match schema.returns.len() {
                        0 => "nothing".to_owned(),
                        1 => "one value".to_owned(),
                        n => format!("{n} values"),
                    }
                ),
            )
            .with_help(message!("write `-> {}`", expected))
            .with_fix(schema.returns_at.0, expected),
        );
    }
}

/// A scratch argument before one that is returned.
fn misplaced_scratch(out: &[Argument]) -> Option<&Argument> {
    let is_scratch = |argument: &Argument| argument.name.starts_with("_scratch_");
    let first = out.iter().position(is_scratch)?;
    let behind = out[first..].iter().any(|argument| !is_scratch(argument));
    behind.then(|| &out[first])
}

fn plural(count: usize, one: &'static str, many: &'static str) -> &'static str {
    if count == 1 { one } else { many }
}

fn unnamed(ret: &Return) -> String {
    Return {
        name: None,
        ..ret.clone()
    }
    .to_string()
}

/// The name of the return that matches an argument: the present one, or one that an arrow needs.
fn return_name(schema: &FunctionSchema, index: usize, argument: &Argument) -> Option<Box<str>> {
    let present = schema.returns.get(index).and_then(|r| r.name.clone());
    let has_arrow = argument
        .annotation
        .as_ref()
        .is_some_and(|annotation| annotation.after != AfterSet::Same);
    let name = || match index {
        0 => "result".into(),
        index => format!("result{index}").into(),
    };
    present.or_else(|| has_arrow.then(name))
}

/// The returns that match the out arguments, keeping return names if possible.
fn expected_returns(schema: &FunctionSchema) -> String {
    let wanted: Vec<Return> = returned_outs(schema)
        .enumerate()
        .map(|(i, argument)| Return {
            name: return_name(schema, i, argument),
            ty: argument.ty.clone(),
            annotation: argument.annotation.clone(),
            at: argument.at,
        })
        .collect();
    let mut text = String::new();
    let _ = crate::print::write_returns(&mut text, &wanted);
    text
}

fn inplace_returns_self(schema: &FunctionSchema, found: &mut Vec<Diagnostic>) {
    if !schema.name.is_inplace() {
        return;
    }
    let Some(this) = schema.arguments.self_argument().filter(|a| a.is_write()) else {
        found.push(not_written_self(schema));
        return;
    };
    if this.ty.is_tensor() {
        let matches =
            matches!(schema.returns.as_slice(), [ret] if ret.annotation == this.annotation);
        if !matches {
            let annotated = Return {
                name: return_name(schema, 0, this),
                ty: Type::TENSOR,
                annotation: this.annotation.clone(),
                at: this.at,
            }
            .to_string();
            found.push(
                Diagnostic::new(
                    RuleId::InplaceReturn,
                    schema.returns_at.0,
                    message!(
                        "an in-place operator must return `self`, here `{}`",
                        annotated
                    ),
                )
                .with_help(message!("write `-> {}`", annotated))
                .with_related("self", this.at.0)
                .with_fix(schema.returns_at.0, annotated),
            );
        }
    } else if !schema.returns.is_empty() {
        found.push(
            Diagnostic::new(
                RuleId::InplaceListSelf,
                schema.returns_at.0,
                "an in-place operator must return nothing if `self` is not a plain tensor",
            )
            .with_help("write `-> ()`")
            .with_related("self", this.at.0)
            .with_fix(schema.returns_at.0, "()"),
        );
    }
}

fn not_written_self(schema: &FunctionSchema) -> Diagnostic {
    let name = schema.name.base();
    let message = message!(
        "`{}` has an in-place name, but no mutable positional argument `self`",
        name
    );
    match schema.arguments.self_argument() {
        Some(this) if this.ty.is_tensor_like() => {
            let diagnostic = Diagnostic::new(RuleId::InplaceSelf, this.at.0, message)
                .with_help("annotate it as mutable: `Tensor(a!) self`");
            match this.annotation {
                None if !this.type_at.0.is_empty() => match returning_self(schema) {
                    Some(written) => {
                        diagnostic.with_fix(schema.name_at.0.to(schema.returns_at.0), written)
                    }
                    None => diagnostic.with_fix(Span::at(this.type_at.0.start + 6), "(a!)"),
                },
                _ => diagnostic,
            }
        }
        _ => {
            let diagnostic = Diagnostic::new(RuleId::InplaceSelf, schema.name_at.0, message)
                .with_help(
                    "declare a positional `Tensor(a!) self`, or remove the trailing `_` from the \
                     name",
                );
            let mut written = schema
                .arguments
                .positional()
                .iter()
                .filter(|a| a.is_write());
            let is_free = !schema.arguments.all().iter().any(|a| &*a.name == "self");
            match (written.next(), written.next()) {
                (Some(only), None) if only.ty.is_tensor() && is_free => diagnostic
                    .with_related("is this `self`?", only.name_at.0)
                    .with_fix(only.name_at.0, "self"),
                _ => diagnostic,
            }
        }
    }
}

/// The schema with a written and returned `self`, if it returns a plain tensor so far.
fn returning_self(schema: &FunctionSchema) -> Option<String> {
    let arguments = &schema.arguments;
    let this = arguments.self_index()?;
    let [returned] = &schema.returns[..] else {
        return None;
    };
    if !returned.ty.is_tensor() || returned.annotation.is_some() {
        return None;
    }
    let annotation = Some(Box::new(Annotation::written(b'a')));
    let mut list = arguments.all().to_vec();
    list[this].annotation.clone_from(&annotation);
    let (positional, out) = (arguments.positional().len(), arguments.non_out().len());
    let written = FunctionSchema {
        arguments: Arguments::new(list, positional, out),
        returns: vec![Return {
            annotation,
            ..returned.clone()
        }],
        ..schema.clone()
    };
    Some(written.to_string())
}

fn inplace_and_out(schema: &FunctionSchema) -> Option<Diagnostic> {
    let out = schema.arguments.out().first()?;
    schema.name.is_inplace().then(|| {
        Diagnostic::new(
            RuleId::InplaceAndOut,
            out.at.0,
            message!(
                "`{}` has an in-place name and out arguments",
                schema.name.base()
            ),
        )
        .with_help("declare two operators, one in-place and one with out arguments")
    })
}

fn kinds_agree(schema: &FunctionSchema, found: &mut Vec<Diagnostic>) {
    let arguments = &schema.arguments;
    let kind = schema.kind();
    if kind == SchemaKind::Functional {
        return;
    }
    if let Some(options) = arguments.tensor_options() {
        found.push(
            Diagnostic::new(
                RuleId::TensorOptionsFunctionalOnly,
                options[0].at.0.to(options[3].at.0),
                message!(
                    "an operator of kind {} cannot take TensorOptions",
                    kind.as_str()
                ),
            )
            .with_help(
                "remove dtype, layout, device and pin_memory: the mutated tensor determines them",
            ),
        );
    }
    if schema.name.overload().contains("functional") {
        found.push(
            Diagnostic::new(
                RuleId::FunctionalOverload,
                schema.name_at.0,
                message!(
                    "overload name `{}` contains `functional`, but the operator is {}",
                    schema.name.overload(),
                    kind.as_str()
                ),
            )
            .with_help("choose another overload name, or mutate no argument"),
        );
    }
}
