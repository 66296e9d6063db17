//! Reads a line of Python leniently: calls, methods, operators and indexing. Variables are names.

mod parse;
mod tokens;

use super::arguments::{Unreadable, named};
use super::value::{Scalar, Tensor, Value};

/// A Python expression.
#[derive(Debug, Clone, PartialEq)]
pub enum Expression {
    /// A variable, a module or a constant: `x`, `torch`, `True`.
    Name(String),
    /// A number or a text.
    Literal(Value),
    /// `[1, 2]`.
    List(Vec<Self>),
    /// `(1, 2)`.
    Tuple(Vec<Self>),
    /// `x.shape`.
    Attribute(Box<Self>, String),
    /// `f(x, dim=1)`.
    Call(Box<Self>, Vec<Argument>),
    /// `x[0, :]`.
    Index(Box<Self>, Vec<Self>),
    /// `-x`.
    Unary(&'static str, Box<Self>),
    /// `x + y`.
    Binary(&'static str, Box<Self>, Box<Self>),
    /// `1:2`, or `:` with both ends left out.
    Slice {
        /// It takes all elements: `:`, `0:`, `::1`.
        is_full: bool,
        /// It may take all elements: `:n`, `0:n`.
        may_be_full: bool,
    },
    /// `...`.
    Ellipsis,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// The name of a keyword argument.
    pub name: Option<String>,
    /// The value.
    pub value: Expression,
    /// It follows `*` or `**`, so that it stands for any number of arguments.
    pub is_unpacked: bool,
}

/// A line of Python.
#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// An expression, or its assignment to variables.
    Expression(Expression),
    /// `x += y`: the operator is `+`.
    InPlace(&'static str, Expression, Expression),
    /// `x[0] = y`: the index and the value.
    Store(Vec<Expression>, Expression),
}

impl Statement {
    /// Reads a line.
    ///
    /// # Errors
    /// If the text is too long, nests too deeply, or has anything but expressions.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        parse::statement(text)
    }
}

impl Expression {
    /// The name with its path: `torch.nn.functional.relu`; `None` for anything else.
    #[must_use]
    pub fn dotted(&self) -> Option<String> {
        match self {
            Self::Name(name) => Some(name.clone()),
            Self::Attribute(of, name) => Some(format!("{}.{name}", of.dotted()?)),
            _ => None,
        }
    }

    /// The value, as far as the text has it; `None` for what only a program knows, such as a variable.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Literal(value) => Some(value.clone()),
            Self::List(elements) => Some(Value::List(values(elements))),
            Self::Tuple(elements) => Some(Value::Tuple(values(elements))),
            Self::Slice { is_full: true, .. } => Some(Value::Other("full slice")),
            Self::Slice { .. } => Some(Value::Other("slice")),
            Self::Ellipsis => Some(Value::Other("ellipsis")),
            Self::Unary("-" | "+", of) => match of.value()? {
                number @ Value::Scalar(_) => Some(number),
                _ => None,
            },
            Self::Binary(op, left, right) => number(op, left.value()?, right.value()?),
            Self::Index(of, _) => match of.value()? {
                Value::Tuple(elements) | Value::List(elements) => elements.into_iter().next(),
                _ => None,
            },
            Self::Name(name) if matches!(&**name, "tensor" | "Tensor") => {
                Some(Value::Tensor(Tensor::PLAIN))
            }
            Self::Name(_) | Self::Attribute(..) => match named(&self.dotted()?) {
                Some((value, _)) => Some(value),
                None => self.property(),
            },
            Self::Call(function, _) => self.of_call(function),
            Self::Unary(..) => None,
        }
    }

    /// What a property of a tensor is: `x.shape`, `x.dtype`.
    fn property(&self) -> Option<Value> {
        let Self::Attribute(_, name) = self else {
            return None;
        };
        known(name)
    }

    fn of_call(&self, function: &Self) -> Option<Value> {
        if let Some((value, true)) = function.dotted().and_then(|name| named(&name)) {
            return Some(value);
        }
        let Self::Call(_, given) = self else {
            return None;
        };
        match function {
            Self::Attribute(_, name) if name == "size" && given.is_empty() => known("shape"),
            Self::Attribute(_, name) if matches!(&**name, "size" | "dim" | "numel") => {
                known("ndim")
            }
            Self::Name(name) if matches!(&**name, "len" | "int") => known("ndim"),
            Self::Name(name) if name == "float" => Some(Value::Scalar(Scalar::Float)),
            _ => None,
        }
    }
}

