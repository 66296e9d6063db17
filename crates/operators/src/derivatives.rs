//! `derivatives.yaml`: autograd's formulas (`docs/spec/files.md`, section 5, torchgen
//! `load_derivatives.py`).
//!
//! Parsing depends only on the file; [`super::derivative_match`] finds the operators of entries,
//! and [`expand`] expands formulas as the code generator does.

pub mod bindings;
pub mod expand;
pub mod names;
mod read;
pub mod saved;
pub mod text;
pub mod tokens;

use std::ops::Range;
use std::sync::Arc;

use opatlas_source::diagnostic::Complaints;
use opatlas_source::{Content, Span};
use opatlas_yaml::{NodeId, Tree};

/// The key of formulas without `dispatch:`, for the alias `Autograd`.
pub const DEFAULT_KEY: &str = "Default";

/// The maximum length of a formula and its names in bytes; the longest in a release has 681.
pub const LONGEST_FORMULA: usize = 64 << 10;

/// The maximum number of formulas in an entry for one dispatch key; real entries have at most 9.
pub const MOST_FORMULAS: usize = 1_000;

/// The maximum number of dispatch keys in an entry; fewer accept formulas.
pub const MOST_SETS: usize = 256;

/// One `derivatives.yaml`, with positions relative to its text.
#[derive(Debug)]
pub struct Derivatives {
    /// The text, with invalid bytes replaced.
    pub text: Arc<str>,
    /// The entries with a name, in file order.
    pub entries: Vec<DerivativeEntry>,
    /// Errors in the file.
    pub diagnostics: Complaints,
    tree: Arc<Tree>,
}

/// A scalar of the file; its text is [`Derivatives::value`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar(NodeId);

/// An operator's formulas.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivativeEntry {
    /// The whole entry.
    pub span: Span,
    /// `name`: the operator's canonical schema.
    pub name: Scalar,
    /// `output_differentiability`, unless it is missing or empty.
    pub output_differentiability: Option<OutputDifferentiability>,
    /// The formulas by dispatch key; [`DEFAULT_KEY`] without `dispatch:`.
    pub sets: Vec<FormulaSet>,
    /// Keys next to `dispatch:`, which PyTorch ignores.
    pub ignored: Vec<Span>,
}

/// The formulas for one dispatch key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaSet {
    /// The dispatch key; `None` in an entry without `dispatch:`.
    pub key: Option<Scalar>,
    /// The formulas, sorted by the text of their names, like in torchgen.
    pub formulas: Vec<Formula>,
}

/// A formula and its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formula {
    /// The arguments whose gradient, or the outputs whose tangent it is.
    pub names: Scalar,
    /// The formula; `None` if it is not a string.
    pub formula: Option<Scalar>,
    /// The position of its value.
    pub value_at: Span,
}

/// A value of `output_differentiability`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputDifferentiability {
    /// Its position.
    pub at: Span,
    /// Its value.
    pub outputs: Outputs,
    /// The C++ condition of [`Outputs::Condition`].
    pub condition: Option<Scalar>,
}

/// Which outputs are differentiable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outputs {
    /// One flag for each output; further outputs are not differentiable.
    Flags(Vec<bool>),
    /// The only output, under a C++ condition.
    Condition,
}

impl OutputDifferentiability {
    /// Whether an output is marked as differentiable.
    #[must_use]
    pub fn allows(&self, index: usize) -> bool {
        match &self.outputs {
            Outputs::Flags(flags) => flags.get(index).copied().unwrap_or(false),
            Outputs::Condition => index == 0,
        }
    }

    /// The number of outputs that it covers.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.outputs {
            Outputs::Flags(flags) => flags.len(),
            Outputs::Condition => 1,
        }
    }
}

impl Derivatives {
    /// Reads the file.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        Self::read_shared(&bytes.into())
    }

    /// Like [`Self::read`], sharing the file's memory.
    #[must_use]
    pub fn read_shared(file: &Content) -> Self {
        read::read(file)
    }

    /// The text of a scalar.
    #[must_use]
    pub fn value(&self, scalar: Scalar) -> &str {
        self.tree.str_value(scalar.0).unwrap_or("")
    }

    /// The position of a scalar, including quotes.
    #[must_use]
    pub fn span(&self, scalar: Scalar) -> Span {
        self.tree.span(scalar.0)
    }

    /// The position of a byte range in a scalar.
    #[must_use]
    pub fn place(&self, scalar: Scalar, range: Range<usize>) -> Span {
        self.tree.place(scalar.0, range)
    }

    /// The position of a scalar's text, if it has no escapes and line breaks and so can be edited.
    #[must_use]
    pub fn verbatim(&self, scalar: Scalar) -> Option<Span> {
        let value = self.value(scalar);
        let span = self.place(scalar, 0..value.len());
        (span.slice(&self.text) == value).then_some(span)
    }

    /// The dispatch key of a set.
    #[must_use]
    pub fn key(&self, set: &FormulaSet) -> &str {
        set.key.map_or(DEFAULT_KEY, |key| self.value(key))
    }

    /// The names of a formula, with their positions in [`Formula::names`].
    pub fn names(&self, formula: &Formula) -> impl Iterator<Item = (Range<usize>, &str)> {
        let mut start = 0;
        self.value(formula.names).split(',').map(move |piece| {
            let name = text::strip(piece);
            let from = start + (name.as_ptr() as usize - piece.as_ptr() as usize);
            start += piece.len() + 1;
            (from..from + name.len(), name)
        })
    }

    /// The first name of a formula, which decides whether it is a gradient or a tangent.
    #[must_use]
    pub fn first_name(&self, formula: &Formula) -> &str {
        let names = self.value(formula.names);
        text::strip(names.split(',').next().unwrap_or(names))
    }

    /// The text of a formula; `None` if it is not a string.
    #[must_use]
    pub fn formula(&self, formula: &Formula) -> Option<&str> {
        formula.formula.map(|formula| self.value(formula))
    }

    /// Whether a formula only states that there is no gradient.
    #[must_use]
    pub fn is_non_differentiable(&self, formula: &Formula) -> bool {
        let word = self.formula(formula).map(text::strip);
        word.is_some_and(|word| word.eq_ignore_ascii_case("non_differentiable"))
    }
}
