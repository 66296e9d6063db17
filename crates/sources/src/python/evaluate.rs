//! Evaluates expressions as far as the text decides them.

use std::rc::Rc;

use tree_sitter::Node;

use super::syntax::unescaped;
use super::value::{Environment, Evaluated, ScopeId, Value};
use super::world::World;
use crate::parse::children;

/// Maximum nesting of expressions, names and calls.
const DEEPEST: usize = 60;

/// The longest string that is put together.
const LONGEST_TEXT: usize = 4096;

impl<'t> World<'t> {
    pub(super) fn evaluate(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let key = (at.file, node.id());
        if let Some(known) = self.plain.borrow().get(&key) {
            return Ok(known.clone());
        }
        if !self.step() || self.depth.get() >= DEEPEST {
            self.outermost.set(0);
            return Ok(Value::unknown("it takes too many steps to follow"));
        }
        self.depth.set(self.depth.get() + 1);
        let around = self.outermost.replace(usize::MAX);
        let value = self.of_node(node, at, environment);
        let own = self.outermost.get();
        self.depth.set(self.depth.get() - 1);
        self.outermost.set(around.min(own));
        if let Ok(value) = &value
            && own > environment.count()
            && value.is_plain()
        {
            self.plain.borrow_mut().insert(key, value.clone());
        }
        value
    }

