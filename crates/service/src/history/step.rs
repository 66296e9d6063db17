//! The stored form of a step: compressed JSON by operator, with enums as words.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use opatlas_source::{Stop, Stopped};

use super::event::StoredEvent;
use super::facts::{Facts, StepFacts};
use super::packed::{pack, unpack};
use super::words::Word;
use crate::compare::Compared;
use crate::snapshot::Snapshot;
use opatlas_diff::history::by_operator;
use opatlas_diff::revision::{Cell, CellChange};
use opatlas_dispatch::Reason;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;
use opatlas_store::{StepKey, StepRecord, StoreError};
use opatlas_verdict::{Because, Verdict};

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OperatorStep {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) events: Vec<StoredEvent>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) cells: Vec<StoredCells>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredCells {
    pub(super) keys: Vec<Stretch>,
    pub(super) before: StoredCell,
    pub(super) after: StoredCell,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Stretch {
    One(String),
    Several(String, String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredCell {
    pub(super) reason: Word<Reason>,
    #[serde(rename = "source", default, skip_serializing_if = "Option::is_none")]
    pub(super) source_key: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) kernel: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) verdict: Option<Word<Verdict>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) because: Option<Word<Because>>,
}

impl StoredCell {
    fn of(cell: &Cell<'_>) -> Self {
        Self {
            reason: Word(cell.reason),
            source_key: cell.source_key.map(Into::into),
            kernel: cell.kernel.as_deref().map(Into::into),
            verdict: cell.verdict.map(Word),
            because: cell.because.map(Word),
        }
    }
}

impl OperatorStep {
    pub(super) fn decode(packed: &[u8]) -> Result<Self, StoreError> {
        serde_json::from_slice(&unpack(packed)?).map_err(|error| unreadable(&error))
    }

    fn encode(&self) -> Vec<u8> {
        pack(&serde_json::to_vec(self).unwrap_or_default())
    }
}

pub(super) fn record(
    key: StepKey,
    base: Option<&Arc<Snapshot>>,
    head: &Arc<Snapshot>,
    stop: &Stop,
) -> Result<StepRecord, Stopped> {
    head.tabulate(stop)?;
    let mut facts = Facts::of(head);
    let mut changes = Vec::new();
    if let Some(base) = base {
        let compared = Compared::of(Arc::clone(base), Arc::clone(head), stop)?;
        facts.step = Some(StepFacts::of(&compared.comparison));
        changes = operators(&compared);
    }
    Ok(StepRecord {
        key,
        facts: facts.encode(),
        operators: changes,
    })
}

fn operators(compared: &Compared) -> Vec<(String, Vec<u8>)> {
    let by_operator = by_operator(&compared.comparison);
    let (base, head) = compared.views();
    let says = by_operator.into_iter().map(|(operator, step)| {
        let cells = step.table.map(|table| table.cells(base, head));
        let cells = cells.unwrap_or_default();
        let says = OperatorStep {
            events: step
                .events
                .iter()
                .map(|e| StoredEvent::of(operator, e))
                .collect(),
            cells: cells
                .iter()
                .map(|cells| stored(base.keys(), cells))
                .collect(),
        };
        (operator.to_owned(), says.encode())
    });
    says.collect()
}

fn stored(keys: &Keys, cells: &CellChange<'_>) -> StoredCells {
    StoredCells {
        keys: stretches(keys, cells.slots.iter().collect()),
        before: StoredCell::of(&cells.before),
        after: StoredCell::of(&cells.after),
    }
}

