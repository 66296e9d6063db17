//! The ways to run an operator besides a plain call: what becomes of it when it is compiled,
//! batched, sharded, autocast or packaged (`docs/spec/ways.md`).
//!
//! PyTorch keeps a registry for each way. Those of every release are recorded
//! ([`opatlas_pytorch::ways`]); what a revision's own entry says comes before them.

mod autocast;
mod compiling;
mod device_free;
mod dtensor;
mod membership;
mod own;
mod shim;

use std::borrow::Cow;

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::Release;
use opatlas_pytorch::ways::{Facts, Registry, all, facts};

use crate::{Answer, View};
use membership::{Entry, Membership, Recorded, Run, Shape};

opatlas_source::words! {
    /// A way to run an operator.
    pub enum Way {
        /// Gradients.
        Training = "training",
        /// Calls under `torch.vmap`.
        Vmap = "vmap",
        /// Shapes without data: the meta device, export, fake tensors.
        Meta = "meta",
        /// Mutations and views turned into functional calls.
        Functionalize = "functionalize",
        /// Decomposition before export.
        Decomposition = "decomposition",
        /// Compilation by Inductor.
        Inductor = "inductor",
        /// Calls from packages compiled ahead of time.
        Aoti = "aoti",
        /// Sharded tensors.
        Dtensor = "dtensor",
        /// Automatic mixed precision on the CPU.
        AutocastCpu = "autocast-cpu",
        /// Automatic mixed precision on CUDA.
        AutocastCuda = "autocast-cuda",
        /// Automatic mixed precision on MAIA.
        AutocastMaia = "autocast-maia",
        /// Automatic mixed precision on MPS.
        AutocastMps = "autocast-mps",
        /// Automatic mixed precision on MTIA.
        AutocastMtia = "autocast-mtia",
        /// Automatic mixed precision on XPU.
        AutocastXpu = "autocast-xpu",
    }
}

impl Way {
    /// What people call it.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Training => "Training",
            Self::Vmap => "vmap",
            Self::Meta => "Meta device",
            Self::Functionalize => "Functionalization",
            Self::Decomposition => "Decomposition",
            Self::Inductor => "Inductor",
            Self::Aoti => "AOTInductor",
            Self::Dtensor => "DTensor",
            Self::AutocastCpu => "Autocast on CPU",
            Self::AutocastCuda => "Autocast on CUDA",
            Self::AutocastMaia => "Autocast on MAIA",
            Self::AutocastMps => "Autocast on MPS",
            Self::AutocastMtia => "Autocast on MTIA",
            Self::AutocastXpu => "Autocast on XPU",
        }
    }

    /// The registry without which a release cannot say anything about this way.
    const fn registry(self) -> Option<Registry> {
        match self {
            Self::Training | Self::Vmap | Self::Functionalize => None,
            Self::Meta => Some(Registry::MetaPython),
            Self::Decomposition => Some(Registry::CoreAtenDecompositions),
            Self::Inductor => Some(Registry::InductorLowerings),
            Self::Aoti => Some(Registry::AotiFallbackOps),
            Self::Dtensor => Some(Registry::DtensorStrategy),
            Self::AutocastCpu => Some(Registry::AutocastCpu),
            Self::AutocastCuda => Some(Registry::AutocastCuda),
            Self::AutocastMaia => Some(Registry::AutocastMaia),
            Self::AutocastMps => Some(Registry::AutocastMps),
            Self::AutocastMtia => Some(Registry::AutocastMtia),
            Self::AutocastXpu => Some(Registry::AutocastXpu),
        }
    }
}

