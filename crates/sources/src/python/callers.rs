//! The calls of a function in all files.

use std::rc::Rc;

use super::facts::{Binding, ScopeKind, Site, last_word};
use super::value::{Caller, Choice, Environment, Needs, Part, Receiver, ScopeId, Value};
use super::world::World;

impl<'t> World<'t> {
    /// A choice for each call of a function.
    pub(super) fn calls_of(
        &self,
        id: ScopeId,
        environment: &Environment<'t>,
    ) -> Result<Vec<Choice<'t>>, Needs> {
        let mut callers = self.callers_of(id).to_vec();
        if let Some(outer) = self.returning(id) {
            match self.choice(environment, outer) {
                Some(Choice::Sites(sites, _)) => match &sites[..] {
                    [(site, _)] if site.applied.is_some() => {
                        callers.push((Rc::clone(site), Receiver::Applied));
                    }
                    [(site, _)] => callers.extend(self.calls_of_assigned(site, id)),
                    _ => return Err(Needs(outer, Part::One)),
                },
                Some(Choice::Unknown(why)) => return Ok(vec![Choice::Unknown(why.clone())]),
                _ => return Err(Needs(outer, Part::One)),
            }
        }
        Ok(vec![match callers.is_empty() {
            true => Choice::Unknown(self.uncalled(id)),
            false => Choice::Sites(callers.into(), Rc::new([])),
        }])
    }

    /// Calls of a function that a call of another one gives, by the names that it is assigned to.
    pub(super) fn calls_of_assigned(&self, made: &Site<'t>, id: ScopeId) -> Vec<Caller<'t>> {
        let Some(facts) = self.facts(made.file) else {
            return Vec::new();
        };
        let named = facts.bound.iter().filter(|(_, all)| {
            let mut all = all.iter();
            all.any(
                |bound| matches!(bound.binding, Binding::Assigned(node, _) if node == made.node),
            )
        });
        let mut names: Vec<&str> = named.map(|((_, name), _)| *name).collect();
        names.sort_unstable();
        let mut callers = Vec::new();
        for site in names.iter().flat_map(|name| self.sites(name)) {
            let is_near = site.file == made.file || self.imports_from(site, made.file);
            let is_call =
                is_near && matches!(self.callee(site), Some(Value::Function(of, _)) if of == id);
            if is_call && self.step() {
                let receiver = match site.node.kind() {
                    "call" => Receiver::Argument,
                    _ => Receiver::Applied,
                };
                callers.push((Rc::new(site.clone()), receiver));
            }
        }
        callers
    }

    /// Whether a file imports what a call calls from another file.
    pub(super) fn imports_from(&self, site: &Site<'t>, file: u32) -> bool {
        let function = site
            .node
            .child_by_field_name("function")
            .unwrap_or(site.node);
        let name = last_word(function, self.source(site.file));
        let bound = self
            .facts(site.file)
            .and_then(|facts| facts.bound.get(&(0, name)));
        bound
            .into_iter()
            .flatten()
            .any(|bound| match bound.binding {
                Binding::Imported(import) => self.module(import.module, site.file) == Some(file),
                _ => false,
            })
    }

    /// The function around a function, if it returns it.
    pub(super) fn returning(&self, id: ScopeId) -> Option<ScopeId> {
        let facts = self.facts(id.file)?;
        let index = facts.owner(facts.scope(id.index)?.parent);
        let outer = facts.scope(index)?;
        let ScopeKind::Function(_) = outer.kind else {
            return None;
        };
        let name = self.name(id);
        let mut returns = facts.returns.get(&index)?.iter();
        let is_returned = returns.any(|node| self.text(*node, id.file) == name);
        is_returned.then_some(ScopeId { index, ..id })
    }

    pub(super) fn callers_of(&self, id: ScopeId) -> Rc<[Caller<'t>]> {
        if let Some(known) = self.callers.borrow().get(&id) {
            return Rc::clone(known);
        }
        // A function that calls itself needs no more calls.
        self.callers.borrow_mut().insert(id, Rc::new([]));
        let mut found = Vec::new();
        let is_method = self.class_of_method(id).is_some();
        if is_method && self.name(id) == "__init__" {
            self.constructions(id, &mut found);
        } else {
            self.named_calls(id, is_method, &mut found);
        }
        self.without_repeated(&mut found);
        let found: Rc<[Caller<'t>]> = found.into();
        self.callers.borrow_mut().insert(id, Rc::clone(&found));
        found
    }

    /// Calls without arguments are all the same.
    pub(super) fn without_repeated(&self, found: &mut Vec<Caller<'t>>) {
        let mut has_bare = false;
        found.retain(|(site, receiver)| {
            let is_bare = *receiver != Receiver::Applied
                && site.applied.is_none()
                && site.node.kind() == "call"
                && self.is_bare(site);
            let is_first = !is_bare || !has_bare;
            has_bare |= is_bare;
            is_first
        });
        found.truncate(MOST_CALLERS);
    }

    pub(super) fn named_calls(&self, id: ScopeId, is_method: bool, found: &mut Vec<Caller<'t>>) {
        let name = self.name(id);
        if name.is_empty() {
            return;
        }
        self.want_callers(id, is_method);
        for name in self.names_of(name) {
            for site in self.sites(name) {
                if !self.step() || found.len() >= MOST_CALLERS {
                    return;
                }
                if self.is_within(site, id) || !self.calls(site, id) {
                    continue;
                }
                let is_bare = site.node.kind() != "call";
                let receiver = match (is_bare, is_method) {
                    (true, _) => Receiver::Applied,
                    (false, true) => Receiver::Object,
                    (false, false) => Receiver::Argument,
                };
                found.push((Rc::new(site.clone()), receiver));
            }
        }
    }

    /// Asks for files that call a function of a module, or make objects of its class.
    pub(super) fn want_callers(&self, id: ScopeId, is_method: bool) {
        let parent = self.scope(id).map(|scope| ScopeId {
            index: scope.parent,
            ..id
        });
        let Some(parent) = parent else {
            return;
        };
        let name = self.name(if is_method { parent } else { id });
        let grandparent = self.scope(parent).map_or(0, |scope| scope.parent);
        let mut wanted = self.wanted.borrow_mut();
        if is_method && grandparent == 0 && !name.starts_with("Test") {
            wanted.classes.insert(name.to_owned());
        }
        if !is_method && parent.index == 0 {
            wanted.called.insert(name.to_owned());
        }
    }

    pub(super) fn is_within(&self, site: &Site<'t>, id: ScopeId) -> bool {
        let at = site.node.start_byte();
        let scope = self.scope(id);
        site.file == id.file && scope.is_some_and(|scope| (scope.start..scope.end).contains(&at))
    }

    pub(super) fn constructions(&self, id: ScopeId, found: &mut Vec<Caller<'t>>) {
        let Some(class) = self.class_of_method(id) else {
            return;
        };
        self.want_callers(id, true);
        let below = self.descendants(class);
        let own = |class: &&ScopeId| self.method(**class, "__init__") == Some(id);
        let made = std::iter::once(&class).chain(below.iter().filter(own));
        for made in made {
            for name in self.names_of(self.name(*made)) {
                for site in self.sites(name) {
                    if !self.step() || found.len() >= MOST_CALLERS {
                        return;
                    }
                    if self.constructs(site, *made) {
                        found.push((Rc::new(site.clone()), Receiver::Object));
                    }
                }
            }
        }
        // `super().__init__(...)`
        for site in self.sites("__init__") {
            let around = self
                .facts(site.file)
                .and_then(|facts| facts.class_around(site.scope));
            let around = around.map(|index| ScopeId {
                file: site.file,
                index,
            });
            let function = site.node.child_by_field_name("function");
            let text = function.map_or("", |function| self.text(function, site.file));
            if around.is_some_and(|around| below.contains(&around)) && text.starts_with("super(") {
                found.push((Rc::new(site.clone()), Receiver::Object));
            }
        }
    }

    pub(super) fn constructs(&self, site: &Site<'t>, class: ScopeId) -> bool {
        matches!(self.callee(site), Some(Value::Class(found)) if found == class)
    }

    /// Whether a call is one of a function.
    pub(super) fn calls(&self, site: &Site<'t>, id: ScopeId) -> bool {
        let function = site.node.child_by_field_name("function");
        let function = function.unwrap_or(site.node);
        let object = function.child_by_field_name("object");
        let own = self.class_of_method(id);
        if let Some(own) = own
            && let Some(object) = object
        {
            let name = self.name(id);
            if self.text(object, site.file).starts_with("super(") {
                let around = self
                    .facts(site.file)
                    .and_then(|f| f.class_around(site.scope));
                return around.is_some_and(|index| {
                    let file = site.file;
                    self.descendants(own).contains(&ScopeId { file, index })
                });
            }
            let at = ScopeId {
                file: site.file,
                index: site.scope,
            };
            let value = self.evaluate(object, at, &Environment::default());
            return match value {
                Ok(Value::Instance(class, _) | Value::Class(class)) => {
                    self.method(class, name) == Some(id) || self.ancestry(own).contains(&class)
                }
                _ => false,
            };
        }
        matches!(self.callee(site), Some(Value::Function(found, _)) if found == id)
    }

    /// What a call calls; for a parameter, its default.
    pub(super) fn callee(&self, site: &Site<'t>) -> Option<Value<'t>> {
        let at = ScopeId {
            file: site.file,
            index: site.scope,
        };
        let function = site.node.child_by_field_name("function");
        let function = function.unwrap_or(site.node);
        match self.evaluate(function, at, &Environment::default()) {
            Ok(value) => Some(value),
            Err(Needs(id, _)) => {
                let name = last_word(function, self.source(site.file));
                self.default_of(id, name)
            }
        }
    }

    pub(super) fn default_of(&self, id: ScopeId, name: &str) -> Option<Value<'t>> {
        let scope = self.scope(id)?;
        let ScopeKind::Function(parameters) = &scope.kind else {
            return None;
        };
        let parameter = parameters.iter().find(|parameter| parameter.name == name)?;
        let at = ScopeId {
            index: scope.parent,
            ..id
        };
        self.evaluate(parameter.default?, at, &Environment::default())
            .ok()
    }
}

/// How many calls of a function are followed.
const MOST_CALLERS: usize = 2_000;
