//! The table of a stored operator before and after a hypothetical edit of its registrations.

use super::calculator::{Given, List, Note, Refused, Wanted, overrides, read};
use super::entry::{Entry, View, bare};
use super::resolve::{Registered, resolve};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;

/// The result of an edit.
#[derive(Debug, Clone)]
pub struct WhatIf<'a> {
    /// The added registrations, in the given order.
    pub added: Vec<Given>,
    /// The keys whose registrations were removed.
    pub removed: Vec<Key>,
    /// Keys without a registration to remove.
    pub nothing_to_remove: Vec<Key>,
    /// Notes on the added registrations.
    pub notes: Vec<Note>,
    /// The current table.
    pub before: Vec<Entry<'a>>,
    /// The new table. Hypothetical kernels have no origin.
    pub after: Vec<Entry<'a>>,
}

/// A key whose entry changes.
#[derive(Debug, Clone, Copy)]
pub struct Change<'w, 'a> {
    /// The current entry.
    pub before: &'w Entry<'a>,
    /// The new entry.
    pub after: &'w Entry<'a>,
}

impl<'a> WhatIf<'a> {
    /// The keys whose entry changes.
    pub fn changes(&self) -> impl Iterator<Item = Change<'_, 'a>> {
        let pairs = self.before.iter().zip(&self.after);
        let changes = pairs.map(|(before, after)| Change { before, after });
        changes.filter(|change| change.before != change.after)
    }
}

impl<'a> View<'a> {
    /// Computes the table of an operator after removing the registrations on the keys in `without`, then adding
    /// `with`.
    ///
    /// # Errors
    /// All names of keys that do not accept registrations.
    pub fn what_if(
        self,
        id: OperatorId,
        with: &[Wanted<'_>],
        without: &[&str],
    ) -> Result<WhatIf<'a>, Vec<Refused>> {
        let keys = self.keys();
        let (mut given, mut refused) = read(keys, List::Registrations, with);
        let removals: Vec<_> = without.iter().map(|key| Wanted::at(key)).collect();
        let (removals, more) = read(keys, List::Removals, &removals);
        refused.extend(more);
        if !refused.is_empty() {
            return Err(refused);
        }
        let notes = overrides(&mut given);
        let added: Vec<Given> = given.into_iter().map(|(_, given)| given).collect();
        let now = self.tables.pattern(id).map(|pattern| pattern.registered);
        let mut registered = now.unwrap_or_default();
        let (removed, nothing_to_remove): (Vec<Key>, Vec<Key>) = removals
            .into_iter()
            .map(|(_, given)| given.key)
            .partition(|&key| registered.contains(key));
        removed.iter().for_each(|&key| registered.remove(key));
        added.iter().for_each(|given| registered.insert(given.key));
        Ok(WhatIf {
            before: self.table(id).collect(),
            after: self.after(id, &registered, &added),
            added,
            removed,
            nothing_to_remove,
            notes,
        })
    }

    fn after(self, id: OperatorId, registered: &Registered, added: &[Given]) -> Vec<Entry<'a>> {
        let keys = self.keys();
        let table = resolve(keys, registered, self.tables.fallbacks());
        let entry = |slot: Slot| {
            let rule = table.rule(slot);
            let source = rule.source(slot);
            let mut effective = added.iter().filter(|given| !given.overridden);
            if let Some(given) = effective.find(|given| Some(given.key) == source) {
                let mut entry = bare(keys, slot, rule);
                entry.kernel = Some(given.kernel.to_string().into());
                entry.fallthrough = given.fallthrough;
                return Some(entry);
            }
            self.served_by(id, slot, rule)
        };
        keys.slots().filter_map(entry).collect()
    }
}
