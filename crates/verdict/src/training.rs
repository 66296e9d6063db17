//! Whether an operator works on a backend, for inference and for training, and through what, in
//! the sense of "Choosing the right dispatch keyword" in PyTorch's
//! `aten/src/ATen/native/README.md`: composite implicit kernels differentiate by what they are
//! made of; explicit ones and backend kernels need a formula or an autograd kernel.

use crate::leads::serving;
use crate::{Verdict, View};
use opatlas_dispatch::origin::Origin as RegistrationOrigin;
use opatlas_dispatch::registrations::{AutogradKind, Inputs, autograd_kind};
use opatlas_dispatch::resolve::Precedence;
use opatlas_dispatch::{Entry, autograd_key};
use opatlas_operators::derivative_match::Origin;
use opatlas_operators::derivatives::DEFAULT_KEY;
use opatlas_operators::derivatives::tokens::is_not_implemented;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::SchemaKind;
use rustc_hash::FxHashSet;

/// Whether training works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Works {
    /// It does.
    Yes,
    /// It does for some arguments, or in some cases.
    Partly,
    /// It does not.
    No,
    /// No result of the operator requires a gradient.
    NotDifferentiable,
    /// Nobody can tell: the call itself is unknown, or the revision has no `derivatives.yaml`.
    Unknown,
}

impl Works {
    /// The word in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::Partly => "partly",
            Self::No => "no",
            Self::NotDifferentiable => "not differentiable",
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
}

/// More on why training does not work, or works in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Detail {
    /// The call fails before any gradient.
    NoKernel,
    /// There is no formula: the call works, the gradient does not.
    NoFormula,
    /// The formula only raises (`not_implemented`): the call works, the gradient does not.
    NotImplemented,
    /// The composite kernel calls an operator that does not train.
    CallsUntrained,
    /// The backward calls an operator that does not work on the backend.
    BackwardFails,
    /// Out variants do not record gradients.
    OutVariant,
    /// Nothing is registered at the autograd key but its fallback, or not even that.
    NoAutograd,
    /// The autograd key is ambiguous.
    Ambiguous,
    /// The formulas say that there is no gradient, or the operator's results have none.
    NoGradient,
}

/// The answer for one operator on one backend, with the entries that it follows from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingAnswer<'a> {
    /// The entry at the backend's key.
    pub inference: Entry<'a>,
    /// The entry at the autograd key that speaks for the backend.
    pub autograd: Entry<'a>,
    /// The answer.
    pub training: Training,
}

/// Whether an operator trains on one backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Training {
    /// The verdict on the call without gradients.
    pub inference: Verdict,
    /// Whether training works.
    pub works: Works,
    /// Through what training works, or why it does not.
    pub through: Through,
    /// More on why not.
    pub detail: Option<Detail>,
    /// The arguments whose formula only raises.
    pub not_implemented: Vec<Box<str>>,
    /// The tensors for which there is no formula: a call raises if one of them requires a gradient.
    pub refused: Vec<Box<str>>,
    /// The tensors that the formulas declare as `non_differentiable`.
    pub excluded: Vec<Box<str>>,
    /// The operators without a working entry that the backward needs.
    pub needs: Vec<OperatorId>,
}

impl Training {
    /// Whether gradients work, or would if the call did.
    #[must_use]
    pub fn may_work(&self) -> bool {
        let is_capable = matches!(
            self.through,
            Through::OwnFormula | Through::Composite | Through::AutogradKernel
        );
        matches!(self.works, Works::Yes | Works::Partly)
            || self.works == Works::Unknown && is_capable
    }

    /// Whether the call may work, and gradients do not.
    #[must_use]
    pub fn lacks_gradient(&self) -> bool {
        self.inference != Verdict::Fails
            && matches!(self.works, Works::No | Works::NotDifferentiable)
    }

    /// `true` if the autograd key only has the fallback, so the gradient stops at the call.
    #[must_use]
    pub fn lacks_autograd(&self) -> bool {
        self.detail == Some(Detail::NoAutograd)
    }

