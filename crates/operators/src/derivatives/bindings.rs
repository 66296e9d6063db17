//! Arguments and results in formulas, by their names in generated C++.

use std::borrow::Cow;

use opatlas_schema::function::{Argument, FunctionSchema};
use opatlas_schema::types::{BaseType, Type};

/// How formulas refer to a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindingKind {
    /// `Tensor[]`: passed as a whole, so forward formulas can name it.
    TensorList,
    /// `str?`: saved as a string, so every use is rewritten.
    OptionalString,
    /// Any other type.
    Other,
}

/// A value that formulas can use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binding<'a> {
    /// Its name in C++.
    pub name: Cow<'a, str>,
    /// The name in formulas; differs for a `memory_format` that is redundant with TensorOptions.
    pub saved_as: Cow<'a, str>,
    /// Its kind.
    pub kind: BindingKind,
}

/// The arguments in C++ order: out arguments first, and the four TensorOptions as `options`
/// (torchgen `load_derivatives.cpp_arguments`).
#[must_use]
pub fn arguments(schema: &FunctionSchema) -> Vec<Binding<'_>> {
    let all = &schema.arguments;
    let options = all.tensor_options();
    let mut bindings = Vec::with_capacity(all.all().len());
    bindings.extend(all.out().iter().map(|a| plain(a, false)));
    for argument in all.non_out() {
        let member = options.and_then(|four| four.iter().position(|o| std::ptr::eq(o, argument)));
        match member {
            None => bindings.push(plain(argument, options.is_some())),
            Some(0) => bindings.push(Binding {
                name: "options".into(),
                saved_as: "options".into(),
                kind: BindingKind::Other,
            }),
            Some(_) => {}
        }
    }
    bindings
}

/// Whether [`arguments`] contains this C++ name.
#[must_use]
pub fn has_argument(schema: &FunctionSchema, name: &str) -> bool {
    let all = &schema.arguments;
    let plain = all.positional().iter().chain(all.out());
    let mut plain = plain.chain(all.keyword_only_without_options());
    plain.any(|argument| *argument.name == *name)
        || name == "options" && all.tensor_options().is_some()
}

fn plain(argument: &Argument, beside_options: bool) -> Binding<'_> {
    let name = Cow::Borrowed(&*argument.name);
    let saved_as = match &*name {
        "memory_format" if beside_options => "possibly_redundant_memory_format".into(),
        _ => name.clone(),
    };
    Binding {
        name,
        saved_as,
        kind: kind(&argument.ty),
    }
}

/// The results by their names in formulas: `result`, `result0`, ..., or those of the schema
/// (torchgen `cpp.return_names`, with `self` as `result`).
#[must_use]
pub fn results(schema: &FunctionSchema) -> Vec<Binding<'_>> {
    let returns = &schema.returns;
    let name = |index: usize| -> Cow<'_, str> {
        let out = schema.arguments.out();
        if schema.name.is_inplace() {
            return "result".into();
        }
        if let Some(argument) = out.get(index) {
            return Cow::Borrowed(&*argument.name);
        }
        match returns[index].name.as_deref().filter(|n| !n.is_empty()) {
            Some(name) if schema.arguments.all().iter().any(|a| *a.name == *name) => {
                format!("{name}_return").into()
            }
            Some(name) => name.into(),
            None if returns.len() == 1 => "result".into(),
            None => format!("result{index}").into(),
        }
    };
    let bind = |index: usize| {
        let name = match name(index) {
            name if name == "self" => "result".into(),
            name => name,
        };
        Binding {
            saved_as: name.clone(),
            name,
            kind: kind(&returns[index].ty),
        }
    };
    (0..returns.len()).map(bind).collect()
}

fn kind(ty: &Type) -> BindingKind {
    match ty {
        Type::List(inner, _) if inner.is_tensor() => BindingKind::TensorList,
        Type::Optional(inner) if **inner == Type::Base(BaseType::Str) => {
            BindingKind::OptionalString
        }
        _ => BindingKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_schema::parse::parse_schema;

    #[test]
    fn arguments_have_their_names_in_c() {
        let schema = |text: &str| parse_schema(text, 0).schema.unwrap();
        let options = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";
        let long = format!("f.out(Tensor self, *, int a, {options}, Tensor(a!) out) -> Tensor(a!)");
        let long = schema(&long);
        let names: Vec<_> = arguments(&long).into_iter().map(|a| a.name).collect();
        assert_eq!(names, ["out", "self", "a", "options"]);
        assert!(names.iter().all(|name| has_argument(&long, name)));
        assert!(!has_argument(&long, "layout") && !has_argument(&long, ""));
        assert!(!has_argument(
            &schema("f(Tensor self) -> Tensor"),
            "options"
        ));
    }
}
