//! Functions of Python itself, which read tensors through their special methods: `float(x)`, `len(x)`,
//! `2 in x`. Recorded in PyTorch 2.9 and 2.15.

use opatlas_schema::python_call::{Argument, Expression, Scalar, Value};

use super::{Reach, Reached, ReachedOperator};

const VARIABLES: &str = "Variables count as tensors.";
/// What `item` runs below autograd.
const READS: &str = "_local_scalar_dense";

/// What a call of a function of Python reaches; `None` if Python has no such function.
pub(super) fn reach(name: &str, arguments: &[Argument]) -> Option<Reach> {
    let reach = match name {
        "float" | "int" | "complex" | "bin" | "oct" | "hex" | "chr" | "range" => {
            reads(name, "item")
        }
        "bool" => reads(name, "is_nonzero"),
        "len" | "id" | "type" | "isinstance" | "issubclass" | "hasattr" | "hash" | "callable"
        | "dir" | "vars" | "slice" => nothing(name),
        "list" | "tuple" | "iter" | "enumerate" | "set" | "zip" | "sum" | "all" | "any"
        | "sorted" | "reversed" | "max" | "min" => return Some(of_elements(name, arguments)),
        "round" | "divmod" => Reach::Unknown(format!(
            "a tensor has no `__{name}__`, so the call raises `TypeError`"
        )),
        "str" | "repr" | "print" | "format" | "ascii" => Reach::Unknown(format!(
            "`{name}` writes a tensor, and the operators for that depend on its values"
        )),
        "map" | "filter" | "next" | "getattr" | "setattr" | "open" | "input" | "dict" | "bytes"
        | "ord" | "super" | "object" | "frozenset" | "eval" | "exec" => {
            Reach::Unknown(format!("`{name}` is a function of Python"))
        }
        _ => return None,
    };
    Some(match arguments.iter().all(is_value) {
        true if !arguments.is_empty() => value(),
        _ => reach,
    })
}

/// A method that is written in C++ and is not a binding of an operator; `None` for all others.
pub(super) fn method(name: &str, of: &Expression, arguments: &[Argument]) -> Option<Reach> {
    let shown = format!("torch.Tensor.{name}");
    Some(match (name, arguments) {
        ("__float__" | "__int__" | "__complex__" | "__index__" | "item", []) => {
            reads(&shown, "item")
        }
        ("__bool__", []) => reads(&shown, "is_nonzero"),
        ("__len__" | "__hash__", []) => nothing(&shown),
        ("__contains__", [element]) => contains(&element.value, of),
        ("tolist", []) => always(&shown, &["resolve_conj", "resolve_neg"]),
        ("numpy", []) => always(
            &shown,
            &["detach", "to.dtype_layout", "resolve_conj", "resolve_neg"],
        ),
        _ => return None,
    })
}

/// `not x`, `x and y`: the truth of a tensor.
pub(super) fn truth(op: &str, of: &Expression) -> Reach {
    match of.value() {
        Some(_) => value(),
        None => reads(op, "is_nonzero"),
    }
}

/// `element in of`.
pub(super) fn contains(element: &Expression, of: &Expression) -> Reach {
    if of.value().is_some() {
        return Reach::Unknown("`in` compares the elements of a list one by one".to_owned());
    }
    let equal = match element.value() {
        Some(Value::Scalar(_)) => "eq.Scalar",
        Some(_) => return value(),
        None => "eq.Tensor",
    };
    always("torch.Tensor.__contains__", &[equal, "any", "item"])
}

/// Functions that take the elements of a tensor, or of a list of tensors.
fn of_elements(name: &str, arguments: &[Argument]) -> Reach {
    if arguments
        .iter()
        .any(|it| it.name.is_some() || it.is_unpacked)
    {
        return Reach::Unknown(format!("the arguments of `{name}` decide"));
    }
    match (name, arguments) {
        (_, []) => value(),
        ("max" | "min", [first, second]) => larger(name, &first.value, &second.value),
        ("max" | "min", [_, _, _, ..]) => {
            Reach::Unknown(format!("`{name}` compares the values in turn"))
        }
        (_, [of, ..]) => match &of.value {
            Expression::List(all) | Expression::Tuple(all) => {
                match all.iter().all(|one| one.value().is_some()) {
                    true => value(),
                    false => compared(name, true),
                }
            }
            _ if is_value(of) => value(),
            _ if name == "reversed" => always(name, &["flip"]),
            _ => compared(name, false),
        },
    }
}

/// What a function does with elements. Those of a list are tensors; a tensor is unbound first.
fn compared(name: &str, is_list: bool) -> Reach {
    let operators: &[&str] = match name {
        "sum" => &["add.Tensor"],
        "all" | "any" => &["is_nonzero"],
        "sorted" | "min" => &["lt.Tensor", "is_nonzero"],
        "max" => &["gt.Tensor", "is_nonzero"],
        _ => &[],
    };
    let is_ordered = matches!(name, "sorted" | "min" | "max");
    let operators = operators.iter().map(|&operator| match is_ordered {
        true => ReachedOperator::when(operator, "there are several elements"),
        false => ReachedOperator::always(operator),
    });
    let unbound = (!is_list).then(|| ReachedOperator::always("unbind.int"));
    let operators: Vec<_> = unbound.into_iter().chain(operators).collect();
    match operators.is_empty() {
        true => nothing(name),
        false => noted(Reached::of(name, operators)),
    }
}

/// `max(x, y)` asks `y > x`. A number on the left of it has the tensor ask the reverse.
fn larger(name: &str, first: &Expression, second: &Expression) -> Reach {
    let is_number =
        |of: &Expression| matches!(of.value(), Some(Value::Scalar(Scalar::Int | Scalar::Float)));
    let (asked, reverse) = match name {
        "max" => ("gt", "lt"),
        _ => ("lt", "gt"),
    };
    let compares = match (first.value(), second.value()) {
        (None, None) => format!("{asked}.Tensor"),
        (Some(_), None) if is_number(first) => format!("{asked}.Scalar"),
        (None, Some(_)) if is_number(second) => format!("{reverse}.Scalar"),
        _ => return value(),
    };
    always(name, &[&compares, "is_nonzero"])
}

fn is_value(argument: &Argument) -> bool {
    argument.value.value().is_some()
}

fn value() -> Reach {
    Reach::Unknown("this is a value, not a call".to_owned())
}

fn always(function: &str, operators: &[&str]) -> Reach {
    let operators = operators.iter().map(|&name| ReachedOperator::always(name));
    noted(Reached::of(function, operators.collect()))
}

fn noted(mut reached: Reached) -> Reach {
    reached.notes.push(VARIABLES.to_owned());
    Reach::Reached(reached)
}

/// A function that reads the value of a tensor with one element.
fn reads(function: &str, operator: &str) -> Reach {
    let mut reached = Reached::of(function, vec![ReachedOperator::always(operator)]);
    reached.below = vec![ReachedOperator::always(READS)];
    noted(reached)
}

fn nothing(function: &str) -> Reach {
    let mut reached = Reached::of(function, Vec::new());
    reached.notes.push("The call runs no operator.".to_owned());
    noted(reached)
}
