//! Finds operators that work on only one side of a comparison, and groups them by cause: if `add.out`
//! loses its kernel, the operators that call it are listed in the change of `add.out`.

use std::mem;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cells::Moved;
use super::support::serves;
use crate::change::{Change, Subject};
use crate::rules::ChangeRuleId;
use opatlas_dispatch::{Verdict, View};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;

/// The verdicts that differ, by the base's operator, and who follows whom.
#[derive(Debug, Default)]
pub(super) struct VerdictMoves {
    /// Those of one operator together, in table order.
    moved: Vec<Moved>,
    /// Where those of each operator of the base end, by its index.
    ends: Vec<u32>,
    /// The verdicts on backend keys, by the index of the base's slot.
    all: Vec<Option<Both>>,
    /// The head's operator of each one of the base, by its index.
    head_of: Vec<Option<OperatorId>>,
    /// By operator the keys with the operator whose kernel was lost or gained there.
    leaders: FxHashMap<Box<str>, Vec<(&'static str, Box<str>)>>,
}

/// A backend key on both sides.
#[derive(Debug, Clone)]
struct Both {
    base: Slot,
    head: Slot,
    before: opatlas_dispatch::support::Verdicts,
    after: opatlas_dispatch::support::Verdicts,
}

impl Both {
    fn has_verdicts_of(&self, other: &Self) -> bool {
        self.before.is_shared_with(&other.before) && self.after.is_shared_with(&other.after)
    }

    fn differ(&self, (old, new): (OperatorId, OperatorId)) -> bool {
        self.before.of(old) != self.after.of(new)
    }
}

impl VerdictMoves {
    pub(super) fn new(
        base: View<'_>,
        head: View<'_>,
        slots: &[(Slot, Slot)],
        pairs: &[(OperatorId, OperatorId)],
    ) -> Self {
        let mut head_of = vec![None; base.inputs.catalogue.operators.len()];
        for &(old, new) in pairs {
            head_of[old.index()] = Some(new);
        }
        let mut moves = Self {
            head_of,
            all: vec![None; base.keys().count()],
            ..Self::default()
        };
        // Most keys share their verdicts with others, so those that differ are found once for all of them.
        let mut known: Vec<(Both, Vec<(OperatorId, OperatorId)>)> = Vec::new();
        let mut found = Vec::new();
        for &(slot, there) in slots {
            let both = Both {
                base: slot,
                head: there,
                before: base.verdicts(slot),
                after: head.verdicts(there),
            };
            let same = known.iter().position(|(it, _)| it.has_verdicts_of(&both));
            let same = same.unwrap_or_else(|| {
                let differ = pairs.iter().copied().filter(|&pair| both.differ(pair));
                let differ = differ.collect();
                known.push((both.clone(), differ));
                known.len() - 1
            });
            moves.compare(base, head, &both, &known[same].1, &mut found);
            if let Some(place) = moves.all.get_mut(slot.index()) {
                *place = Some(both);
            }
        }
        moves.sort(&found);
        moves
    }

    /// Puts together what was found of each operator, key by key.
    fn sort(&mut self, found: &[(OperatorId, Moved)]) {
        // First where those of an operator begin. Each that is put there moves its end.
        self.ends = vec![0; self.head_of.len()];
        for (id, _) in found {
            self.ends[id.index()] += 1;
        }
        let mut before = 0;
        for end in &mut self.ends {
            before += mem::replace(end, before);
        }
        if let Some(&(_, any)) = found.first() {
            self.moved = vec![any; found.len()];
        }
        for &(id, moved) in found {
            let end = &mut self.ends[id.index()];
            self.moved[*end as usize] = moved;
            *end += 1;
        }
    }

    fn of(&self, operator: OperatorId) -> &[Moved] {
        let at = operator.index();
        let Some(&end) = self.ends.get(at) else {
            return &[];
        };
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.moved[begin as usize..end as usize]
    }

