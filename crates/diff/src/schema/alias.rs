//! Alias annotations of arguments.
//!
//! PyTorch's check compares the letters of alias sets, so it rejects renaming `(a)` to `(b)`
//! everywhere. Here only the values that share a set matter, and a one-to-one exchange of letters in
//! the whole schema is a renaming.

use rustc_hash::{FxHashMap, FxHashSet};

use super::ChangeCollector;
use super::align::Alignment;
use crate::change::Subject;
use crate::official::{Alias, Argument, RuntimeSchema, Symbol, Type};
use crate::rules::{Audience, Audiences, ChangeRuleId, Impacts};

/// The most sets of an annotation that are considered. PyTorch's annotations have one or two.
const SETS: usize = 16;

pub(super) fn compare(found: &mut ChangeCollector<'_>, alignment: &Alignment) {
    let (old, new) = (found.old.schema, found.new.schema);
    let is_renaming = Renaming::explains(old, new, alignment);
    let pairs = [&alignment.plain[..], &alignment.out[..]].concat();
    let mut renamed = Vec::new();
    for (i, j) in pairs {
        let (before, after) = (&old.arguments[i], &new.arguments[j]);
        let rule = match (write_of(before), write_of(after)) {
            (false, true) => ChangeRuleId::MutabilityGained,
            (true, false) => ChangeRuleId::MutabilityLost,
            _ => match (before.alias.as_deref(), after.alias.as_deref()) {
                (None, None) => continue,
                (None, Some(_)) => ChangeRuleId::AliasAnnotationAdded,
                (Some(_), None) => ChangeRuleId::AliasAnnotationRemoved,
                (Some(a), Some(b)) if a == b => continue,
                (Some(a), Some(b)) if is_renaming => {
                    if is_bare(a) == is_bare(b) {
                        renamed.push((i, j));
                        continue;
                    }
                    ChangeRuleId::MutabilityRespelled
                }
                _ => ChangeRuleId::AliasSetChanged,
            },
        };
        let mut change = found.argument(rule, Some(i), Some(j));
        if let Type::List(_) = after.ty {
            change.impacts = of_list(change.impacts);
        }
        found.add(change);
    }
    if let Some(&(i, j)) = renamed.first() {
        let names = renamed.iter().map(|&(i, _)| old.arguments[i].name.into());
        let change = found
            .change(
                ChangeRuleId::AliasSetRenamed,
                Subject::Names(names.collect()),
            )
            .old(found.old.argument(i))
            .new_side(found.new.argument(j));
        found.add(change);
    }
}

#[derive(Debug, Default)]
pub(super) struct AliasMoves<'a> {
    /// Whether the sets were only renamed.
    is_renaming: bool,
    moved: FxHashSet<(Option<Symbol<'a>>, Option<Symbol<'a>>)>,
}

impl<'a> AliasMoves<'a> {
    pub(super) fn new(
        old: &RuntimeSchema<'a>,
        new: &RuntimeSchema<'a>,
        alignment: &Alignment,
    ) -> Self {
        let mut moves = Self {
            is_renaming: Renaming::explains(old, new, alignment),
            ..Self::default()
        };
        let pairs = [
            &alignment.plain,
            &alignment.out,
            &alignment.became_out,
            &alignment.became_plain,
        ];
        for &(i, j) in pairs.into_iter().flatten() {
            let (before, after) = (&old.arguments[i].alias, &new.arguments[j].alias);
            if before != after {
                moves.moved.extend(crossed(before, after));
            }
        }
        moves
    }

    /// Whether a return's annotation changed independently of the arguments. A return that shares memory
    /// with an argument gains or loses a set with it.
    pub(super) fn is_own_change(&self, before: &Argument<'a>, after: &Argument<'a>) -> bool {
        if before.alias == after.alias || self.is_renaming {
            return false;
        }
        let has_both = before.alias.is_some() && after.alias.is_some();
        let mut sets = crossed(&before.alias, &after.alias);
        sets.retain(|(old, new)| !has_both || (old.is_some() && new.is_some()));
        !sets.iter().any(|sets| self.moved.contains(sets))
    }
}

