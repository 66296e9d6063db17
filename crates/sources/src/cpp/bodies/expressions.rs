//! Expressions of a body.

use tree_sitter::Node;

use super::{BodyReader, DEEPEST};
use crate::body::Expression;
use crate::parse::children;

impl BodyReader<'_> {
    pub(super) fn expression(&mut self, node: Node<'_>, depth: usize) -> Expression {
        self.is_broken |= node.is_error() || node.is_missing();
        if depth >= DEEPEST {
            self.is_broken = true;
            return Expression::Other(Vec::new());
        }
        let depth = depth + 1;
        match node.kind() {
            "identifier"
            | "qualified_identifier"
            | "this"
            | "template_function"
            | "template_type"
            | "type_identifier" => Expression::Name(self.path(node)),
            "number_literal" => number(self.text(node)),
            "true" => Expression::Bool(true),
            "false" => Expression::Bool(false),
            "string_literal" | "raw_string_literal" | "concatenated_string" | "char_literal" => {
                Expression::Text
            }
            "initializer_list" => Expression::List(self.all(node, depth)),
            "call_expression" => self.call(node, depth),
            "compound_literal_expression" => self.construction(node, depth),
            "field_expression" => match (
                node.child_by_field_name("argument"),
                node.child_by_field_name("field"),
            ) {
                (Some(object), Some(field)) => {
                    let object = Box::new(self.expression(object, depth));
                    Expression::Field(object, self.text(field).into())
                }
                _ => Expression::Other(self.all(node, depth)),
            },
            "binary_expression" | "assignment_expression" => self.binary(node, depth),
            "unary_expression" | "pointer_expression" | "update_expression" => {
                let operator = node.child_by_field_name("operator");
                let operator = operator.map_or("", |operator| self.text(operator));
                match node.child_by_field_name("argument") {
                    Some(argument) => Expression::Unary(
                        operator.into(),
                        Box::new(self.expression(argument, depth)),
                    ),
                    None => Expression::Other(self.all(node, depth)),
                }
            }
            "subscript_expression" => {
                let mut parts = self.all(node, depth);
                if let [_, _] = parts[..] {
                    let index = parts.pop().unwrap_or(Expression::Integer);
                    let object = parts.pop().unwrap_or(Expression::Integer);
                    Expression::Index(Box::new([object, index]))
                } else {
                    Expression::Other(parts)
                }
            }
            "conditional_expression" => match <[Expression; 3]>::try_from(self.all(node, depth)) {
                Ok(parts) => Expression::Choice(Box::new(parts)),
                Err(parts) => Expression::Other(parts),
            },
            "lambda_expression" => {
                let body = node.child_by_field_name("body");
                Expression::Lambda(body.map(|body| self.block(body, depth)).unwrap_or_default())
            }
            "cast_expression" => match (
                node.child_by_field_name("type"),
                node.child_by_field_name("value"),
            ) {
                (Some(ty), Some(value)) => Expression::Call {
                    path: self.path(ty),
                    arguments: vec![self.expression(value, depth)],
                },
                _ => Expression::Other(self.all(node, depth)),
            },
            "parenthesized_expression" | "subscript_argument_list" | "condition_clause" => {
                let mut parts = self.all(node, depth);
                match parts.len() {
                    1 => parts.swap_remove(0),
                    _ => Expression::Other(parts),
                }
            }
            "sizeof_expression" | "alignof_expression" => Expression::Integer,
            _ => Expression::Other(self.all(node, depth)),
        }
    }

    /// The expressions directly in a node.
    pub(super) fn all(&mut self, node: Node<'_>, depth: usize) -> Vec<Expression> {
        let parts = children(node).into_iter();
        parts.map(|part| self.expression(part, depth)).collect()
    }

    fn arguments(&mut self, node: Option<Node<'_>>, depth: usize) -> Vec<Expression> {
        node.map(|node| self.all(node, depth)).unwrap_or_default()
    }

    fn call(&mut self, node: Node<'_>, depth: usize) -> Expression {
        let arguments = self.arguments(node.child_by_field_name("arguments"), depth);
        let Some(function) = node.child_by_field_name("function") else {
            return Expression::Other(arguments);
        };
        let is_method = function.kind() == "field_expression";
        if is_method
            && let Some(object) = function.child_by_field_name("argument")
            && let Some(name) = function.child_by_field_name("field")
        {
            return Expression::Method {
                object: Box::new(self.expression(object, depth)),
                name: self.path(name),
                arguments,
            };
        }
        match function.kind() {
            "identifier"
            | "qualified_identifier"
            | "template_function"
            | "primitive_type"
            | "type_identifier"
            | "template_type" => Expression::Call {
                path: self.path(function),
                arguments,
            },
            _ => {
                let mut parts = vec![self.expression(function, depth)];
                parts.extend(arguments);
                Expression::Other(parts)
            }
        }
    }

    /// `std::vector<int64_t>{1, 2}`
    fn construction(&mut self, node: Node<'_>, depth: usize) -> Expression {
        let ty = node.child_by_field_name("type");
        let value = node.child_by_field_name("value");
        let path = ty.map(|ty| self.path(ty)).unwrap_or_default();
        let arguments = self.arguments(value, depth);
        Expression::Call { path, arguments }
    }

    fn binary(&mut self, node: Node<'_>, depth: usize) -> Expression {
        let (left, right) = (
            node.child_by_field_name("left"),
            node.child_by_field_name("right"),
        );
        let operator = node.child_by_field_name("operator");
        match (left, operator, right) {
            (Some(left), Some(operator), Some(right)) => {
                let sides = [self.expression(left, depth), self.expression(right, depth)];
                Expression::Binary(self.text(operator).into(), Box::new(sides))
            }
            _ => Expression::Other(self.all(node, depth)),
        }
    }

    /// A path without white space and without a leading `::`.
    fn path(&self, node: Node<'_>) -> Box<str> {
        let mut path = self.text(node).to_owned();
        path.retain(|c| !c.is_whitespace());
        path.trim_start_matches("::").into()
    }
}

fn number(text: &str) -> Expression {
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if !is_hexadecimal && text.contains(['.', 'e', 'E', 'f', 'F']) {
        Expression::Float
    } else {
        Expression::Integer
    }
}
