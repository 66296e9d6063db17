//! Function schemas: arguments, returns, kinds (`docs/spec/grammar.md`, sections 5, 6 and 7).
//!
//! Rules check whether the parts of a schema fit together.

use opatlas_source::Span;

use super::annotation::Annotation;
use super::name::OperatorName;
use super::types::{BaseType, Type};

/// A source position. It does not count for equality.
#[derive(Debug, Clone, Copy, Default)]
pub struct At(pub Span);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for At {}

impl std::hash::Hash for At {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// One argument, `Tensor(a!) self` or `int dim=0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Argument {
    /// Its name; empty or odd only where torchgen accepts that.
    pub name: Box<str>,
    /// Its type, without the annotation.
    pub ty: Type,
    /// The text after `=`.
    pub default: Option<Box<str>>,
    /// Its alias annotation. Boxed, since few arguments have one.
    pub annotation: Option<Box<Annotation>>,
    /// The whole argument.
    pub at: At,
    /// Its type with the annotation.
    pub type_at: At,
    /// Its name.
    pub name_at: At,
    /// Its default; empty if there is none.
    pub default_at: At,
}

impl Argument {
    /// Whether it is annotated as written.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.annotation.as_ref().is_some_and(|a| a.write)
    }
}

/// One return value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Return {
    /// Its name, if any.
    pub name: Option<Box<str>>,
    /// Its type, without the annotation.
    pub ty: Type,
    /// The alias annotation.
    pub annotation: Option<Box<Annotation>>,
    /// The whole return.
    pub at: At,
}

impl Return {
    /// Whether it is annotated as a written alias.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.annotation.as_ref().is_some_and(|a| a.write)
    }
}

/// All arguments in schema order: positional, keyword-only, out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Arguments {
    list: Vec<Argument>,
    positional: usize,
    out: usize,
    self_index: Option<usize>,
    options: Option<usize>,
}

impl Arguments {
    /// Finds `self` and the TensorOptions (torchgen `Arguments.parse`). `positional` is the number
    /// of arguments before `*`; `out` is the index of the first out argument, or the length.
    #[must_use]
    pub fn new(list: Vec<Argument>, positional: usize, out: usize) -> Self {
        let out = out.min(list.len());
        let positional = positional.min(out);
        let self_index = list[..positional].iter().position(|a| &*a.name == "self");
        let options = tensor_options(&list[positional..out]).map(|at| at + positional);
        Self {
            list,
            positional,
            out,
            self_index,
            options,
        }
    }

    /// All arguments in schema order.
    #[must_use]
    pub fn all(&self) -> &[Argument] {
        &self.list
    }

    /// The arguments before `*`.
    #[must_use]
    pub fn positional(&self) -> &[Argument] {
        &self.list[..self.positional]
    }

    /// Keyword-only arguments, without the out arguments.
    #[must_use]
    pub fn keyword_only(&self) -> &[Argument] {
        &self.list[self.positional..self.out]
    }

    /// Out arguments: keyword-only, written, and last.
    #[must_use]
    pub fn out(&self) -> &[Argument] {
        &self.list[self.out..]
    }

    /// All but the out arguments.
    #[must_use]
    pub fn non_out(&self) -> &[Argument] {
        &self.list[..self.out]
    }

    /// The first positional argument called `self`.
    #[must_use]
    pub fn self_argument(&self) -> Option<&Argument> {
        self.self_index.map(|at| &self.list[at])
    }

    /// Index of the self argument in [`Arguments::all`].
    #[must_use]
    pub fn self_index(&self) -> Option<usize> {
        self.self_index
    }

    /// Positional arguments before `self`; empty without `self`.
    #[must_use]
    pub fn pre_self(&self) -> &[Argument] {
        &self.list[..self.self_index.unwrap_or(0)]
    }

    /// Positional arguments after `self`; all of them without `self`.
    #[must_use]
    pub fn post_self(&self) -> &[Argument] {
        &self.list[self.self_index.map_or(0, |at| at + 1)..self.positional]
    }

    /// The keyword-only dtype, layout, device and pin_memory, if they are adjacent.
    #[must_use]
    pub fn tensor_options(&self) -> Option<&[Argument]> {
        self.options.map(|at| &self.list[at..at + 4])
    }

