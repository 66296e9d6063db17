//! Attributes of modules, objects and operators.

use std::rc::Rc;

use super::facts::{Site, last_word};
use super::names::{is_symbolic, plain};
use super::value::{Choice, Environment, Evaluated, Receiver, ScopeId, Value};
use super::world::World;

impl<'t> World<'t> {
    /// An attribute of a value.
    pub(super) fn attribute(
        &self,
        object: Value<'t>,
        name: &'t str,
        from: u32,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        Ok(match object {
            Value::Path(path) => return self.of_path(&path, name, from),
            Value::Instance(class, site) => {
                return self.of_object(class, site.as_ref(), name, environment);
            }
            Value::Class(class) => return self.of_object(class, None, name, environment),
            Value::Library(library) if name == "ns" => match &library.namespace {
                Some(namespace) => Value::text(namespace),
                None => Value::Unknown(None),
            },
            Value::Library(_) | Value::Operator(_) => Value::Method(Rc::new(object), name),
            Value::Function(_, of) if matches!(name, "__name__" | "__qualname__") => {
                Value::text(of)
            }
            Value::Either(values) => {
                let values = values.iter().cloned();
                let parts = values.map(|v| self.attribute(v, name, from, environment));
                Value::either(parts.collect::<Result<_, _>>()?)
            }
            Value::Unknown(why) => Value::Unknown(why),
            _ => Value::Unknown(None),
        })
    }

    pub(super) fn of_path(&self, path: &str, name: &'t str, from: u32) -> Evaluated<'t> {
        if let Some(operator) = path.strip_prefix("torch.ops.")
            && name == "__name__"
            && let Some((_, operator)) = operator.split_once('.')
        {
            return Ok(Value::text(operator));
        }
        let separator = if path.contains('/') { "/" } else { "." };
        let inner = plain(format!("{path}{separator}{name}"));
        if !is_symbolic(path) {
            match self.module(path, from) {
                Some(file) => {
                    if let Some(value) = self.of_module(file, name) {
                        return value;
                    }
                }
                None => self.want_module(path, from),
            }
        }
        Ok(Value::Path(inner.into()))
    }

    pub(super) fn of_object(
        &self,
        class: ScopeId,
        site: Option<&Rc<Site<'t>>>,
        name: &'t str,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let environment = match site.and_then(|site| Some((site, self.method(class, "__init__")?)))
        {
            Some((site, init)) => {
                let choice = Choice::site(Rc::clone(site), Receiver::Object);
                environment.with(init, choice)
            }
            None => environment.clone(),
        };
        let bases = self.ancestry(class);
        let mut own = bases
            .iter()
            .filter(|class| self.has_attribute(**class, name));
        let mut classes: Vec<ScopeId> = own.next().copied().into_iter().collect();
        if site.is_none() {
            let below = self.descendants(class);
            let below = below
                .iter()
                .filter(|class| self.has_attribute(**class, name));
            classes.extend(below);
        }
        let mut values = Vec::new();
        for class in classes {
            let facts = self.facts(class.file);
            let key = (class.index, name);
            let assigned = facts.and_then(|facts| facts.attributes.get(&key));
            let bound = facts.and_then(|facts| facts.bound.get(&key));
            for bound in assigned.into_iter().chain(bound).flatten() {
                if !self.is_active(bound) {
                    let value = self.of_bound(bound, class.file, &environment)?;
                    values.push(self.property(value, &environment)?);
                }
            }
        }
        Ok(Value::either(values))
    }

    pub(super) fn has_attribute(&self, class: ScopeId, name: &'t str) -> bool {
        let key = (class.index, name);
        self.facts(class.file).is_some_and(|facts| {
            facts.attributes.contains_key(&key) || facts.bound.contains_key(&key)
        })
    }

    /// What a property returns; other values are unchanged.
    pub(super) fn property(
        &self,
        value: Value<'t>,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let Value::Function(id, _) = value else {
            return Ok(value);
        };
        let decorators = self.decorators(id).iter();
        let mut names = decorators.map(|node| last_word(*node, self.source(id.file)));
        if names.any(|name| matches!(name, "property" | "cached_property")) {
            return self.returned(id, environment);
        }
        Ok(value)
    }
}
