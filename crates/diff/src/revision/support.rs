//! What the computed dispatch tables say: which backends lost or gained an operator, and by what
//! kind of kernel it runs there (`docs/spec/compatibility.md`, section 4, item 7).
//!
//! Operators share tables, so pairs of tables are compared once and told of every operator that
//! has them. Verdicts ([`super::verdicts`]) are compared operator by operator: one may fall because
//! another lost its kernel.

use crate::rules::ChangeRuleId;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use super::cells::{Moved, TableChange};
use super::pairing::Pairing;
use super::side::DeclaredEntry;
use super::training::{Alike, Formulas, OfStem, Siblings};
use super::verdicts::{VerdictMoves, is_gain, is_loss};
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::Level;
use opatlas_dispatch::training::autograd_key;
use opatlas_dispatch::{Precedence, View};
use opatlas_operators::entry::KeyName;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::Key;
use opatlas_source::{Pair, Stop, Stopped, both};

/// The tables of both sides, and which key is which.
pub(super) struct Tables<'a> {
    base: View<'a>,
    head: View<'a>,
    /// Keys that both releases have, in the base's order.
    slots: Vec<(Slot, Slot)>,
    /// Those of backends with kernels of dense tensors.
    pub(super) dense: Vec<(Slot, Slot)>,
    /// The base's keys at which a backend runs operators.
    backends: KeySet,
    verdicts: VerdictMoves,
    /// Operators that lost the composite that an entry without kernels has.
    lost_defaults: FxHashSet<Box<str>>,
    /// Those of the base.
    pub(super) of_stem: OfStem<'a>,
    /// One for each thread that compares, while none of them does.
    memories: Mutex<Vec<Memory<'a>>>,
}

/// How many operators are compared in one go: a release has sixteen parts, and the largest file 48. A processor
/// that becomes idle takes over some of those that have not been begun.
const PART: usize = 200;

/// Operators to compare, and what was found.
type Part<'p> = (
    &'p [(OperatorId, OperatorId)],
    Option<Result<FoundInPart, Stopped>>,
);

/// What was found for one operator and is of use for the next ones.
#[derive(Default)]
pub(super) struct Memory<'a> {
    moved: FxHashMap<(usize, usize), Arc<[Moved]>>,
    /// By the patterns of both tables.
    pub(super) alike: FxHashMap<(usize, usize), Alike>,
    pub(super) siblings: Siblings<'a>,
    pub(super) formulas: Formulas<'a>,
}

/// What follows for a part of the operators.
type FoundInPart = (Vec<Arc<Change>>, Vec<TableChange>);

/// Which tables changed, and what follows for backends.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) changes: Vec<Arc<Change>>,
    pub(super) tables: Vec<TableChange>,
}

impl<'a> Tables<'a> {
    /// Finds the verdicts that differ.
    pub(super) fn new(base: View<'a>, head: View<'a>, pairing: &Pairing) -> Self {
        let (old, new) = (base.keys(), head.keys());
        let slots = old.slots().filter_map(|slot| {
            let there = new.slot(old.name(Key::Runtime(slot)))?;
            Some((slot, there))
        });
        let slots: Vec<(Slot, Slot)> = slots.collect();
        let mut backends = KeySet::EMPTY;
        for slot in old
            .slots()
            .filter(|&slot| autograd_key(old, slot).is_some())
        {
            backends.insert(slot);
        }
        let of_backends = slots.iter().copied();
        let of_backends: Vec<_> = of_backends
            .filter(|pair| backends.contains(pair.0))
            .collect();
        let is_dense = |pair: &&(Slot, Slot)| old.functionality(pair.0) == "Dense";
        Self {
            dense: of_backends.iter().filter(is_dense).copied().collect(),
            memories: Mutex::default(),
            verdicts: VerdictMoves::new(base, head, &of_backends, &pairing.same),
            lost_defaults: FxHashSet::default(),
            of_stem: OfStem::default(),
            slots,
            base,
            head,
            backends,
        }
    }

    /// With what changed in entries.
    pub(super) fn after(self, changes: &[Arc<Change>]) -> Self {
        let lost = changes.iter();
        let lost = lost.filter(|change| change.rule.id == ChangeRuleId::DefaultCompositeLost);
        Self {
            lost_defaults: lost.map(|change| change.operator.clone()).collect(),
            ..self
        }
    }

