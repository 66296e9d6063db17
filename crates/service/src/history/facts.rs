//! Counts of a revision, for trends.

use std::sync::Arc;

use crate::snapshot::Snapshot;
use opatlas_diff::Comparison;
use opatlas_diff::revision::CORE;
use opatlas_diff::rules::Level;
use opatlas_dispatch::autograd_key;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::keys::Key;
use opatlas_store::StoreError;
use opatlas_verdict::Answer;

use super::packed::{pack, unpack};
use super::step::unreadable;

/// Counts of a revision. All except `generated` count declared operators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// Declared operators.
    pub operators: u32,
    /// Operators that `autogen` adds.
    pub generated: u32,
    /// Operators with a kernel on `CompositeImplicitAutograd`.
    pub composite_implicit: u32,
    /// Operators with a kernel on `CompositeExplicitAutograd` or
    /// `CompositeExplicitAutogradNonFunctional`.
    pub composite_explicit: u32,
    /// Operators that are `structured: True`.
    pub structured: u32,
    /// Operators with the tag `core`.
    pub core: u32,
    /// Coverage of each backend with dense tensors, in table order.
    pub keys: Vec<KeyFacts>,
    /// The changes of the step to this revision; empty for the first revision of a timeline.
    pub step: Option<StepFacts>,
}

/// The number of changes in a step, by level before any profile.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StepFacts {
    /// Breaking changes.
    pub breaking: u32,
    /// Forward-breaking changes: new code fails on the old side.
    pub forward_breaking: u32,
    /// Dangerous changes.
    pub dangerous: u32,
    /// Safe and informational changes.
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

/// The coverage of a backend.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct KeyFacts(
    /// The runtime key.
    pub String,
    /// Operators with their own kernel.
    pub u32,
    /// Operators that work, by their own kernel, decomposition or fallback.
    pub u32,
    /// Working operators in percent of applicable ones.
    pub u32,
    /// Whether the coverage of the key is known.
    pub bool,
    /// Operators that work partly.
    pub u32,
    /// Operators that fail.
    pub u32,
    /// Operators that belong to other backends.
    pub u32,
);

/// A percentage, rounded down so that 100 means all; 0 if `whole` is 0.
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
            let (is_implicit, is_explicit) = if catalogue.shares_name(id) {
                // Operators of one name share their kernels.
                (has(id, &["CompositeImplicitAutograd"]), has(id, &explicit))
            } else {
                (
                    operator.is_composite_implicit(),
                    operator.is_composite_explicit() || operator.is_composite_non_functional(),
                )
            };
            facts.composite_implicit += u32::from(is_implicit);
            facts.composite_explicit += u32::from(is_explicit);
            let entry = operator.declared().map(|placed| &placed.entry);
            facts.structured += u32::from(entry.is_some_and(|entry| entry.structured));
            facts.core += u32::from(operator.has_tag(CORE));
        }
        facts.keys = keys(snapshot);
        facts
    }

    /// Fails with [`StoreError::Corrupt`], or [`StoreError::Unavailable`] if the step was deleted.
    pub(super) fn decode(packed: &[u8]) -> Result<Self, StoreError> {
        if packed.is_empty() {
            return Err(StoreError::Unavailable {
                what: "the history was recomputed during the request; try again".to_owned(),
                source: None,
            });
        }
        Self::read(&unpack(packed)?).ok_or_else(|| unreadable(&"its counts are not as written"))
    }

    pub(super) fn encode(&self) -> Vec<u8> {
        pack(&self.written())
    }

    /// Before compression: a line of keys, then all counts. `+` marks a key with known coverage,
    /// `-` a key without counts. The line compresses well because it hardly differs between steps.
    fn written(&self) -> Vec<u8> {
        let names = self.keys.iter().map(|key| {
            let claimed = if key.4 { "+" } else { "" };
            let nothing = if key.has_counts() { "" } else { "-" };
            format!("{}{claimed}{nothing}", key.0)
        });
        let names: Vec<String> = names.collect();
        let mut out = names.join(" ").into_bytes();
        out.push(b'\n');
        let mut numbers = vec![
            self.operators,
            self.generated,
            self.composite_implicit,
            self.composite_explicit,
            self.structured,
            self.core,
        ];
        if let Some(step) = self.step {
            let StepFacts {
                breaking,
                forward_breaking,
                dangerous,
                other,
            } = step;
            numbers.extend([breaking, forward_breaking, dangerous, other]);
        }
        for key in self.keys.iter().filter(|key| key.has_counts()) {
            numbers.extend([key.1, key.2, key.3, key.5, key.6, key.7]);
        }
        numbers
            .into_iter()
            .for_each(|number| push(&mut out, number));
        out
    }

    fn read(written: &[u8]) -> Option<Self> {
        let end = written.iter().position(|byte| *byte == b'\n')?;
        let names = std::str::from_utf8(&written[..end]).ok()?;
        let numbers = numbers(&written[end + 1..])?;
        let (head, rest) = numbers.split_first_chunk::<6>()?;
        let [
            operators,
            generated,
            composite_implicit,
            composite_explicit,
            structured,
            core,
        ] = *head;
        let names = names.split(' ').filter(|name| !name.is_empty());
        let counted = names.clone().filter(|name| !name.ends_with('-')).count();
        // A step, if there is one, adds a fixed number of counts.
        let (step, mut rest) = match rest.len() == counted * 6 {
            true => (None, rest),
            false => rest
                .split_first_chunk::<4>()
                .map(|(step, rest)| (Some(*step), rest))?,
        };
        let mut keys = Vec::new();
        for name in names {
            let (name, has_counts) = match name.strip_suffix('-') {
                Some(name) => (name, false),
                None => (name, true),
            };
            let claimed = name.strip_suffix('+');
            let mut key = KeyFacts(
                claimed.unwrap_or(name).to_owned(),
                0,
                0,
                0,
                claimed.is_some(),
                0,
                0,
                0,
            );
            if has_counts {
                let (counts, others) = rest.split_first_chunk::<6>()?;
                [key.1, key.2, key.3, key.5, key.6, key.7] = *counts;
                rest = others;
            }
            keys.push(key);
        }
        let step = step.map(|[breaking, forward_breaking, dangerous, other]| StepFacts {
            breaking,
            forward_breaking,
            dangerous,
            other,
        });
        rest.is_empty().then_some(Self {
            operators,
            generated,
            composite_implicit,
            composite_explicit,
            structured,
            core,
            keys,
            step,
        })
    }
}

