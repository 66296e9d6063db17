//! The verdicts of all operators on one key: the greatest fixpoint that begins with `decomposes` for
//! every default and composite kernel and takes away what cannot work. Three passes over the calls,
//! each linear: what always fails, what sometimes fails, what is not known.

use std::sync::OnceLock;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use rustc_hash::FxHashMap;

use crate::because::Because;
use crate::branches::{Branches, Tensors, branches, do_otherwise};
use crate::calls::{Calls, Edge};
use crate::coverage::Counts;
use crate::generated::Call;
use crate::own::is_view;
use crate::raising::BARE_KEY;
use crate::recorded::Undeclared;
use crate::server::registered;
use crate::vmap::is_vmap;
use crate::{Verdict, View};
use opatlas_dispatch::resolve::Precedence;
use opatlas_dispatch::{Pattern, Source, autograd_key};
use opatlas_sources::CpuFallback;

/// The kernels that every device must have: without them it can neither hold nor move a tensor.
pub(crate) const BARE: [&str; 6] = [
    "empty.memory_format",
    "empty_strided",
    "_copy_from",
    "as_strided",
    "view",
    "resize_",
];

/// The functionalities of tensors that recordings do not have.
pub(crate) const OTHER_LAYOUTS: [&str; 4] = ["Sparse", "SparseCsr", "Quantized", "NestedTensor"];

/// What serves an operator on a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Served {
    /// A kernel on the key itself.
    Kernel,
    /// A kernel on the key itself whose calls are known.
    OwnCalls,
    /// A default or composite kernel whose calls are known.
    Calls,
    /// The backend's fallback, which runs the operator on the CPU.
    Fallback,
    /// A kernel that is reached in inference mode only.
    InferenceOnly,
    /// It depends on the next key.
    Passes,
    /// Nothing, or a kernel that stands for nothing.
    Nothing,
    /// Calls raise for this reason.
    Raises(Because),
    /// Not known for this reason.
    Unknown(Because),
}

impl Served {
    /// Whether the operator lacks a kernel, whatever others do.
    pub(crate) fn is_leaf(self) -> bool {
        matches!(self, Self::Nothing | Self::Raises(_))
    }

    /// The verdict, as far as what it calls does not change it.
    pub(crate) fn verdict(self) -> Verdict {
        match self {
            Self::Kernel | Self::OwnCalls => Verdict::Runs,
            Self::Calls => Verdict::Decomposes,
            Self::Fallback => Verdict::FallsBack,
            Self::InferenceOnly => Verdict::Partly,
            Self::Passes | Self::Unknown(_) => Verdict::Unknown,
            Self::Nothing | Self::Raises(_) => Verdict::Fails,
        }
    }

    /// The reason of the verdict.
    pub(crate) fn because(self) -> Option<Because> {
        match self {
            Self::InferenceOnly => Some(Because::InferenceModeOnly),
            Self::Raises(why) | Self::Unknown(why) => Some(why),
            Self::Passes => Some(Because::PassesOn),
            _ => None,
        }
    }
}

/// All that the verdicts on a key follow from, besides the operators: two keys with the same traits have
/// the same column. Of the seventy keys of backends, most share theirs with others.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Traits {
    /// The rule of each pattern.
    pub(crate) rules: Vec<Precedence>,
    /// Of each pattern whether registrations that are left out here decide the entry.
    pub(crate) is_left_open: Vec<bool>,
    branches: Branches,
    pub(crate) is_backend: bool,
    is_claimed: bool,
    /// The build leaves it out.
    pub(crate) is_left_out: bool,
    /// It is the key of calls under `vmap`.
    pub(crate) is_vmap: bool,
    /// The rule of each pattern at its autograd key.
    pub(crate) autograd: Vec<Precedence>,
    /// Its fallback only passes the call on.
    is_passing: bool,
    pub(crate) tensors: Tensors,
    /// Its tensors are neither sparse nor quantized nor nested.
    is_dense: bool,
    /// With kernels of its own that call others; no other key has these.
    own: Option<Slot>,
    /// Operators whose calls end at another key of the backend, which has a kernel.
    elsewhere: Vec<OperatorId>,
    /// Operators whose composite kernel raises.
    raising: Vec<OperatorId>,
}

