//! Whether a composite trains: whether the operators that it calls do.

use opatlas_dispatch::autograd_key;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_schema::function::SchemaKind;
use rustc_hash::FxHashSet;

use crate::training::{Detail, Through, Training, Works};
use crate::{Verdict, View};

/// Operators that composites call only if nothing requires a gradient (`EmbeddingBag.cpp` and
/// `BatchLinearAlgebra.cpp` in `aten/src/ATen/native/`).
const WITHOUT_GRADIENTS: [&str; 2] = ["_embedding_bag_forward_only", "_linalg_eigvals"];

impl View<'_> {
    /// The answer for a composite whose parts do not all train, or give no gradient at all; `None` where
    /// nothing keeps it from training.
    pub(crate) fn by_parts(self, id: OperatorId, slot: Slot) -> Option<Training> {
        let autograd = autograd_key(self.keys(), slot)?;
        let (calls, column) = (self.calls(), self.column_of(slot));
        // Where the backward of a composite was recorded, it works, whatever formulas its parts lack: no
        // gradient passes through those. The record also has the calls of all of them.
        let is_recorded = |id| calls.backward.of(id).is_some();
        let mut seen = FxHashSet::from_iter([id]);
        let mut open = vec![(id, true, is_recorded(id))];
        let mut parts = Parts::new();
        while let Some((caller, always, is_known)) = open.pop() {
            for edge in column.calls(&calls, caller) {
                let always = always && edge.always;
                let name = self.inputs.catalogue.operator(edge.id).name_text();
                if WITHOUT_GRADIENTS.contains(&name) {
                    continue;
                }
                let Some(pattern) = self.tables.pattern(edge.id) else {
                    continue;
                };
                let mut part = self.by_autograd_entry(edge.id, pattern.rule(autograd), autograd);
                let is_composite = part.through == Through::Composite;
                if !is_known && (!is_composite || is_recorded(edge.id)) {
                    part = self.with_backward(edge.id, slot, part);
                }
                parts.add(&part, always, is_known);
                if is_composite && seen.insert(edge.id) {
                    open.push((edge.id, always, is_known || is_recorded(edge.id)));
                }
            }
        }
        let is_functional = self.inputs.catalogue.operator(id).kind == SchemaKind::Functional;
        parts.training(is_functional)
    }
}

/// What the parts of a composite say so far.
struct Parts {
    /// Whether there are parts, and none of them gives a gradient.
    has_no_gradient: Option<bool>,
    works: Works,
    is_unknown: bool,
    needs: Vec<OperatorId>,
}

impl Parts {
    fn new() -> Self {
        Self {
            has_no_gradient: None,
            works: Works::Yes,
            is_unknown: false,
            needs: Vec::new(),
        }
    }

    /// Adds a part; `is_known` if the composite is known to train whatever formulas that lacks.
    fn add(&mut self, part: &Training, always: bool, is_known: bool) {
        // The parts of a composite part follow.
        if part.through != Through::Composite {
            let gives_none = part.works == Works::NotDifferentiable;
            self.has_no_gradient = Some(gives_none && self.has_no_gradient != Some(false));
        }
        let is_lacking = match part.detail {
            Some(Detail::NotImplemented | Detail::NoFormula) => !is_known,
            detail => detail == Some(Detail::BackwardFails),
        };
        match part.works {
            Works::No if is_lacking && always => self.works = Works::No,
            Works::No | Works::Partly if is_lacking && self.works == Works::Yes => {
                self.works = Works::Partly;
            }
            Works::Unknown => self.is_unknown = true,
            _ => {}
        }
        for &id in &part.needs {
            if !self.needs.contains(&id) {
                self.needs.push(id);
            }
        }
    }

    fn training(self, is_functional: bool) -> Option<Training> {
        if is_functional && self.has_no_gradient == Some(true) {
            let through = Through::NotDifferentiable;
            let detail = Some(Detail::NoGradient);
            return Some(Training::of(
                Verdict::Unknown,
                Works::NotDifferentiable,
                through,
                detail,
            ));
        }
        let through = match self.works {
            Works::Yes if self.is_unknown => {
                let (works, through) = (Works::Unknown, Through::Unknown);
                return Some(Training::of(Verdict::Unknown, works, through, None));
            }
            Works::Yes => return None,
            Works::No => Through::Error,
            _ => Through::Composite,
        };
        let detail = Some(Detail::CallsUntrained);
        Some(Training {
            needs: self.needs,
            ..Training::of(Verdict::Unknown, self.works, through, detail)
        })
    }
}