fn known(property: &str) -> Option<Value> {
    let int = Value::Scalar(Scalar::Int);
    Some(match property {
        "shape" => Value::Tuple(vec![int.clone(), int]),
        "ndim" => int,
        "dtype" => Value::Dtype,
        "device" => Value::Device,
        "layout" => Value::Layout,
        _ => return None,
    })
}

/// Elements that only a program knows count as integers if others do, and as tensors otherwise.
fn values(elements: &[Expression]) -> Vec<Value> {
    let found: Vec<Option<Value>> = elements.iter().map(Expression::value).collect();
    let has_numbers = found
        .iter()
        .flatten()
        .any(|value| matches!(value, Value::Scalar(_)));
    let other = match has_numbers {
        true => Value::Scalar(Scalar::Int),
        false => Value::Tensor(Tensor::PLAIN),
    };
    let found = found.into_iter();
    found
        .map(|value| value.unwrap_or_else(|| other.clone()))
        .collect()
}

fn number(op: &str, left: Value, right: Value) -> Option<Value> {
    match (left, right) {
        (Value::Scalar(Scalar::Int), Value::Scalar(Scalar::Int)) if op != "/" => {
            Some(Value::Scalar(Scalar::Int))
        }
        (Value::Scalar(_), Value::Scalar(_)) => Some(Value::Scalar(Scalar::Float)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expression(text: &str) -> Expression {
        match Statement::read(text) {
            Ok(Statement::Expression(expression)) => expression,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn calls_have_arguments_and_names() {
        let Expression::Call(function, arguments) = expression("F.relu(x, inplace=True)") else {
            panic!("a call");
        };
        assert_eq!(function.dotted().as_deref(), Some("F.relu"));
        assert_eq!(arguments[1].name.as_deref(), Some("inplace"));
        let flag = arguments[1].value.value();
        assert_eq!(flag, Some(Value::Scalar(Scalar::Bool(true))));
        assert_eq!(arguments[0].value.value(), None);
    }

    #[test]
    fn operators_bind_as_in_python() {
        let text = |line: &str| format!("{:?}", expression(line));
        assert_eq!(text("a + b * c"), text("a + (b * c)"));
        assert_eq!(text("a - b - c"), text("(a - b) - c"));
        assert_eq!(text("-a ** b"), text("-(a ** b)"));
        assert_eq!(text("a ** b ** c"), text("a ** (b ** c)"));
        assert_eq!(text("a == b & c"), text("a == (b & c)"));
        assert_eq!(text("a @ b.t()"), text("a @ (b.t())"));
    }

    #[test]
    fn statements_are_assignments_or_stores() {
        let read = |line: &str| Statement::read(line).unwrap();
        assert!(matches!(read("x += 1"), Statement::InPlace("+", ..)));
        assert!(matches!(read("x[0, :] = y"), Statement::Store(..)));
        assert_eq!(read("y = f(x)"), read("f(x)  # a comment"));
        assert_eq!(read("a, b = f(x)"), read("return f(x)"));
        assert_eq!(read(">>> y: torch.Tensor = f(x);"), read("f(x)"));
    }

    #[test]
    fn values_are_as_the_text_shows_them() {
        let value = |text: &str| expression(text).value();
        let int = Value::Scalar(Scalar::Int);
        for (text, wanted) in [
            ("x.shape[0]", Some(int.clone())),
            ("x.size(1)", Some(int.clone())),
            ("len(x) // 2", Some(int.clone())),
            ("-1", Some(int.clone())),
            ("torch.float64", Some(Value::Dtype)),
            ("torch.device('cpu')", Some(Value::Device)),
            ("(n, 2)", Some(Value::Tuple(vec![int.clone(), int]))),
            ("x", None),
            ("f(x)", None),
        ] {
            assert_eq!(value(text), wanted, "{text}");
        }
    }

    #[test]
    fn what_is_no_line_is_refused() {
        for text in [
            "",
            "x[",
            "f(",
            "f(x",
            "'text",
            "x y",
            "lambda x: x",
            "{1: 2}",
            "a if b else c",
            "1 +",
        ] {
            assert!(Statement::read(text).is_err(), "{text}");
        }
        for text in [
            "(".repeat(4000),
            "x.a".repeat(1300),
            "-".repeat(3999),
            "a=".repeat(2000),
        ] {
            assert!(Statement::read(&text).is_err());
        }
    }
}
