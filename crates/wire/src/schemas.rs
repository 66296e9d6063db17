//! A schema to parse, and its parts.

use std::borrow::Cow;

use opatlas_schema::annotation::{AfterSet, Annotation};
use opatlas_schema::function::FunctionSchema;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::finding::Finding;
use crate::operator::{Argument, OperatorKind, Return};

/// A schema to parse.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaText {
    /// The text, with or without a namespace.
    #[schema(example = "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")]
    pub schema: String,
    /// Custom classes that the library defines, as `NAMESPACE.NAME`. Only for the dialect
    /// `library`.
    #[serde(default)]
    #[schema(example = json!(["acme.Cache"]))]
    pub classes: Vec<String>,
}

/// The language of a schema.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// The language of `native_functions.yaml`, which the code generator reads.
    #[default]
    Torchgen,
    /// The language of operator libraries (`m.def`, `torch.library`), which PyTorch's C++ parser
    /// reads.
    Library,
}

/// How to read a schema.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct ParseQuery {
    /// The release of PyTorch whose rules apply, such as `2.9`; by default the newest known. The
    /// dialect `library` is that of 2.9 for every release, but type variables are errors only since
    /// 2.4.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// The language of the schema; by default that of `native_functions.yaml`.
    #[serde(default)]
    #[param(inline)]
    pub dialect: Dialect,
}

/// A parsed schema. If a finding is an error, all parts are null.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct ParsedSchema<'a> {
    /// The canonical text, without the namespace. In the dialect `library`, the text that PyTorch
    /// prints, with the namespace if the schema has one.
    pub schema: Option<String>,
    /// The namespace, by default `aten`.
    pub namespace: Option<&'a str>,
    /// `base_name[.overload]`
    pub name: Option<Cow<'a, str>>,
    /// The name before the dot.
    pub base_name: Option<&'a str>,
    /// The name after the dot; empty for the default overload.
    pub overload: Option<&'a str>,
    /// What it mutates.
    pub kind: Option<OperatorKind>,
    /// The arguments, in schema order.
    pub arguments: Option<Vec<Argument<'a>>>,
    /// The return values.
    pub returns: Option<Vec<Return<'a>>>,
    /// What may share memory.
    pub alias_sets: Option<Vec<AliasSet<'a>>>,
    /// The signature that groups variants, in canonical form; null in the dialect `library`.
    pub signature: Option<String>,
    /// The findings; columns count from the start of the text.
    pub findings: Vec<Finding>,
}

/// Arguments and returns that may share memory.
#[derive(Debug, Serialize, ToSchema)]
pub struct AliasSet<'a> {
    /// Its letter or name, or `*` for a wildcard.
    #[schema(example = "a")]
    pub name: String,
    /// Whether it is mutable.
    pub is_write: bool,
    /// The arguments in it.
    pub arguments: Vec<&'a str>,
    /// The returns in it, by index from 0.
    pub returns: Vec<usize>,
}

/// The sets by letter, the wildcard last.
pub fn alias_sets(schema: &FunctionSchema) -> Vec<AliasSet<'_>> {
    let names = ('a'..='z').chain(['*']);
    let sets = names.map(|name| {
        let has = |annotation: Option<&Annotation>| annotation.is_some_and(|a| holds(a, name));
        let arguments = schema.arguments.all().iter();
        let returns = schema.returns.iter().enumerate();
        let in_arguments = arguments.filter(|a| has(a.annotation.as_deref()));
        let in_returns = returns.filter(|(_, r)| has(r.annotation.as_deref()));
        let (in_arguments, in_returns): (Vec<_>, Vec<_>) =
            (in_arguments.collect(), in_returns.collect());
        AliasSet {
            name: name.to_string(),
            is_write: in_arguments.iter().any(|a| a.is_write())
                || in_returns.iter().any(|(_, r)| r.is_write()),
            arguments: in_arguments.iter().map(|a| &*a.name).collect(),
            returns: in_returns.iter().map(|(i, _)| *i).collect(),
        }
    });
    sets.filter(|set| !set.arguments.is_empty() || !set.returns.is_empty())
        .collect()
}

pub(crate) fn holds(annotation: &Annotation, set: char) -> bool {
    let letters = |letters: &[u8]| letters.iter().any(|&letter| char::from(letter) == set);
    let after = match &annotation.after {
        AfterSet::Same => false,
        AfterSet::Wildcard => set == '*',
        AfterSet::Letters(after) => letters(after),
    };
    after || letters(&annotation.before)
}
