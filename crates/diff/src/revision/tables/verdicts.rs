//! Operators that work on only one side because of another operator: if `add.out` loses its kernel,
//! the operators that call it are listed in the change of `add.out`.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::pairing::Common;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_verdict::{Verdicts, View, Walk};

#[derive(Debug, Clone)]
pub(super) struct KeyVerdicts {
    pub before: Verdicts,
    pub after: Verdicts,
}

/// For an operator and a key of the base: the operator whose kernel was lost or gained there.
pub(super) type Leaders = FxHashMap<(OperatorId, Slot), OperatorId>;

/// For an operator of the base: the removed operators without which it fails.
pub(super) type RemovedNeeds = FxHashMap<OperatorId, BTreeSet<&'static str>>;

/// Adds the operators whose verdicts on a key changed because another operator's kernel was lost or
/// gained, or because an operator that they call was removed.
pub(super) fn add_leaders(
    (base, slot): (View<'_>, Slot),
    (head, there): (View<'_>, Slot),
    verdicts: &KeyVerdicts,
    common: &Common,
    (leaders, removed): (&mut Leaders, &mut RemovedNeeds),
) {
    let KeyVerdicts { before, after } = verdicts;
    let (mut lost, mut gained) = (FxHashMap::default(), FxHashMap::default());
    let (mut losing, mut gaining) = (Vec::new(), Vec::new());
    for &(old, new) in &common.same {
        let (was, is) = (before.of(old), after.of(new));
        if base.tables.pattern(old).is_none() || head.tables.pattern(new).is_none() {
            continue;
        }
        if was.works() && is.lacks() {
            if after.is_leaf(new) {
                lost.insert(new, old);
            } else {
                losing.push((old, new));
            }
        } else if was.lacks() && is.works() {
            if before.is_leaf(old) {
                gained.insert(old, old);
            } else {
                gaining.push(old);
            }
        }
    }
    let mut walk = Walk::default();
    if !lost.is_empty() || head.calls_removed_operators() {
        // Of each removed operator the first one that calls it, and those that call that one.
        let mut callers = FxHashMap::default();
        let mut of_callers = Vec::new();
        for (old, new) in losing {
            let support = head.support_with(new, there, &mut walk);
            if let Some(leader) = support.needs.iter().find_map(|leaf| lost.get(leaf)) {
                leaders.insert((old, slot), *leader);
                continue;
            }
            let gone = support.undeclared;
            removed.entry(old).or_default().extend(&gone);
            let mut own = head.removed_calls(new).filter(|name| gone.contains(name));
            match own.next() {
                Some(name) => _ = callers.entry(name).or_insert(old),
                None => of_callers.extend(gone.first().map(|name| (old, *name))),
            }
        }
        for (old, name) in of_callers {
            if let Some(leader) = callers.get(name) {
                leaders.insert((old, slot), *leader);
            }
        }
    }
    if !gained.is_empty() {
        for old in gaining {
            let needs = base.support_with(old, slot, &mut walk).needs;
            if let Some(leader) = needs.iter().find_map(|leaf| gained.get(leaf)) {
                leaders.insert((old, slot), *leader);
            }
        }
    }
}
