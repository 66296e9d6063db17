//! What Python's type stubs declare (torchgen `api/python.py`, `signature_str_pyi`).

use std::borrow::Cow;

use opatlas_pytorch::release::Release;

use super::python::{PythonArgument, PythonSignature, none_like};
use super::stub_type::{argument_type, join_optional, return_type};
use super::{Call, Context, Refused};
use crate::types::{BaseType, Type};

/// The declaration in a type stub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stub {
    /// The declaration.
    pub plain: String,
    /// Another one that takes a list of integers as separate arguments, where there is one.
    pub variadic: Option<String>,
}

/// Lines longer than this many characters are broken, since 2.8.
const WIDTH: usize = 80;

impl PythonSignature<'_> {
    /// The declaration in the type stub.
    ///
    /// # Errors
    /// [`Refused`] where a type has no spelling, or only some returns have names.
    pub fn stub(&self) -> Result<Stub, Refused> {
        let returns = self.returns()?;
        let mut formals = self
            .arguments
            .iter()
            .map(|one| formal(one, self.call, self.cx))
            .collect::<Result<Vec<_>, _>>()?;
        let variadic = self.variadic()?.map(|first| {
            let rest = formals.iter().skip(1).cloned();
            self.declaration(std::iter::once(first).chain(rest).collect(), &returns)
        });
        if formals.len() > self.positional {
            formals.insert(self.positional, "*".to_owned());
        }
        Ok(Stub {
            plain: self.declaration(formals, &returns),
            variadic,
        })
    }

    /// The first argument as a variadic one: an integer list that is the only positional argument.
    fn variadic(&self) -> Result<Option<String>, Refused> {
        let Some(first) = self.arguments.first().filter(|_| self.positional == 1) else {
            return Ok(None);
        };
        let Type::List(element, _) = &*first.ty else {
            return Ok(None);
        };
        let element = match &**element {
            element @ Type::Base(BaseType::Int | BaseType::SymInt) => element,
            _ => return Ok(None),
        };
        let ty = match self.cx.release >= Release::V2_5 {
            true => argument_type(element, self.cx.release)?,
            false => "_int".to_owned(),
        };
        Ok(Some(format!("*{}: {ty}", first.name)))
    }

    fn returns(&self) -> Result<String, Refused> {
        let returns = &self.schema.returns;
        let types = returns
            .iter()
            .map(|r| return_type(&r.ty, self.cx.release))
            .collect::<Result<Vec<_>, _>>();
        let named = returns.iter().filter(|r| r.name.is_some()).count();
        if returns.len() > 1 && named > 0 {
            return match named == returns.len() {
                true => Ok(format!("torch.return_types.{}", self.schema.name.base())),
                false => Err(Refused),
            };
        }
        let types = types?;
        Ok(match &types[..] {
            [] => "None".to_owned(),
            [only] => only.clone(),
            several => {
                let tuple = match self.cx.release >= Release::V2_6 {
                    true => "tuple",
                    false => "Tuple",
                };
                format!("{tuple}[{}]", several.join(", "))
            }
        })
    }

    fn declaration(&self, mut formals: Vec<String>, returns: &str) -> String {
        if self.call == Call::Method {
            formals.insert(0, "self".to_owned());
        }
        let name = self.schema.name.base();
        let line = format!("def {name}({}) -> {returns}: ...", formals.join(", "));
        let only_self = matches!(&formals[..], [only] if only == "self");
        if self.cx.release < Release::V2_8
            || line.chars().count() <= WIDTH
            || formals.is_empty()
            || only_self
        {
            return line;
        }
        let mut broken = format!("def {name}(\n");
        let mut fits = broken.chars().count() <= WIDTH + 1;
        for formal in &formals {
            fits &= formal.chars().count() + 5 <= WIDTH;
            broken.push_str("    ");
            broken.push_str(formal);
            broken.push_str(",\n");
        }
        let last = format!(") -> {returns}:");
        fits &= last.chars().count() + 4 <= WIDTH;
        broken.push_str(&last);
        broken.push_str(match fits {
            true => " ...",
            false => "  # fmt: skip\n    ...",
        });
        broken
    }
}

fn formal(one: &PythonArgument<'_>, call: Call, cx: Context) -> Result<String, Refused> {
    let release = cx.release;
    let mut ty = argument_type(&one.ty, release)?;
    let name = match one.name {
        "self" if ty == "Tensor" && call == Call::Function => "input",
        "from" => "from_",
        name => name,
    };
    // The stub of an out variant serves the functional one too.
    if name == "out" && (ty == "Tensor" || release >= Release::V2_12) {
        ty = join_optional(&ty, release);
    }
    let Some(default) = &one.default else {
        return Ok(format!("{name}: {ty}"));
    };
    let equals = match release >= Release::V2_1 {
        true => " = ",
        false => "=",
    };
    let default = default_text(default, &one.ty, release);
    Ok(format!("{name}: {ty}{equals}{default}"))
}

fn default_text<'a>(default: &'a str, ty: &Type, release: Release) -> Cow<'a, str> {
    let of_integers =
        matches!(ty, Type::List(element, _) if **element == Type::Base(BaseType::Int));
    let inner = default.strip_prefix('{').and_then(|d| d.strip_suffix('}'));
    if let Some(inner) = inner.filter(|_| of_integers) {
        return Cow::Owned(match release >= Release::V2_5 {
            true => {
                let items: Vec<&str> = inner.split(',').map(str::trim).collect();
                format!("({})", items.join(", "))
            }
            false => format!("({inner})"),
        });
    }
    let contiguous = match release >= Release::V2_5 {
        true => "c10::MemoryFormat::Contiguous",
        false => "MemoryFormat::Contiguous",
    };
    Cow::Borrowed(match default {
        default if none_like(default, release) => "None",
        default if default == contiguous => "contiguous_format",
        "QScheme::PER_TENSOR_AFFINE" => "per_tensor_affine",
        default => default,
    })
}
