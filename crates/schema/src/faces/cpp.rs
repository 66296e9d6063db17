//! The public C++ interface: `at::` functions and methods (torchgen `api/cpp.py`,
//! `api/types/signatures.py`).

use super::context::{Context, WriteResult, list};
use super::default;
use super::types::{Interface, Passing, Sizes, argument, returns};
use crate::faces::Refused;
use crate::function::{Argument, FunctionSchema};

/// A function or a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// `at::add(self, other)`
    Function,
    /// `self.add(other)`
    Method,
}

/// An entry's settings for its C++ interface.
#[derive(Debug, Clone, Copy)]
pub struct CppApi<'a> {
    /// `manual_cpp_binding`: the generated function has another name.
    pub manual_binding: bool,
    /// `cpp_no_default_args`
    pub no_default: &'a [&'a str],
}

#[derive(Debug, Clone, Copy)]
struct Form {
    call: Call,
    /// Schema order, separate TensorOptions, no defaults.
    faithful: bool,
    sizes: Sizes,
}

enum Parameter<'a> {
    One(&'a Argument),
    /// `TensorOptions options`
    Options(&'a [Argument]),
}

/// The signatures in torchgen's order: plain, faithful, and both again with symbolic sizes.
pub fn cpp_signatures(
    schema: &FunctionSchema,
    call: Call,
    api: CppApi<'_>,
    cx: Context,
) -> Result<Vec<String>, Refused> {
    forms(schema, call)
        .map(|form| {
            let mut w = String::with_capacity(160);
            signature(&mut w, schema, form, api, cx)?;
            Ok(w)
        })
        .collect()
}

/// Each function's name and parameter types, which is all that C++ uses to tell overloads apart.
pub fn cpp_overloads(
    schema: &FunctionSchema,
    call: Call,
    api: CppApi<'_>,
    cx: Context,
) -> Result<Vec<String>, Refused> {
    forms(schema, call)
        .map(|form| {
            let mut w = String::with_capacity(96);
            name(&mut w, schema, form, api);
            w.push('(');
            list(&mut w, parameters(schema, form), |w, parameter| {
                parameter_type(w, &parameter, form, cx)
            })?;
            w.push(')');
            Ok(w)
        })
        .collect()
}

fn forms(schema: &FunctionSchema, call: Call) -> impl Iterator<Item = Form> {
    let arguments = &schema.arguments;
    let has_faithful = arguments.tensor_options().is_some() || !arguments.out().is_empty();
    let has_symint = schema.has_symint();
    let sizes = [Sizes::Concrete, Sizes::Symbolic].into_iter();
    let sizes = sizes.filter(move |sizes| has_symint || *sizes == Sizes::Concrete);
    sizes.flat_map(move |sizes| {
        let kinds = [false, true].into_iter();
        kinds
            .filter(move |faithful| has_faithful || !faithful)
            .map(move |faithful| Form {
                call,
                faithful,
                sizes,
            })
    })
}

fn signature(
    w: &mut String,
    schema: &FunctionSchema,
    form: Form,
    api: CppApi<'_>,
    cx: Context,
) -> WriteResult {
    returns(w, &schema.returns, form.sizes, cx)?;
    w.push(' ');
    name(w, schema, form, api);
    w.push('(');
    list(w, parameters(schema, form), |w, parameter| {
        write(w, &parameter, form, api, cx)
    })?;
    w.push(')');
    Ok(())
}

fn name(w: &mut String, schema: &FunctionSchema, form: Form, api: CppApi<'_>) {
    if api.manual_binding {
        w.push_str("__dispatch_");
    }
    w.push_str(schema.name.base());
    if form.sizes == Sizes::Symbolic {
        w.push_str("_symint");
    }
    if !schema.arguments.out().is_empty() {
        w.push_str(if form.faithful { "_outf" } else { "_out" });
    }
}

/// Out arguments come first, except in a faithful signature.
fn parameters(schema: &FunctionSchema, form: Form) -> impl Iterator<Item = Parameter<'_>> {
    let arguments = &schema.arguments;
    let out = arguments.out().iter().map(Parameter::One);
    let first = out.clone().filter(move |_| !form.faithful);
    let last = out.filter(move |_| form.faithful);
    let options = arguments.tensor_options().filter(|_| !form.faithful);
    let options_from = options.and_then(|options| {
        let first = options.first()?;
        arguments.all().iter().position(|a| std::ptr::eq(a, first))
    });
    let this = arguments.self_index().filter(|_| form.call == Call::Method);
    let others = arguments.non_out().iter().enumerate();
    let others = others.filter_map(move |(i, argument)| match (options, options_from) {
        _ if Some(i) == this => None,
        (Some(options), Some(from)) if i == from => Some(Parameter::Options(options)),
        (Some(_), Some(from)) if i > from && i < from + 4 => None,
        _ => Some(Parameter::One(argument)),
    });
    first.chain(others).chain(last)
}

fn parameter_type(
    w: &mut String,
    parameter: &Parameter<'_>,
    form: Form,
    cx: Context,
) -> WriteResult {
    let Parameter::One(one) = parameter else {
        w.push_str("at::TensorOptions");
        return Ok(());
    };
    let passing = Passing {
        mutable: one.is_write(),
        sizes: form.sizes,
        interface: Interface::Public,
    };
    argument(w, &one.ty, passing, cx)
}

fn write(
    w: &mut String,
    parameter: &Parameter<'_>,
    form: Form,
    api: CppApi<'_>,
    cx: Context,
) -> WriteResult {
    let one = match parameter {
        Parameter::One(one) => one,
        Parameter::Options(all) => {
            parameter_type(w, parameter, form, cx)?;
            w.push_str(" options");
            let default = |i: usize| all.get(i).and_then(|a| a.default.as_deref());
            if (0..4).all(|i| default(i) == Some("None")) {
                w.push_str("={}");
            } else if default(0) == Some("long") {
                w.push_str("=at::kLong");
            }
            return Ok(());
        }
    };
    parameter_type(w, parameter, form, cx)?;
    w.push(' ');
    w.push_str(&one.name);
    if let Some(text) = &one.default
        && !api.no_default.contains(&&*one.name)
    {
        let expression = default::expression(text, &one.ty, form.sizes, cx)?;
        if !form.faithful {
            w.push('=');
            w.push_str(&expression);
        }
    }
    Ok(())
}
