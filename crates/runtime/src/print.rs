//! The text of a schema, as torch prints it (`operator<<` of `FunctionSchema` and `Argument`).

use super::schema::{Argument, RuntimeSchema};
use super::types::{Base, Spelling, Type};
use super::value::{Value, write_int, write_quoted};

impl RuntimeSchema<'_> {
    /// The text after registration, with its namespace. Parsing it may give another schema: PyTorch
    /// prints strings, devices and unions in forms that it does not parse.
    #[must_use]
    pub fn canonical(&self) -> String {
        let mut out = String::with_capacity(128);
        out.push_str(self.namespace);
        out.push_str("::");
        self.write(&mut out);
        out
    }

    /// `str(torch._C.parse_schema(text))`: the namespace is printed only if the text has one.
    #[must_use]
    pub fn printed(&self) -> String {
        if self.has_namespace {
            return self.canonical();
        }
        let mut out = String::with_capacity(128);
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        out.push_str(self.name);
        if !self.overload.is_empty() {
            out.push('.');
            out.push_str(self.overload);
        }
        self.write_arguments(out);
        out.push_str(" -> ");
        self.write_returns(out);
    }

    fn write_arguments(&self, out: &mut String) {
        out.push('(');
        let mut star_written = false;
        for (i, argument) in self.arguments.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            if argument.is_kwarg_only && !star_written {
                out.push_str("*, ");
                star_written = true;
            }
            argument.write(out);
        }
        if self.is_vararg {
            out.push_str(if self.arguments.is_empty() {
                "..."
            } else {
                ", ..."
            });
        }
        out.push(')');
    }

    fn write_returns(&self, out: &mut String) {
        let start = out.len();
        for (i, argument) in self.returns.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            argument.write(out);
        }
        if self.is_varret {
            out.push_str(if self.returns.is_empty() {
                "..."
            } else {
                ", ..."
            });
        }
        // A single return has no parentheses, unless it begins with one.
        let stands_alone = match (self.returns.len(), self.is_varret) {
            (0, true) => true,
            (1, false) => !out.get(start..).unwrap_or("").starts_with('('),
            _ => false,
        };
        if !stands_alone {
            out.insert(start, '(');
            out.push(')');
        }
    }
}

impl Argument<'_> {
    /// The type with the size of a sized list, but without the alias annotation.
    #[must_use]
    pub fn type_text(&self) -> String {
        let bare = Argument {
            name: "",
            ty: self.ty.clone(),
            size: self.size,
            default: None,
            is_kwarg_only: false,
            alias: None,
            span: self.span,
        };
        let mut out = String::new();
        bare.write(&mut out);
        out
    }

    /// The default as PyTorch prints it.
    #[must_use]
    pub fn default_text(&self) -> Option<String> {
        let default = self.default.as_ref()?;
        let unwrapped = match &self.ty {
            Type::Optional(inner) => inner,
            ty => ty,
        };
        let mut out = String::new();
        write_default(&mut out, default, unwrapped, &self.ty);
        Some(out)
    }

    fn write(&self, out: &mut String) {
        let (unwrapped, is_optional) = match &self.ty {
            Type::Optional(inner) => (&**inner, true),
            ty => (ty, false),
        };
        if let Type::List(element) = unwrapped {
            element.write(out, Spelling::Written);
            if let Some(contained) = self.alias.as_ref().and_then(|a| a.contained.as_ref()) {
                contained.write(out);
            }
            out.push('[');
            if let Some(size) = self.size {
                write_int(out, i64::from(size));
            }
            out.push(']');
        } else {
            unwrapped.write(out, Spelling::Written);
        }
        if let Some(alias) = &self.alias
            && !alias.before.as_slice().is_empty()
        {
            alias.write(out);
        }
        if is_optional {
            out.push('?');
        }
        if !self.name.is_empty() {
            out.push(' ');
            out.push_str(self.name);
        }
        if let Some(default) = &self.default {
            out.push('=');
            write_default(out, default, unwrapped, &self.ty);
        }
    }
}

/// Only `str` arguments quote strings. A list that repeats one integer is printed as that integer,
/// but not for `SymInt` and other types that are erased to integers.
fn write_default(out: &mut String, default: &Value<'_>, unwrapped: &Type<'_>, ty: &Type<'_>) {
    match (default, unwrapped, ty) {
        (Value::Str(bytes), Type::Base(Base::Str), _) => write_quoted(out, bytes),
        (Value::Ints(values), _, Type::List(element))
            if matches!(**element, Type::Base(Base::Int)) =>
        {
            match values.repeated() {
                Some(value) => write_int(out, value),
                None => default.write(out),
            }
        }
        _ => default.write(out),
    }
}
