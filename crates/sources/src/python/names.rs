//! The values of names, attributes and parameters.

use std::rc::Rc;

use tree_sitter::Node;

use super::facts::{Binding, Bound, Extension, ScopeKind, last_word};
use super::imports::{self, Import};
use super::value::{Environment, Evaluated, List, Map, Needs, ScopeId, Value};
use super::world::World;

impl<'t> World<'t> {
    /// What a name means at a place in a scope.
    pub(super) fn lookup(
        &self,
        name: &'t str,
        at: ScopeId,
        place: usize,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let mut id = at;
        let mut is_deferred = false;
        while let Some(scope) = self.scope(id) {
            let is_target = match &scope.kind {
                ScopeKind::Loop(targets) => targets.iter().any(|target| target.name == name),
                ScopeKind::Comprehension(clauses) => {
                    let mut targets = clauses.iter().flatten();
                    targets.any(|target| target.name == name)
                }
                _ => false,
            };
            if is_target {
                return self.chosen(id, name, environment);
            }
            let parameter = match &scope.kind {
                ScopeKind::Function(parameters) => parameters.iter().position(|p| p.name == name),
                _ => None,
            };
            let is_visible = !(is_deferred && matches!(scope.kind, ScopeKind::Class));
            if is_visible && let Some(found) = self.bound(id, name, place, is_deferred) {
                let or =
                    |environment: &_| parameter.map(|index| self.parameter(id, index, environment));
                return self.merged(&found, id, place, environment, or);
            }
            if let Some(index) = parameter {
                return self.parameter(id, index, environment);
            }
            if id.index == 0 {
                break;
            }
            is_deferred |= matches!(scope.kind, ScopeKind::Function(_));
            id.index = scope.parent;
        }
        match self.starred(at.file, name) {
            Some(value) => value,
            // Fragments of files often leave the import out.
            None if name == "torch" => Ok(Value::Path("torch".into())),
            None => Ok(self.unique(name).unwrap_or(Value::Unknown(None))),
        }
    }

