//! What every default and composite kernel of a revision calls, as a graph that is the same for all
//! keys: generated kernels follow from the files, composites written in C++ were recorded.

use std::collections::BTreeSet;

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::Library;
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_schema::function::Argument;
use opatlas_sources::File;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::View;
use crate::applicability::libraries;
use crate::backends::{backends, known_backends, left_out};
use crate::backward::BackwardCalls;
use crate::because::Because;
use crate::branches::fused_dropout;
use crate::column::Served;
use crate::generated::{Call, MostCalls, Named};
use crate::layouts::Makers;
use crate::own::{Own, OwnKernels, special, writes};
use crate::rare::{Chain, RareCalls, Reached};
use crate::recorded::{Names, Recorded, Undeclared};
use crate::source_calls::{SourceCalls, SourceKernel};
use opatlas_dispatch::Provenance;
use opatlas_dispatch::resolve::Registered;

/// An edge of the graph, seen from either end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    /// The other operator.
    pub(crate) id: OperatorId,
    /// The call occurs in every case.
    pub(crate) always: bool,
    /// The call was recorded, or its sources ask for the device, so that a backend may not make it; it
    /// does not follow from the files.
    pub(crate) recorded: bool,
    /// The operators that make the call in its place, if it is a rare one.
    pub(crate) by: Option<Chain>,
    /// The tests of the operator do not make the call; they take dense tensors.
    pub(crate) is_rare: bool,
}

impl Edge {
    /// A call that follows from the files.
    pub(crate) fn of_files(call: Call) -> Self {
        Self {
            id: call.to,
            always: call.always,
            recorded: false,
            by: None,
            is_rare: false,
        }
    }

    fn sometimes(to: OperatorId) -> Self {
        Self::recorded(Call { to, always: false })
    }

    pub(crate) fn recorded(call: Call) -> Self {
        Self {
            recorded: true,
            ..Self::of_files(call)
        }
    }
}

/// The calls of a revision's default and composite kernels.
#[derive(Debug)]
pub(crate) struct Calls {
    /// Of each operator the alias whose kernel the calls are of.
    alias: Vec<Option<Alias>>,
    /// Whether anything is known about that kernel.
    known: Vec<bool>,
    /// Operators whose composite kernel only says that a backend must have its own.
    raises: Vec<bool>,
    /// `_copy_from` and `_copy_from_and_resize`.
    copies: [Option<OperatorId>; 2],
    fused_dropout: [Option<OperatorId>; 2],
    calls: Adjacency,
    callers: Adjacency,
    /// Kernels on keys themselves that call other operators.
    pub(crate) own: OwnKernels,
    /// The keys that those are on.
    pub(crate) own_keys: KeySet,
    /// Operators whose calls are known from their sources, or are not, although the sources are there.
    sourced: FxHashSet<OperatorId>,
    /// Recorded calls of operators that the revision does not declare.
    pub(crate) undeclared: FxHashMap<OperatorId, Vec<Undeclared>>,
    /// Calls that some cases make, of an operator by another one, which most recorded cases made.
    pub(crate) mostly: FxHashSet<(OperatorId, OperatorId)>,
    /// What training calls besides.
    pub(crate) backward: BackwardCalls,
    /// Recorded calls that the tests of the operator do not make.
    pub(crate) rare: RareCalls,
    /// Operators without an argument that carries a dispatch key.
    undispatched: Vec<bool>,
    /// Operators whose kernels are registered by code that was not recorded.
    by_hand: Vec<bool>,
    /// The helpers of the CPU fallback.
    helpers: [Option<OperatorId>; 2],
    /// What makes tensors of other layouts.
    pub(crate) makers: Makers,
    /// What serves each operator on the dense key of a backend that has no kernel for it.
    defaults: Vec<Served>,
    /// The keys whose fallback for every operator only passes the call on.
    pub(crate) passing: KeySet,
    /// The keys of backends.
    pub(crate) backends: KeySet,
    /// Those of them that something is known about.
    pub(crate) known_backends: KeySet,
    /// Those that the build leaves out.
    pub(crate) left_out: KeySet,
    /// Operators that a library serves on some backends only, in their order.
    pub(crate) libraries: Vec<(OperatorId, &'static Library)>,
}

/// The rare calls that an operator's tests reach, and those that it makes itself.
type RareOf<'a> = (&'a [Reached], &'a [OperatorId]);

/// The edges of each operator, one after the other.
#[derive(Debug, Default, PartialEq, Eq)]
struct Adjacency {
    ends: Vec<u32>,
    edges: Vec<Edge>,
}

impl Adjacency {
    fn of(&self, id: OperatorId) -> &[Edge] {
        let index = id.index();
        let begin = index
            .checked_sub(1)
            .and_then(|before| self.ends.get(before));
        let begin = begin.map_or(0, |&end| end as usize);
        let end = self.ends.get(index).map_or(begin, |&end| end as usize);
        self.edges.get(begin..end).unwrap_or_default()
    }

