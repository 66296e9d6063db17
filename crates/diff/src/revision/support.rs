//! What the computed dispatch tables say: which backends lost or gained an operator, and by what
//! kind of kernel it runs there (`docs/spec/compatibility.md`, section 4, item 7).
//!
//! Operators share tables, so pairs of tables are compared once and told of every operator that
//! has them. Verdicts ([`super::verdicts`]) are compared operator by operator: one may fall because
//! another lost its kernel.

use crate::rules::ChangeRuleId;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::audiences::Refiner;
use super::cells::{Moved, Shape, TableChange};
use super::pairing::Common;
use super::side::DeclaredEntry;
use super::training::{Alike, Formulas, OfStem, Siblings};
use super::verdicts::{Moves, VerdictMoves, is_gain, is_loss};
use crate::change::{Change, Fragment, Note, Place, SideFile, Subject};
use crate::rules::Level;
use opatlas_dispatch::autograd_key;
use opatlas_dispatch::{Pattern, Precedence};
use opatlas_operators::entry::KeyName;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::Key;
use opatlas_source::{Span, Stop, Stopped};
use opatlas_verdict::View;

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
    lost_defaults: FxHashSet<Arc<str>>,
    /// Those of the base.
    pub(super) of_stem: OfStem<'a>,
}

/// What was found for one operator and is of use for the next ones.
#[derive(Default)]
pub(super) struct Memory<'a> {
    /// By the patterns of both tables.
    of_patterns: FxHashMap<(usize, usize), OfPatterns>,
    shapes: FxHashMap<Box<[Moved]>, Arc<Shaped>>,
    /// By the patterns of both tables.
    pub(super) alike: FxHashMap<(usize, usize), Alike>,
    pub(super) siblings: Siblings<'a>,
    pub(super) formulas: Formulas<'a>,
}

/// So many shapes are looked for one by one; what has another one is compared key by key. Between 2.1.0 and 2.15.0 a
/// pair of patterns has one or two on average.
const MOST_SHAPES: usize = 32;

/// What is known of operators whose tables have the same patterns on both sides.
struct OfPatterns {
    /// The keys with another rule.
    moved: Vec<Moved>,
    /// Which columns of verdicts those keys have.
    columns: Vec<bool>,
    /// What their tables changed in, by their verdicts.
    shapes: Vec<(Box<[Moves]>, Arc<Shaped>)>,
}

impl OfPatterns {
    /// What changed in a table with these verdicts. A verdict that stayed as it was says nothing of a key whose rule
    /// did so, too.
    fn find(&self, verdicts: &[Moves]) -> Option<&Arc<Shaped>> {
        let stays = |(before, after): &Moves| before == after;
        let is_alike = |known: &[Moves]| {
            let mut pairs = known.iter().zip(verdicts).zip(&self.columns);
            pairs.all(|((one, other), &counts)| {
                one == other || !counts && stays(one) && stays(other)
            })
        };
        let known = self.shapes.iter().find(|(known, _)| is_alike(known));
        known.map(|(_, shaped)| shaped)
    }

    fn keep(&mut self, verdicts: &[Moves], shaped: &Arc<Shaped>) {
        if self.shapes.len() < MOST_SHAPES {
            self.shapes.push((verdicts.into(), Arc::clone(shaped)));
        }
    }
}

/// What is the same for all operators whose tables changed alike.
struct Shaped {
    shape: Arc<Shape>,
    /// Support lost, gained, or of another kind, and autograd that became ambiguous.
    changes: Vec<Change>,
}

/// Which tables changed, and what follows for backends.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) changes: Vec<Arc<Change>>,
    pub(super) tables: Vec<TableChange>,
}

