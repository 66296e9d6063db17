//! Function schemas: arguments, returns, kinds (`docs/spec/grammar.md`, sections 5, 6 and 7).
//!
//! A schema in hand has been read whole; what could not be read is a diagnostic instead. Whether
//! its parts fit together (`out` arguments returned, `self` written in place) is for the rules.

use opatlas_source::Span;

use super::annotation::Annotation;
use super::name::OperatorName;
use super::types::{BaseType, Type};

/// Where something was written. Places never matter to equality: schemas are equal when they say
/// the same.
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
    /// Name; empty or odd only where torchgen accepts that.
    pub name: Box<str>,
    /// Type, without the annotation.
    pub ty: Type,
    /// The text after `=`.
    pub default: Option<Box<str>>,
    /// The alias annotation. Few arguments have one, and all are kept in memory.
    pub annotation: Option<Box<Annotation>>,
    /// The whole argument.
    pub at: At,
    /// Its type, annotation included.
    pub type_at: At,
    /// Its name.
    pub name_at: At,
    /// Its default's value; empty where there is none.
    pub default_at: At,
}

impl Argument {
    /// Whether the annotation says that it is written to.
    #[must_use]
    pub fn is_write(&self) -> bool {
        self.annotation.as_ref().is_some_and(|a| a.write)
    }
}

/// One return value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Return {
    /// Its name, where it has one.
    pub name: Option<Box<str>>,
    /// Type, without the annotation.
    pub ty: Type,
    /// The alias annotation.
    pub annotation: Option<Box<Annotation>>,
    /// The whole return.
    pub at: At,
}

impl Return {
    /// Whether the annotation says that it is a written alias.
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
    /// Sorts out the groups: the first positional argument called `self`; the run of TensorOptions
    /// among the keyword-only ones (torchgen `Arguments.parse`). `positional` counts the arguments
    /// before `*`; `out` is the index of the first out argument, or the length.
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

    /// All arguments, in schema order.
    #[must_use]
    pub fn all(&self) -> &[Argument] {
        &self.list
    }

    /// The arguments before `*`.
    #[must_use]
    pub fn positional(&self) -> &[Argument] {
        &self.list[..self.positional]
    }

    /// Keyword-only arguments that are not out arguments.
    #[must_use]
    pub fn keyword_only(&self) -> &[Argument] {
        &self.list[self.positional..self.out]
    }

    /// Out arguments: keyword-only and written; always last.
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

    /// Positional arguments before `self`; none when there is no `self`.
    #[must_use]
    pub fn pre_self(&self) -> &[Argument] {
        &self.list[..self.self_index.unwrap_or(0)]
    }

    /// Positional arguments after `self`; all of them when there is no `self`.
    #[must_use]
    pub fn post_self(&self) -> &[Argument] {
        &self.list[self.self_index.map_or(0, |at| at + 1)..self.positional]
    }

    /// The four TensorOptions arguments (dtype, layout, device, pin_memory), if they are adjacent
    /// among the keyword-only ones.
    #[must_use]
    pub fn tensor_options(&self) -> Option<&[Argument]> {
        self.options.map(|at| &self.list[at..at + 4])
    }

    /// Keyword-only arguments without the TensorOptions and out arguments, in order.
    pub fn keyword_only_without_options(&self) -> impl Iterator<Item = &Argument> {
        let options = self.options.map_or(0..0, |at| at..at + 4);
        self.list[self.positional..self.out]
            .iter()
            .enumerate()
            .filter(move |(i, _)| !options.contains(&(i + self.positional)))
            .map(|(_, argument)| argument)
    }

    /// Whether the argument at this index of [`Arguments::all`] is keyword-only.
    #[must_use]
    pub fn is_keyword_only(&self, index: usize) -> bool {
        index >= self.positional
    }

    /// Whether the argument at this index of [`Arguments::all`] is an out argument.
    #[must_use]
    pub fn is_out(&self, index: usize) -> bool {
        index >= self.out
    }

    /// Whether some argument other than the out ones is, or holds, `base`.
    #[must_use]
    pub fn has_like(&self, base: BaseType) -> bool {
        self.non_out().iter().any(|a| a.ty.is_like(base))
    }
}

/// The names and types that make a run of TensorOptions, in their order.
const TENSOR_OPTIONS: [(&str, BaseType); 4] = [
    ("dtype", BaseType::ScalarType),
    ("layout", BaseType::Layout),
    ("device", BaseType::Device),
    ("pin_memory", BaseType::Bool),
];

/// Index of the first run of TensorOptions in keyword-only arguments.
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

/// The kind of variant that a schema describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SchemaKind {
    /// Writes to nothing.
    Functional,
    /// Writes to `self`, by its name.
    Inplace,
    /// Writes to keyword-only out arguments.
    Out,
    /// Writes to positional arguments other than `self`.
    Mutable,
    /// Has an out argument called `_scratch_*`.
    Scratch,
}

impl SchemaKind {
    /// The word used in every rendering.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Functional => "functional",
            Self::Inplace => "inplace",
            Self::Out => "out",
            Self::Mutable => "mutable",
            Self::Scratch => "scratch",
        }
    }
}

/// A whole schema, `add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor`. The
/// namespace is not part of it. `Display` gives the canonical text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionSchema {
    /// Name and overload.
    pub name: OperatorName,
    /// Arguments.
    pub arguments: Arguments,
    /// Return values.
    pub returns: Vec<Return>,
    /// The name, where written.
    pub name_at: At,
    /// Everything behind the arrow.
    pub returns_at: At,
}

impl FunctionSchema {
    /// The kind (torchgen `FunctionSchema.kind`). A schema that is both in place and out, which
    /// the rules refuse, counts as in place.
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

    /// The C++ name of the kernel that an entry without `dispatch` registers (torchgen
    /// `cpp.name`): the base name, with `_out` appended for out variants.
    #[must_use]
    pub fn default_kernel(&self) -> String {
        let mut name = String::from(self.name.base());
        if !self.arguments.out().is_empty() {
            name.push_str("_out");
        }
        name
    }

    /// Whether some argument other than the out ones holds a `SymInt` (torchgen `has_symint`).
    #[must_use]
    pub fn has_symint(&self) -> bool {
        self.arguments.has_like(BaseType::SymInt)
    }

    /// Visits every place in the schema.
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