    /// Adds the calls of the next operator: what follows from the files, and what was recorded besides.
    /// Where both know a call, the recording knows whether every case makes it.
    fn push(&mut self, of_files: MostCalls, recorded: &[Call], (reached, rare): RareOf<'_>) {
        let begin = self.edges.len();
        for call in of_files.into_iter().flatten() {
            let seen = recorded.iter().find(|seen| seen.to == call.to);
            let always = seen.map_or(call.always, |seen| seen.always);
            self.edges.push(Edge::of_files(Call { always, ..call }));
        }
        for &call in recorded {
            let mut known = self.edges[begin..].iter();
            if !known.any(|edge| edge.id == call.to) {
                self.edges.push(Edge::recorded(call));
            }
        }
        self.edges.extend(reached.iter().map(|reached| Edge {
            by: Some(reached.by),
            ..Edge::sometimes(reached.to)
        }));
        self.edges.extend(rare.iter().map(|&to| Edge {
            is_rare: true,
            ..Edge::sometimes(to)
        }));
        self.edges[begin..].sort_by_key(|edge| !edge.always);
        self.ends
            .push(u32::try_from(self.edges.len()).unwrap_or(u32::MAX));
    }

    /// The edges of the operator that was added last.
    fn last(&mut self) -> impl Iterator<Item = &mut Edge> {
        let begin = self.ends.iter().nth_back(1).map_or(0, |&end| end as usize);
        self.edges.iter_mut().skip(begin)
    }

    /// The same edges, seen from the other end.
    fn reversed(&self, count: usize) -> Self {
        let mut ends = vec![0_u32; count];
        for edge in &self.edges {
            if let Some(end) = ends.get_mut(edge.id.index()) {
                *end += 1;
            }
        }
        let mut places = Vec::with_capacity(count);
        let mut sum = 0;
        for end in &mut ends {
            places.push(sum);
            sum += *end;
            *end = sum;
        }
        let unset = Edge {
            id: OperatorId(0),
            always: false,
            recorded: false,
            by: None,
            is_rare: false,
        };
        let mut edges = vec![unset; self.edges.len()];
        for id in (0..count).map(OperatorId::of_index) {
            for edge in self.of(id) {
                if let Some(place) = places.get_mut(edge.id.index())
                    && let Some(at) = edges.get_mut(*place as usize)
                {
                    *at = Edge { id, ..*edge };
                    *place += 1;
                }
            }
        }
        Self { ends, edges }
    }
}

impl Calls {
    /// Works out the calls of all operators.
    pub(crate) fn new(view: View<'_>) -> Self {
        let named = Named::of(view);
        let catalogue = view.inputs.catalogue;
        let names = Names::of(catalogue);
        let recorded = Recorded::new(catalogue, &names);
        let count = catalogue.operators.len();
        let sources = of_sources(view, &named, &recorded);
        let mut made = Self {
            alias: Vec::with_capacity(count),
            known: Vec::with_capacity(count),
            raises: Vec::with_capacity(count),
            copies: [named.copy_from, named.copy_from_and_resize],
            fused_dropout: fused_dropout(catalogue),
            calls: Adjacency {
                ends: Vec::with_capacity(count),
                edges: Vec::with_capacity(count),
            },
            callers: Adjacency::default(),
            own: special(view, &named),
            own_keys: KeySet::EMPTY,
            sourced: FxHashSet::default(),
            mostly: FxHashSet::default(),
            undeclared: FxHashMap::default(),
            backward: BackwardCalls::new(catalogue, &names),
            rare: RareCalls::default(),
            undispatched: Vec::with_capacity(count),
            by_hand: Vec::with_capacity(count),
            helpers: [named.copy_from, named.copy_from_and_resize],
            makers: named.makers,
            defaults: Vec::with_capacity(count),
            backends: backends(view.keys()),
            known_backends: known_backends(view),
            left_out: left_out(view),
            libraries: libraries(view),
            passing: view.tables.fallthrough_fallbacks(),
        };
        for (id, operator) in catalogue.iter() {
            made.undispatched.push(!carries_dispatch_key(operator));
            made.by_hand.push(is_by_hand(view, operator));
            let pattern = view.tables.pattern(id);
            let alias = pattern.and_then(|pattern| default_alias(&pattern.registered));
            let of_files = alias.and_then(|alias| named.calls(view, id, alias));
            let measured = alias.and_then(|_| recorded.of(id));
            made.alias.push(alias);
            // Of most operators the table says already that they have no such kernel.
            let may_raise = pattern.is_some_and(|pattern| {
                let alias = Alias::CompositeExplicitAutograd;
                pattern.everything.has_alias(alias)
            });
            made.raises.push(may_raise && must_be_overridden(operator));
            let is_known = of_files.is_some() || measured.is_some();
            let of_source = sources.of(id).filter(|_| !is_known && alias.is_some());
            made.known
                .push(is_known || of_source.is_some_and(|kernel| kernel.unresolved.is_empty()));
            let of_files = of_files.unwrap_or_default();
            let rare = &recorded.rare;
            let rare = measured.map(|_| (rare.reached(id), rare.of(id)));
            match of_source {
                Some(kernel) => made.add_sourced(id, kernel),
                None => {
                    let measured = measured.unwrap_or_default();
                    made.calls
                        .push(of_files, measured, rare.unwrap_or_default());
                }
            }
        }
        made.undeclared = recorded.undeclared;
        made.mostly = recorded.mostly;
        made.rare = recorded.rare;
        made.callers = made.calls.reversed(count);
        made.own_keys = made.own.keys().map(|(_, slot)| *slot).collect();
        let ids = (0..count).map(OperatorId::of_index);
        made.defaults = ids.map(|id| default(&made, id)).collect();
        made
    }

