//! The ways to run an operator besides a plain call: what becomes of it when it is compiled,
//! batched, sharded, autocast or packaged (`docs/spec/ways.md`).
//!
//! PyTorch keeps a registry for each way. Those of every release are recorded
//! ([`opatlas_pytorch::ways`]); what a revision's own entry says comes before them.

mod autocast;
mod changes;
mod compiling;
mod device_free;
mod dtensor;
mod fates;
mod membership;
mod own;
mod shift;
mod shim;
mod sought;

use std::borrow::Cow;

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::Release;
use opatlas_pytorch::ways::{Registry, all};

use crate::{Answer, View};
use membership::{Membership, Shape};

pub use changes::{FateChange, Turn};
pub use sought::{SoughtWay, sought};

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
    /// The title, for display.
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

    /// The noun for a piece that serves an operator on it: `batching rule`.
    #[must_use]
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Training => "gradient formula",
            Self::Vmap => "batching rule",
            Self::Meta => "Meta kernel",
            Self::Functionalize => "functionalization",
            Self::Decomposition => "decomposition",
            Self::Inductor => "lowering",
            Self::Aoti => "C shim function",
            Self::Dtensor => "sharding strategy",
            Self::AutocastCpu => "autocast kernel on CPU",
            Self::AutocastCuda => "autocast kernel on CUDA",
            Self::AutocastMaia => "autocast kernel on MAIA",
            Self::AutocastMps => "autocast kernel on MPS",
            Self::AutocastMtia => "autocast kernel on MTIA",
            Self::AutocastXpu => "autocast kernel on XPU",
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
    /// The answer to "do calls work?", as far as the fate alone gives one; `None` if there is nothing to
    /// differentiate. An operator that decomposes works if what it calls does.
    #[must_use]
    pub fn answer(self, way: Way) -> Option<Answer> {
        match self {
            Self::NotDifferentiable => None,
            Self::Partly => Some(Answer::Partly),
            Self::No | Self::Raises | Self::None | Self::Banned => Some(Answer::No),
            Self::Unknown => Some(Answer::Unknown),
            Self::Decomposes if matches!(way, Way::Meta | Way::Dtensor) => Some(Answer::Unknown),
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
    /// The answer to "do calls work?"; `None` if there is nothing to differentiate.
    pub works: Option<Answer>,
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

impl<'a> View<'a> {
    /// What becomes of an operator on each way. A way that does not apply is left out.
    #[must_use]
    pub fn ways(self, id: OperatorId) -> Vec<WayAnswer> {
        let ways = Way::ALL.into_iter();
        ways.filter_map(|way| self.way(id, way)).collect()
    }

    /// What becomes of an operator on one way; `None` if the way does not apply to it.
    #[must_use]
    pub fn way(self, id: OperatorId, way: Way) -> Option<WayAnswer> {
        let shape = Shape::of(self, id);
        let of = self.membership(membership::counterpart(self, id, way));
        let (fate, because) = match way {
            Way::Training => own::training(self, id),
            Way::Vmap => own::vmap(self, id),
            _ => decide(way, &shape, of)?,
        };
        let release = self.recorded(id, way, fate, &shape, of);
        let dated = release.filter(|_| way != Way::Vmap);
        Some(WayAnswer {
            way,
            fate,
            works: self.works(id, way, fate),
            because,
            known_from: Basis::of(fate, release),
            release,
            since: dated.map(|release| since(way, &shape, of, release, fate)),
        })
    }

    /// The release whose registries give this fate, too.
    fn recorded(
        self,
        id: OperatorId,
        way: Way,
        fate: Fate,
        shape: &Shape,
        of: Membership<'_>,
    ) -> Option<Release> {
        match way {
            Way::Training => None,
            Way::Vmap if fate == Fate::Unknown => None,
            Way::Vmap => own::recorded(self, id),
            _ => {
                let facts = of.facts?;
                let (found, _) = by_record(way, shape, of.at(facts))?;
                (found == fate).then(|| facts.release())
            }
        }
    }
}

impl Basis {
    fn of(fate: Fate, recorded: Option<Release>) -> Self {
        match (fate, recorded) {
            (Fate::Unknown, _) => Self::Unknown,
            (_, Some(_)) => Self::Recorded,
            (_, None) => Self::Entry,
        }
    }
}

/// The fate by the registries of a release alone; `None` if the release does not have the operator
/// or the registry.
fn by_record(way: Way, shape: &Shape, of: Membership<'_>) -> Option<Found> {
    let facts = of.facts?;
    let is_recorded = way
        .registry()
        .is_none_or(|registry| facts.absent(registry).is_none());
    (of.is_recorded() && is_recorded).then(|| decide(way, shape, of))?
}

/// The first recorded release since which the fate has been the same.
fn since(way: Way, shape: &Shape, of: Membership<'_>, until: Release, fate: Fate) -> Release {
    let earlier = all().rev().filter(|facts| facts.release() <= until);
    let same = earlier.map_while(|facts| {
        let (found, _) = by_record(way, shape, of.at(facts))?;
        (found == fate).then(|| facts.release())
    });
    same.last().unwrap_or(until)
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
