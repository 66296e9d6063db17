//! Coverage as JSON: how many operators work where, and counts of reasons by key.

use std::collections::BTreeMap;

use opatlas_dispatch::Reason;
use opatlas_dispatch::autograd_key;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_verdict::View;
use opatlas_verdict::{Because, KeyCoverage};
use serde::{Deserialize, Serialize, Serializer, ser::SerializeMap as _};
use utoipa::{IntoParams, ToSchema};

use crate::entry::{BuildView, Source};
use crate::paths::Generated;
use crate::tables;
use crate::verdict::VerdictCounts;

/// Which tables are counted.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct CoverageQuery {
    /// Whether to count generated operators; by default yes.
    #[param(inline)]
    pub generated: Option<Generated>,
    /// A build profile, or a comma-separated list of backends to leave out.
    #[param(example = "linux-cuda")]
    pub build: Option<String>,
    /// `files` ignores hand-written and observed registrations.
    #[param(inline)]
    pub source: Option<Source>,
    /// The release of PyTorch whose rules apply, for an address by digest.
    #[param(example = "2.9")]
    pub release: Option<String>,
}

/// Counts over a revision's tables. Reasons with a count of zero are omitted.
#[derive(Debug, Serialize, ToSchema)]
pub struct CoverageView {
    /// The release whose keys and rules apply.
    #[schema(example = "2.9")]
    pub release: &'static str,
    /// The build of the tables.
    pub build: BuildView,
    /// The registrations in them.
    pub source: Source,
    /// Notes about it.
    pub notes: Vec<String>,
    /// How much of each backend key works. Only declared operators that apply to it count.
    pub backends: Vec<BackendCoverage>,
    /// Over all operators.
    pub overall: CountsView,
    /// By namespace.
    pub by_namespace: BTreeMap<Box<str>, CountsView>,
    /// By tag; an operator counts for each of its tags.
    pub by_tag: BTreeMap<Box<str>, CountsView>,
    /// By `python_module`; operators without one are not counted.
    pub by_python_module: BTreeMap<Box<str>, CountsView>,
}

/// How much of a backend key works.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackendCoverage {
    /// The runtime key.
    #[schema(example = "MPS")]
    pub key: &'static str,
    /// Whether anything is claimed about the key: its kernels are part of PyTorch, or a file or an
    /// observation describes them.
    pub claimed: bool,
    /// The number of declared operators: `applicable` and `other_backends`.
    pub operators: u32,
    /// The number of them that the backend is expected to have.
    pub applicable: u32,
    /// The number of them that fail because only other backends have them, for example in cuDNN.
    pub other_backends: u32,
    /// The number of operators with a kernel for the key itself.
    pub kernels: u32,
    /// The number of applicable operators that work: those that run, decompose or fall back.
    pub working: u32,
    /// Their share in percent: the sum of those parts of `percent`.
    #[schema(example = 63)]
    pub covered: u8,
    /// Applicable operators by verdict.
    #[schema(value_type = BTreeMap<String, u32>)]
    pub verdicts: VerdictCounts,
    /// `verdicts` in percent; adds up to 100.
    #[schema(value_type = BTreeMap<String, u32>)]
    pub percent: VerdictCounts,
    /// Why applicable declared operators are unknown, the most frequent reason first. The counts add up to
    /// those of `unknown` in `verdicts`.
    pub unknown: Vec<UnknownReason>,
    /// Applicable generated operators by verdict.
    #[schema(value_type = BTreeMap<String, u32>)]
    pub generated: VerdictCounts,
    /// The number of generated operators that only other backends have.
    pub generated_other_backends: u32,
}

/// A reason for which operators are unknown.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnknownReason {
    /// The reason.
    #[schema(example = "what it calls was not measured")]
    pub because: &'static str,
    /// What would settle it.
    pub settled_by: Option<&'static str>,
    /// The number of declared operators.
    pub operators: u32,
}