    /// Adds the calls of the next operator that its sources show.
    fn add_sourced(&mut self, id: OperatorId, kernel: &SourceKernel) {
        self.sourced.insert(id);
        let always = kernel.always.iter().map(|&to| Call { to, always: true });
        let sometimes = kernel
            .sometimes
            .iter()
            .map(|&to| Call { to, always: false });
        let calls: Vec<Call> = match kernel.unresolved.is_empty() {
            true => always.chain(sometimes).collect(),
            false => Vec::new(),
        };
        self.calls
            .push(MostCalls::default(), &calls, RareOf::default());
        if !kernel.asks_device {
            self.calls.last().for_each(|edge| edge.recorded = false);
        }
    }

    /// Whether the calls of an operator were looked for in its sources.
    pub(crate) fn is_sourced(&self, id: OperatorId) -> bool {
        self.sourced.contains(&id)
    }

    /// What serves an operator on the dense key of a backend that has no kernel for it.
    pub(crate) fn default(&self, id: OperatorId) -> Served {
        let known = self.defaults.get(id.index()).copied();
        known.unwrap_or(Served::Nothing)
    }

    /// The alias whose kernel serves keys without a kernel of their own.
    pub(crate) fn alias(&self, id: OperatorId) -> Option<Alias> {
        self.alias.get(id.index()).copied().flatten()
    }

    /// Whether it is known what that kernel calls.
    pub(crate) fn is_known(&self, id: OperatorId) -> bool {
        self.known.get(id.index()).copied().unwrap_or(false)
    }

    /// Whether an operator has an argument that carries a dispatch key.
    pub(crate) fn is_dispatched(&self, id: OperatorId) -> bool {
        !self.undispatched.get(id.index()).copied().unwrap_or(false)
    }

    /// Whether code that was not recorded registers an operator's kernels.
    pub(crate) fn is_by_hand(&self, id: OperatorId) -> bool {
        self.by_hand.get(id.index()).copied().unwrap_or(false)
    }

    /// What a kernel on a key itself calls.
    pub(crate) fn own_calls(&self, id: OperatorId, slot: Slot) -> Option<&[Call]> {
        match self.own.get(&(id, slot))? {
            Own::Calls(calls) | Own::OnCpu(calls) => Some(calls),
            Own::Fallthrough | Own::Raises => None,
        }
    }

    /// What the CPU fallback calls on the backend to run an operator: it copies arguments and results,
    /// makes results of another layout, and copies back what the operator wrote.
    pub(crate) fn moved_to_cpu(&self, operator: &Operator) -> Vec<Call> {
        let [copy, copy_back] = self.helpers;
        let copy_back = copy_back.filter(|_| writes(operator));
        let made = self.makers.result(operator);
        let always = |to| Call { to, always: true };
        let helpers = copy.into_iter().chain(copy_back);
        helpers.chain(made).map(always).collect()
    }

    /// Whether a kernel that serves a backend so runs the operator on the CPU.
    pub(crate) fn runs_on_cpu(&self, id: OperatorId, slot: Slot, served: Served) -> bool {
        match served {
            Served::Fallback => true,
            Served::OwnCalls => matches!(self.own.get(&(id, slot)), Some(Own::OnCpu(_))),
            _ => false,
        }
    }

