//! Counts of a revision, as trends show them.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::service::snapshot::Snapshot;
use crate::store::StoreError;
use opatlas_diff::Comparison;
use opatlas_diff::revision::CORE;
use opatlas_diff::rules::Level;
use opatlas_dispatch::training::autograd_key;
use opatlas_dispatch::{Reason, coverage};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::keys::Key;

use super::step::unreadable;

/// Counts of a revision. All but `generated` are of operators that entries declare.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Operators that entries declare.
    #[serde(rename = "o")]
    pub operators: u32,
    /// Operators that `autogen` adds to them.
    #[serde(rename = "g")]
    pub generated: u32,
    /// Operators with a kernel on `CompositeImplicitAutograd`.
    #[serde(rename = "i")]
    pub composite_implicit: u32,
    /// Operators with a kernel on `CompositeExplicitAutograd` or
    /// `CompositeExplicitAutogradNonFunctional`.
    #[serde(rename = "e")]
    pub composite_explicit: u32,
    /// Operators that are `structured: True`.
    #[serde(rename = "s")]
    pub structured: u32,
    /// Operators with the tag `core`.
    #[serde(rename = "c")]
    pub core: u32,
    /// Coverage of each backend with dense tensors, in table order.
    #[serde(rename = "k")]
    pub keys: Vec<KeyFacts>,
    /// What the step to it changed; of the first revision of a timeline nothing is told.
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub step: Option<StepFacts>,
}

/// How many changes a step made, by their level before any profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepFacts {
    /// What breaks.
    #[serde(rename = "b")]
    pub breaking: u32,
    /// What only breaks what is new on what is old.
    #[serde(rename = "f")]
    pub forward_breaking: u32,
    /// What somebody must act upon.
    #[serde(rename = "d")]
    pub dangerous: u32,
    /// What harms nobody, or is only good to know.
    #[serde(rename = "o")]
    pub other: u32,
}

impl StepFacts {
    pub(super) fn of(comparison: &Comparison) -> Self {
        let mut facts = Self::default();
        for change in comparison.changes.iter().filter(|c| c.is_counted()) {
            match change.level {
                Level::Breaking => facts.breaking += 1,
                Level::ForwardBreaking => facts.forward_breaking += 1,
                Level::Dangerous => facts.dangerous += 1,
                Level::Safe | Level::Info => facts.other += 1,
                Level::None => {}
            }
        }
        facts
    }
}

/// How many operators a backend runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyFacts(
    /// The runtime key.
    pub String,
    /// Operators with a kernel of its own.
    pub u32,
    /// Operators that it runs by whatever: an own kernel, a default backend kernel, or a composite.
    pub u32,
);

impl KeyFacts {
    /// How many of `operators` it runs, in percent, rounded down so that 100 means all.
    #[must_use]
    pub fn percent(&self, operators: u32) -> u32 {
        percent(self.2, operators)
    }
}

/// A share in percent, rounded down so that 100 means all; of nothing it is 0.
#[must_use]
pub fn percent(part: u32, whole: u32) -> u32 {
    let share = u64::from(part) * 100 / u64::from(whole.max(1));
    u32::try_from(share).unwrap_or(100)
}

impl Facts {
    pub(super) fn of(snapshot: &Arc<Snapshot>) -> Self {
        let catalogue = &snapshot.catalogue;
        let has = |id: OperatorId, composites: &[&str]| {
            let kernels = catalogue.kernels(id);
            kernels.iter().any(|k| composites.contains(&k.key.as_str()))
        };
        let explicit = [
            "CompositeExplicitAutograd",
            "CompositeExplicitAutogradNonFunctional",
        ];
        let mut facts = Self::default();
        for (id, operator) in catalogue.iter() {
            if operator.is_generated() {
                facts.generated += 1;
                continue;
            }
            facts.operators += 1;
            facts.composite_implicit += u32::from(has(id, &["CompositeImplicitAutograd"]));
            facts.composite_explicit += u32::from(has(id, &explicit));
            let entry = operator.declared().map(|placed| &placed.entry);
            facts.structured += u32::from(entry.is_some_and(|entry| entry.structured));
            facts.core += u32::from(operator.has_tag(CORE));
        }
        facts.keys = keys(snapshot);
        facts
    }

    /// The counts that are stored with a step.
    ///
    /// # Errors
    /// [`StoreError::Corrupt`] for what this program did not write, and [`StoreError::Unavailable`]
    /// where the step is gone by now.
    pub(super) fn decode(text: &str) -> Result<Self, StoreError> {
        if text.is_empty() {
            return Err(StoreError::Unavailable {
                what: "the history was computed anew meanwhile; ask again".to_owned(),
                source: None,
            });
        }
        serde_json::from_str(text).map_err(|error| unreadable(&error))
    }

    pub(super) fn encode(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }
}

fn keys(snapshot: &Snapshot) -> Vec<KeyFacts> {
    let view = snapshot.view();
    let keys = view.keys();
    let counts = coverage(view, |_, operator| !operator.is_generated()).overall;
    let backends = keys
        .slots()
        .filter(|&slot| keys.functionality(slot) == "Dense" && autograd_key(keys, slot).is_some());
    let facts = backends.map(|slot| {
        let served = Reason::ALL.iter().filter(|reason| reason.is_served());
        KeyFacts(
            keys.name(Key::Runtime(slot)).to_owned(),
            counts.at(slot, Reason::Kernel),
            served.map(|&reason| counts.at(slot, reason)).sum(),
        )
    });
    facts.collect()
}