opatlas_source::words! {
    /// What becomes of an operator on a way.
    pub enum Fate {
        /// It works: training.
        Yes = "yes",
        /// It works for some arguments: training.
        Partly = "partly",
        /// It does not work: training.
        No = "no",
        /// There is nothing to differentiate.
        NotDifferentiable = "not differentiable",
        /// A batching rule.
        Rule = "rule",
        /// The fallback of vmap, which loops over the batch.
        FallsBack = "falls back",
        /// A call raises.
        Raises = "raises",
        /// A function in Python.
        Python = "python",
        /// A kernel of its own.
        Kernel = "kernel",
        /// It is replaced by the operators that it calls.
        Decomposes = "decomposes",
        /// Nothing serves it.
        None = "none",
        /// It neither writes to an argument nor returns one.
        Functional = "functional",
        /// It returns a view.
        View = "view",
        /// The kernel that torchgen generates.
        Generated = "generated",
        /// An implicit composite: it decomposes always.
        Composite = "composite",
        /// A decomposition that export applies by default.
        ByDefault = "by-default",
        /// An operator of the core set, which export keeps.
        Core = "core",
        /// A decomposition that must be asked for.
        OnRequest = "on-request",
        /// It has no decomposition.
        Kept = "kept",
        /// Decomposed before lowering.
        Decomposed = "decomposed",
        /// Its lowering calls the eager kernel.
        Fallback = "fallback",
        /// Lowered to code of Inductor's.
        Lowered = "lowered",
        /// It has no lowering: Inductor calls the eager kernel without saying so.
        ImplicitFallback = "implicit fallback",
        /// A function in the C shim.
        Shim = "shim",
        /// A function in the stable headers.
        Stable = "stable",
        /// The executor that takes any operator by its name.
        ProxyExecutor = "proxy executor",
        /// A handler of its own.
        Custom = "custom",
        /// Cast to the lower precision.
        LowerPrecisionFp = "lower_precision_fp",
        /// Cast to float32.
        Fp32 = "fp32",
        /// Run in float32 through its `dtype` argument.
        Fp32SetOptDtype = "fp32_set_opt_dtype",
        /// Run in float32 through the overload that takes a `dtype`.
        Fp32AppendDtype = "fp32_append_dtype",
        /// Arguments are cast to the widest of their types.
        Promote = "promote",
        /// A call raises on purpose.
        Banned = "banned",
        /// Autocast leaves it alone.
        Passes = "passes",
        /// Not known.
        Unknown = "unknown",
    }
}

impl Fate {
    /// Whether calls on the way work; `None` if there is nothing to differentiate.
    #[must_use]
    pub const fn answer(self) -> Option<Answer> {
        match self {
            Self::NotDifferentiable => None,
            Self::Partly => Some(Answer::Partly),
            Self::No | Self::Raises | Self::None | Self::Banned => Some(Answer::No),
            Self::Unknown => Some(Answer::Unknown),
            _ => Some(Answer::Yes),
        }
    }

    /// Whether nothing of the operator's own serves it on its way, so that calls fail or fall back.
    #[must_use]
    pub const fn is_missing(self) -> bool {
        matches!(
            self,
            Self::No
                | Self::FallsBack
                | Self::Raises
                | Self::None
                | Self::ImplicitFallback
                | Self::ProxyExecutor
                | Self::Banned
        )
    }
}

opatlas_source::words! {
    /// What a fate is known from.
    pub enum Basis {
        /// The registries of a release, read in a real process.
        Recorded = "recorded",
        /// The entry in the revision.
        Entry = "entry",
        /// Nothing.
        Unknown = "unknown",
    }
}

/// What becomes of an operator on a way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WayAnswer {
    /// The way.
    pub way: Way,
    /// What becomes of the operator.
    pub fate: Fate,
    /// Why, or what it means, in a sentence.
    pub because: Cow<'static, str>,
    /// What it is known from.
    pub known_from: Basis,
    /// The release whose registries were read.
    pub release: Option<Release>,
    /// The first recorded release since which it has been so.
    pub since: Option<Release>,
}

/// A fate and the reason.
type Found = (Fate, Cow<'static, str>);

/// What decides an operator's fates besides the verdicts.
struct Facets<'a> {
    name: &'a str,
    shape: Shape,
    entry: Entry,
    recorded: Option<Recorded>,
}

impl<'a> View<'a> {
    /// What becomes of an operator on each way. A way that does not apply is left out.
    #[must_use]
    pub fn ways(self, id: OperatorId) -> Vec<WayAnswer> {
        let facets = Facets::of(self, id);
        let runs = facets.runs();
        let ways = Way::ALL.into_iter();
        ways.filter_map(|way| self.way_of(id, way, &facets, &runs))
            .collect()
    }

    /// What becomes of an operator on one way; `None` if the way does not apply to it.
    #[must_use]
    pub fn way(self, id: OperatorId, way: Way) -> Option<WayAnswer> {
        let facets = Facets::of(self, id);
        self.way_of(id, way, &facets, &facets.runs())
    }

    /// The fate of an operator on each way that applies to it: [`View::ways`] without reasons and
    /// releases, for whoever counts or shows all operators.
    #[must_use]
    pub fn fates(self, id: OperatorId) -> Vec<(Way, Fate)> {
        let facets = Facets::of(self, id);
        let fate = |way| match way {
            Way::Training => Some(own::training(self, id).0),
            Way::Vmap => Some(own::vmap(self, id).0),
            _ => match membership::counterpart(self, id, way) {
                same if same == id => facets.found(way),
                other => Facets::of(self, other).found(way),
            }
            .map(|found| found.0),
        };
        let ways = Way::ALL.into_iter();
        ways.filter_map(|way| Some((way, fate(way)?))).collect()
    }