    pub(crate) fn of(
        inference: Verdict,
        works: Works,
        through: Through,
        detail: Option<Detail>,
    ) -> Self {
        Self {
            inference,
            works,
            through,
            detail,
            not_implemented: Vec::new(),
            refused: Vec::new(),
            excluded: Vec::new(),
            needs: Vec::new(),
        }
    }
}

impl<'a> View<'a> {
    /// Whether an operator trains on a backend key (`CPU`, `SparseCUDA`, ...), and through what.
    /// `None` for keys that are no backend's.
    #[must_use]
    pub fn training(self, id: OperatorId, slot: Slot) -> Option<TrainingAnswer<'a>> {
        let training = self.trains(id, slot)?;
        let autograd = autograd_key(self.keys(), serving(self.keys(), slot))?;
        Some(TrainingAnswer {
            inference: self.entry(id, slot)?,
            autograd: self.entry(id, autograd)?,
            training,
        })
    }

    /// [`View::training`] without the entries.
    #[must_use]
    pub fn trains(self, id: OperatorId, slot: Slot) -> Option<Training> {
        let inference = self.verdict(id, slot);
        let slot = serving(self.keys(), slot);
        let autograd = autograd_key(self.keys(), slot)?;
        let pattern = self.tables.pattern(id)?;
        Some(match inference {
            Verdict::Fails => {
                Training::of(inference, Works::No, Through::Error, Some(Detail::NoKernel))
            }
            Verdict::Unknown if !self.claims(slot) => {
                Training::of(inference, Works::Unknown, Through::Unknown, None)
            }
            Verdict::Unknown => {
                let own = self.by_entry_or_parts(id, slot, pattern.rule(autograd), autograd);
                Training {
                    inference,
                    works: match own.works {
                        Works::No | Works::NotDifferentiable => own.works,
                        _ => Works::Unknown,
                    },
                    ..own
                }
            }
            _ => {
                let own = self.by_entry_or_parts(id, slot, pattern.rule(autograd), autograd);
                Training {
                    inference,
                    ..self.with_backward(id, slot, own)
                }
            }
        })
    }

    /// As far as the entry at the autograd key says, and what a composite kernel there calls.
    fn by_entry_or_parts(
        self,
        id: OperatorId,
        slot: Slot,
        rule: Precedence,
        autograd: Slot,
    ) -> Training {
        let own = self.by_autograd_entry(id, rule, autograd);
        match own.through {
            Through::Composite => self.by_parts(id, slot).unwrap_or(own),
            _ => own,
        }
    }

    /// Whether training works if a rule serves the autograd key, as far as the entry there says.
    pub(crate) fn by_autograd_entry(
        self,
        id: OperatorId,
        rule: Precedence,
        autograd: Slot,
    ) -> Training {
        let of = |works, through, detail| Training::of(Verdict::Unknown, works, through, detail);
        let error = |detail| of(Works::No, Through::Error, Some(detail));
        if self.inputs.catalogue.operator(id).kind == SchemaKind::Out {
            return error(Detail::OutVariant);
        }
        let key = rule.source(autograd);
        let row = key.and_then(|key| self.tables.row(id, key, self.tables.source()));
        match (rule, row.map(|row| row.origin)) {
            (Precedence::Ambiguous, _) => error(Detail::Ambiguous),
            (Precedence::Fallback | Precedence::Missing, _) if !self.returns_tensors(id) => of(
                Works::NotDifferentiable,
                Through::NotDifferentiable,
                Some(Detail::NoGradient),
            ),
            (Precedence::Fallback | Precedence::Missing, _) => error(Detail::NoAutograd),
            (_, Some(RegistrationOrigin::Autograd)) => self.by_formulas(id, key),
            (Precedence::Implicit | Precedence::Nested, _) if self.returns_no_gradient(id) => of(
                Works::NotDifferentiable,
                Through::NotDifferentiable,
                Some(Detail::NoGradient),
            ),
            (Precedence::Implicit | Precedence::Nested, _) => {
                of(Works::Yes, Through::Composite, None)
            }
            _ => of(Works::Yes, Through::AutogradKernel, None),
        }
    }

    /// Whether neither a result nor a changed argument is a tensor.
    fn returns_no_gradient(self, id: OperatorId) -> bool {
        let kind = self.inputs.catalogue.operator(id).kind;
        kind == SchemaKind::Functional && !self.returns_tensors(id)
    }

    fn returns_tensors(self, id: OperatorId) -> bool {
        let returns = &self.inputs.catalogue.operator(id).schema().returns;
        returns.iter().any(|one| one.ty.is_tensor_like())
    }

    /// Whether training works through the generated autograd kernel at a key.
    fn by_formulas(self, id: OperatorId, key: Option<Key>) -> Training {
        let of = |works, through, detail| Training::of(Verdict::Unknown, works, through, detail);
        let name = match key {
            Some(Key::Runtime(slot)) => self.keys().name(Key::Runtime(slot)),
            _ => DEFAULT_KEY,
        };
        match autograd_kind(self.inputs, id, name) {
            AutogradKind::Formula => {
                let formulas = formulas(self.inputs, id, name);
                let works = match (formulas.gradients, formulas.not_implemented.is_empty()) {
                    (_, true) => Works::Yes,
                    (0, false) => Works::No,
                    (_, false) => Works::Partly,
                };
                let (through, detail) = match works {
                    Works::Yes => (Through::OwnFormula, None),
                    Works::No => (Through::Error, Some(Detail::NotImplemented)),
                    _ => (Through::OwnFormula, Some(Detail::NotImplemented)),
                };
                Training {
                    not_implemented: formulas.not_implemented,
                    refused: formulas.refused,
                    excluded: formulas.excluded,
                    ..of(works, through, detail)
                }
            }
            AutogradKind::NotImplemented => of(Works::No, Through::Error, Some(Detail::NoFormula)),
            AutogradKind::NotDifferentiable => of(
                Works::NotDifferentiable,
                Through::NotDifferentiable,
                Some(Detail::NoGradient),
            ),
            AutogradKind::Unknown => of(Works::Unknown, Through::Unknown, None),
        }
    }
}