impl<'a> Tables<'a> {
    /// Finds the verdicts that differ.
    pub(super) fn new(base: View<'a>, head: View<'a>, common: &Common) -> Self {
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
            verdicts: VerdictMoves::new(base, head, &of_backends, &common.same),
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
        (common, refiner): (&Common, &Refiner<'_>),
        stop: &Stop,
    ) -> Result<Found, Stopped> {
        let mut memory = Memory::default();
        let (mut changes, mut tables, mut followers) = (Vec::new(), Vec::new(), Vec::new());
        // The changes of one operator.
        let mut found = Vec::new();
        for &(old, new) in &common.same {
            stop.check()?;
            let patterns = (
                self.base.tables.pattern_index(old),
                self.head.tables.pattern_index(new),
            );
            let (Some(before), Some(after)) = patterns else {
                continue;
            };
            let shaped = self.shaped((before, after), self.verdicts.of(old), &mut memory);
            let is_changed = !shaped.shape.moved.is_empty();
            if !is_changed && !super::training::may_differ(self.base, self.head, old, new) {
                continue;
            }
            let operator = self.base.inputs.catalogue.operator(old);
            let name: Arc<str> = operator.shared_name();
            if !shaped.changes.is_empty() {
                let places = Places::of(self, (old, new));
                let placed = |change: &Change| places.placed(change.of_operator(name.clone()));
                found.extend(shaped.changes.iter().map(placed));
            }
            super::training::compare(self, &mut memory, &name, (old, new), &mut found);
            self.verdicts
                .take_following(&name, &mut found, &mut followers);
            changes.extend(found.drain(..).map(|change| {
                let mut change = change.at((old, new));
                refiner.refine(&mut change);
                Arc::new(change)
            }));
            if is_changed {
                tables.push(TableChange::new(name, (old, new), &shaped.shape));
            }
        }
        super::verdicts::fold(&followers, &mut changes);
        Ok(Found { changes, tables })
    }

    /// Whether an operator lost the composite that an entry without kernels has.
    pub(super) fn lost_default(&self, operator: &str) -> bool {
        self.lost_defaults.contains(operator)
    }

    pub(super) fn views(&self) -> (View<'a>, View<'a>) {
        (self.base, self.head)
    }

    /// What changed in tables of these patterns with these verdicts.
    fn shaped(
        &self,
        patterns: (usize, usize),
        verdicts: &[Moves],
        memory: &mut Memory<'_>,
    ) -> Arc<Shaped> {
        let old = self.base.tables.patterns().get(patterns.0);
        let new = self.head.tables.patterns().get(patterns.1);
        let rule = |pattern: Option<&Pattern>, slot| {
            pattern.map_or(Precedence::Missing, |pattern| pattern.rule(slot))
        };
        let rules = |(base, head)| (rule(old, base), rule(new, head));
        let of_patterns = memory.of_patterns.entry(patterns);
        let of_patterns = of_patterns.or_insert_with(|| {
            let moved = self.moved(rules);
            OfPatterns {
                columns: self.verdicts.columns_of(&moved),
                moved,
                shapes: Vec::new(),
            }
        });
        if let Some(known) = of_patterns.find(verdicts) {
            return Arc::clone(known);
        }
        let moved = self.verdicts.with(verdicts, &of_patterns.moved, rules);
        let shaped = match memory.shapes.get(&*moved) {
            Some(known) => Arc::clone(known),
            None => {
                let shaped = Arc::new(Shaped {
                    changes: self.backends(&moved),
                    shape: Arc::new(Shape::new(moved.clone())),
                });
                memory.shapes.insert(moved.into(), Arc::clone(&shaped));
                shaped
            }
        };
        of_patterns.keep(verdicts, &shaped);
        shaped
    }

    /// The keys with another rule.
    fn moved(&self, rules: impl Fn((Slot, Slot)) -> (Precedence, Precedence)) -> Vec<Moved> {
        let moved = self.slots.iter().filter_map(|&(base, head)| {
            let (before, after) = rules((base, head));
            (before != after).then_some(Moved {
                base,
                head,
                before,
                after,
                verdicts: None,
            })
        });
        moved.collect()
    }

    /// Support lost, gained, or of another kind, and autograd that became ambiguous.
    fn backends(&self, moved: &[Moved]) -> Vec<Change> {
        let mut changes = Vec::new();
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
            let change = self.of_keys(rule, &lost);
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
                changes.push(self.of_keys(rule, &moved));
            }
        }
        let ambiguous: Vec<&Moved> = moved
            .iter()
            .filter(|m| m.before != Precedence::Ambiguous && m.after == Precedence::Ambiguous)
            .collect();
        if !ambiguous.is_empty() {
            let rule = ChangeRuleId::AutogradSupportLost;
            let change = self.of_keys(rule, &ambiguous);
            changes.push(change.note(Note::Ambiguous));
        }
        changes
    }

    /// A change of these keys, with why they are served, or not, on each side; of no operator yet.
    fn of_keys(&self, rule: ChangeRuleId, moved: &[&Moved]) -> Change {
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
        let (before, after) = (reasons(|m| m.before), reasons(|m| m.after));
        Change::new(rule, "", Subject::Keys(names.collect()))
            .old(Fragment::of_field(before, None))
            .new_side(Fragment::of_field(after, None))
    }

    /// Whether nested tensors ran it through an implicit composite, which works only as far as they
    /// run its parts and was never promised.
    fn is_by_parts(&self, moved: &Moved) -> bool {
        let is_nested = self.base.keys().functionality(moved.base) == "NestedTensor";
        moved.before == Precedence::Implicit && is_nested
    }
}