    fn way_of(
        self,
        id: OperatorId,
        way: Way,
        facets: &Facets<'_>,
        runs: &[Run],
    ) -> Option<WayAnswer> {
        match way {
            Way::Training | Way::Vmap => Some(self.by_verdict(id, way)),
            _ => match membership::counterpart(self, id, way) {
                same if same == id => facets.answer(way, runs),
                other => {
                    let facets = Facets::of(self, other);
                    facets.answer(way, &facets.runs())
                }
            },
        }
    }

    fn by_verdict(self, id: OperatorId, way: Way) -> WayAnswer {
        let (fate, because) = match way {
            Way::Training => own::training(self, id),
            _ => own::vmap(self, id),
        };
        let recorded =
            own::recorded(self, id).filter(|_| way == Way::Vmap && fate != Fate::Unknown);
        let known_from = match fate {
            Fate::Unknown => Basis::Unknown,
            _ if recorded.is_some() => Basis::Recorded,
            _ => Basis::Entry,
        };
        WayAnswer {
            way,
            fate,
            because,
            known_from,
            release: recorded,
            since: None,
        }
    }
}

impl<'a> Facets<'a> {
    fn of(view: View<'a>, id: OperatorId) -> Self {
        let name = view.inputs.catalogue.operator(id).name_text();
        let facts = facts(view.keys().release());
        let recorded = facts.map(|facts| Recorded::of(name, facts));
        Self {
            name,
            shape: Shape::of(view, id),
            entry: Entry::of(view, id),
            recorded,
        }
    }

    /// The releases up to the recorded one, the newest first.
    fn runs(&self) -> Vec<Run> {
        self.recorded.map(membership::runs).unwrap_or_default()
    }

    fn found(&self, way: Way) -> Option<Found> {
        let by_entry = Membership::of_entry(self.name, self.entry, self.recorded);
        decide(way, &self.shape, by_entry)
    }

    fn answer(&self, way: Way, runs: &[Run]) -> Option<WayAnswer> {
        let (fate, because) = self.found(way)?;
        let now = self
            .recorded
            .and_then(|recorded| self.by_record(way, recorded));
        let is_recorded = now == Some(fate);
        let known_from = match fate {
            Fate::Unknown => Basis::Unknown,
            _ if is_recorded => Basis::Recorded,
            _ => Basis::Entry,
        };
        let facts = self.recorded.map(|recorded| recorded.facts);
        let facts = facts.filter(|_| is_recorded);
        Some(WayAnswer {
            way,
            fate,
            because,
            known_from,
            release: facts.map(Facts::release),
            since: facts.map(|facts| self.since(way, (facts, runs), fate)),
        })
    }

    /// The fate by the registries of a release alone; `None` if the release does not have the operator
    /// or the registry.
    fn by_record(&self, way: Way, recorded: Recorded) -> Option<Fate> {
        let registry = way.registry();
        let is_absent = registry.is_some_and(|registry| recorded.facts.absent(registry).is_some());
        if is_absent || !recorded.is_known() {
            return None;
        }
        let membership = Membership::of_record(self.name, recorded);
        decide(way, &self.shape, membership).map(|(fate, _)| fate)
    }

    /// The first recorded release since which the fate has been the same.
    fn since(&self, way: Way, (until, runs): (Facts, &[Run]), fate: Fate) -> Release {
        let has_registry = present_since(way, until);
        let same = runs.iter().take_while(|run| {
            run.recorded.facts.release() >= has_registry
                && self.by_record(way, run.recorded) == Some(fate)
        });
        same.last()
            .map_or(until.release(), |run| run.first.max(has_registry))
    }
}

/// The first recorded release since which the registry of a way has been there.
fn present_since(way: Way, until: Facts) -> Release {
    let Some(registry) = way.registry() else {
        return Release::all().next().unwrap_or(until.release());
    };
    let earlier = all()
        .rev()
        .filter(|facts| facts.release() <= until.release());
    let present = earlier.take_while(|facts| facts.absent(registry).is_none());
    present.last().map_or(until.release(), Facts::release)
}

fn decide(way: Way, shape: &Shape, of: Membership<'_>) -> Option<Found> {
    if let Some(registry) = way.registry()
        && let Some(found) = of.missing(registry)
    {
        return Some(found);
    }
    match way {
        Way::Training | Way::Vmap => None,
        Way::Meta => Some(device_free::meta(shape, of)),
        Way::Functionalize => Some(device_free::functionalize(shape, of)),
        Way::Decomposition => compiling::decomposition(shape, of),
        Way::Inductor => Some(compiling::inductor(of)),
        Way::Aoti => Some(shim::aoti(of)),
        Way::Dtensor => Some(dtensor::dtensor(of)),
        Way::AutocastCpu
        | Way::AutocastCuda
        | Way::AutocastMaia
        | Way::AutocastMps
        | Way::AutocastMtia
        | Way::AutocastXpu => Some(autocast::autocast(way.registry()?, of)),
    }
}
