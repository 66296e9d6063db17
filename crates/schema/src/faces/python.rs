//! Signatures for Python's argument parser (torchgen `api/python.py`).

use std::borrow::Cow;

use opatlas_pytorch::release::Release;

use super::context::{Context, Refused, WriteResult, list};
use super::cpp::Call;
use super::types::{Sizes, knows};
use super::{default, number};
use crate::function::{Argument, FunctionSchema};
use crate::types::{BaseType, ListSize, Type};

#[derive(Debug, Clone)]
pub(super) struct PythonArgument<'a> {
    pub(super) name: &'a str,
    pub(super) ty: Cow<'a, Type>,
    pub(super) default: Option<Cow<'a, str>>,
    pub(super) is_out: bool,
}

/// An operator's Python signature, from which the parser's text and the type stub are made.
#[derive(Debug, Clone)]
pub struct PythonSignature<'a> {
    pub(super) schema: &'a FunctionSchema,
    pub(super) call: Call,
    pub(super) cx: Context,
    /// Positional arguments, then keyword-only ones, then `out`, then TensorOptions.
    pub(super) arguments: Vec<PythonArgument<'a>>,
    pub(super) positional: usize,
    pub(super) form: Form,
}

/// Whether a signature is deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A signature of an operator.
    Current,
    /// A signature in `deprecated.yaml`.
    Deprecated,
}

const OPTIONS: [(&str, BaseType, &str); 5] = [
    ("dtype", BaseType::ScalarType, "None"),
    ("layout", BaseType::Layout, "None"),
    ("device", BaseType::Device, "None"),
    ("pin_memory", BaseType::Bool, "False"),
    ("requires_grad", BaseType::Bool, "False"),
];

impl<'a> PythonSignature<'a> {
    /// The signature of a function or method; `category` is the entry's `category_override`.
    pub fn new(
        schema: &'a FunctionSchema,
        call: Call,
        category: Option<&str>,
        cx: Context,
    ) -> Result<Self, Refused> {
        let all = &schema.arguments;
        if all.all().iter().any(|a| &*a.name == "requires_grad") {
            return Err(Refused);
        }
        let this = all.self_index().filter(|_| call == Call::Method);
        let mut arguments = Vec::with_capacity(all.all().len() + OPTIONS.len());
        for (i, one) in all.positional().iter().enumerate() {
            if Some(i) != this {
                arguments.push(argument(one, cx)?);
            }
        }
        let positional = arguments.len();
        for one in all.keyword_only_without_options() {
            arguments.push(argument(one, cx)?);
        }
        arguments.extend(out(all.out())?);
        if takes_options(schema, category, cx.release) {
            arguments.extend(OPTIONS.map(|(name, ty, default)| PythonArgument {
                name,
                ty: Cow::Owned(Type::Optional(Box::new(Type::Base(ty)))),
                default: Some(Cow::Borrowed(default)),
                is_out: false,
            }));
        }
        Ok(Self {
            schema,
            call,
            cx,
            arguments,
            positional,
            form: Form::Current,
        })
    }

    /// Marks the signature as deprecated.
    #[must_use]
    pub fn deprecated(mut self) -> Self {
        self.form = Form::Deprecated;
        self
    }

    /// The text without out arguments, by which the generator compares overloads.
    pub fn text_without_out(mut self) -> Result<String, Refused> {
        self.arguments.retain(|argument| !argument.is_out);
        self.parser_text()
    }

    /// The text for the argument parser.
    pub fn parser_text(&self) -> Result<String, Refused> {
        let mut w = String::with_capacity(160);
        w.push_str(self.schema.name.base());
        w.push('(');
        list(&mut w, self.arguments.iter().enumerate(), |w, (i, one)| {
            if i == self.positional {
                w.push_str("*, ");
            }
            type_text(w, &one.ty, self.cx)?;
            w.push(' ');
            w.push_str(match one.name {
                "self" if one.ty.is_tensor() && self.call == Call::Function => "input",
                name => name,
            });
            if let Some(default) = &one.default {
                w.push('=');
                w.push_str(if none_like(default, self.cx.release) {
                    "None"
                } else {
                    default
                });
            }
            Ok(())
        })?;
        w.push(')');
        if self.form == Form::Deprecated {
            w.push_str("|deprecated");
        }
        Ok(w)
    }
}

pub(super) fn none_like(default: &str, release: Release) -> bool {
    match default {
        "nullptr" | "{}" => true,
        "c10::nullopt" => release < Release::V2_5,
        "::std::nullopt" | "std::nullopt" => release >= Release::V2_4,
        _ => false,
    }
}

