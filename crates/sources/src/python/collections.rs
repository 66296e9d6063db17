//! Lists, dictionaries and comprehensions.

use std::rc::Rc;

use tree_sitter::Node;

use super::evaluate::bounded;
use super::syntax::shortened;
use super::value::{Choice, Environment, Evaluated, List, Map, Needs, ScopeId, Value};
use super::world::World;
use crate::parse::children;

impl<'t> World<'t> {
    pub(super) fn items_of(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let mut list = List::default();
        for child in children(node) {
            if !self.step() {
                list.has_more = true;
                break;
            }
            match child.kind() {
                "list_splat" => {
                    let inner = child.named_child(0);
                    let inner = inner.map(|inner| self.evaluate(inner, at, environment));
                    match inner.transpose()?.and_then(|value| self.items(&value)) {
                        Some(inner) => {
                            list.items.extend(inner.items);
                            list.has_more |= inner.has_more;
                        }
                        None => list.has_more = true,
                    }
                }
                "string" => list.items.push(self.evaluate(child, at, environment)?),
                _ => list.items.push(Value::Lazy(child, at, environment.clone())),
            }
        }
        list.has_more |= list.items.len() > MOST_ITEMS;
        list.items.truncate(MOST_ITEMS);
        Ok(Value::List(Rc::new(list)))
    }

    pub(super) fn dictionary(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let mut map = Map::default();
        let lazy = |node| Value::Lazy(node, at, environment.clone());
        for child in children(node) {
            if !self.step() {
                map.has_more = true;
                break;
            }
            let field = |name| child.child_by_field_name(name);
            if let (Some(key), Some(value)) = (field("key"), field("value")) {
                map.items.push((lazy(key), lazy(value)));
                continue;
            }
            let inner = child.named_child(0);
            let inner = inner.map(|inner| self.evaluate(inner, at, environment));
            match inner.transpose()? {
                Some(Value::Map(inner)) if map.items.len() < MOST_ITEMS => {
                    map.items.extend(inner.items.iter().cloned());
                    map.has_more |= inner.has_more;
                }
                _ => map.has_more = true,
            }
        }
        Ok(Value::Map(Rc::new(map)))
    }

    /// Two texts, lists or dictionaries together.
    pub(super) fn sum(&self, left: Value<'t>, right: Value<'t>) -> Value<'t> {
        match (left, right) {
            (Value::Text(left), Value::Text(right)) => bounded(format!("{left}{right}")),
            (Value::Map(left), Value::Map(right)) => {
                let items = left.items.iter().chain(&right.items).take(MOST_ITEMS);
                Value::Map(Rc::new(Map {
                    items: items.filter(|_| self.step()).cloned().collect(),
                    has_more: left.has_more || right.has_more,
                }))
            }
            (left @ (Value::List(_) | Value::Map(_)), right) => {
                let (left, right) = (self.items(&left), self.items(&right));
                let mut all = left.unwrap_or_default();
                match right {
                    Some(right) => {
                        let more = right.items.into_iter().take(MOST_ITEMS);
                        all.items.extend(more.filter(|_| self.step()));
                        all.has_more |= right.has_more || all.items.len() > MOST_ITEMS;
                        all.items.truncate(MOST_ITEMS);
                        all.condition = all.condition.or(right.condition);
                    }
                    None => all.has_more = true,
                }
                Value::List(Rc::new(all))
            }
            (Value::Unknown(Some(why)), _) | (_, Value::Unknown(Some(why))) => {
                Value::Unknown(Some(why))
            }
            _ => Value::Unknown(None),
        }
    }

    pub(super) fn texts(&self, list: &List<'t>) -> Result<Option<Vec<Rc<str>>>, Needs> {
        let mut texts = Vec::new();
        for item in &list.items {
            match self.forced(item.clone())? {
                Value::Text(text) | Value::Number(text) => texts.push(text),
                _ => return Ok(None),
            }
        }
        Ok(Some(texts).filter(|_| !list.has_more))
    }

    /// What a loop goes through.
    pub(super) fn items(&self, value: &Value<'t>) -> Option<List<'t>> {
        match value {
            Value::List(list) => Some(List::clone(list)),
            Value::Map(map) => Some(List {
                items: map.items.iter().map(|(key, _)| key.clone()).collect(),
                has_more: map.has_more,
                condition: None,
            }),
            Value::Either(values) => {
                let mut all = List {
                    condition: Some("one of several lists is used".into()),
                    ..List::default()
                };
                for value in values.iter() {
                    let list = self.items(value).unwrap_or(List {
                        has_more: true,
                        ..List::default()
                    });
                    all.items.extend(list.items);
                    all.has_more |= list.has_more;
                }
                Some(all).filter(|all| !all.items.is_empty())
            }
            _ => None,
        }
    }

    pub(super) fn comprehension(
        &self,
        node: Node<'t>,
        file: u32,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let scope = self.facts(file).and_then(|facts| facts.scope_of(node));
        let (Some(index), Some(body)) = (scope, node.child_by_field_name("body")) else {
            return Ok(Value::Unknown(None));
        };
        let id = ScopeId { file, index };
        let is_map = body.kind() == "pair";
        let mut list = List {
            condition: self.filter(node, file),
            ..List::default()
        };
        let mut map = Map::default();
        for choice in self.choices(id, environment)? {
            if matches!(choice, Choice::Unknown(_)) {
                list.has_more = true;
                map.has_more = true;
                continue;
            }
            let inner = environment.with(id, choice);
            let field = |name| body.child_by_field_name(name);
            let lazy = |node| Value::Lazy(node, id, inner.clone());
            match (field("key"), field("value")) {
                (Some(key), Some(value)) if is_map => map.items.push((lazy(key), lazy(value))),
                _ => match self.item_of(body, id, &inner) {
                    Some(item) => list.items.push(item),
                    None => list.items.push(lazy(body)),
                },
            }
        }
        Ok(match is_map {
            true => Value::Map(Rc::new(map)),
            false => Value::List(Rc::new(list)),
        })
    }

    /// The value of a loop variable, not evaluated.
    pub(super) fn item_of(
        &self,
        node: Node<'t>,
        id: ScopeId,
        environment: &Environment<'t>,
    ) -> Option<Value<'t>> {
        let Some(Choice::Items(items, _)) = self.choice(environment, id) else {
            return None;
        };
        let name = self.text(node, id.file);
        let found = items.iter().find(|(of, _)| *of == name);
        found.map(|(_, value)| value.clone())
    }

    pub(super) fn filter(&self, comprehension: Node<'t>, file: u32) -> Option<Rc<str>> {
        let clauses = children(comprehension).into_iter();
        let mut clauses = clauses.filter(|clause| clause.kind() == "if_clause");
        let clause = clauses.next()?;
        Some(shortened(self.text(clause, file)).into())
    }
}

const MOST_ITEMS: usize = 20_000;