impl KeyFacts {
    fn has_counts(&self) -> bool {
        [self.1, self.2, self.3, self.5, self.6, self.7] != [0; 6]
    }
}

fn push(out: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        out.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    out.push((number & 0x7F) as u8);
}

fn numbers(bytes: &[u8]) -> Option<Vec<u32>> {
    let mut numbers = Vec::with_capacity(bytes.len());
    let (mut number, mut shift) = (0_u64, 0);
    for byte in bytes {
        number |= u64::from(byte & 0x7F) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            numbers.push(u32::try_from(number).ok()?);
            (number, shift) = (0, 0);
        } else if shift > 28 {
            return None;
        }
    }
    (shift == 0).then_some(numbers)
}

fn keys(snapshot: &Snapshot) -> Vec<KeyFacts> {
    let view = snapshot.view();
    let keys = view.keys();
    let backends = keys
        .slots()
        .filter(|&slot| keys.functionality(slot) == "Dense" && autograd_key(keys, slot).is_some());
    let facts = backends.map(|slot| {
        let coverage = view.coverage_of(slot);
        KeyFacts(
            keys.name(Key::Runtime(slot)).to_owned(),
            coverage.kernels,
            coverage.working(),
            coverage.covered().into(),
            coverage.is_claimed,
            coverage.counted(Answer::Partly),
            coverage.counted(Answer::No),
            coverage.other,
        )
    });
    facts.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key() -> impl Strategy<Value = KeyFacts> {
        let count = || prop_oneof![Just(0), 0..5000_u32, any::<u32>()];
        (
            "[A-Z][a-zA-Z0-9_]{0,8}",
            count(),
            count(),
            count(),
            any::<bool>(),
            count(),
            count(),
            count(),
        )
            .prop_map(|(name, own, works, share, claimed, partly, fail, other)| {
                KeyFacts(name, own, works, share, claimed, partly, fail, other)
            })
    }

    proptest! {
        #[test]
        fn counts_come_back(
            counts in any::<[u32; 6]>(),
            keys in prop::collection::vec(key(), 0..20),
            step in prop::option::of(any::<[u32; 4]>()),
        ) {
            let facts = Facts {
                operators: counts[0],
                generated: counts[1],
                composite_implicit: counts[2],
                composite_explicit: counts[3],
                structured: counts[4],
                core: counts[5],
                keys,
                step: step.map(|step| StepFacts {
                    breaking: step[0],
                    forward_breaking: step[1],
                    dangerous: step[2],
                    other: step[3],
                }),
            };
            prop_assert_eq!(Facts::decode(&facts.encode()).unwrap(), facts);
        }

        #[test]
        fn any_bytes_are_counts_or_refused(line in "[A-Z+ -]{0,8}\n?", rest in any::<Vec<u8>>()) {
            let written = [line.as_bytes(), &rest].concat();
            let _ = Facts::decode(&pack(&written));
        }
    }

    #[test]
    fn what_was_not_written_is_an_error() {
        let facts = Facts {
            keys: vec![KeyFacts("CPU".to_owned(), 1, 300, 3, true, 2, 400, 181)],
            ..Facts::default()
        };
        let written = facts.written();
        assert_eq!(Facts::read(&written), Some(facts));
        for end in 0..written.len() {
            assert_eq!(Facts::read(&written[..end]), None, "{end}");
        }
        assert_eq!(Facts::read(&[&*written, &[0]].concat()), None);
        assert!(Facts::decode(&pack(b"{}")).is_err() && Facts::decode(b"{}").is_err());
    }
}