    /// Whether that kernel only raises.
    pub(crate) fn raises(&self, id: OperatorId) -> bool {
        self.raises.get(id.index()).copied().unwrap_or(false)
    }

    /// Whether PyTorch's composites do not call an operator on MPS.
    pub(crate) fn is_uncalled_on_mps(&self, id: OperatorId) -> bool {
        let library = self.library(id);
        self.raises(id)
            || self.fused_dropout.contains(&Some(id))
            || library.is_some_and(|library| library.is_uncalled_on("MPS"))
    }

    /// Whether an operator copies from one memory to another.
    pub(crate) fn copies(&self, id: OperatorId) -> bool {
        self.copies.contains(&Some(id))
    }

    /// What it calls: in every case first, then in some.
    pub(crate) fn of(&self, id: OperatorId) -> &[Edge] {
        self.calls.of(id)
    }

    /// The operators whose default or composite kernel calls this one.
    pub(crate) fn callers(&self, id: OperatorId) -> &[Edge] {
        self.callers.of(id)
    }
}

/// What the composite kernels call that no file and no recording explains, by their sources.
fn of_sources(view: View<'_>, named: &Named, recorded: &Recorded) -> SourceCalls {
    let catalogue = view.inputs.catalogue;
    let files = catalogue.cpp_files();
    SourceCalls::read(catalogue, &files, |id| {
        is_unexplained(view, named, recorded, id)
    })
}

/// Whether neither files nor recordings say what the default kernel of an operator calls.
fn is_unexplained(view: View<'_>, named: &Named, recorded: &Recorded, id: OperatorId) -> bool {
    let pattern = view.tables.pattern(id);
    let alias = pattern.and_then(|pattern| default_alias(&pattern.registered));
    let is_known = |alias| named.calls(view, id, alias).is_some() || recorded.of(id).is_some();
    alias.is_some_and(|alias| !is_known(alias))
}

impl View<'_> {
    /// The indices of the files that say what composite kernels call which no recording has. A
    /// revision needs only these of its sources for its verdicts.
    #[must_use]
    pub fn deciding_sources(self, files: &[File<'_>]) -> BTreeSet<u32> {
        let catalogue = self.inputs.catalogue;
        let named = Named::of(self);
        let recorded = Recorded::new(catalogue, &Names::of(catalogue));
        let wanted = |id| is_unexplained(self, &named, &recorded, id);
        let found = SourceCalls::read(catalogue, files, wanted);
        found
            .iter()
            .flat_map(|(_, kernel)| kernel.files.iter().copied())
            .collect()
    }
}

/// The alias that serves the dense key of a backend without kernels (rules 2, 3 and 5).
pub(crate) fn default_alias(registered: &Registered) -> Option<Alias> {
    let order = [
        Alias::CompositeExplicitAutogradNonFunctional,
        Alias::CompositeExplicitAutograd,
        Alias::CompositeImplicitAutograd,
    ];
    order.into_iter().find(|&alias| registered.has_alias(alias))
}

fn default(calls: &Calls, id: OperatorId) -> Served {
    match calls.alias(id) {
        None => Served::Nothing,
        Some(_) if calls.raises(id) => Served::Nothing,
        Some(_) if calls.is_known(id) => Served::Calls,
        Some(_) if calls.is_sourced(id) => Served::Unknown(Because::Unresolved),
        Some(_) => Served::Unknown(Because::Unmeasured),
    }
}

/// `convolution_overrideable`, `_scaled_dot_product_fused_attention_overrideable` and their backward
/// forms have composite kernels that raise on every device.
fn must_be_overridden(operator: &Operator) -> bool {
    if operator.is_generated() || !operator.is_composite_explicit() {
        return false;
    }
    let base_name = operator.base_name();
    base_name.ends_with("_overrideable") || base_name.ends_with("_overrideable_backward")
}

/// Whether an argument of an operator carries a dispatch key: a tensor, or the four options from which
/// `BackendSelect` takes one (`c10/core/DispatchKeyExtractor.h`, torchgen's `TensorOptionsArguments`).
fn carries_dispatch_key(operator: &Operator) -> bool {
    let arguments = &operator.schema().arguments;
    let is_tensor = |argument: &Argument| argument.ty.is_tensor_like();
    arguments.all().iter().any(is_tensor) || arguments.tensor_options().is_some()
}

/// Whether hand-written code registers the kernels of an operator and was not recorded.
fn is_by_hand(view: View<'_>, operator: &Operator) -> bool {
    let declared = operator.declared();
    view.tables.provenance() == Provenance::Assumed
        && declared.is_some_and(|placed| placed.entry.manual_kernel_registration)
}