/// The gradient formulas of an operator at a key.
#[derive(Debug, Default)]
struct Formulas {
    /// How many arguments have a formula.
    gradients: usize,
    /// The arguments whose formula only raises.
    not_implemented: Vec<Box<str>>,
    /// The tensors without a formula.
    refused: Vec<Box<str>>,
    /// The tensors declared as `non_differentiable`.
    excluded: Vec<Box<str>>,
}

/// Formulas named after a result are forward derivatives, which the backward does not use.
fn formulas(inputs: Inputs<'_>, id: OperatorId, key: &str) -> Formulas {
    let mut found = Formulas::default();
    let matched = inputs.matches.of(id);
    let (Some(file), Some((matched, _))) = (inputs.derivatives, matched) else {
        return found;
    };
    let Origin::Entry(index) = matched.origin else {
        return found;
    };
    let Some(entry) = file.entries.get(index as usize) else {
        return found;
    };
    let canonical = inputs.catalogue.operator(matched.operator).schema();
    let sets = entry.sets.iter();
    let mut sets = sets.filter(|set| set.key.map_or(DEFAULT_KEY, |name| file.value(name)) == key);
    let arguments = canonical.arguments.all();
    let mut named = FxHashSet::default();
    for formula in sets.next().map_or(&[][..], |set| &set.formulas) {
        let text = file.formula(formula).unwrap_or("");
        let names = file.names(formula).map(|(_, name)| name);
        for name in names.filter(|name| arguments.iter().any(|argument| *argument.name == **name)) {
            named.insert(name);
            match is_not_implemented(text) {
                true => found.not_implemented.push(name.into()),
                false if file.is_non_differentiable(formula) => found.excluded.push(name.into()),
                false => found.gradients += 1,
            }
        }
    }
    let tensors = canonical.arguments.non_out().iter();
    let tensors = tensors.filter(|argument| argument.ty.is_tensor_like());
    // Formulas of second derivatives leave out `output`, which torchgen does not check.
    let refused = tensors.map(|argument| &*argument.name);
    let refused = refused.filter(|name| !named.contains(name) && *name != "output");
    found.refused = refused.map(Into::into).collect();
    found
}
