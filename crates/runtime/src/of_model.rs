//! Converts schemas of the operator model, for comparing schemas that torch refuses to read.

use std::borrow::Cow;

use opatlas_schema::annotation::{AfterSet, Annotation};
use opatlas_schema::function::FunctionSchema;
use opatlas_schema::types as model;
use opatlas_source::Span;

use super::alias::{Alias, Symbol, SymbolSet};
use super::schema::{Argument, DEFAULT_NAMESPACE, RuntimeSchema};
use super::types::{Base, Type};
use super::value::Value;

/// The schema without evaluation: unknown types become type variables, defaults stay text, and
/// spans are empty.
#[must_use]
pub fn of_model(schema: &FunctionSchema) -> RuntimeSchema<'_> {
    let arguments = schema.arguments.all().iter().enumerate();
    RuntimeSchema {
        namespace: DEFAULT_NAMESPACE,
        has_namespace: false,
        name: schema.name.base(),
        overload: schema.name.overload(),
        arguments: arguments
            .map(|(i, argument)| Argument {
                name: &argument.name,
                ty: type_of(&argument.ty),
                size: size_of(&argument.ty),
                default: argument
                    .default
                    .as_ref()
                    .map(|text| Value::Str(Cow::Borrowed(text.as_bytes()))),
                is_kwarg_only: schema.arguments.is_keyword_only(i),
                alias: argument.annotation.as_deref().map(alias_of),
                span: Span::at(0),
            })
            .collect(),
        returns: schema
            .returns
            .iter()
            .map(|ret| Argument {
                name: ret.name.as_deref().unwrap_or(""),
                ty: type_of(&ret.ty),
                size: size_of(&ret.ty),
                default: None,
                is_kwarg_only: false,
                alias: ret.annotation.as_deref().map(alias_of),
                span: Span::at(0),
            })
            .collect(),
        is_vararg: false,
        is_varret: false,
    }
}

fn type_of(ty: &model::Type) -> Type<'_> {
    match ty {
        model::Type::Base(base) => {
            let known = Base::named(base.as_str()).map(Type::Base);
            known.unwrap_or(Type::Variable(base.as_str()))
        }
        model::Type::Custom(name) => {
            let (namespace, name) = name.rsplit_once('.').unwrap_or(("", name));
            Type::Class { namespace, name }
        }
        model::Type::Runtime(text) => Type::Variable(text),
        model::Type::Optional(inner) => Type::Optional(Box::new(type_of(inner))),
        model::Type::List(inner, _) => Type::List(Box::new(type_of(inner))),
    }
}

fn size_of(ty: &model::Type) -> Option<i32> {
    match ty {
        model::Type::List(_, size) => size
            .as_ref()
            .map(|size| size.as_str().parse().unwrap_or(i32::MAX)),
        model::Type::Optional(inner) => size_of(inner),
        model::Type::Base(_) | model::Type::Custom(_) | model::Type::Runtime(_) => None,
    }
}

fn alias_of(annotation: &Annotation) -> Box<Alias<'_>> {
    let letters = |set: &[u8]| {
        let mut symbols = SymbolSet::default();
        for letter in set {
            symbols.insert(Symbol::Named(
                LETTERS[usize::from(letter.wrapping_sub(b'a')) % 26],
            ));
        }
        symbols
    };
    let before = letters(&annotation.before);
    let after = match &annotation.after {
        AfterSet::Same => before.clone(),
        AfterSet::Wildcard => {
            let mut symbols = SymbolSet::default();
            symbols.insert(Symbol::Wildcard);
            symbols
        }
        AfterSet::Letters(set) => letters(set),
    };
    Box::new(Alias {
        is_write: annotation.write,
        before,
        after,
        contained: None,
    })
}

const LETTERS: [&str; 26] = [
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s",
    "t", "u", "v", "w", "x", "y", "z",
];
