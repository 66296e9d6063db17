//! Applicable operators that a backend lacks or inherits, the most important ones first.

use rustc_hash::FxHashMap;

use opatlas_diff::revision::CORE;
use opatlas_dispatch::Reason;
use opatlas_dispatch::autograd_key;
use opatlas_model::{BadLine, Name, Overload, read_list};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_verdict::{Because, KnownFrom, Leverage, Shift, Side, Verdict};

use opatlas_source::{Stop, Stopped};

use super::preflight::{Named, resolve};
use super::snapshot::Snapshot;

/// Call counts of operators, as the user gave them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage(FxHashMap<Name, u64>);

impl Usage {
    /// Reads a list of operators with counts ([`read_list`]).
    pub fn read(text: &str) -> Result<Self, BadLine> {
        let mut usage = Self::default();
        read_list(text, |name, count| {
            usage.add(name, count);
            Ok::<_, BadLine>(())
        })?;
        Ok(usage)
    }

    /// Adds to the count of an operator in any spelling. A text that is not a name is unknown.
    pub fn add_text(&mut self, text: &str, count: u64) {
        let name = Name::parse(text).unwrap_or_else(|| Name {
            text: text.trim().to_owned(),
            overload: Overload::Given,
        });
        self.add(name, count);
    }

    fn add(&mut self, name: Name, count: u64) {
        let sum = self.0.entry(name).or_default();
        *sum = sum.saturating_add(count);
    }

    /// The count of an operator. A name without an overload counts for the operator without one, or
    /// for every overload if there is none.
    fn of(&self, catalogue: &Catalogue, operator: &Operator) -> u64 {
        let count = |text: &str, overload| {
            let text = text.to_owned();
            self.0.get(&Name { text, overload }).copied().unwrap_or(0)
        };
        let name = operator.qualified_name();
        let base = name.split_once('.').map_or(name, |(base, _)| base);
        let is_meant = base == name || catalogue.find_qualified(base).is_none();
        let open = if is_meant {
            count(base, Overload::Open)
        } else {
            0
        };
        count(name, Overload::Given).saturating_add(open)
    }
}

/// An operator for which the backend has no kernel of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// The operator.
    pub operator: String,
    /// Why it is served by another kernel, or not at all.
    pub reason: Reason,
    /// The registered key that serves it.
    pub source_key: Option<&'static str>,
    /// Whether a call works.
    pub verdict: Verdict,
    /// Why, unless operators that it needs are the reason.
    pub because: Option<Because>,
    /// What the verdict is based on; `None` if it is unknown.
    pub known_from: Option<KnownFrom>,
    /// Operators without a working kernel that it depends on, nearest first.
    pub needs: Vec<String>,
    /// Whether it has the tag `core`.
    pub is_core: bool,
    /// How many other backends of the same functionality have a kernel of their own.
    pub others: u32,
    /// The call count, if a usage file has one.
    pub usage: Option<u64>,
}

impl Gap {
    /// Whether a call fails, always or in some cases.
    #[must_use]
    pub fn is_lacking(&self) -> bool {
        self.verdict.lacks()
    }
}

/// Weights operators to find the kernels that would help most.
#[must_use]
pub fn leverage(
    snapshot: &Snapshot,
    slot: Slot,
    most: usize,
    tag: Option<&str>,
    usage: Option<&Usage>,
) -> Leverage {
    let weight = |id: OperatorId| {
        let operator = snapshot.catalogue.operator(id);
        if operator.is_generated() || tag.is_some_and(|tag| !operator.has_tag(tag)) {
            return 0;
        }
        usage.map_or(1, |usage| usage.of(&snapshot.catalogue, operator))
    };
    snapshot.view().leverage(slot, most, weight)
}

/// The gaps of a backend, sorted by call count if known, then core operators, then by the number of
/// other backends with a kernel. Unknown operators come last.
pub fn gaps(
    snapshot: &Snapshot,
    slot: Slot,
    usage: Option<&Usage>,
    stop: &Stop,
) -> Result<Vec<Gap>, Stopped> {
    let view = snapshot.view();
    let keys = view.keys();
    let kind = keys.functionality(slot);
    let is_other = |other: &Slot| {
        *other != slot && keys.functionality(*other) == kind && autograd_key(keys, *other).is_some()
    };
    let others: Vec<Slot> = keys.slots().filter(is_other).collect();
    let declared = declared(snapshot, slot).take_while(|_| !stop.is_requested());
    let gaps = declared.filter(|(id, _)| {
        !view.has_kernel(*id, slot) && view.applicability(*id, slot).is_applicable()
    });
    let mut gaps: Vec<Gap> = gaps
        .map(|(id, reason)| {
            let operator = snapshot.catalogue.operator(id);
            let name = operator.qualified_name();
            let entry = view.entry(id, slot);
            let has_kernel = |other: &&Slot| view.has_kernel(id, **other);
            let support = view.support(id, slot);
            Gap {
                reason,
                verdict: support.verdict,
                because: support.because,
                known_from: entry
                    .as_ref()
                    .and_then(|entry| view.known_from(id, entry, support.verdict)),
                needs: view.needed(&support).map(str::to_owned).collect(),
                source_key: entry
                    .and_then(|entry| entry.source_key)
                    .map(|key: Key| keys.name(key)),
                is_core: operator.has_tag(CORE),
                others: u32::try_from(others.iter().filter(has_kernel).count()).unwrap_or(u32::MAX),
                usage: usage.map(|usage| usage.of(&snapshot.catalogue, operator)),
                operator: name.to_owned(),
            }
        })
        .collect();
    stop.check()?;
    gaps.sort_by(|a, b| {
        let rank = |gap: &Gap| (gap.usage, gap.is_core, gap.others, gap.is_lacking());
        let is_unknown = |gap: &Gap| gap.verdict.is_unknown();
        is_unknown(a)
            .cmp(&is_unknown(b))
            .then_with(|| rank(b).cmp(&rank(a)))
            .then_with(|| a.operator.cmp(&b.operator))
    });
    Ok(gaps)
}

