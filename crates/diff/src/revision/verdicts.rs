//! Finds operators that work on only one side of a comparison, and groups them by cause: if `add.out`
//! loses its kernel, the operators that call it are listed in the change of `add.out`.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::cells::Moved;
use super::support::serves;
use crate::change::{Change, Subject};
use crate::rules::ChangeRuleId;
use opatlas_dispatch::Precedence;
use opatlas_operators::entry::KeyName;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_verdict::Walk;
use opatlas_verdict::{Verdict, View};

/// The verdicts on keys of backends on both sides, and who follows whom.
#[derive(Debug, Default)]
pub(super) struct VerdictMoves {
    /// The keys on both sides, in the base's order, each with its column.
    slots: Vec<(Slot, Slot, usize)>,
    /// The column of a key by the index of the base's slot.
    column_of: Vec<Option<usize>>,
    /// How many columns there are: most keys share theirs with others.
    columns: usize,
    /// By the index of the base's operator those of all columns.
    verdicts: Vec<Moves>,
    /// By operator the keys with the operator whose kernel was lost or gained there.
    leaders: FxHashMap<Arc<str>, Vec<(&'static str, Arc<str>)>>,
}

/// A verdict before and after.
pub(super) type Moves = (Verdict, Verdict);

/// The verdicts of keys that have the same ones, on both sides.
#[derive(Debug)]
struct Column {
    before: opatlas_verdict::Verdicts,
    after: opatlas_verdict::Verdicts,
    /// The operators whose verdicts differ.
    differ: Vec<(OperatorId, OperatorId)>,
}

impl Column {
    fn has_verdicts_of(&self, other: &Self) -> bool {
        self.before.is_shared_with(&other.before) && self.after.is_shared_with(&other.after)
    }
}

impl VerdictMoves {
    pub(super) fn new(
        base: View<'_>,
        head: View<'_>,
        slots: &[(Slot, Slot)],
        pairs: &[(OperatorId, OperatorId)],
    ) -> Self {
        let mut columns: Vec<Column> = Vec::new();
        let mut moves = Self {
            column_of: vec![None; base.keys().count()],
            ..Self::default()
        };
        for &(slot, there) in slots {
            let own = Column {
                before: base.verdicts(slot),
                after: head.verdicts(there),
                differ: Vec::new(),
            };
            let same = columns.iter().position(|it| it.has_verdicts_of(&own));
            let column = same.unwrap_or_else(|| {
                columns.push(own);
                columns.len() - 1
            });
            moves.slots.push((slot, there, column));
            if let Some(place) = moves.column_of.get_mut(slot.index()) {
                *place = Some(column);
            }
        }
        let operators = base.inputs.catalogue.operators.len();
        moves.columns = columns.len();
        moves.verdicts = vec![(Verdict::Unknown, Verdict::Unknown); operators * columns.len()];
        for &(old, new) in pairs {
            let of_operator = &mut moves.verdicts[old.index() * columns.len()..];
            for (column, place) in columns.iter_mut().zip(of_operator) {
                *place = (column.before.of(old), column.after.of(new));
                if place.0 != place.1 {
                    column.differ.push((old, new));
                }
            }
        }
        // Keys of a column have the same verdicts for the same reasons, so who follows whom is found for the first.
        let mut followers: Vec<Option<Followers>> = vec![None; columns.len()];
        for &(slot, there, column) in &moves.slots {
            let of_column = followers[column]
                .get_or_insert_with(|| followers_of((base, slot), (head, there), &columns[column]));
            let key = base.keys().name(Key::Runtime(slot));
            for (follower, leader) in of_column {
                let of_operator = moves.leaders.entry(Arc::clone(follower)).or_default();
                of_operator.push((key, Arc::clone(leader)));
            }
        }
        moves
    }

    /// The verdicts on an operator that both sides have, by column.
    pub(super) fn of(&self, old: OperatorId) -> &[Moves] {
        let from = old.index() * self.columns;
        self.verdicts.get(from..from + self.columns).unwrap_or(&[])
    }

    /// Which columns keys have.
    pub(super) fn columns_of(&self, keys: &[Moved]) -> Vec<bool> {
        let mut columns = vec![false; self.columns];
        for moved in keys {
            let column = self.column_of.get(moved.base.index()).copied().flatten();
            if let Some(column) = column {
                columns[column] = true;
            }
        }
        columns
    }

