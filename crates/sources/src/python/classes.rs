//! Classes and their bases.

use std::rc::Rc;

use super::facts::{Binding, ScopeKind, last_word};
use super::value::{Environment, ScopeId, Value};
use super::world::{World, bases_of};

impl<'t> World<'t> {
    /// Whether a base of a class is called `Library`.
    pub(super) fn is_named_library(&self, class: ScopeId) -> bool {
        self.scope(class).is_some_and(|scope| {
            let mut bases = bases_of(scope.node).into_iter();
            matches!(scope.kind, ScopeKind::Class)
                && bases.any(|base| last_word(base, self.source(class.file)) == "Library")
        })
    }

    /// The class and its bases, nearest first, as far as the files define them.
    pub(super) fn ancestry(&self, class: ScopeId) -> Rc<[ScopeId]> {
        let known = self.ancestors.borrow().get(&class).cloned();
        known.unwrap_or_else(|| {
            // A class whose bases depend on itself has none.
            self.ancestors.borrow_mut().insert(class, Rc::new([class]));
            let found: Rc<[ScopeId]> = self.all_bases(class).into();
            self.ancestors.borrow_mut().insert(class, Rc::clone(&found));
            found
        })
    }

    pub(super) fn all_bases(&self, class: ScopeId) -> Vec<ScopeId> {
        let mut found = vec![class];
        let mut next = 0;
        while let Some(&id) = found.get(next).filter(|_| next < MOST_CLASSES) {
            next += 1;
            let Some(scope) = self.scope(id) else {
                continue;
            };
            for base in bases_of(scope.node) {
                let at = ScopeId {
                    index: scope.parent,
                    ..id
                };
                let value = self.evaluate(base, at, &Environment::default());
                if let Ok(Value::Class(base)) = value
                    && !found.contains(&base)
                {
                    found.push(base);
                }
            }
        }
        found
    }

    /// Classes derived from a class.
    pub(super) fn descendants(&self, class: ScopeId) -> Rc<[ScopeId]> {
        let known = self.below.borrow().get(&class).cloned();
        known.unwrap_or_else(|| {
            let found: Rc<[ScopeId]> = self.all_derived(class).into();
            self.below.borrow_mut().insert(class, Rc::clone(&found));
            found
        })
    }

    pub(super) fn all_derived(&self, class: ScopeId) -> Vec<ScopeId> {
        let mut found = vec![class];
        let mut next = 0;
        while let Some(&id) = found.get(next).filter(|_| next < MOST_CLASSES) {
            next += 1;
            let named = self.derived.get(self.name(id)).into_iter().flatten();
            for &candidate in named {
                let is_derived = !found.contains(&candidate)
                    && found.len() < MOST_CLASSES
                    && self.ancestry(candidate).contains(&id);
                if is_derived {
                    found.push(candidate);
                }
            }
        }
        found.remove(0);
        found
    }

    /// The binding of a function's name in a class.
    pub(super) fn method(&self, class: ScopeId, name: &str) -> Option<ScopeId> {
        self.ancestry(class).iter().find_map(|&class| {
            let facts = self.facts(class.file)?;
            let bound = facts.bound.get(&(class.index, name))?.last()?;
            let Binding::Defined(node) = bound.binding else {
                return None;
            };
            let index = facts.body_of(node)?;
            Some(ScopeId { index, ..class })
        })
    }
}

const MOST_CLASSES: usize = 100;
