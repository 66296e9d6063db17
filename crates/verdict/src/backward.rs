//! What training calls besides the operator itself: the calls of the backward, as they were recorded.
//! They run on the same backend, so training works only if they do.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::calls;
use opatlas_pytorch::key_set::Slot;
use rustc_hash::FxHashMap;

use crate::branches::is_no_backward_call_on_meta;
use crate::calls::Edge;
use crate::entry::of_calls;
use crate::generated::Call;
use crate::needs::{Search, Walk};
use crate::recorded::Names;
use crate::server::is_meta;
use crate::training::{Detail, Through, Training, Works};
use crate::{Verdict, View};

/// The calls of each operator's backward. Operators that the file does not declare are left out.
#[derive(Debug, Default)]
pub(crate) struct BackwardCalls(FxHashMap<OperatorId, Vec<Edge>>);

impl BackwardCalls {
    pub(crate) fn new(catalogue: &Catalogue, names: &Names) -> Self {
        let rows = calls::of_training(catalogue.release);
        let calls = rows.filter_map(|row| {
            let edges = |called: &'static [u16], always| {
                let declared = called.iter().filter_map(|&place| names.get(place));
                declared.map(move |to| Edge::recorded(Call { to, always }))
            };
            let calls = edges(row.always, true).chain(edges(row.sometimes, false));
            Some((names.get(row.operator)?, calls.collect()))
        });
        Self(calls.collect())
    }

    /// The calls of an operator's backward; `None` if it was not recorded.
    pub(crate) fn of(&self, id: OperatorId) -> Option<&[Edge]> {
        self.0.get(&id).map(Vec::as_slice)
    }
}

impl View<'_> {
    /// An answer that looks at the formulas alone, with what the backward calls. Backward calls were
    /// recorded on dense tensors, so those of other layouts keep the answer.
    pub(crate) fn with_backward(self, id: OperatorId, slot: Slot, own: Training) -> Training {
        let is_by_formula = matches!(own.through, Through::OwnFormula | Through::Composite);
        if !is_by_formula
            || !matches!(own.works, Works::Yes | Works::Partly)
            || self.keys().functionality(slot) != "Dense"
        {
            return own;
        }
        let (calls, column) = (self.calls(), self.column_of(slot));
        let Some(edges) = calls.backward.of(id) else {
            return own;
        };
        let (catalogue, is_meta) = (self.inputs.catalogue, is_meta(self.keys(), slot));
        let made = column.made(&calls, edges);
        let made =
            made.filter(|edge| !(is_meta && is_no_backward_call_on_meta(catalogue, id, edge.id)));
        let verdict = of_calls(&column, &made, edges.is_empty());
        let (works, through) = match verdict {
            Verdict::Fails => (Works::No, Through::Error),
            Verdict::Partly => (Works::Partly, own.through),
            Verdict::Unknown if own.works == Works::Yes => {
                let works = Works::Unknown;
                return Training { works, ..own };
            }
            _ => return own,
        };
        let (column, calls) = (&*column, &*calls);
        let search = Search {
            column,
            calls,
            of: id,
        };
        Training {
            works,
            through,
            detail: Some(Detail::BackwardFails),
            needs: search.support(verdict, made, &mut Walk::default()).needs,
            ..own
        }
    }
}
