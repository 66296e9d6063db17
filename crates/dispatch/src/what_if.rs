//! What if a stored operator had other registrations: its table before and after.

use super::calculator::{Given, List, Note, Refused, Wanted, overrides, read};
use super::entry::{Entry, View, bare};
use super::resolve::{Registered, resolve};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;

/// The answer.
#[derive(Debug, Clone)]
pub struct WhatIf<'a> {
    /// The registrations that were added, in the order given.
    pub added: Vec<Given>,
    /// The keys whose registrations were taken away.
    pub removed: Vec<Key>,
    /// Keys that were to lose their registration but have none.
    pub nothing_to_remove: Vec<Key>,
    /// What is worth knowing about the added ones.
    pub notes: Vec<Note>,
    /// The table as it is.
    pub before: Vec<Entry<'a>>,
    /// The table as it would be. Kernels that were only asked about have no origin.
    pub after: Vec<Entry<'a>>,
}

/// A key with another entry than before.
#[derive(Debug, Clone, Copy)]
pub struct Change<'w, 'a> {
    /// The entry as it is.
    pub before: &'w Entry<'a>,
    /// The entry as it would be.
    pub after: &'w Entry<'a>,
}

impl<'a> WhatIf<'a> {
    /// The keys whose entry changes: its reason, its kernel or where it comes from.
    pub fn changes(&self) -> impl Iterator<Item = Change<'_, 'a>> {
        let pairs = self.before.iter().zip(&self.after);
        let changes = pairs.map(|(before, after)| Change { before, after });
        changes.filter(|change| change.before != change.after)
    }
}

impl<'a> View<'a> {
    /// The table of an operator before and after a change of its registrations: `without` names
    /// keys that lose theirs, then `with` is registered on top.
    ///
    /// # Errors
    /// All names that the dispatcher cannot register to.
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
