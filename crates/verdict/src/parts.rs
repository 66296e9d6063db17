//! Whether a composite trains: whether the operators that it calls do.

use opatlas_dispatch::autograd_key;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use rustc_hash::FxHashSet;

use crate::training::{Detail, Through, Training, Works};
use crate::{Verdict, View};

impl View<'_> {
    /// The answer for a composite whose parts do not all train; `None` where nothing keeps it from
    /// training. A part that is not differentiable keeps nothing from training.
    pub(crate) fn by_parts(self, id: OperatorId, slot: Slot) -> Option<Training> {
        let autograd = autograd_key(self.keys(), slot)?;
        let (calls, column) = (self.calls(), self.column_of(slot));
        // Where the backward of the composite was recorded, it works, whatever formulas its parts lack: no
        // gradient passes through those. It also has the calls of all of them.
        let is_recorded = calls.backward.of(id).is_some();
        let mut seen = FxHashSet::from_iter([id]);
        let mut open = vec![(id, true)];
        let mut parts = Parts::new(is_recorded);
        while let Some((caller, always)) = open.pop() {
            for edge in column.calls(&calls, caller) {
                let always = always && edge.always;
                let Some(pattern) = self.tables.pattern(edge.id) else {
                    continue;
                };
                let mut part = self.by_autograd_entry(edge.id, pattern.rule(autograd), autograd);
                if !is_recorded && part.through == Through::OwnFormula {
                    part = self.with_backward(edge.id, slot, part);
                }
                parts.add(&part, always);
                if part.through == Through::Composite && seen.insert(edge.id) {
                    open.push((edge.id, always));
                }
            }
        }
        parts.training()
    }
}

/// What the parts of a composite say so far.
struct Parts {
    is_recorded: bool,
    works: Works,
    is_unknown: bool,
    needs: Vec<OperatorId>,
}

impl Parts {
    fn new(is_recorded: bool) -> Self {
        Self {
            is_recorded,
            works: Works::Yes,
            is_unknown: false,
            needs: Vec::new(),
        }
    }

    fn add(&mut self, part: &Training, always: bool) {
        let is_lacking = match part.detail {
            Some(Detail::NotImplemented | Detail::NoFormula) => !self.is_recorded,
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

    fn training(self) -> Option<Training> {
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
