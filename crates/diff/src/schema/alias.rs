//! Alias annotations of arguments.
//!
//! Torch compares alias sets by their names, so `(a)` made `(b)` everywhere is a break to it. Here
//! names have no meaning: what counts is which values share a set. Old and new names that trade
//! places one for one through the whole schema are a renaming.

use super::Found;
use super::align::Alignment;
use crate::change::Subject;
use crate::official::{Alias, Argument, RuntimeSchema, Symbol};
use crate::rules::ChangeRuleId;

pub(super) fn compare(found: &mut Found<'_>, alignment: &Alignment) {
    let (old, new) = (found.old.schema, found.new.schema);
    let renaming = Renaming::find(old, new, alignment);
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
                (Some(a), Some(b)) if renaming.is_some() => {
                    if is_bare(a) == is_bare(b) {
                        renamed.push((i, j));
                        continue;
                    }
                    ChangeRuleId::MutabilityRespelled
                }
                _ => ChangeRuleId::AliasSetChanged,
            },
        };
        let change = found.argument(rule, Some(i), Some(j));
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

/// Whether a return's annotation changed in a way that no argument's annotation explains.
pub(super) fn return_changed(
    found: &Found<'_>,
    alignment: &Alignment,
    before: &Argument<'_>,
    after: &Argument<'_>,
) -> bool {
    if before.alias == after.alias {
        return false;
    }
    let (old, new) = (found.old.schema, found.new.schema);
    if Renaming::find(old, new, alignment).is_some() {
        return false;
    }
    let shares = |a: &Option<Box<Alias<'_>>>, b: &Option<Box<Alias<'_>>>| match (a, b) {
        (Some(a), Some(b)) => symbols(a).iter().any(|symbol| symbols(b).contains(symbol)),
        _ => false,
    };
    let pairs = [
        &alignment.plain[..],
        &alignment.out[..],
        &alignment.became_out[..],
        &alignment.became_plain[..],
    ]
    .concat();
    // What an argument gained or lost, the return that is the argument gained or lost with it.
    let explained = pairs.iter().any(|&(i, j)| {
        let (a, b) = (&old.arguments[i], &new.arguments[j]);
        a.alias != b.alias
            && (shares(&a.alias, &before.alias) || shares(&b.alias, &after.alias))
            && (before.alias.is_none() || shares(&a.alias, &before.alias))
            && (after.alias.is_none() || shares(&b.alias, &after.alias))
    });
    !explained
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

/// Old names of alias sets and the new names that they have throughout, one for one.
struct Renaming<'a> {
    names: Vec<(Symbol<'a>, Symbol<'a>)>,
}

impl<'a> Renaming<'a> {
    fn find(
        old: &RuntimeSchema<'a>,
        new: &RuntimeSchema<'a>,
        alignment: &Alignment,
    ) -> Option<Self> {
        let mut renaming = Self { names: Vec::new() };
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
            .then_some(renaming)
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
        // The order within a set means nothing: what stands on both sides is itself.
        let is_same = old.iter().all(|symbol| new.contains(symbol));
        let pairs = old.iter().enumerate().map(|(i, symbol)| match is_same {
            true => (*symbol, *symbol),
            false => (*symbol, new[i]),
        });
        pairs.collect::<Vec<_>>().into_iter().all(|(old, new)| {
            let is_wildcard = |symbol| matches!(symbol, Symbol::Wildcard);
            if is_wildcard(old) != is_wildcard(new) {
                return false;
            }
            let known = self.names.iter().find(|(a, b)| *a == old || *b == new);
            match known {
                Some(&pair) => pair == (old, new),
                None => {
                    self.names.push((old, new));
                    true
                }
            }
        })
    }
}