impl Traits {
    pub(crate) fn of(view: View<'_>, calls: &Calls, slot: Slot) -> Self {
        let patterns = view.tables.patterns().iter();
        let keys = view.keys();
        let is_backend = calls.backends.contains(slot);
        let at = |slot: Slot| patterns.clone().map(move |pattern| pattern.rule(slot));
        let autograd = autograd_key(keys, slot).filter(|_| is_backend);
        let is_of_files = view.tables.source() == Source::Files;
        let is_left_open =
            |pattern: &Pattern| is_of_files && pattern.decided_outside.contains(slot);
        Self {
            rules: at(slot).collect(),
            is_left_open: patterns.clone().map(is_left_open).collect(),
            autograd: autograd.map_or_else(Vec::new, |slot| at(slot).collect()),
            is_left_out: calls.left_out.contains(slot),
            is_vmap: is_vmap(keys, slot),
            branches: branches(keys, slot),
            is_backend,
            is_claimed: !is_backend || calls.known_backends.contains(slot),
            is_passing: calls.passing.contains(slot),
            tensors: Tensors::of(keys, slot),
            is_dense: !OTHER_LAYOUTS.contains(&keys.functionality(slot)),
            own: calls.own_keys.contains(slot).then_some(slot),
            elsewhere: calls.makers.elsewhere(view, slot),
            raising: calls.raising(keys.name(Key::Runtime(slot))),
        }
    }
}

/// The verdicts on one key, with what they follow from.
#[derive(Debug)]
pub(crate) struct Column {
    /// `None` for that of a bare device.
    traits: Option<Traits>,
    served: Vec<Served>,
    verdicts: Vec<Verdict>,
    branches: Branches,
    /// The callers of each operator whose calls on this key were not recorded.
    own_callers: FxHashMap<OperatorId, Vec<Edge>>,
    own_calls: FxHashMap<OperatorId, Vec<Edge>>,
    /// Counted when it is first asked for, once for all keys that share the verdicts.
    counts: OnceLock<Counts>,
}

impl Column {
    /// Finds the verdicts on the keys with these traits.
    pub(crate) fn new(view: View<'_>, calls: &Calls, slot: Slot, traits: Traits) -> Self {
        let mut served = registered(view, calls, slot, &traits);
        if traits.is_backend && traits.is_claimed {
            leave_to_cpu(view, calls, slot, &mut served);
        }
        let others = do_otherwise(view.inputs.catalogue, traits.tensors, &mut served);
        let mut column = Self::served_so(served, traits.branches);
        let is_claimed = traits.is_claimed;
        column.traits = Some(traits);
        column.own(view, calls, slot);
        for (id, called) in others {
            column.add_own(id, &called);
        }
        if is_claimed {
            column.settle(calls);
        } else {
            column.claim_own_kernels_only();
        }
        column
    }

    /// Finds the verdicts on a device that has only the kernels that every device must have.
    pub(crate) fn bare(view: View<'_>, calls: &Calls) -> Self {
        let mut column = Self::served_so(bare(view, calls), Branches::Never);
        column.settle(calls);
        column
    }

    fn served_so(served: Vec<Served>, branches: Branches) -> Self {
        Self {
            traits: None,
            verdicts: served.iter().map(|served| served.verdict()).collect(),
            served,
            branches,
            own_callers: FxHashMap::default(),
            own_calls: FxHashMap::default(),
            counts: OnceLock::new(),
        }
    }

    /// Whether the verdicts are those of keys with these traits.
    pub(crate) fn has(&self, traits: &Traits) -> bool {
        self.traits.as_ref() == Some(traits)
    }

    /// What serves an operator.
    pub(crate) fn served(&self, id: OperatorId) -> Served {
        self.served
            .get(id.index())
            .copied()
            .unwrap_or(Served::Nothing)
    }

    /// The verdict of an operator.
    pub(crate) fn verdict(&self, id: OperatorId) -> Verdict {
        self.verdicts
            .get(id.index())
            .copied()
            .unwrap_or(Verdict::Unknown)
    }

    /// The operators of the catalogue by verdict.
    pub(crate) fn counts(&self, catalogue: &Catalogue) -> &Counts {
        let verdict = |id| self.verdict(id);
        self.counts
            .get_or_init(|| Counts::of(catalogue.iter(), verdict))
    }

    /// How many operators there are.
    pub(crate) fn len(&self) -> usize {
        self.verdicts.len()
    }

