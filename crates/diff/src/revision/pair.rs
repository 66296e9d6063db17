//! Operators whose schema differs between two revisions.

use std::sync::Arc;

use crate::official::Verdict;
use opatlas_operators::operator::{Operator, OperatorId};

/// An operator whose schema differs, or that only one side has.
#[derive(Debug, Clone)]
pub struct Pair {
    /// Its name, qualified unless its namespace is `aten`. If both sides have the operator, this is
    /// the base's name.
    pub name: Arc<str>,
    /// The operator in the base.
    pub base: Option<OperatorId>,
    /// The operator in the head, even under another name.
    pub head: Option<OperatorId>,
    /// Whether `autogen` generates it in the base, or in the head if the base lacks it.
    pub is_generated: bool,
    /// The base's canonical schema.
    pub old: Option<Box<str>>,
    /// The head's canonical schema.
    pub new: Option<Box<str>>,
    /// The verdict of PyTorch's own check; `None` if one side lacks the operator or PyTorch cannot
    /// parse a schema.
    pub verdict: Option<Verdict>,
}

impl Pair {
    /// Pairs an operator of the base with one of the head; at least one of them is given.
    pub(super) fn new(
        name: Arc<str>,
        base: Option<(OperatorId, &Operator)>,
        head: Option<(OperatorId, &Operator)>,
        verdict: Option<Verdict>,
    ) -> Self {
        let schema = |side: Option<(OperatorId, &Operator)>| Some(side?.1.canonical().into());
        Self {
            name,
            base: base.map(|(id, _)| id),
            head: head.map(|(id, _)| id),
            is_generated: base.or(head).is_some_and(|(_, side)| side.is_generated()),
            old: schema(base),
            new: schema(head),
            verdict,
        }
    }

    /// Whether the head no longer has an operator of this name.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.base.is_some() && self.verdict.is_none() && self.head.is_none()
    }

    /// PyTorch's backward verdict. A removed or renamed operator is incompatible; a new one is
    /// compatible.
    #[must_use]
    pub fn is_backward_compatible(&self) -> bool {
        match &self.verdict {
            Some(verdict) => verdict.backward,
            None => self.base.is_none(),
        }
    }

    /// PyTorch's forward verdict; a removed operator counts as incompatible.
    #[must_use]
    pub fn is_forward_compatible(&self) -> bool {
        match &self.verdict {
            Some(verdict) => verdict.forward,
            None => self.base.is_none(),
        }
    }
}
