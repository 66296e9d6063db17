//! Conditions, and the values that they choose.

use tree_sitter::Node;

use super::value::{Environment, Evaluated, ScopeId, Value};
use super::world::World;
use crate::parse::children;

impl<'t> World<'t> {
    /// `a if condition else b`, `a or b`, `not a`, `a == b`.
    pub(super) fn decision(
        &self,
        node: Node<'t>,
        at: ScopeId,
        environment: &Environment<'t>,
    ) -> Evaluated<'t> {
        let evaluate = |node| self.evaluate(node, at, environment);
        match (node.kind(), &children(node)[..]) {
            ("conditional_expression", &[yes, condition, no]) => {
                match evaluate(condition)?.truth() {
                    Some(true) => evaluate(yes),
                    Some(false) => evaluate(no),
                    None => Ok(Value::either(vec![evaluate(yes)?, evaluate(no)?])),
                }
            }
            ("boolean_operator", &[left, right]) => {
                let sign = node.child_by_field_name("operator");
                let is_or = sign.is_some_and(|sign| sign.kind() == "or");
                let left = evaluate(left)?;
                match left.truth() {
                    Some(truth) if truth == is_or => Ok(left),
                    Some(_) => evaluate(right),
                    None => Ok(Value::either(vec![left, evaluate(right)?])),
                }
            }
            ("not_operator", &[inner]) => {
                let truth = evaluate(inner)?.truth();
                Ok(truth.map_or(Value::Unknown(None), |truth| Value::Flag(!truth)))
            }
            ("comparison_operator", &[left, right]) => {
                let mut cursor = node.walk();
                let signs = node.children_by_field_name("operators", &mut cursor);
                let signs: Vec<&str> = signs.map(|sign| sign.kind()).collect();
                let (left, right) = (evaluate(left)?, evaluate(right)?);
                let truth = compared(&left, &signs.join(" "), &right);
                Ok(truth.map_or(Value::Unknown(None), Value::Flag))
            }
            _ => Ok(Value::Unknown(None)),
        }
    }

    /// `text[1:]` and the like, with numbers that are literals.
    pub(super) fn sliced(&self, value: &Value<'t>, slice: &str) -> Value<'t> {
        let (Value::Text(text), Some((from, to))) = (value, slice.split_once(':')) else {
            return Value::Unknown(None);
        };
        let place = |text: &str, number: &str, default: usize| match number.trim() {
            "" => Some(default),
            number => match number.strip_prefix('-') {
                Some(back) => text.len().checked_sub(back.parse().ok()?),
                None => number.parse().ok(),
            },
        };
        let range = place(text, from, 0).zip(place(text, to, text.len()));
        let part = range.and_then(|(from, to)| text.get(from..to.min(text.len())));
        part.map_or(Value::Unknown(None), Value::text)
    }
}

fn compared(left: &Value<'_>, sign: &str, right: &Value<'_>) -> Option<bool> {
    let is_equal = match (left, right) {
        (Value::None, Value::None) => true,
        (Value::None, other) | (other, Value::None) => {
            other.truth()?;
            false
        }
        (Value::Text(left), Value::Text(right)) | (Value::Number(left), Value::Number(right)) => {
            if sign == "in" {
                return Some(right.contains(&**left));
            }
            left == right
        }
        _ => return None,
    };
    match sign {
        "==" | "is" => Some(is_equal),
        "!=" | "is not" => Some(!is_equal),
        _ => None,
    }
}