impl StoredCells {
    /// Fails with [`StoreError::Corrupt`] for an unknown key of the base release.
    pub(super) fn holds(&self, base: Release, key: &str) -> Result<bool, StoreError> {
        let keys = Keys::of(base);
        let slot = |name: &str| {
            let slot = keys.slot(name).map(Slot::index);
            slot.ok_or_else(|| unreadable(&format!("PyTorch {base} has no key `{name}`")))
        };
        let wanted = keys.slot(key).map(Slot::index);
        for stretch in &self.keys {
            let (first, last) = match stretch {
                Stretch::One(name) => (slot(name)?, slot(name)?),
                Stretch::Several(first, last) => (slot(first)?, slot(last)?),
            };
            if wanted.is_some_and(|wanted| (first..=last).contains(&wanted)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

pub(super) fn unreadable(why: &impl std::fmt::Display) -> StoreError {
    StoreError::corrupt(format!(
        "a stored step of the history is invalid ({why}); restore the database from a backup, or \
         delete the rows of the table `steps`, which Opatlas then recomputes"
    ))
}

fn stretches(keys: &Keys, mut slots: Vec<Slot>) -> Vec<Stretch> {
    slots.sort_unstable();
    let mut stretches: Vec<(Slot, Slot)> = Vec::new();
    for slot in slots {
        match stretches.last_mut() {
            Some((_, end)) if end.index() + 1 == slot.index() => *end = slot,
            _ => stretches.push((slot, slot)),
        }
    }
    let name = |slot: Slot| keys.name(Key::Runtime(slot)).to_owned();
    let stretches = stretches.into_iter().map(|(first, last)| {
        if first == last {
            Stretch::One(name(first))
        } else {
            Stretch::Several(name(first), name(last))
        }
    });
    stretches.collect()
}

#[cfg(test)]
mod tests {
    use opatlas_source::Bundle;

    use super::*;

    #[test]
    fn a_step_runs_no_rules() {
        let read = |default: &str| {
            let text = format!("- func: f(Tensor self, int dim{default}) -> Tensor\n");
            let bundle = Bundle::of_native_functions(text.into_bytes());
            Arc::new(Snapshot::read(bundle, Release::LATEST, None))
        };
        let (base, head) = (read(""), read("=0"));
        let key = StepKey {
            base: 1,
            head: 2,
            base_release: String::new(),
            head_release: String::new(),
        };
        let step = record(key, Some(&base), &head, &Stop::never()).unwrap();
        assert_eq!(step.operators.len(), 1);
        assert!(!base.is_checked() && !head.is_checked());
    }

    #[test]
    fn steps_take_few_bytes() {
        let read = |text: &str| {
            let bundle = Bundle::of_native_functions(text.to_owned().into_bytes());
            Arc::new(Snapshot::read(bundle, Release::LATEST, None))
        };
        let before = "- func: add.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  \
                      dispatch:\n    CPU: add_out\n    CUDA: add_out\n    MPS: add_mps_out\n";
        let base = read(before);
        for (after, most) in [
            (before.replace("add_mps_out", "sum_metal_out"), 50),
            (
                before.replace("    CUDA", "    XPU: add_xpu_out\n    CUDA"),
                90,
            ),
            (before.replace("self, ", "self, bool upcast=False, "), 40),
            (
                format!("{before}- func: mul_by(Tensor self, Scalar by) -> Tensor\n"),
                60,
            ),
        ] {
            let key = StepKey {
                base: 1,
                head: 2,
                base_release: String::new(),
                head_release: String::new(),
            };
            let step = record(key, Some(&base), &read(&after), &Stop::never()).unwrap();
            let [(_, says)] = &step.operators[..] else {
                panic!("{:?}", step.operators);
            };
            let sizes = (says.len(), step.facts.len());
            assert!(sizes.0 <= most && sizes.1 <= 70, "{sizes:?}");
        }
    }

    #[test]
    fn stretches_hold_their_keys() {
        let release = Release::V2_9;
        let keys = Keys::of(release);
        let all: Vec<Slot> = keys.slots().collect();
        let chosen = [1, 2, 3, 9, 14, 15].map(|at| all[at]);
        let stored = StoredCells {
            keys: stretches(keys, chosen.to_vec()),
            before: nothing(),
            after: nothing(),
        };
        assert_eq!(stored.keys.len(), 3);
        for slot in all {
            let holds = stored.holds(release, keys.name(Key::Runtime(slot)));
            assert_eq!(holds.unwrap(), chosen.contains(&slot));
        }
        let unknown = StoredCells {
            keys: vec![Stretch::One("Nowhere".to_owned())],
            ..stored
        };
        assert!(unknown.holds(release, "CPU").is_err());
    }

    fn nothing() -> StoredCell {
        StoredCell {
            reason: Word(Reason::Missing),
            source_key: None,
            kernel: None,
            verdict: None,
            because: None,
        }
    }

    #[test]
    fn what_this_program_did_not_write_is_an_error() {
        for text in [
            "",
            "{}}",
            r#"{"e":[[0,"operator-added",1,"o",null,null,"new operator"]]}"#,
            r#"{"events":[{"kind":"born","rule":"operator-added","level":"safe"}]}"#,
            r#"{"events":[{"kind":"entry","rule":"no-such-rule","level":"safe"}]}"#,
            r#"{"events":[{"kind":"entry","rule":"operator-added","level":"awful"}]}"#,
            r#"{"cells":[{"keys":["CPU"],"before":{"reason":"magic"},"after":{"reason":"kernel"}}]}"#,
        ] {
            assert!(
                OperatorStep::decode(&pack(text.as_bytes())).is_err(),
                "{text}"
            );
        }
        let good = r#"{"events":[{"kind":"introduced","rule":"operator-added","level":"safe"}]}"#;
        let good = OperatorStep::decode(&pack(good.as_bytes())).unwrap();
        assert_eq!(good.events.len(), 1);
    }
}
