//! `derivatives.yaml`: the formulas that autograd differentiates operators by, as written
//! (`docs/spec/files.md`, section 5, torchgen `load_derivatives.py`).
//!
//! What is read here depends on the file alone. Which operators an entry serves depends on the
//! operators and the release: [`super::derivative_match`]. What becomes of a formula when code is
//! generated is in [`expand`].

pub mod bindings;
pub mod expand;
mod read;
pub mod saved;
pub mod text;
pub mod tokens;

use std::ops::Range;
use std::sync::Arc;

use opatlas_source::diagnostic::Complaints;
use opatlas_source::{Content, Span};
use opatlas_yaml::{NodeId, Tree};

/// The key that formulas without `dispatch:` belong to; they serve the alias `Autograd`.
pub const DEFAULT_KEY: &str = "Default";

/// A formula, and the names that one is for, may be this long, in bytes; the longest of a real release
/// has 681.
pub const LONGEST_FORMULA: usize = 64 << 10;

/// An entry may have this many formulas for one dispatch key; the most of a real one are 9.
pub const MOST_FORMULAS: usize = 1_000;

/// An entry may have formulas for this many dispatch keys; there are fewer that take any.
pub const MOST_SETS: usize = 256;

/// One `derivatives.yaml`. Places count from the beginning of the file.
#[derive(Debug)]
pub struct Derivatives {
    /// The text; where the bytes were no valid text, with the bad places replaced.
    pub text: Arc<str>,
    /// The entries that have a name, in file order.
    pub entries: Vec<DerivativeEntry>,
    /// What could not be read.
    pub diagnostics: Complaints,
    tree: Arc<Tree>,
}

/// A scalar of the file; its text is [`Derivatives::value`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scalar(NodeId);

/// One entry: an operator and the formulas for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DerivativeEntry {
    /// The whole entry.
    pub span: Span,
    /// `name`: the operator's canonical schema.
    pub name: Scalar,
    /// `output_differentiability`, unless it is absent or says nothing.
    pub output_differentiability: Option<OutputDifferentiability>,
    /// The formulas by dispatch key; those without `dispatch:` under [`DEFAULT_KEY`].
    pub sets: Vec<FormulaSet>,
    /// Keys next to `dispatch:`, which PyTorch ignores.
    pub ignored: Vec<Span>,
}

/// The formulas that hold on one dispatch key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormulaSet {
    /// The key where written; `None` in an entry without `dispatch:`.
    pub key: Option<Scalar>,
    /// The formulas, sorted by the text of what they are for, as torchgen takes them.
    pub formulas: Vec<Formula>,
}

/// A formula and what it is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Formula {
    /// The arguments that it is the gradient of, or the outputs that it is the tangent of.
    pub names: Scalar,
    /// The formula; `None` if it is not a string.
    pub formula: Option<Scalar>,
    /// The position of its value.
    pub value_at: Span,
}

/// What `output_differentiability` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputDifferentiability {
    /// Where.
    pub at: Span,
    /// What.
    pub outputs: Outputs,
}

/// Which outputs are differentiable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outputs {
    /// One flag for each; those that it does not reach are not differentiable.
    Flags(Vec<bool>),
    /// The only one, under a condition in C++.
    Condition,
}

impl OutputDifferentiability {
    /// Whether the output at this index is marked as differentiable.
    #[must_use]
    pub fn allows(&self, index: usize) -> bool {
        match &self.outputs {
            Outputs::Flags(flags) => flags.get(index).copied().unwrap_or(false),
            Outputs::Condition => index == 0,
        }
    }

    /// How many outputs it speaks of.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.outputs {
            Outputs::Flags(flags) => flags.len(),
            Outputs::Condition => 1,
        }
    }
}

impl Derivatives {
    /// Reads the file. Never fails: what cannot be read is in the diagnostics.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Self {
        Self::read_shared(&bytes.into())
    }

    /// Like [`Self::read`], sharing the memory of the file.
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

    /// The position of a range of bytes in a scalar's text.
    #[must_use]
    pub fn place(&self, scalar: Scalar, range: Range<usize>) -> Span {
        self.tree.place(scalar.0, range)
    }

    /// The position of the whole text of a scalar if it is written without escapes and line breaks,
    /// so that it can be edited in place.
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

    /// The names that a formula is for, with their places in [`Formula::names`].
    pub fn names(&self, formula: &Formula) -> impl Iterator<Item = (Range<usize>, &str)> {
        let mut start = 0;
        self.value(formula.names).split(',').map(move |piece| {
            let name = text::strip(piece);
            let from = start + (name.as_ptr() as usize - piece.as_ptr() as usize);
            start += piece.len() + 1;
            (from..from + name.len(), name)
        })
    }

    /// The first name that a formula is for; it decides whether the formula is a gradient or a
    /// tangent.
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