fn argument(one: &Argument, cx: Context) -> Result<PythonArgument<'_>, Refused> {
    let default = match &one.default {
        None => None,
        Some(text) => Some(in_python(default::expression(
            text,
            &one.ty,
            Sizes::Concrete,
            cx,
        )?)),
    };
    Ok(PythonArgument {
        name: &one.name,
        ty: Cow::Borrowed(&one.ty),
        default,
        is_out: false,
    })
}

fn in_python(expression: Cow<'_, str>) -> Cow<'_, str> {
    match &*expression {
        "true" => Cow::Borrowed("True"),
        "false" => Cow::Borrowed("False"),
        // Fast path for the most common numbers.
        "0" | "1" | "-1" | "2" | "0.5" | "{}" => expression,
        text if !text.starts_with(number::may_start) => expression,
        text => match number::printed(text) {
            Some(printed) => Cow::Owned(printed),
            None => expression,
        },
    }
}

/// Several out arguments become one list of tensors.
fn out(all: &[Argument]) -> Result<Option<PythonArgument<'_>>, Refused> {
    let (name, ty) = match all {
        [] => return Ok(None),
        [only] => (&*only.name, Cow::Borrowed(&only.ty)),
        several => {
            if several.iter().any(|a| !a.ty.is_tensor_like()) {
                return Err(Refused);
            }
            let size = ListSize::parse(&several.len().to_string());
            let list = Type::List(Box::new(Type::TENSOR), size);
            ("out", Cow::Owned(list))
        }
    };
    let default = Some(Cow::Borrowed("None"));
    Ok(Some(PythonArgument {
        name,
        ty,
        default,
        is_out: true,
    }))
}

/// Whether Python adds TensorOptions: to factories and to functions named or declared like them.
pub(super) fn takes_options(
    schema: &FunctionSchema,
    category: Option<&str>,
    release: Release,
) -> bool {
    if category == Some("dummy") && release >= Release::V2_3 {
        return false;
    }
    let arguments = &schema.arguments;
    let takes_tensor = arguments.non_out().iter().any(|a| a.ty.is_tensor_like());
    let returns_tensor = schema.returns.iter().any(|r| r.ty.is_tensor_like());
    let name = schema.name.base();
    matches!(category, Some("factory" | "new" | "like"))
        || (returns_tensor && !takes_tensor)
        || name.starts_with("new_")
        || (name.ends_with("_like") && arguments.out().is_empty())
}

fn type_text(w: &mut String, ty: &Type, cx: Context) -> WriteResult {
    match ty {
        Type::Base(base) => w.push_str(base_text(*base, cx.release).ok_or(Refused)?),
        Type::Optional(inner) => {
            type_text(w, inner, cx)?;
            w.push('?');
        }
        Type::List(element, size) => list_text(w, element, size.as_ref(), cx)?,
        Type::Custom(_) | Type::Runtime(_) => return Err(Refused),
    }
    Ok(())
}

fn base_text(base: BaseType, release: Release) -> Option<&'static str> {
    match base {
        BaseType::Int => Some("int64_t"),
        BaseType::Float => Some("double"),
        BaseType::Str => Some("c10::string_view"),
        BaseType::Tensor
        | BaseType::Bool
        | BaseType::QScheme
        | BaseType::Scalar
        | BaseType::ScalarType
        | BaseType::Generator
        | BaseType::Storage
        | BaseType::Layout
        | BaseType::Device
        | BaseType::MemoryFormat
        | BaseType::Stream
        | BaseType::SymInt => Some(base.as_str()),
        BaseType::Dimname | BaseType::DeviceIndex | BaseType::ConstQuantizerPtr => {
            knows(base, release).then(|| base.as_str())
        }
        BaseType::SymBool | BaseType::DimVector | BaseType::GraphModule => None,
    }
}

fn list_text(w: &mut String, element: &Type, size: Option<&ListSize>, cx: Context) -> WriteResult {
    let name = match element {
        Type::Base(BaseType::Bool) => {
            w.push_str("::std::array<bool,");
            w.push_str(size.ok_or(Refused)?.as_str());
            w.push('>');
            return Ok(());
        }
        Type::Optional(inner) if inner.is_tensor() => {
            w.push_str("c10::List<");
            w.push_str(cx.optional());
            w.push_str("Tensor>>");
            return Ok(());
        }
        Type::Base(BaseType::Int) => "IntArrayRef",
        Type::Base(BaseType::SymInt) => "SymIntArrayRef",
        Type::Base(BaseType::Tensor) => "TensorList",
        Type::Base(BaseType::Scalar) => "ScalarList",
        Type::Base(BaseType::Dimname) if knows(BaseType::Dimname, cx.release) => "DimnameList",
        _ => {
            w.push_str("ArrayRef<");
            type_text(w, element, cx)?;
            w.push('>');
            return Ok(());
        }
    };
    w.push_str(name);
    if let Some(size) = size {
        w.push('[');
        w.push_str(size.as_str());
        w.push(']');
    }
    Ok(())
}