    fn of_node(&self, node: Node<'t>, at: ScopeId, environment: &Environment<'t>) -> Evaluated<'t> {
        let field = |name| node.child_by_field_name(name);
        let evaluate = |node| self.evaluate(node, at, environment);
        match node.kind() {
            "string" | "concatenated_string" => self.string(node, at, environment),
            "integer" => Ok(Value::Number(self.text(node, at.file).into())),
            "none" => Ok(Value::None),
            "true" => Ok(Value::Flag(true)),
            "false" => Ok(Value::Flag(false)),
            "identifier" => {
                let name = self.text(node, at.file);
                self.lookup(name, at, node.start_byte(), environment)
            }
            "attribute" => self.of_attribute(node, at, environment),
            "subscript" => self.subscript(node, at, environment),
            "list" | "tuple" | "set" | "expression_list" => self.items_of(node, at, environment),
            "dictionary" => self.dictionary(node, at, environment),
            "parenthesized_expression" | "as_pattern" | "as_pattern_target" => node
                .named_child(0)
                .map_or(Ok(Value::Unknown(None)), evaluate),
            "named_expression" => field("value").map_or(Ok(Value::Unknown(None)), evaluate),
            "binary_operator" => self.operator(node, at, environment),
            "conditional_expression"
            | "boolean_operator"
            | "not_operator"
            | "comparison_operator" => self.decision(node, at, environment),
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => self.comprehension(node, at.file, environment),
            "call" => self.call(node, at, environment),
            _ => Ok(Value::Unknown(None)),
        }
    }

    pub(super) fn forced(&self, value: Value<'t>) -> Evaluated<'t> {
        match value {
            Value::Lazy(node, at, environment) => self.evaluate(node, at, &environment),
            value => Ok(value),
        }
    }

    /// A part of a value, as an assignment to several names takes it.
    pub(super) fn part(&self, value: Value<'t>, path: &[usize]) -> Evaluated<'t> {
        let mut value = value;
        for index in path {
            value = match self.forced(value)? {
                Value::List(list) => list
                    .items
                    .get(*index)
                    .cloned()
                    .unwrap_or(Value::Unknown(None)),
                _ => Value::Unknown(None),
            };
        }
        Ok(value)
    }

    /// A string with interpolations that are texts too.
    fn string(&self, node: Node<'t>, at: ScopeId, environment: &Environment<'t>) -> Evaluated<'t> {
        let mut all = String::new();
        for part in children(node) {
            match part.kind() {
                "string_content" => all.push_str(&unescaped(self.text(part, at.file))),
                "string" => match self.evaluate(part, at, environment)? {
                    Value::Text(text) => all.push_str(&text),
                    _ => return Ok(Value::Unknown(None)),
                },
                "interpolation" => {
                    let inner = part.child_by_field_name("expression");
                    let is_plain = part.named_child_count() == 1;
                    let Some(inner) = inner.filter(|_| is_plain) else {
                        return Ok(Value::Unknown(None));
                    };
                    match self.evaluate(inner, at, environment)? {
                        Value::Text(text) | Value::Number(text) => all.push_str(&text),
                        Value::Unknown(why) => return Ok(Value::Unknown(why)),
                        _ => return Ok(Value::Unknown(None)),
                    }
                }
                _ => {}
            }
        }
        Ok(bounded(all))
    }

    fn of_attribute(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let field = |name| node.child_by_field_name(name);
        let (Some(object), Some(name)) = (field("object"), field("attribute")) else {
            return Ok(Value::Unknown(None));
        };
        let value = self.evaluate(object, at, environment)?;
        let value = self.attribute(value, self.text(name, at.file), at.file, environment)?;
        if !matches!(value, Value::Unknown(_)) {
            return Ok(value);
        }
        // `module.name = value`
        let facts = self.facts(at.file);
        let whole = (0, self.text(node, at.file));
        let assigned = facts.and_then(|facts| facts.attributes.get(&whole));
        match assigned.map_or(&[][..], |assigned| assigned) {
            [bound] => self.of_bound(bound, at.file, environment),
            _ => Ok(value),
        }
    }

    fn subscript(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let field = |name| node.child_by_field_name(name);
        let (Some(value), Some(index)) = (field("value"), field("subscript")) else {
            return Ok(Value::Unknown(None));
        };
        let value = self.evaluate(value, at, environment)?;
        if index.kind() == "slice" {
            return Ok(self.sliced(&value, self.text(index, at.file)));
        }
        let index = self.evaluate(index, at, environment)?;
        self.indexed(&value, &index)
    }

    pub(super) fn indexed(&self, value: &Value<'t>, index: &Value<'t>) -> Evaluated<'t> {
        match (value, index) {
            (Value::Text(text), Value::Number(number)) => {
                let found = number
                    .parse()
                    .ok()
                    .and_then(|index| text.chars().nth(index));
                let letter = found.map(|letter| Value::text(letter.encode_utf8(&mut [0; 4])));
                Ok(letter.unwrap_or(Value::Unknown(None)))
            }
            (Value::List(list), Value::Number(number)) => {
                let index = number.parse::<usize>().ok();
                let item = index.and_then(|index| list.items.get(index));
                item.map_or(Ok(Value::Unknown(None)), |item| self.forced(item.clone()))
            }
            (Value::Map(map), Value::Text(_) | Value::Number(_)) => {
                for (key, value) in map.items.iter().rev() {
                    if self.forced(key.clone())?.is_same(index) {
                        return self.forced(value.clone());
                    }
                }
                Ok(Value::Unknown(None))
            }
            (Value::Map(map), _) => {
                let values = map.items.iter().take(MOST_ALTERNATIVES);
                let values = values.map(|(_, value)| self.forced(value.clone()));
                Ok(Value::either(values.collect::<Result<_, _>>()?))
            }
            (Value::List(list), _) => {
                let values = list.items.iter().take(MOST_ALTERNATIVES);
                let values = values.map(|value| self.forced(value.clone()));
                Ok(Value::either(values.collect::<Result<_, _>>()?))
            }
            _ => Ok(Value::Unknown(None)),
        }
    }

    fn operator(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let field = |name| node.child_by_field_name(name);
        let (Some(left), Some(right)) = (field("left"), field("right")) else {
            return Ok(Value::Unknown(None));
        };
        let sign = field("operator").map_or("", |sign| self.text(sign, at.file));
        if !matches!(sign, "+" | "|" | "%") {
            return Ok(Value::Unknown(None));
        }
        let left = self.evaluate(left, at, environment)?;
        let right = self.evaluate(right, at, environment)?;
        match (sign, left, right) {
            ("%", Value::Text(format), Value::Text(text) | Value::Number(text)) => {
                Ok(filled(&format, &["%s", "%d"], &[text]))
            }
            ("%", Value::Text(format), Value::List(list)) => {
                let texts = self.texts(&list)?;
                Ok(texts.map_or(Value::Unknown(None), |texts| {
                    filled(&format, &["%s", "%d"], &texts)
                }))
            }
            ("%", ..) => Ok(Value::Unknown(None)),
            (_, left, right) => Ok(self.sum(left, right)),
        }
    }
}

/// How many values of a dictionary are tried for an index that is not known.
const MOST_ALTERNATIVES: usize = 20;

/// A text, unless it is too long.
pub(super) fn bounded<'t>(text: String) -> Value<'t> {
    if text.len() > LONGEST_TEXT {
        return Value::unknown("the text is too long");
    }
    Value::Text(text.into())
}

/// Replaces placeholders, each with the next text.
pub(super) fn filled<'t>(format: &str, places: &[&str], texts: &[Rc<str>]) -> Value<'t> {
    let mut rest = format;
    let mut all = String::new();
    let mut texts = texts.iter();
    loop {
        let found = places
            .iter()
            .filter_map(|place| Some((rest.find(place)?, place.len())));
        let Some((at, length)) = found.min() else {
            break;
        };
        let Some(text) = texts.next() else {
            return Value::Unknown(None);
        };
        all.push_str(rest.get(..at).unwrap_or_default());
        all.push_str(text);
        rest = rest.get(at + length..).unwrap_or_default();
    }
    all.push_str(rest);
    let is_plain = !all.contains(['%', '{', '}']);
    if is_plain {
        bounded(all)
    } else {
        Value::Unknown(None)
    }
}
