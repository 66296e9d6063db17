//! Kernel declarations: the dispatcher's signature, unstructured kernels of `NativeFunctions.h`,
//! and the arguments of structured kernels (torchgen `api/dispatcher.py`, `api/native.py`,
//! `api/structured.py`).

use std::borrow::Cow;
use std::ops::Range;

use super::context::{Context, Refused, WriteResult, list};
use super::default;
use super::types::{Interface, Passing, Sizes, argument, optional, returns, structured};
use crate::function::{Argument, FunctionSchema};

/// A declaration without its name, which many kernels can share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelParts {
    /// The return type.
    pub returns: String,
    /// The parameters.
    pub arguments: String,
    /// Positions of defaults in `arguments`, including `=`.
    defaults: Vec<Range<usize>>,
}

impl KernelParts {
    /// The declaration with a name.
    #[must_use]
    pub fn named(&self, name: &str) -> String {
        let length = self.returns.len() + name.len() + self.arguments.len() + 3;
        let mut text = String::with_capacity(length);
        for part in [&self.returns, " ", name, "(", &self.arguments, ")"] {
            text.push_str(part);
        }
        text
    }

    /// The declaration without defaults, as in a definition.
    #[must_use]
    pub fn without_defaults(&self, name: &str) -> String {
        let mut text = format!("{} {name}(", self.returns);
        let mut from = 0;
        for default in &self.defaults {
            text.push_str(&self.arguments[from..default.start]);
            from = default.end;
        }
        text.push_str(&self.arguments[from..]);
        text.push(')');
        text
    }
}

/// The unboxed signature, for the dispatcher and for out-of-tree backends.
pub fn dispatcher(
    schema: &FunctionSchema,
    sizes: Sizes,
    cx: Context,
) -> Result<KernelParts, Refused> {
    parts(schema, sizes, cx, |w, _| {
        list(w, schema.arguments.all(), |w, one| {
            plain(w, one, sizes, Interface::Public, cx)
        })
    })
}

/// The signature of an unstructured kernel in `NativeFunctions.h`.
pub fn native_kernel(
    schema: &FunctionSchema,
    sizes: Sizes,
    cx: Context,
) -> Result<KernelParts, Refused> {
    let options = schema.arguments.tensor_options().unwrap_or_default();
    let is_option = |one: &Argument| options.iter().any(|option| std::ptr::eq(option, one));
    // Out arguments have no defaults, so those before them cannot have any.
    let has_defaults = schema.arguments.out().is_empty();
    parts(schema, sizes, cx, |w, defaults| {
        list(w, schema.arguments.all(), |w, one| {
            let default = if is_option(one) {
                option(w, one, cx)?;
                has_defaults.then_some(Cow::Borrowed("{}"))
            } else {
                plain(w, one, sizes, Interface::Native, cx)?;
                let text = one.default.as_deref().filter(|_| has_defaults);
                let expression = text.map(|text| default::expression(text, &one.ty, sizes, cx));
                expression.transpose()?
            };
            if let Some(default) = default {
                let from = w.len();
                w.push('=');
                w.push_str(&default);
                defaults.push(from..w.len());
            }
            Ok(())
        })
    })
}

fn parts(
    schema: &FunctionSchema,
    sizes: Sizes,
    cx: Context,
    arguments: impl FnOnce(&mut String, &mut Vec<Range<usize>>) -> WriteResult,
) -> Result<KernelParts, Refused> {
    let mut parts = KernelParts {
        returns: String::new(),
        arguments: String::with_capacity(128),
        defaults: Vec::new(),
    };
    returns(&mut parts.returns, &schema.returns, sizes, cx)?;
    arguments(&mut parts.arguments, &mut parts.defaults)?;
    Ok(parts)
}

fn plain(
    w: &mut String,
    one: &Argument,
    sizes: Sizes,
    interface: Interface,
    cx: Context,
) -> WriteResult {
    let passing = Passing {
        mutable: one.is_write(),
        sizes,
        interface,
    };
    argument(w, &one.ty, passing, cx)?;
    w.push(' ');
    w.push_str(&one.name);
    Ok(())
}

/// A TensorOption is always optional.
fn option(w: &mut String, one: &Argument, cx: Context) -> WriteResult {
    let ty = match &*one.name {
        "dtype" => "at::ScalarType",
        "layout" => "at::Layout",
        "device" => "at::Device",
        _ => "bool",
    };
    optional(w, cx, |w| {
        w.push_str(ty);
        Ok(())
    })?;
    w.push(' ');
    w.push_str(&one.name);
    Ok(())
}

/// The arguments of a structured kernel's `impl` or `meta`.
pub fn structured_arguments<'a>(
    arguments: impl IntoIterator<Item = &'a Argument>,
    cx: Context,
) -> Result<String, Refused> {
    let mut w = String::with_capacity(128);
    list(&mut w, arguments, |w, one| {
        structured(w, &one.ty, cx)?;
        w.push(' ');
        w.push_str(&one.name);
        Ok(())
    })?;
    Ok(w)
}