    /// The calls of an operator that are made on this key.
    pub(crate) fn calls<'c>(
        &'c self,
        calls: &'c Calls,
        id: OperatorId,
    ) -> impl Iterator<Item = Edge> + Clone + use<'c> {
        let edges = match self.served(id) {
            Served::Calls => self.composite(calls, id),
            Served::OwnCalls | Served::Fallback => {
                self.own_calls.get(&id).map_or(&[][..], Vec::as_slice)
            }
            _ => &[],
        };
        self.made(calls, edges)
    }

    /// The calls of a default or composite kernel, those recorded unless it makes others on this key.
    pub(crate) fn composite<'c>(&'c self, calls: &'c Calls, id: OperatorId) -> &'c [Edge] {
        let others = self.own_calls.get(&id);
        others.map_or_else(|| calls.of(id), Vec::as_slice)
    }

    /// Those of the calls of a composite kernel that are made on this key.
    pub(crate) fn made<'c>(
        &'c self,
        calls: &'c Calls,
        edges: &'c [Edge],
    ) -> impl Iterator<Item = Edge> + Clone + use<'c> {
        let made = edges.iter().copied();
        made.filter(move |edge| !self.is_branched(calls, edge.id, *edge))
    }

    /// The operators whose kernel on this key calls this one.
    pub(crate) fn callers<'c>(
        &'c self,
        calls: &'c Calls,
        id: OperatorId,
    ) -> impl Iterator<Item = Edge> + use<'c> {
        let composite = calls.callers(id).iter().copied();
        let composite = composite.filter(move |edge| {
            self.served(edge.id) == Served::Calls
                && !self.own_calls.contains_key(&edge.id)
                && !self.is_branched(calls, id, *edge)
        });
        let own = self.own_callers.get(&id).map_or(&[][..], Vec::as_slice);
        let own = own.iter().copied();
        composite.chain(own.filter(move |edge| !self.is_branched(calls, id, *edge)))
    }

    /// Whether a recorded call of `called` is one that this backend does not make.
    fn is_branched(&self, calls: &Calls, called: OperatorId, edge: Edge) -> bool {
        let mut between = calls.rare.chain(edge.by).iter();
        let is_cut = between.any(|&id| self.served(id) != Served::Calls);
        let traits = self.traits.as_ref();
        let is_dense = traits.is_none_or(|traits| traits.is_dense);
        is_cut
            || edge.is_rare && is_dense
            || traits.is_some_and(|traits| traits.elsewhere.contains(&called))
            || edge.recorded
                && self.served(called) == Served::Nothing
                && self.branches.replace(calls, called)
    }

    /// Adds the calls of kernels on the key itself and of its fallback.
    fn own(&mut self, view: View<'_>, calls: &Calls, key: Slot) {
        let catalogue = view.inputs.catalogue;
        let found: Vec<(OperatorId, Vec<Call>)> = catalogue
            .iter()
            .filter_map(|(id, operator)| match self.served(id) {
                Served::OwnCalls => Some((id, calls.own_calls(id, key)?.to_vec())),
                Served::Fallback => Some((id, calls.moved_to_cpu(operator))),
                _ => None,
            })
            .collect();
        for (id, called) in found {
            self.add_own(id, &called);
        }
    }

    fn add_own(&mut self, id: OperatorId, called: &[Call]) {
        let edge = |to, always| Edge::of_files(Call { to, always });
        for call in called {
            let callers = self.own_callers.entry(call.to).or_default();
            callers.push(edge(id, call.always));
        }
        let edges = called.iter().map(|call| edge(call.to, call.always));
        self.own_calls.insert(id, edges.collect());
    }

    /// The verdict of a kernel that calls operators which the revision does not declare.
    pub(crate) fn of_undeclared(&self, calls: &Calls, id: OperatorId) -> Verdict {
        let mut made = self.undeclared(calls, id).peekable();
        if made.peek().is_none() {
            Verdict::Decomposes
        } else if !made.clone().all(|call| call.is_gone) {
            Verdict::Unknown
        } else if made.any(|call| call.always) {
            Verdict::Fails
        } else {
            Verdict::Partly
        }
    }

    /// The calls of an operator, made on this key, of operators that the revision does not declare.
    pub(crate) fn undeclared<'c>(
        &self,
        calls: &'c Calls,
        id: OperatorId,
    ) -> impl Iterator<Item = &'c Undeclared> + Clone + use<'c> {
        let has_branches = self.branches != Branches::Never;
        let all = calls.undeclared.get(&id).into_iter().flatten();
        all.filter(move |call| !(has_branches && is_of_other_backends(call.name)))
    }

    /// Of a backend that lives elsewhere only the kernels that are here are known.
    fn claim_own_kernels_only(&mut self) {
        for (verdict, served) in self.verdicts.iter_mut().zip(&self.served) {
            *verdict = match served {
                Served::Kernel | Served::OwnCalls => Verdict::Runs,
                Served::Raises(Because::NothingToDispatchOn) => Verdict::Fails,
                _ => Verdict::Unknown,
            };
        }
    }

    fn settle(&mut self, calls: &Calls) {
        // Verdicts are written while callers are read, and those do not depend on verdicts.
        let mut verdicts = Verdicts(std::mem::take(&mut self.verdicts));
        for &id in calls.undeclared.keys() {
            if self.served(id) == Served::Calls {
                verdicts.set(id, self.of_undeclared(calls, id));
            }
        }
        let mut doubtful = self.spread_failures(calls, &mut verdicts);
        doubtful.extend(verdicts.all_with(Verdict::Partly));
        doubtful.retain(|&id| verdicts.of(id) != Verdict::Fails);
        self.spread(calls, &mut verdicts, doubtful, Verdict::Partly);
        let unknown = verdicts.all_with(Verdict::Unknown);
        self.spread(calls, &mut verdicts, unknown, Verdict::Unknown);
        for id in verdicts.all_with(Verdict::Decomposes) {
            if self.served(id) == Served::Calls && self.composite(calls, id).is_empty() {
                verdicts.set(id, Verdict::Runs);
            }
        }
        self.verdicts = verdicts.0;
    }

    /// What always calls something that fails, fails. What does so in some cases is returned.
    fn spread_failures(&self, calls: &Calls, verdicts: &mut Verdicts) -> Vec<OperatorId> {
        let mut open = verdicts.all_with(Verdict::Fails);
        let mut doubtful = Vec::new();
        while let Some(id) = open.pop() {
            for edge in self.callers(calls, id) {
                if verdicts.of(edge.id) == Verdict::Fails {
                    continue;
                }
                if edge.always {
                    verdicts.set(edge.id, Verdict::Fails);
                    open.push(edge.id);
                } else {
                    doubtful.push(edge.id);
                }
            }
        }
        doubtful
    }

    /// Gives a verdict to operators and to whatever that works calls them.
    fn spread(
        &self,
        calls: &Calls,
        verdicts: &mut Verdicts,
        mut open: Vec<OperatorId>,
        verdict: Verdict,
    ) {
        open.iter().for_each(|&id| verdicts.set(id, verdict));
        while let Some(id) = open.pop() {
            for edge in self.callers(calls, id) {
                let known = verdicts.of(edge.id);
                if known.works() || (known == Verdict::Unknown && verdict == Verdict::Partly) {
                    verdicts.set(edge.id, verdict);
                    open.push(edge.id);
                }
            }
        }
    }
}