    /// What moved in tables, with these verdicts by column, in table order: those keys, and others whose verdict
    /// alone changed. `rules` are those of a key before and after.
    pub(super) fn with(
        &self,
        verdicts: &[Moves],
        moved: &[Moved],
        rules: impl Fn((Slot, Slot)) -> (Precedence, Precedence),
    ) -> Vec<Moved> {
        let of_column = |column: usize| verdicts.get(column).copied();
        let differs = |&&(.., column): &&(Slot, Slot, usize)| {
            of_column(column).is_some_and(|(before, after)| before != after)
        };
        let mut differ = self.slots.iter().filter(differs).peekable();
        let of_key = |&(base, head, column): &(Slot, Slot, usize)| {
            let (before, after) = rules((base, head));
            Moved {
                base,
                head,
                before,
                after,
                verdicts: of_column(column),
            }
        };
        let mut all = Vec::with_capacity(self.slots.len());
        for moved in moved {
            while let Some(before) = differ.next_if(|own| own.0 < moved.base) {
                all.push(of_key(before));
            }
            differ.next_if(|own| own.0 == moved.base);
            let column = self.column_of.get(moved.base.index()).copied().flatten();
            all.push(Moved {
                verdicts: column.and_then(of_column),
                ..*moved
            });
        }
        all.extend(differ.map(of_key));
        all
    }
}

/// Operators, each with the one that it follows.
type Followers = Vec<(Arc<str>, Arc<str>)>;

/// The operators whose verdicts on a key differ because another one's kernel was lost or gained, each with that one.
fn followers_of(
    (base, slot): (View<'_>, Slot),
    (head, there): (View<'_>, Slot),
    column: &Column,
) -> Followers {
    let mut fallen = Vec::new();
    let (mut lost, mut gained) = (FxHashMap::default(), FxHashMap::default());
    for &(old, new) in &column.differ {
        if base.tables.pattern_index(old).is_none() || head.tables.pattern_index(new).is_none() {
            continue;
        }
        match (column.before.of(old), column.after.of(new)) {
            (before, after) if before.works() && after.lacks() => {
                if column.after.is_leaf(new) {
                    lost.insert(new, old);
                } else {
                    fallen.push((true, new, old));
                }
            }
            (before, after) if before.lacks() && after.works() => {
                if column.before.is_leaf(old) {
                    gained.insert(old, old);
                } else {
                    fallen.push((false, old, old));
                }
            }
            _ => {}
        }
    }
    if lost.is_empty() && gained.is_empty() {
        return Vec::new();
    }
    let name = |id| -> Arc<str> { base.inputs.catalogue.operator(id).shared_name() };
    let mut walk = Walk::default();
    let follower = |(falls, id, old)| {
        let (needs, of_kernels) = match falls {
            true => (head.support_with(id, there, &mut walk).needs, &lost),
            false => (base.support_with(id, slot, &mut walk).needs, &gained),
        };
        let leader = needs.iter().find_map(|leaf| of_kernels.get(leaf))?;
        Some((name(old), name(*leader)))
    };
    fallen.into_iter().filter_map(follower).collect()
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

/// The rules by which an operator that only follows another one is listed in that one's change.
const FOLLOWING: [ChangeRuleId; 2] = [
    ChangeRuleId::BackendSupportLost,
    ChangeRuleId::BackendSupportGained,
];

/// An operator that follows another one in a rule: that one, the rule, and itself.
pub(super) type Follower = (Arc<str>, ChangeRuleId, Arc<str>);

impl VerdictMoves {
    /// Takes from the changes of an operator the keys on which it only follows another one.
    pub(super) fn take_following(
        &self,
        operator: &Arc<str>,
        changes: &mut Vec<Change>,
        followers: &mut Vec<Follower>,
    ) {
        let may_follow = |change: &Change| FOLLOWING.contains(&change.rule.id);
        if self.leaders.is_empty() || !changes.iter().any(may_follow) {
            return;
        }
        let Some(leaders) = self.leaders.get(operator) else {
            return;
        };
        changes.retain_mut(|change| {
            let rule = change.rule.id;
            let Subject::Keys(keys) = &mut change.subject else {
                return true;
            };
            if !FOLLOWING.contains(&rule) {
                return true;
            }
            let stays = |key: &&KeyName| {
                // Of a name that is declared twice the last.
                let mut of_key = leaders.iter().rev();
                let Some((_, leader)) = of_key.find(|(at, _)| *at == key.as_str()) else {
                    return true;
                };
                followers.push((Arc::clone(leader), rule, Arc::clone(operator)));
                false
            };
            *keys = keys.iter().filter(stays).cloned().collect();
            !keys.is_empty()
        });
    }
}

/// Lists operators that follow another one in that one's change (`also`). `changes` are those of all tables.
pub(super) fn fold(followers: &[Follower], changes: &mut [Arc<Change>]) {
    if followers.is_empty() {
        return;
    }
    let mut of_leaders: FxHashMap<&str, Vec<(ChangeRuleId, &Arc<str>)>> = FxHashMap::default();
    for (leader, rule, name) in followers {
        let names = of_leaders.entry(leader).or_default();
        // An operator may follow another one on several keys, which stand together.
        if names.last() != Some(&(*rule, name)) {
            names.push((*rule, name));
        }
    }
    let may_lead = |change: &&mut Arc<Change>| FOLLOWING.contains(&change.rule.id);
    for change in changes.iter_mut().filter(may_lead) {
        if let Some(names) = of_leaders.get_mut(&*change.operator) {
            let change = Arc::make_mut(change);
            let of_rule = names.extract_if(.., |(rule, _)| *rule == change.rule.id);
            change
                .also
                .extend(of_rule.map(|(_, name)| Arc::clone(name)));
        }
    }
}