/// Each old set with each new set, and each set alone.
fn crossed<'a>(
    before: &Option<Box<Alias<'a>>>,
    after: &Option<Box<Alias<'a>>>,
) -> Vec<(Option<Symbol<'a>>, Option<Symbol<'a>>)> {
    let sets = |alias: &Option<Box<Alias<'a>>>| {
        let all = alias.as_deref().map(symbols).unwrap_or_default();
        let mut sets: Vec<Symbol<'a>> = Vec::new();
        for set in all {
            if sets.len() < SETS && !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets
    };
    let (before, after) = (sets(before), sets(after));
    let mut crossed = Vec::new();
    crossed.extend(before.iter().map(|&old| (Some(old), None)));
    crossed.extend(after.iter().map(|&new| (None, Some(new))));
    for &old in &before {
        crossed.extend(after.iter().map(|&new| (Some(old), Some(new))));
    }
    crossed
}

/// The C++ type of a list of tensors does not depend on mutability.
fn of_list(impacts: Impacts) -> Impacts {
    impacts.without(Audiences::of(&[Audience::Cpp, Audience::Backend]))
}

fn write_of(argument: &Argument<'_>) -> bool {
    argument.alias.as_ref().is_some_and(|alias| alias.is_write)
}

fn is_bare(alias: &Alias<'_>) -> bool {
    matches!(alias.before.as_slice(), [Symbol::Fresh(_)])
}

fn symbols<'a>(alias: &Alias<'a>) -> Vec<Symbol<'a>> {
    let mut all = alias.before.as_slice().to_vec();
    all.extend(alias.after.as_slice());
    if let Some(contained) = &alias.contained {
        all.extend(symbols(contained));
    }
    all
}

#[derive(Default)]
struct Renaming<'a> {
    to_new: FxHashMap<Symbol<'a>, Symbol<'a>>,
    to_old: FxHashMap<Symbol<'a>, Symbol<'a>>,
}

impl<'a> Renaming<'a> {
    /// Whether all annotations differ only in the names of their sets.
    fn explains(old: &RuntimeSchema<'a>, new: &RuntimeSchema<'a>, alignment: &Alignment) -> bool {
        let mut renaming = Self::default();
        let arguments = alignment.plain.iter().chain(&alignment.out);
        let arguments = arguments.map(|&(i, j)| (&old.arguments[i], &new.arguments[j]));
        let returns = old.returns.iter().zip(&new.returns);
        arguments
            .chain(returns)
            .all(|(old, new)| match (&old.alias, &new.alias) {
                (Some(old), Some(new)) => renaming.takes(old, new),
                (None, None) => true,
                _ => false,
            })
    }

    fn takes(&mut self, old: &Alias<'a>, new: &Alias<'a>) -> bool {
        let after = is_bare(old) || is_bare(new) || {
            let (a, b) = (old.after.as_slice(), new.after.as_slice());
            self.takes_sets(a, b)
        };
        let contained = match (&old.contained, &new.contained) {
            (Some(old), Some(new)) => self.takes(old, new),
            (None, None) => true,
            _ => false,
        };
        old.is_write == new.is_write
            && after
            && contained
            && self.takes_sets(old.before.as_slice(), new.before.as_slice())
    }

    fn takes_sets(&mut self, old: &[Symbol<'a>], new: &[Symbol<'a>]) -> bool {
        if old.len() != new.len() {
            return false;
        }
        // The order within a set has no meaning.
        let is_same = old.iter().all(|symbol| new.contains(symbol));
        let others = if is_same { old } else { new };
        old.iter().zip(others).all(|(&old, &new)| {
            let is_wildcard = |symbol| matches!(symbol, Symbol::Wildcard);
            if is_wildcard(old) != is_wildcard(new) {
                return false;
            }
            // Checking both directions keeps the map one-to-one.
            let after = *self.to_new.entry(old).or_insert(new);
            let before = *self.to_old.entry(new).or_insert(old);
            (before, after) == (old, new)
        })
    }
}
