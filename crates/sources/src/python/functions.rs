//! Calls of Python's own functions and methods, and of functions in the files.

use std::rc::Rc;

use tree_sitter::Node;

use super::evaluate::filled;
use super::facts::last_word;
use super::syntax::Arguments;
use super::value::{Environment, Evaluated, List, Map, Needs, ScopeId, Value};
use super::world::World;
use crate::parse::children;

/// Stands for an inferred schema.
pub(super) const INFERRED: &str = "(...)";

/// The longest `range` that is followed.
const MOST_NUMBERS: usize = 10_000;

impl<'t> World<'t> {
    pub(super) fn call(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let Some(function) = node.child_by_field_name("function") else {
            return Ok(Value::Unknown(None));
        };
        let arguments = Arguments::of(node);
        if let Some(object) = function.child_by_field_name("object") {
            let value = self.evaluate(object, at, environment)?;
            let name = last_word(function, self.source(at.file));
            if let Some(value) = self.of_method(&value, name, &arguments, (at, environment))? {
                return Ok(value);
            }
        }
        let callee = self.evaluate(function, at, environment)?;
        if let Some(value) = self.called(&callee, node, at, environment)? {
            return Ok(value);
        }
        let name = last_word(function, self.source(at.file));
        let is_unknown = matches!(callee, Value::Unknown(_) | Value::Path(_));
        if !is_unknown {
            return Ok(Value::Unknown(None));
        }
        match name {
            "Library" | "_scoped_library" if self.has_kind(&arguments, at) => {
                self.library(node, at, environment)
            }
            _ => self.built_in(name, &arguments, (at, environment)),
        }
    }

    /// `Library("ns", "DEF")` of an import that is not followed.
    fn has_kind(&self, arguments: &Arguments<'t>, at: ScopeId) -> bool {
        let kind = arguments.get(1, "kind", self.source(at.file));
        let kind = kind.map_or("", |kind| self.text(kind, at.file));
        matches!(kind.trim_matches(['"', '\'']), "DEF" | "IMPL" | "FRAGMENT")
    }

    fn built_in(
        &self,
        name: &str,
        arguments: &Arguments<'t>,
        (at, environment): (ScopeId, &Environment<'t>),
    ) -> Evaluated<'t> {
        let evaluate = |node: &Node<'t>| self.evaluate(*node, at, environment);
        let first = arguments.positional.first();
        let is_one = arguments.positional.len() == 1;
        match (name, first) {
            (
                "list" | "tuple" | "set" | "sorted" | "reversed" | "frozenset" | "iter",
                Some(first),
            ) if is_one => {
                let value = evaluate(first)?;
                let list = self.items(&value).map(|list| Value::List(Rc::new(list)));
                Ok(list.unwrap_or(Value::Unknown(None)))
            }
            ("list" | "tuple" | "set", None) => Ok(Value::list(Vec::new())),
            // What it gives depends on annotations; it begins with a bracket.
            ("infer_schema", _) => Ok(Value::text(INFERRED)),
            ("str", Some(first)) if is_one => evaluate(first),
            ("dict" | "OrderedDict", _) => self.dict(arguments, (at, environment)),
            ("enumerate", Some(first)) => {
                let value = evaluate(first)?;
                Ok(self.items(&value).map_or(Value::Unknown(None), numbered))
            }
            ("range", Some(_)) => {
                let numbers = arguments.positional.iter().map(evaluate);
                let numbers: Vec<_> = numbers.collect::<Result<_, _>>()?;
                Ok(self.range(&numbers))
            }
            ("zip", Some(_)) => {
                let lists = arguments.positional.iter().map(evaluate);
                let lists: Vec<_> = lists.collect::<Result<_, _>>()?;
                let lists: Option<Vec<_>> = lists.iter().map(|list| self.items(list)).collect();
                Ok(lists.map_or(Value::Unknown(None), |lists| self.zipped(&lists)))
            }
            ("chain", Some(first)) => {
                let mut all = Value::list(Vec::new());
                for list in std::iter::once(first).chain(arguments.positional.iter().skip(1)) {
                    all = self.sum(all, evaluate(list)?);
                }
                Ok(all)
            }
            ("getattr", Some(first)) => match arguments.positional.get(1).map(evaluate) {
                Some(name) => match (evaluate(first)?, name?) {
                    (Value::Path(path), Value::Text(name)) => {
                        Ok(Value::Path(format!("{path}.{name}").into()))
                    }
                    (object, Value::Text(_)) => {
                        self.own_attribute(object, arguments, at, environment)
                    }
                    (_, Value::Unknown(why)) => Ok(Value::Unknown(why)),
                    _ => Ok(Value::Unknown(None)),
                },
                None => Ok(Value::Unknown(None)),
            },
            _ => Ok(Value::Unknown(None)),
        }
    }

    /// `getattr(object, "name")`
    fn own_attribute(
        &self,
        object: Value<'t>,
        arguments: &Arguments<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let name = arguments
            .positional
            .get(1)
            .filter(|node| node.kind() == "string");
        let content = name.map(|name| children(*name)).unwrap_or_default();
        match content.iter().find(|part| part.kind() == "string_content") {
            Some(name) => self.attribute(object, self.text(*name, at.file), at.file, environment),
            None => Ok(Value::Unknown(None)),
        }
    }