    /// Adds the operators whose verdicts differ.
    fn compare(
        &mut self,
        base: View<'_>,
        head: View<'_>,
        both: &Both,
        pairs: &[(OperatorId, OperatorId)],
        found: &mut Vec<(OperatorId, Moved)>,
    ) {
        let rule = |view: View<'_>, id, slot| Some(view.tables.pattern(id)?.rule(slot));
        let mut fallen = Vec::new();
        let (mut lost, mut gained) = (FxHashMap::default(), FxHashMap::default());
        for &(old, new) in pairs {
            let verdicts = (both.before.of(old), both.after.of(new));
            let rules = (rule(base, old, both.base), rule(head, new, both.head));
            let (Some(before), Some(after)) = rules else {
                continue;
            };
            let moved = Moved {
                base: both.base,
                head: both.head,
                before,
                after,
                verdicts: Some(verdicts),
            };
            found.push((old, moved));
            match verdicts {
                (before, after) if before.works() && after.lacks() => {
                    if both.after.is_leaf(new) {
                        lost.insert(new, old);
                    } else {
                        fallen.push((true, new, old));
                    }
                }
                (before, after) if before.lacks() && after.works() => {
                    if both.before.is_leaf(old) {
                        gained.insert(old, old);
                    } else {
                        fallen.push((false, old, old));
                    }
                }
                _ => {}
            }
        }
        if lost.is_empty() && gained.is_empty() {
            return;
        }
        let name = |id| -> Box<str> { base.inputs.catalogue.operator(id).qualified_name().into() };
        let key = base.keys().name(Key::Runtime(both.base));
        for (falls, id, old) in fallen {
            let (needs, leaders) = match falls {
                true => (head.support(id, both.head).needs, &lost),
                false => (base.support(id, both.base).needs, &gained),
            };
            if let Some(&leader) = needs.iter().find_map(|leaf| leaders.get(leaf)) {
                let of_operator = self.leaders.entry(name(old)).or_default();
                of_operator.push((key, name(leader)));
            }
        }
    }

    /// What moved in an operator's table, with verdicts, in table order: those keys, and others whose verdict
    /// alone changed. `all` is emptied first.
    pub(super) fn with(&self, old: OperatorId, moved: &[Moved], all: &mut Vec<Moved>) {
        all.clear();
        let mut own = self.of(old).iter().copied().peekable();
        for moved in moved {
            while let Some(before) = own.next_if(|own| own.base < moved.base) {
                all.push(before);
            }
            let own = own.next_if(|own| own.base == moved.base);
            all.push(own.unwrap_or_else(|| Moved {
                verdicts: self.verdicts(old, moved.base),
                ..*moved
            }));
        }
        all.extend(own);
    }

    fn verdicts(&self, old: OperatorId, slot: Slot) -> Option<(Verdict, Verdict)> {
        let new = (*self.head_of.get(old.index())?)?;
        let both = self.all.get(slot.index())?.as_ref()?;
        Some((both.before.of(old), both.after.of(new)))
    }
}

/// Whether a call worked and does not any more. Where it is not known whether it worked, what the
/// tables say decides.
pub(super) fn is_loss(moved: &Moved) -> bool {
    let by_table = serves(moved.before) && !serves(moved.after);
    match moved.verdicts {
        Some((before, after)) if before.works() => after.lacks() || by_table,
        Some((before, _)) if before.lacks() => false,
        _ => by_table,
    }
}

/// Whether a call works and did not before, in the same sense.
pub(super) fn is_gain(moved: &Moved) -> bool {
    let by_table = !serves(moved.before) && serves(moved.after);
    match moved.verdicts {
        Some((before, after)) if after.works() => before.lacks() || by_table,
        Some((_, after)) if after.lacks() => false,
        _ => by_table,
    }
}

/// Folds the changes of operators that only follow another one into that one's change (`also`).
/// `changes` are those of all tables.
pub(super) fn fold(moves: &VerdictMoves, changes: &mut Vec<Arc<Change>>) {
    let rules = [
        ChangeRuleId::BackendSupportLost,
        ChangeRuleId::BackendSupportGained,
    ];
    let mut followers: FxHashMap<&str, Vec<(ChangeRuleId, Box<str>)>> = FxHashMap::default();
    let mut stays = |change: &mut Arc<Change>| {
        let leaders = match rules.contains(&change.rule.id) {
            true => moves.leaders.get(&change.operator),
            false => None,
        };
        let Some(leaders) = leaders else {
            return true;
        };
        let change = Arc::make_mut(change);
        let Subject::Keys(keys) = &mut change.subject else {
            return true;
        };
        keys.retain(|key| {
            // Of a name that is declared twice the last.
            let mut of_key = leaders.iter().rev();
            let Some((_, leader)) = of_key.find(|(at, _)| *at == key.as_str()) else {
                return true;
            };
            let names = followers.entry(&**leader).or_default();
            // All keys of an operator stand together.
            let name = (change.rule.id, change.operator.clone());
            if names.last() != Some(&name) {
                names.push(name);
            }
            false
        });
        !keys.is_empty()
    };
    changes.retain_mut(&mut stays);
    for change in changes {
        if let Some(names) = followers.get_mut(&*change.operator) {
            let change = Arc::make_mut(change);
            let of_rule = names.extract_if(.., |(rule, _)| *rule == change.rule.id);
            change.also.extend(of_rule.map(|(_, name)| name));
        }
    }
}