/// Whether only backends outside PyTorch have kernels for an operator, so that composites call it on
/// those alone.
fn is_of_other_backends(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or(name);
    name.starts_with("_copy_from")
        || base.ends_with("_overrideable")
        || base.ends_with("_overrideable_backward")
}

/// The verdicts of a column while they are found.
struct Verdicts(Vec<Verdict>);

impl Verdicts {
    fn of(&self, id: OperatorId) -> Verdict {
        self.0.get(id.index()).copied().unwrap_or(Verdict::Unknown)
    }

    fn set(&mut self, id: OperatorId, verdict: Verdict) {
        if let Some(slot) = self.0.get_mut(id.index()) {
            *slot = verdict;
        }
    }

    fn all_with(&self, verdict: Verdict) -> Vec<OperatorId> {
        let all = self.0.iter().enumerate();
        let found = all.filter(|(_, known)| **known == verdict);
        found
            .map(|(index, _)| OperatorId::of_index(index))
            .collect()
    }
}

/// Marks the operators that a key leaves to the CPU and that do not work there
/// (`at::native::cpu_fallback`).
fn leave_to_cpu(view: View<'_>, calls: &Calls, slot: Slot, served: &mut [Served]) {
    let Some(cpu) = view.keys().slot("CPU").filter(|&cpu| cpu != slot) else {
        return;
    };
    let fallback = view.tables.source_fallback(view.inputs, slot);
    let refuses_views =
        fallback.is_some_and(|found| found.cpu_fallback == Some(CpuFallback::RefusesViews));
    for ((id, operator), served) in view.inputs.catalogue.iter().zip(served) {
        if !calls.runs_on_cpu(id, slot, *served) {
            continue;
        }
        if *served == Served::Fallback && refuses_views && is_view(operator) {
            *served = Served::Raises(Because::ViewOnCpu);
            continue;
        }
        match view.column_of(cpu).verdict(id) {
            Verdict::Fails => *served = Served::Raises(Because::FailsOnCpu),
            Verdict::Unknown => *served = Served::Unknown(Because::Unmeasured),
            _ => {}
        }
    }
}

fn bare(view: View<'_>, calls: &Calls) -> Vec<Served> {
    let catalogue = view.inputs.catalogue;
    let default = |id| calls.default_on(id, Some(BARE_KEY));
    let mut served: Vec<Served> = catalogue.iter().map(|(id, _)| default(id)).collect();
    for id in BARE
        .iter()
        .filter_map(|name| catalogue.find_in("aten", name))
    {
        if let Some(served) = served.get_mut(id.index()) {
            *served = Served::Kernel;
        }
    }
    served
}