impl BackendCoverage {
    /// The coverage of a key; `None` if it does not belong to a backend.
    #[must_use]
    pub fn at(view: View<'_>, slot: Slot) -> Option<Self> {
        autograd_key(view.keys(), slot)?;
        let coverage: KeyCoverage = view.coverage_of(slot);
        Some(Self {
            key: view.keys().name(Key::Runtime(slot)),
            claimed: coverage.is_claimed,
            operators: coverage.operators(),
            applicable: coverage.applicable(),
            other_backends: coverage.other,
            kernels: coverage.kernels,
            working: coverage.working(),
            covered: coverage.covered(),
            verdicts: VerdictCounts(coverage.declared),
            percent: VerdictCounts(coverage.percent().map(u32::from)),
            generated: VerdictCounts(coverage.generated),
            unknown: unknown(view, slot),
            generated_other_backends: coverage.generated_other,
        })
    }
}

fn unknown(view: View<'_>, slot: Slot) -> Vec<UnknownReason> {
    let reasons = view.unknowns(slot).into_iter();
    let reason = |(why, operators): (Because, u32)| UnknownReason {
        because: why.as_str(),
        settled_by: why.settled_by(),
        operators,
    };
    reasons.map(reason).collect()
}

/// The number of operators by reason.
#[derive(Debug, Serialize, ToSchema)]
pub struct CountsView {
    /// The number of counted operators.
    pub operators: usize,
    /// Over all keys.
    #[schema(value_type = BTreeMap<String, u64>)]
    pub total: Present<u64>,
    /// By runtime key, in table order.
    #[schema(value_type = BTreeMap<String, BTreeMap<String, u32>>)]
    pub by_key: Ordered<u32>,
    /// By functionality, over its keys.
    #[schema(value_type = BTreeMap<String, BTreeMap<String, u32>>)]
    pub by_functionality: Ordered<u32>,
}

/// Counts by reason, without zeros.
#[derive(Debug)]
pub struct Present<N>([N; Reason::ALL.len()]);

/// Counts by a name, in their order.
#[derive(Debug)]
pub struct Ordered<N>(Vec<(&'static str, Present<N>)>);

/// The coverage of a revision, by key.
pub fn coverage_view(view: View<'_>, counted: opatlas_dispatch::Coverage) -> CoverageView {
    let keys = view.keys();
    let all = |groups: BTreeMap<Box<str>, opatlas_dispatch::Counts>| {
        let groups = groups.into_iter();
        groups
            .map(|(name, group)| (name, counts(keys, &group)))
            .collect()
    };
    let backends = keys
        .slots()
        .filter_map(|slot| BackendCoverage::at(view, slot));
    CoverageView {
        backends: backends.collect(),
        release: keys.release().as_str(),
        build: view.tables.build().into(),
        source: view.tables.source().into(),
        notes: tables::notes(view),
        overall: counts(keys, &counted.overall),
        by_namespace: all(counted.by_namespace),
        by_tag: all(counted.by_tag),
        by_python_module: all(counted.by_python_module),
    }
}

pub(crate) fn counts(keys: &'static Keys, counts: &opatlas_dispatch::Counts) -> CountsView {
    let by_key = keys.slots().map(|slot| {
        let name = keys.name(Key::Runtime(slot));
        (name, Present(counts.key(slot)))
    });
    let mut functionalities: Vec<&'static str> = Vec::new();
    for slot in keys.slots() {
        let name = keys.functionality(slot);
        if !functionalities.contains(&name) {
            functionalities.push(name);
        }
    }
    let by_functionality = functionalities
        .into_iter()
        .map(|name| (name, Present(counts.functionality(keys, name))));
    CountsView {
        operators: counts.operators,
        total: Present(counts.total()),
        by_key: Ordered(by_key.collect()),
        by_functionality: Ordered(by_functionality.collect()),
    }
}

impl<N: Serialize + Default + PartialEq> Serialize for Present<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (reason, count) in Reason::ALL.iter().zip(&self.0) {
            if *count != N::default() {
                map.serialize_entry(reason.as_str(), count)?;
            }
        }
        map.end()
    }
}

impl<N: Serialize + Default + PartialEq> Serialize for Ordered<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, counts) in &self.0 {
            map.serialize_entry(name, counts)?;
        }
        map.end()
    }
}