/// Where the entries are that the tables of an operator follow from: its own, or that of the operator which it is
/// generated from.
pub(super) struct Places(Option<Span>, Option<Span>);

impl Places {
    pub(super) fn of(tables: &Tables<'_>, (old, new): (OperatorId, OperatorId)) -> Self {
        let place = |view: View<'_>, id: OperatorId| {
            let catalogue = view.inputs.catalogue;
            let id = catalogue.operator(id).generated_from().unwrap_or(id);
            Some(DeclaredEntry::of(catalogue, id)?.at(None))
        };
        Self(place(tables.base, old), place(tables.head, new))
    }

    /// A change with both sides there.
    pub(super) fn placed(&self, mut change: Change) -> Change {
        for (fragment, span) in [(&mut change.old, self.0), (&mut change.new, self.1)] {
            if let Some(fragment) = fragment {
                fragment.place = span.map(|span| Place {
                    file: SideFile::NativeFunctions,
                    span,
                });
            }
        }
        change
    }
}

/// Whether a table has a kernel for a call.
pub(super) fn serves(rule: Precedence) -> bool {
    !matches!(
        rule,
        Precedence::Missing | Precedence::Fallback | Precedence::Ambiguous
    )
}

#[cfg(test)]
mod tests {
    use opatlas_verdict::Verdict::{Fails, Runs};

    use super::*;

    /// Two columns, of which only the first has keys with another rule, with tables of each of these verdicts.
    fn known(verdicts: &[[Moves; 2]]) -> OfPatterns {
        let mut known = OfPatterns {
            moved: Vec::new(),
            columns: vec![true, false],
            shapes: Vec::new(),
        };
        let shaped = Arc::new(Shaped {
            shape: Arc::new(Shape::new(Vec::new())),
            changes: Vec::new(),
        });
        for verdicts in verdicts {
            known.keep(verdicts, &shaped);
        }
        known
    }

    #[test]
    fn verdicts_that_stay_tell_tables_apart_only_where_rules_differ() {
        let known = known(&[[(Runs, Runs); 2]]);
        let is_known = |verdicts: [Moves; 2]| known.find(&verdicts).is_some();
        assert!(is_known([(Runs, Runs), (Runs, Runs)]));
        assert!(is_known([(Runs, Runs), (Fails, Fails)]));
        assert!(!is_known([(Fails, Fails), (Runs, Runs)]));
        assert!(!is_known([(Runs, Runs), (Runs, Fails)]));
    }

    /// Each operator of a hostile file may have verdicts of its own.
    #[test]
    fn few_shapes_are_looked_for_one_by_one() {
        let known = known(&[[(Runs, Fails); 2]; 2 * MOST_SHAPES]);
        assert_eq!(known.shapes.len(), MOST_SHAPES);
    }
}
