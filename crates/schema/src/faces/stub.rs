//! Python type stubs (torchgen `api/python.py`, `signature_str_pyi`).

use std::borrow::Cow;

use opatlas_pytorch::release::Release;

use super::context::{Refused, WriteResult, list};
use super::cpp::Call;
use super::python::{Form, PythonArgument, PythonSignature, none_like};
use super::stub_type::{argument_type, make_optional, return_type};
use crate::types::{BaseType, Type};

/// The declarations in a type stub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stub {
    /// The main declaration.
    pub plain: String,
    /// An overload that takes a list of integers as separate arguments.
    pub variadic: Option<String>,
}

/// Longer lines are broken, since 2.8.
const WIDTH: usize = 80;

#[derive(Default)]
struct Parameters {
    text: String,
    ends: Vec<usize>,
}

impl Parameters {
    fn add(&mut self, write: impl FnOnce(&mut String) -> WriteResult) -> WriteResult {
        write(&mut self.text)?;
        self.ends.push(self.text.len());
        Ok(())
    }

    fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(from, &to)| &self.text[from..to])
    }
}

impl PythonSignature<'_> {
    /// The declaration in the type stub.
    pub fn stub(&self) -> Result<Stub, Refused> {
        let mut returns = String::with_capacity(16);
        self.returns(&mut returns)?;
        let mut parameters = Parameters::default();
        parameters.text.reserve(128);
        for one in &self.arguments {
            parameters.add(|w| self.parameter(w, one))?;
        }
        let variadic = self.variadic()?.map(|first| {
            let rest = parameters.iter().skip(1);
            self.declaration(std::iter::once(&*first).chain(rest), &returns)
        });
        let has_keywords = self.arguments.len() > self.positional;
        let all = parameters.iter().take(self.positional);
        let star = has_keywords.then_some("*");
        let all = all
            .chain(star)
            .chain(parameters.iter().skip(self.positional));
        Ok(Stub {
            plain: self.declaration(all, &returns),
            variadic,
        })
    }

    /// The overload for an integer list that is the only positional argument.
    fn variadic(&self) -> Result<Option<String>, Refused> {
        let may_vary = self.positional == 1 && self.form == Form::Current;
        let Some(first) = self.arguments.first().filter(|_| may_vary) else {
            return Ok(None);
        };
        let Type::List(element, _) = &*first.ty else {
            return Ok(None);
        };
        let element = match &**element {
            element @ Type::Base(BaseType::Int | BaseType::SymInt) => element,
            _ => return Ok(None),
        };
        let mut w = format!("*{}: ", first.name);
        if self.cx.release >= Release::V2_5 {
            argument_type(&mut w, element, self.cx.release)?
        } else {
            w.push_str("_int")
        }
        Ok(Some(w))
    }

    fn returns(&self, w: &mut String) -> WriteResult {
        let returns = &self.schema.returns;
        let release = self.cx.release;
        let named = returns.iter().filter(|r| r.name.is_some()).count();
        match &returns[..] {
            [] => w.push_str("None"),
            [only] => return_type(w, &only.ty, release)?,
            several if named == several.len() => {
                w.push_str("torch.return_types.");
                w.push_str(self.schema.name.base());
            }
            _ if named > 0 => return Err(Refused),
            several => {
                w.push_str(if release >= Release::V2_6 {
                    "tuple["
                } else {
                    "Tuple["
                });
                list(w, several, |w, one| return_type(w, &one.ty, release))?;
                w.push(']');
            }
        }
        Ok(())
    }

    /// A deprecated form keeps its argument names, and requires `out`.
    fn parameter(&self, w: &mut String, one: &PythonArgument<'_>) -> WriteResult {
        let (release, is_current) = (self.cx.release, self.form == Form::Current);
        let is_renamed = one.ty.is_tensor() && self.call == Call::Function && is_current;
        let name = match one.name {
            "self" if is_renamed => "input",
            "from" => "from_",
            name => name,
        };
        w.push_str(name);
        w.push_str(": ");
        let from = w.len();
        argument_type(w, &one.ty, release)?;
        // An out variant and its functional variant share a stub.
        if name == "out" && is_current && (&w[from..] == "Tensor" || release >= Release::V2_12) {
            make_optional(w, from, release);
        }
        let default = one.default.as_ref().filter(|_| is_current || !one.is_out);
        if let Some(default) = default {
            w.push_str(if release >= Release::V2_1 { " = " } else { "=" });
            w.push_str(&default_text(default, &one.ty, release));
        }
        Ok(())
    }

    fn declaration<'p>(
        &self,
        parameters: impl Iterator<Item = &'p str> + Clone,
        returns: &str,
    ) -> String {
        let this = (self.call == Call::Method).then_some("self");
        let parameters = this.into_iter().chain(parameters);
        let name = self.schema.name.base();
        let mut line = String::with_capacity(128);
        line.push_str("def ");
        line.push_str(name);
        line.push('(');
        for (i, parameter) in parameters.clone().enumerate() {
            line.push_str(if i > 0 { ", " } else { "" });
            line.push_str(parameter);
        }
        for part in [") -> ", returns, ": ..."] {
            line.push_str(part);
        }
        let stays = self.cx.release < Release::V2_8
            || line.chars().count() <= WIDTH
            || parameters.clone().all(|parameter| parameter == "self");
        if stays {
            line
        } else {
            broken(name, parameters, returns)
        }
    }
}

fn broken<'p>(name: &str, parameters: impl Iterator<Item = &'p str>, returns: &str) -> String {
    let mut w = format!("def {name}(\n");
    let mut fits = name.chars().count() + 5 <= WIDTH;
    for parameter in parameters {
        fits &= parameter.chars().count() + 5 <= WIDTH;
        for part in ["    ", parameter, ",\n"] {
            w.push_str(part);
        }
    }
    fits &= returns.chars().count() + 10 <= WIDTH;
    for part in [") -> ", returns, ":"] {
        w.push_str(part);
    }
    w.push_str(if fits {
        " ..."
    } else {
        "  # fmt: skip\n    ..."
    });
    w
}

fn default_text<'a>(default: &'a str, ty: &Type, release: Release) -> Cow<'a, str> {
    let of_integers =
        matches!(ty, Type::List(element, _) if **element == Type::Base(BaseType::Int));
    let inner = default.strip_prefix('{').and_then(|d| d.strip_suffix('}'));
    if let Some(inner) = inner.filter(|_| of_integers) {
        return Cow::Owned(if release >= Release::V2_5 {
            let items: Vec<&str> = inner.split(',').map(str::trim).collect();
            format!("({})", items.join(", "))
        } else {
            format!("({inner})")
        });
    }
    let contiguous = if release >= Release::V2_5 {
        "c10::MemoryFormat::Contiguous"
    } else {
        "MemoryFormat::Contiguous"
    };
    Cow::Borrowed(match default {
        default if none_like(default, release) => "None",
        default if default == contiguous => "contiguous_format",
        "QScheme::PER_TENSOR_AFFINE" => "per_tensor_affine",
        default => default,
    })
}
