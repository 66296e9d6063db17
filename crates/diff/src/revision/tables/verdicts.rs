//! Operators that work on only one side because of another operator: if `add.out` loses its kernel,
//! the operators that call it are listed in the change of `add.out`.

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

/// Adds the operators whose verdicts on a key changed because another operator's kernel was lost or
/// gained.
pub(super) fn add_leaders(
    (base, slot): (View<'_>, Slot),
    (head, there): (View<'_>, Slot),
    verdicts: &KeyVerdicts,
    common: &Common,
    leaders: &mut Leaders,
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
    if !lost.is_empty() {
        for (old, new) in losing {
            let needs = head.support_with(new, there, &mut walk).needs;
            if let Some(leader) = needs.iter().find_map(|leaf| lost.get(leaf)) {
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