    /// Keyword-only arguments without TensorOptions and out arguments.
    pub fn keyword_only_without_options(&self) -> impl Iterator<Item = &Argument> {
        let options = self.options.map_or(0..0, |at| at..at + 4);
        self.list[self.positional..self.out]
            .iter()
            .enumerate()
            .filter(move |(i, _)| !options.contains(&(i + self.positional)))
            .map(|(_, argument)| argument)
    }

    /// Whether the argument at an index of [`Arguments::all`] is keyword-only.
    #[must_use]
    pub fn is_keyword_only(&self, index: usize) -> bool {
        index >= self.positional
    }

    /// Whether the argument at an index of [`Arguments::all`] is an out argument.
    #[must_use]
    pub fn is_out(&self, index: usize) -> bool {
        index >= self.out
    }

    /// Whether a non-out argument is, or contains, `base`.
    #[must_use]
    pub fn has_like(&self, base: BaseType) -> bool {
        self.non_out().iter().any(|a| a.ty.is_like(base))
    }
}

const TENSOR_OPTIONS: [(&str, BaseType); 4] = [
    ("dtype", BaseType::ScalarType),
    ("layout", BaseType::Layout),
    ("device", BaseType::Device),
    ("pin_memory", BaseType::Bool),
];

/// The index of the first four TensorOptions among keyword-only arguments.
#[must_use]
pub fn tensor_options(keyword_only: &[Argument]) -> Option<usize> {
    keyword_only.windows(4).position(|run| {
        run.iter()
            .zip(TENSOR_OPTIONS)
            .all(|(argument, (name, ty))| {
                &*argument.name == name && *argument.ty.without_optional() == Type::Base(ty)
            })
    })
}

opatlas_source::words! {
    /// The kind of a schema.
    pub enum SchemaKind {
        /// Writes nothing.
        Functional = "functional",
        /// Writes to `self`, according to its name.
        Inplace = "inplace",
        /// Writes to keyword-only out arguments.
        Out = "out",
        /// Writes to positional arguments other than `self`.
        Mutable = "mutable",
        /// Has an out argument named `_scratch_*`.
        Scratch = "scratch",
    }
}

/// A whole schema without namespace, `add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) ->
/// Tensor`. `Display` prints its canonical text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionSchema {
    /// Name and overload.
    pub name: OperatorName,
    /// Arguments.
    pub arguments: Arguments,
    /// Return values.
    pub returns: Vec<Return>,
    /// The position of the name.
    pub name_at: At,
    /// The position of the returns.
    pub returns_at: At,
}

impl FunctionSchema {
    /// The kind (torchgen `FunctionSchema.kind`). A schema both in place and out counts as in
    /// place.
    #[must_use]
    pub fn kind(&self) -> SchemaKind {
        let out = self.arguments.out();
        if self.name.is_inplace() {
            SchemaKind::Inplace
        } else if out.iter().any(|a| a.name.starts_with("_scratch_")) {
            SchemaKind::Scratch
        } else if !out.is_empty() {
            SchemaKind::Out
        } else if self.arguments.post_self().iter().any(Argument::is_write) {
            SchemaKind::Mutable
        } else {
            SchemaKind::Functional
        }
    }

    /// The kernel of an entry without `dispatch`, ending in `_out` for out variants (torchgen
    /// `cpp.name`).
    #[must_use]
    pub fn default_kernel(&self) -> String {
        let mut name = String::from(self.name.base());
        if !self.arguments.out().is_empty() {
            name.push_str("_out");
        }
        name
    }

    /// Whether a non-out argument contains a `SymInt` (torchgen `has_symint`).
    #[must_use]
    pub fn has_symint(&self) -> bool {
        self.arguments.has_like(BaseType::SymInt)
    }

    /// Visits every position in the schema.
    pub fn for_each_place(&mut self, visit: &mut impl FnMut(&mut At)) {
        visit(&mut self.name_at);
        visit(&mut self.returns_at);
        for argument in &mut self.arguments.list {
            visit(&mut argument.at);
            visit(&mut argument.type_at);
            visit(&mut argument.name_at);
            visit(&mut argument.default_at);
        }
        for ret in &mut self.returns {
            visit(&mut ret.at);
        }
    }
}