    /// The assignments that may give a name its value at a place, in order.
    fn bound(
        &self,
        id: ScopeId,
        name: &'t str,
        place: usize,
        later: bool,
    ) -> Option<Vec<&Bound<'t>>> {
        let all = self.facts(id.file)?.bound.get(&(id.index, name))?;
        Some(reaching(all, place, later))
    }

    /// The value of a name in a module; `None` if it has no such name.
    pub(super) fn of_module(&self, file: u32, name: &'t str) -> Option<Evaluated<'t>> {
        self.consulted.borrow_mut().insert(file);
        if let Some(known) = self.members.borrow().get(&(file, name)) {
            return known.clone().map(Ok);
        }
        // Modules that import each other do not give a name its value.
        self.members.borrow_mut().insert((file, name), None);
        let id = ScopeId { file, index: 0 };
        let none = Environment::default();
        let value = match self.bound(id, name, usize::MAX, false) {
            Some(found) => Some(self.merged(&found, id, usize::MAX, &none, |_| None)),
            None => self.starred(file, name),
        };
        let known = match &value {
            Some(Ok(value)) => Some(value.clone()),
            Some(Err(_)) => Some(Value::Unknown(None)),
            None => None,
        };
        self.members.borrow_mut().insert((file, name), known);
        value
    }

    fn starred(&self, file: u32, name: &'t str) -> Option<Evaluated<'t>> {
        let stars = &self.facts(file)?.stars;
        stars
            .iter()
            .find_map(|module| match self.module(module, file) {
                Some(other) if other != file => self.of_module(other, name),
                Some(_) => None,
                None => {
                    self.want_module(module, file);
                    None
                }
            })
    }

    /// The library or operator that is the only one with this name in all files.
    fn unique(&self, name: &'t str) -> Option<Value<'t>> {
        if let Some(known) = self.shared.borrow().get(name) {
            return known.clone();
        }
        self.shared.borrow_mut().insert(name, None);
        let mut values = Vec::new();
        for &file in self.named.get(name).into_iter().flatten() {
            let id = ScopeId { file, index: 0 };
            let found = self.bound(id, name, usize::MAX, true).unwrap_or_default();
            let found = found.into_iter().filter(|bound| {
                matches!(bound.binding, Binding::Assigned(..) | Binding::Defined(_))
            });
            for bound in found {
                let value = self.of_bound(bound, id.file, &Environment::default());
                if let Ok(value @ (Value::Library(_) | Value::Operator(_))) = value {
                    self.consulted.borrow_mut().insert(file);
                    values.push(value);
                }
            }
        }
        let value = (!values.is_empty()).then(|| Value::either(values));
        let value = value.filter(|value| !matches!(value, Value::Either(_)));
        self.shared.borrow_mut().insert(name, value.clone());
        value
    }

    /// One value of assignments that may all reach a place, with what extends it.
    fn merged(
        &self,
        found: &[&Bound<'t>],
        id: ScopeId,
        place: usize,
        environment: &Environment<'t>,
        otherwise: impl Fn(&Environment<'t>) -> Option<Evaluated<'t>>,
    ) -> Evaluated<'t> {
        let mut values = Vec::new();
        let covers = |bound: &&Bound<'t>| bound.branch.covers(place);
        let is_base = |bound: &&&Bound<'t>| !matches!(bound.binding, Binding::Extended(..));
        if !found.iter().filter(is_base).any(covers)
            && let Some(value) = otherwise(environment)
        {
            values.push(value?);
        }
        for bound in found.iter().filter(is_base) {
            let is_left = !covers(bound) && self.is_in_loop(bound, id);
            if !covers(bound) {
                match self.is_taken(bound, id.file, environment)? {
                    Some(true) => values.clear(),
                    Some(false) => continue,
                    None => {}
                }
            }
            if is_left || self.is_active(bound) {
                values.extend(is_left.then_some(Value::Unknown(None)));
                continue;
            }
            values.push(self.of_bound(bound, id.file, environment)?);
        }
        let mut value = Value::either(values);
        for bound in found {
            if let Binding::Extended(node, how) = bound.binding {
                let how = if covers(bound) && !self.is_in_loop(bound, id) {
                    how
                } else {
                    Extension::Unknown
                };
                value = self.extended(value, node, how, id.file, environment)?;
            }
        }
        Ok(value)
    }

    /// Whether the `if` around an assignment leads to it, if that is decided.
    fn is_taken(
        &self,
        bound: &Bound<'t>,
        file: u32,
        environment: &Environment<'t>,
    ) -> Result<Option<bool>, Needs> {
        let Some((condition, expected)) = bound.branch.condition else {
            return Ok(None);
        };
        let index = self
            .facts(file)
            .map_or(0, |facts| facts.scope_at(condition.start_byte()));
        let value = self.evaluate(condition, ScopeId { file, index }, environment)?;
        Ok(value.truth().map(|truth| truth == expected))
    }

    fn is_in_loop(&self, bound: &Bound<'t>, id: ScopeId) -> bool {
        let facts = self.facts(id.file);
        let place = bound.at.saturating_sub(1);
        facts.is_some_and(|facts| {
            let scope = facts.scope(facts.scope_at(place));
            scope.is_some_and(|scope| matches!(scope.kind, ScopeKind::Loop(_)))
        })
    }

    pub(super) fn is_active(&self, bound: &Bound<'t>) -> bool {
        match bound.binding {
            Binding::Assigned(node, _) if self.active.borrow().contains(&node) => {
                self.outermost.set(0);
                true
            }
            _ => false,
        }
    }

    pub(super) fn of_bound(
        &self,
        bound: &Bound<'t>,
        file: u32,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let Some(facts) = self.facts(file) else {
            return Ok(Value::Unknown(None));
        };
        match &bound.binding {
            Binding::Assigned(node, path) => {
                let index = facts.scope_at(node.start_byte());
                let at = ScopeId { file, index };
                self.active.borrow_mut().push(*node);
                let value = self.evaluate(*node, at, environment);
                let value = value.and_then(|value| self.part(value, path));
                self.active.borrow_mut().pop();
                value
            }
            Binding::Defined(node) => {
                let Some(index) = facts.body_of(*node) else {
                    return Ok(Value::Unknown(None));
                };
                self.definition(ScopeId { file, index }, environment)
            }
            Binding::Imported(import) => self.imported(*import, file),
            Binding::Extended(..) | Binding::Other => Ok(Value::Unknown(None)),
        }
    }

    /// A function, a class, or the operator that `@custom_op("ns::name")` makes of a function.
    fn definition(&self, id: ScopeId, environment: &Environment<'t>) -> Evaluated<'t> {
        let Some(scope) = self.scope(id) else {
            return Ok(Value::Unknown(None));
        };
        if matches!(scope.kind, ScopeKind::Class) {
            return Ok(Value::Class(id));
        }
        for decorator in self.decorators(id) {
            let function = decorator.child_by_field_name("function");
            let name = function.map_or("", |f| last_word(f, self.source(id.file)));
            if matches!(name, "custom_op" | "triton_op") {
                let at = ScopeId {
                    index: scope.parent,
                    ..id
                };
                return self.evaluate(*decorator, at, environment);
            }
        }
        Ok(Value::Function(id, self.name(id)))
    }

    fn imported(&self, import: Import<'t>, from: u32) -> Evaluated<'t> {
        let Import { module, name } = import;
        let Some(name) = name else {
            return Ok(Value::Path(module.into()));
        };
        if is_symbolic(module) {
            return Ok(Value::Path(plain(format!("{module}.{name}")).into()));
        }
        let (parts, is_complete) = imports::parts(module, self.path(from));
        let separator = if is_complete { "/" } else { "." };
        let inner = format!("{}{separator}{name}", parts.join(separator));
        let found = self.module(module, from);
        if let Some(file) = found
            && file != from
            && let Some(value) = self.of_module(file, name)
        {
            return value;
        }
        if self.module(&inner, from).is_none() {
            self.want_module(&inner, from);
            if found.is_none() {
                self.want_module(module, from);
                if let Some(value) = self.unique(name) {
                    return Ok(value);
                }
            }
        }
        Ok(Value::Path(inner.into()))
    }

    fn extended(
        &self,
        value: Value<'t>,
        node: Node<'t>,
        how: Extension,
        file: u32,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let index = self
            .facts(file)
            .map_or(0, |facts| facts.scope_at(node.start_byte()));
        let at = ScopeId { file, index };
        Ok(match (value, how) {
            (Value::List(list), Extension::Item) if node.kind() != "assignment" => {
                let mut list = List::clone(&list);
                list.items.push(Value::Lazy(node, at, environment.clone()));
                Value::List(Rc::new(list))
            }
            (value @ (Value::List(_) | Value::Map(_) | Value::Text(_)), Extension::Items) => {
                let more = self.evaluate(node, at, environment)?;
                self.sum(value, more)
            }
            (Value::Map(map), Extension::Item) if node.kind() == "assignment" => {
                let mut map = Map::clone(&map);
                let left = node.child_by_field_name("left");
                let key = left.and_then(|left| left.child_by_field_name("subscript"));
                if let (Some(key), Some(value)) = (key, node.child_by_field_name("right")) {
                    let lazy = |node| Value::Lazy(node, at, environment.clone());
                    map.items.push((lazy(key), lazy(value)));
                }
                Value::Map(Rc::new(map))
            }
            (Value::List(list), _) => Value::List(Rc::new(List {
                has_more: true,
                ..List::clone(&list)
            })),
            (Value::Map(map), _) => Value::Map(Rc::new(Map {
                has_more: true,
                ..Map::clone(&map)
            })),
            (Value::Text(_), _) => Value::Unknown(None),
            (value, _) => value,
        })
    }
}

/// Assignments in order: the last one that certainly happens before the place, and those after it
/// that may.
fn reaching<'b, 't>(all: &'b [Bound<'t>], place: usize, later: bool) -> Vec<&'b Bound<'t>> {
    let before = all.partition_point(|bound| bound.at <= place);
    let mut found = Vec::new();
    for bound in all.iter().take(before).rev() {
        found.push(bound);
        let is_base = !matches!(bound.binding, Binding::Extended(..));
        if is_base && bound.branch.covers(place) {
            break;
        }
    }
    found.reverse();
    if later || found.is_empty() {
        found.extend(all.iter().skip(before));
    }
    found
}

/// `torch._ops.ops` is `torch.ops`.
pub(super) fn plain(path: String) -> String {
    match path.as_str() {
        "torch._ops.ops" => "torch.ops".to_owned(),
        _ => path,
    }
}

/// Modules whose names are known without their files.
pub(super) fn is_symbolic(module: &str) -> bool {
    let known = [
        "torch.library",
        "torch._library",
        "torch.ops",
        "torch._ops",
        "torch._C",
        "torch._custom_op",
        "torch._custom_ops",
    ];
    let is_in = |known: &&str| {
        let rest = module.strip_prefix(*known);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    module == "torch" || known.iter().any(is_in)
}