    fn dict(
        &self,
        arguments: &Arguments<'t>,
        (at, environment): (ScopeId, &Environment<'t>),
    ) -> Evaluated<'t> {
        let mut map = match arguments.positional.first() {
            None => Map::default(),
            Some(first) => match self.evaluate(*first, at, environment)? {
                Value::Map(map) => Map::clone(&map),
                Value::List(list) => {
                    let mut map = Map::default();
                    for item in &list.items {
                        let key = self.part(item.clone(), &[0])?;
                        map.items.push((key, self.part(item.clone(), &[1])?));
                    }
                    map
                }
                _ => return Ok(Value::Unknown(None)),
            },
        };
        for (name, value) in &arguments.keywords {
            let lazy = Value::Lazy(*value, at, environment.clone());
            map.items
                .push((Value::text(self.text(*name, at.file)), lazy));
        }
        map.has_more |= arguments.has_rest;
        Ok(Value::Map(Rc::new(map)))
    }

    fn range(&self, numbers: &[Value<'t>]) -> Value<'t> {
        let numbers: Option<Vec<i64>> = numbers
            .iter()
            .map(|number| match number {
                Value::Number(text) => text.parse().ok(),
                _ => None,
            })
            .collect();
        let (from, to, step) = match numbers.as_deref() {
            Some([to]) => (0, *to, 1),
            Some([from, to]) => (*from, *to, 1),
            Some([from, to, step]) if *step > 0 => (*from, *to, *step),
            _ => return Value::Unknown(None),
        };
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        let items = (from..to).step_by(step).take_while(|_| self.step());
        let items = items.map(|number| Value::Number(number.to_string().into()));
        Value::list(items.take(MOST_NUMBERS).collect())
    }

    fn zipped(&self, lists: &[List<'t>]) -> Value<'t> {
        let length = lists.iter().map(|list| list.items.len()).min().unwrap_or(0);
        let row = |index: usize| {
            let items = lists
                .iter()
                .filter_map(|list| list.items.get(index).cloned());
            Value::list(items.collect())
        };
        Value::List(Rc::new(List {
            items: (0..length).filter(|_| self.step()).map(row).collect(),
            has_more: lists.iter().any(|list| list.has_more),
            condition: lists.iter().find_map(|list| list.condition.clone()),
        }))
    }

    /// Methods of texts, lists and dictionaries.
    fn of_method(
        &self,
        value: &Value<'t>,
        name: &str,
        arguments: &Arguments<'t>,
        (at, environment): (ScopeId, &Environment<'t>),
    ) -> Result<Option<Value<'t>>, Needs> {
        let given = |index: usize| match arguments.positional.get(index) {
            Some(node) => self.evaluate(*node, at, environment),
            None => Ok(Value::None),
        };
        Ok(match (value, name) {
            (Value::Map(map), "items") => {
                let pairs = map.items.iter();
                let pairs = pairs.map(|(key, value)| Value::list(vec![key.clone(), value.clone()]));
                Some(listed(pairs.collect(), map.has_more))
            }
            (Value::Map(map), "keys") => {
                let keys = map.items.iter().map(|(key, _)| key.clone()).collect();
                Some(listed(keys, map.has_more))
            }
            (Value::Map(map), "values") => {
                let values = map.items.iter().map(|(_, value)| value.clone()).collect();
                Some(listed(values, map.has_more))
            }
            (Value::Path(path), "name") if arguments.positional.is_empty() => {
                let operator = path.strip_prefix("torch.ops.");
                let parts = operator.and_then(|operator| operator.split_once('.'));
                parts.map(|(namespace, name)| Value::text(&format!("{namespace}::{name}")))
            }
            (Value::Map(_), "get") => Some(self.indexed(value, &given(0)?)?),
            (Value::Map(_) | Value::List(_), "copy") => Some(value.clone()),
            (Value::Text(text), "format") => {
                let values = (0..arguments.positional.len()).map(given);
                let list = List {
                    items: values.collect::<Result<_, _>>()?,
                    ..List::default()
                };
                let texts = self.texts(&list)?.filter(|_| arguments.keywords.is_empty());
                Some(texts.map_or(Value::Unknown(None), |texts| filled(text, &["{}"], &texts)))
            }
            (Value::Text(text), "startswith" | "endswith") => Some(match given(0)? {
                Value::Text(part) if name == "startswith" => Value::Flag(text.starts_with(&*part)),
                Value::Text(part) => Value::Flag(text.ends_with(&*part)),
                _ => Value::Unknown(None),
            }),
            (Value::Text(text), "upper") => Some(Value::text(&text.to_uppercase())),
            (Value::Text(text), "lower") => Some(Value::text(&text.to_lowercase())),
            (Value::Text(text), "strip") if arguments.positional.is_empty() => {
                Some(Value::text(text.trim()))
            }
            (Value::Text(text), "split") => Some(match given(0)? {
                Value::None => Value::list(text.split_whitespace().map(Value::text).collect()),
                Value::Text(by) if !by.is_empty() => {
                    Value::list(text.split(&*by).map(Value::text).collect())
                }
                _ => Value::Unknown(None),
            }),
            (Value::Text(text), "replace") => Some(match (given(0)?, given(1)?) {
                (Value::Text(old), Value::Text(new))
                    if !old.is_empty() && new.len() <= old.len() =>
                {
                    Value::text(&text.replace(&*old, &new))
                }
                _ => Value::Unknown(None),
            }),
            _ => None,
        })
    }
}

fn listed<'t>(items: Vec<Value<'t>>, has_more: bool) -> Value<'t> {
    Value::List(Rc::new(List {
        items,
        has_more,
        condition: None,
    }))
}

fn numbered<'t>(list: List<'t>) -> Value<'t> {
    let items = list.items.into_iter().enumerate();
    let items =
        items.map(|(index, item)| Value::list(vec![Value::Number(index.to_string().into()), item]));
    Value::List(Rc::new(List {
        items: items.collect(),
        has_more: list.has_more,
        condition: list.condition,
    }))
}
