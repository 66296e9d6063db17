//! Whether an operator works on a backend, for inference and for training, and through what, in
//! the sense of "Choosing the right dispatch keyword" in PyTorch's
//! `aten/src/ATen/native/README.md`: composite implicit kernels differentiate by what they are
//! made of; explicit ones and backend kernels need a formula or an autograd kernel.

use crate::View;
use opatlas_dispatch::origin::Origin;
use opatlas_dispatch::registrations::{AutogradKind, autograd_kind};
use opatlas_dispatch::resolve::Precedence;
use opatlas_dispatch::{Entry, autograd_key};
use opatlas_operators::derivatives::DEFAULT_KEY;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::SchemaKind;

/// Whether something works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Works {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// The revision has no `derivatives.yaml`, so nobody can tell.
    Unknown,
}

impl Works {
    /// The word in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// Through what training works, or why it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Through {
    /// The operator's formula in `derivatives.yaml`.
    OwnFormula,
    /// A composite kernel: its parts are differentiated.
    Composite,
    /// An autograd kernel that is written by hand, observed, or of a backend file.
    AutogradKernel,
    /// The operator passes no gradient on.
    NotDifferentiable,
    /// The call, or asking for the gradient, fails.
    Error,
    /// Unknown without `derivatives.yaml`.
    Unknown,
}

impl Through {
    /// The words in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OwnFormula => "own formula",
            Self::Composite => "composite",
            Self::AutogradKernel => "autograd kernel",
            Self::NotDifferentiable => "not differentiable",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }

    /// Whether training works.
    #[must_use]
    pub fn works(self) -> Works {
        match self {
            Self::OwnFormula | Self::Composite | Self::AutogradKernel => Works::Yes,
            Self::NotDifferentiable | Self::Error => Works::No,
            Self::Unknown => Works::Unknown,
        }
    }
}

/// More on an answer of [`Through::Error`] or [`Through::NotDifferentiable`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// The backend has no kernel, so the call fails before any gradient.
    NoKernel,
    /// There is no formula: the call works, the gradient does not.
    NoFormula,
    /// Out variants do not record gradients.
    OutVariant,
    /// Nothing is registered at the autograd key but its fallback, or not even that.
    NoAutograd,
    /// The autograd key is ambiguous.
    Ambiguous,
    /// The formulas say that there is no gradient, or the operator's results have none.
    NoGradient,
}

/// The answer for one operator on one backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingAnswer<'a> {
    /// The entry at the backend's key.
    pub inference: Entry<'a>,
    /// Whether the call works there (in inference mode).
    pub inference_works: Works,
    /// The entry at the autograd key that speaks for the backend.
    pub autograd: Entry<'a>,
    /// Through what training works, or why it does not.
    pub through: Through,
    /// More on why not.
    pub detail: Option<Detail>,
}

impl TrainingAnswer<'_> {
    /// Whether training works.
    #[must_use]
    pub fn training_works(&self) -> Works {
        self.through.works()
    }
}

/// What [`View::training`] says, without the entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Training {
    /// Whether the call works there (in inference mode).
    pub inference_works: Works,
    /// Through what training works, or why it does not.
    pub through: Through,
    /// More on why not.
    pub detail: Option<Detail>,
}

impl<'a> View<'a> {
    /// Whether an operator works on a backend key (`CPU`, `SparseCUDA`, ...), and through what.
    /// `None` for keys that are no backend's.
    #[must_use]
    pub fn training(self, id: OperatorId, slot: Slot) -> Option<TrainingAnswer<'a>> {
        let autograd = autograd_key(self.keys(), slot)?;
        let Training {
            inference_works,
            through,
            detail,
        } = self.trains(id, slot)?;
        Some(TrainingAnswer {
            inference: self.entry(id, slot)?,
            inference_works,
            autograd: self.entry(id, autograd)?,
            through,
            detail,
        })
    }

    /// The same without the entries, whose kernels and places cost most of the time: comparisons ask
    /// for thousands of answers.
    #[must_use]
    pub fn trains(self, id: OperatorId, slot: Slot) -> Option<Training> {
        let autograd = autograd_key(self.keys(), slot)?;
        let pattern = self.tables.pattern(id)?;
        let works = match pattern.rule(slot) {
            Precedence::Missing | Precedence::Fallback | Precedence::Ambiguous => Works::No,
            _ => Works::Yes,
        };
        let (through, detail) = match works {
            Works::Yes => self.through(id, pattern.rule(autograd), autograd),
            _ => (Through::Error, Some(Detail::NoKernel)),
        };
        Some(Training {
            inference_works: works,
            through,
            detail,
        })
    }

    /// Through what training works if a rule serves the autograd key.
    fn through(
        self,
        id: OperatorId,
        rule: Precedence,
        autograd: Slot,
    ) -> (Through, Option<Detail>) {
        let error = |detail| (Through::Error, Some(detail));
        if self.inputs.catalogue.operator(id).kind == SchemaKind::Out {
            return error(Detail::OutVariant);
        }
        let key = rule.source(autograd);
        let row = key.and_then(|key| self.tables.row(id, key, self.tables.source()));
        match (rule, row.map(|row| row.origin)) {
            (Precedence::Ambiguous, _) => error(Detail::Ambiguous),
            (Precedence::Fallback | Precedence::Missing, _) => error(Detail::NoAutograd),
            (_, Some(Origin::Autograd)) => self.generated_autograd(id, key),
            (Precedence::Implicit | Precedence::Nested, _) => (Through::Composite, None),
            _ => (Through::AutogradKernel, None),
        }
    }

    fn generated_autograd(self, id: OperatorId, key: Option<Key>) -> (Through, Option<Detail>) {
        let name = match key {
            Some(Key::Runtime(slot)) => self.keys().name(Key::Runtime(slot)),
            _ => DEFAULT_KEY,
        };
        match autograd_kind(self.inputs, id, name) {
            AutogradKind::Formula => (Through::OwnFormula, None),
            AutogradKind::NotImplemented => (Through::Error, Some(Detail::NoFormula)),
            AutogradKind::NotDifferentiable => {
                (Through::NotDifferentiable, Some(Detail::NoGradient))
            }
            AutogradKind::Unknown => (Through::Unknown, None),
        }
    }
}