/// What became of the declared operators that two revisions have, at a key.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Moves {
    /// Those that failed, always or in some cases, and work now.
    pub gained: Vec<String>,
    /// Those that worked, and fail now, always or in some cases.
    pub lost: Vec<String>,
    /// Those that work now, while this was unknown before.
    pub was_unknown: Vec<String>,
}

/// What became of the operators since `before`, by name. Empty if that revision does not have the key.
#[must_use]
pub fn moves(snapshot: &Snapshot, before: &Snapshot, key: &str) -> Moves {
    let mut moves = Moves::default();
    let slot = |snapshot: &Snapshot| snapshot.view().keys().slot(key);
    let (Some(now), Some(then)) = (slot(snapshot), slot(before)) else {
        return moves;
    };
    for (id, _) in declared(snapshot, now) {
        let name = snapshot.catalogue.operator(id).qualified_name();
        let Some(was) = before.catalogue.find_qualified(name) else {
            continue;
        };
        let (Some(was), Some(is)) = (side(before, was, then), side(snapshot, id, now)) else {
            continue;
        };
        let list = match Shift::between(was, is, false) {
            Shift::Gained => &mut moves.gained,
            Shift::Lost => &mut moves.lost,
            _ if was.verdict.is_unknown() && is.verdict.works() => &mut moves.was_unknown,
            _ => continue,
        };
        list.push(name.to_owned());
    }
    for list in [&mut moves.gained, &mut moves.lost, &mut moves.was_unknown] {
        list.sort();
    }
    moves
}

fn side(snapshot: &Snapshot, id: OperatorId, slot: Slot) -> Option<Side> {
    let view = snapshot.view();
    Some(Side {
        rule: view.tables.pattern(id)?.table.rule(slot),
        verdict: view.verdict(id, slot),
    })
}

/// The names in a usage file that match no operator of the revision.
#[must_use]
pub fn unknown(snapshot: &Snapshot, usage: &Usage) -> Vec<String> {
    let is_unknown = |name: &&Name| resolve(&snapshot.catalogue, name) == Named::Undeclared;
    let unknown = usage.0.keys().filter(is_unknown);
    let mut unknown: Vec<String> = unknown.map(|name| name.text.clone()).collect();
    unknown.sort();
    unknown
}

fn declared(snapshot: &Snapshot, slot: Slot) -> impl Iterator<Item = (OperatorId, Reason)> + '_ {
    let view = snapshot.view();
    let operators = snapshot.catalogue.iter();
    let operators = operators.filter(|(_, operator)| !operator.is_generated());
    operators.filter_map(move |(id, _)| {
        let pattern = view.tables.pattern(id)?;
        Some((id, pattern.table.rule(slot).reason()))
    })
}

#[cfg(test)]
mod tests {
    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;

    fn check(text: &str, expected: &[(&str, u64)]) {
        let names = ["add.Tensor", "add.Scalar", "addmm", "addmm.dtype", "mm"];
        let entries = names.map(|name| format!("- func: {name}(Tensor self) -> Tensor\n"));
        let bundle = Bundle::of_native_functions(entries.concat().into_bytes());
        let snapshot = Snapshot::read(bundle, Release::LATEST, None);
        let usage = Usage::read(text).unwrap();
        let count = |name: &str| {
            let id = snapshot.catalogue.find_qualified(name).unwrap();
            usage.of(&snapshot.catalogue, snapshot.catalogue.operator(id))
        };
        let counts = names.map(|name| (name, count(name)));
        let used = counts.into_iter().filter(|(_, count)| *count > 0);
        assert_eq!(used.collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn overloads_are_counted_apart() {
        check("aten.addmm.default,5\n", &[("addmm", 5)]);
        check(
            "aten::addmm,5\naten.addmm.dtype,2\n",
            &[("addmm", 5), ("addmm.dtype", 2)],
        );
        check("aten::add,3\n", &[("add.Tensor", 3), ("add.Scalar", 3)]);
        check("aten.add.default,3\n", &[]);
        check("operator,count\n\"mm\";2\nmm,1\n", &[("mm", 3)]);
        assert_eq!(
            Usage::read("add.Tensor,3\nnonsense,x\n")
                .unwrap_err()
                .number,
            2
        );
    }
}