    /// What changed in the tables of all operators that both sides have.
    ///
    /// # Errors
    /// [`Stopped`].
    pub(super) fn compare(
        &self,
        pairing: &Pairing,
        pair: &dyn Pair,
        stop: &Stop,
    ) -> Result<Found, Stopped> {
        let mut parts: Vec<_> = pairing.same.chunks(PART).map(|part| (part, None)).collect();
        self.compare_parts(&mut parts, pair, stop);
        let found = parts.into_iter().filter_map(|(_, found)| found);
        let found: Vec<FoundInPart> = found.collect::<Result<_, _>>()?;
        let (changes, tables): (Vec<_>, Vec<_>) = found.into_iter().unzip();
        let mut changes: Vec<_> = changes.into_iter().flatten().collect();
        super::verdicts::fold(&self.verdicts, &mut changes);
        Ok(Found {
            changes,
            tables: tables.into_iter().flatten().collect(),
        })
    }

    /// Half beside half, and each half so again where a processor has become idle meanwhile.
    fn compare_parts(&self, parts: &mut [Part<'_>], pair: &dyn Pair, stop: &Stop) {
        match parts {
            [] => {}
            [(part, found)] => *found = Some(self.compare_part(part, stop)),
            parts => {
                let (one, other) = parts.split_at_mut(parts.len() / 2);
                both(
                    pair,
                    || self.compare_parts(one, pair, stop),
                    || self.compare_parts(other, pair, stop),
                );
            }
        }
    }

    fn compare_part(
        &self,
        pairs: &[(OperatorId, OperatorId)],
        stop: &Stop,
    ) -> Result<FoundInPart, Stopped> {
        let mut memory = self.memories().pop().unwrap_or_default();
        let found = self.compare_with(&mut memory, pairs, stop);
        self.memories().push(memory);
        found
    }

    fn memories(&self) -> MutexGuard<'_, Vec<Memory<'a>>> {
        self.memories.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn compare_with(
        &self,
        memory: &mut Memory<'a>,
        pairs: &[(OperatorId, OperatorId)],
        stop: &Stop,
    ) -> Result<FoundInPart, Stopped> {
        let (mut changes, mut tables) = (Vec::new(), Vec::new());
        // Those of one operator.
        let (mut found, mut moved) = (Vec::new(), Vec::new());
        for &(old, new) in pairs {
            stop.check()?;
            let patterns = (
                self.base.tables.pattern_index(old),
                self.head.tables.pattern_index(new),
            );
            let (Some(before), Some(after)) = patterns else {
                continue;
            };
            let own = self.moved(before, after, memory);
            self.verdicts.with(old, &own, &mut moved);
            let follows = super::training::may_differ(self.base, self.head, old, new);
            if moved.is_empty() && !follows {
                continue;
            }
            let operator = self.base.inputs.catalogue.operator(old);
            let name: Box<str> = operator.qualified_name().into();
            if !moved.is_empty() {
                self.backends(&name, (old, new), &moved, &mut found);
            }
            super::training::compare(self, memory, &name, (old, new), &mut found);
            changes.extend(found.drain(..).map(Arc::new));
            if !moved.is_empty() {
                tables.push(TableChange::new(name, (old, new), &moved));
            }
        }
        Ok((changes, tables))
    }

    /// Whether an operator lost the composite that an entry without kernels has.
    pub(super) fn lost_default(&self, operator: &str) -> bool {
        self.lost_defaults.contains(operator)
    }

    pub(super) fn views(&self) -> (View<'a>, View<'a>) {
        (self.base, self.head)
    }

    fn moved(&self, before: usize, after: usize, memory: &mut Memory<'_>) -> Arc<[Moved]> {
        if let Some(known) = memory.moved.get(&(before, after)) {
            return Arc::clone(known);
        }
        let tables = (
            self.base.tables.patterns().get(before),
            self.head.tables.patterns().get(after),
        );
        let (Some(old), Some(new)) = tables else {
            return Arc::default();
        };
        let moved = self.slots.iter().filter_map(|&(base, head)| {
            let (before, after) = (old.rule(base), new.rule(head));
            (before != after).then_some(Moved {
                base,
                head,
                before,
                after,
                verdicts: None,
            })
        });
        let moved: Arc<[Moved]> = moved.collect();
        memory.moved.insert((before, after), Arc::clone(&moved));
        moved
    }

    /// Support lost, gained, or of another kind, and autograd that became ambiguous.
    fn backends(
        &self,
        operator: &str,
        ids: (OperatorId, OperatorId),
        moved: &[Moved],
        changes: &mut Vec<Change>,
    ) {
        let on_backend = |moved: &&Moved| self.backends.contains(moved.base);
        let is_of_kind = |moved: &&Moved| {
            let is_kernel = |rule| rule == Precedence::Direct;
            serves(moved.before)
                && serves(moved.after)
                && is_kernel(moved.before) != is_kernel(moved.after)
                && !is_loss(moved)
                && !is_gain(moved)
        };
        let there = moved.iter().filter(on_backend);
        let lost: Vec<&Moved> = there.clone().filter(|moved| is_loss(moved)).collect();
        let kinds = [
            (
                ChangeRuleId::BackendSupportGained,
                there.clone().filter(|moved| is_gain(moved)).collect(),
            ),
            (
                ChangeRuleId::BackendSupportKindChanged,
                there.filter(is_of_kind).collect(),
            ),
        ];
        if !lost.is_empty() {
            let rule = ChangeRuleId::BackendSupportLost;
            let change = self.of_keys(rule, operator, ids, &lost);
            let mut change = change.note(Note::ServedByNothing);
            if lost.iter().all(|moved| self.is_by_parts(moved)) {
                change.level = Level::Dangerous;
                change = change.note(Note::RanByParts);
            }
            changes.push(change);
        }
        let kinds: [(ChangeRuleId, Vec<&Moved>); 2] = kinds;
        for (rule, moved) in kinds {
            if !moved.is_empty() {
                changes.push(self.of_keys(rule, operator, ids, &moved));
            }
        }
        let ambiguous: Vec<&Moved> = moved
            .iter()
            .filter(|m| m.before != Precedence::Ambiguous && m.after == Precedence::Ambiguous)
            .collect();
        if !ambiguous.is_empty() {
            let rule = ChangeRuleId::AutogradSupportLost;
            let change = self.of_keys(rule, operator, ids, &ambiguous);
            changes.push(change.note(Note::Ambiguous));
        }
    }

    /// A change of these keys, with why they are served, or not, on each side.
    fn of_keys(
        &self,
        rule: ChangeRuleId,
        operator: &str,
        ids: (OperatorId, OperatorId),
        moved: &[&Moved],
    ) -> Change {
        let keys = self.base.keys();
        let names = moved
            .iter()
            .map(|m| KeyName::Known(keys.name(Key::Runtime(m.base))));
        let reasons = |of: fn(&Moved) -> Precedence| {
            let mut reasons: Vec<&str> = Vec::with_capacity(2);
            for moved in moved {
                let reason = of(moved).reason().as_str();
                if !reasons.contains(&reason) {
                    reasons.push(reason);
                }
            }
            reasons.sort_unstable();
            reasons.join(", ")
        };
        let change = Change::new(rule, operator, Subject::Keys(names.collect()));
        let (before, after) = (reasons(|m| m.before), reasons(|m| m.after));
        self.placed(change, ids, before, after)
    }

    /// Whether nested tensors ran it through an implicit composite, which works only as far as they
    /// run its parts and was never promised.
    fn is_by_parts(&self, moved: &Moved) -> bool {
        let is_nested = self.base.keys().functionality(moved.base) == "NestedTensor";
        moved.before == Precedence::Implicit && is_nested
    }

    /// With what each side says of the keys, at the entry that this follows from: the operator's, or
    /// that of the operator which it is generated from.
    pub(super) fn placed(
        &self,
        change: Change,
        (old, new): (OperatorId, OperatorId),
        before: impl Into<Box<str>>,
        after: impl Into<Box<str>>,
    ) -> Change {
        let place = |view: View<'_>, id: OperatorId| {
            let catalogue = view.inputs.catalogue;
            let id = catalogue.operator(id).generated_from().unwrap_or(id);
            Some(DeclaredEntry::of(catalogue, id)?.at(None))
        };
        change
            .old(Fragment::of_field(before, place(self.base, old)))
            .new_side(Fragment::of_field(after, place(self.head, new)))
    }
}

/// The changes of a part, ready to be put in order without moving them: they are megabytes.
pub(super) fn shared(changes: Vec<Change>) -> Vec<Arc<Change>> {
    changes.into_iter().map(Arc::new).collect()
}

/// Whether a table has a kernel for a call.
pub(super) fn serves(rule: Precedence) -> bool {
    !matches!(
        rule,
        Precedence::Missing | Precedence::Fallback | Precedence::Ambiguous
    )
}
