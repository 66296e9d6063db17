//! Decides if a parameter takes a value (`FunctionParameter::check`).

use super::CallError;
use super::signature::{Kind, Parameter};
use super::value::{Scalar, Tensor, Value};

/// The result for a parameter and a value.
pub(super) enum Check {
    Takes,
    /// The parser tries the next signature. For a list, the index of the element that does not fit.
    Refuses(Option<usize>),
    /// The parser raises without trying other signatures.
    Raises(CallError),
}

impl From<bool> for Check {
    fn from(takes: bool) -> Self {
        if takes {
            Self::Takes
        } else {
            Self::Refuses(None)
        }
    }
}

/// Checks a value. `position` is the index of the parameter for errors about lists of tensors.
pub(super) fn check(
    parameter: &Parameter,
    value: &Value,
    numbers_are_tensors: bool,
    position: usize,
) -> Check {
    let is_tensor = matches!(value, Value::Tensor(_));
    let takes = match parameter.kind {
        Kind::Tensor => is_tensor || (numbers_are_tensors && matches!(value, Value::Scalar(_))),
        Kind::Scalar => matches!(value, Value::Scalar(_)) || is_number_tensor(value),
        Kind::Complex => is_real(value) || is_complex(value) || is_number_tensor(value),
        Kind::Double => is_real(value) || is_number_tensor(value),
        Kind::Int64 => matches!(value, Value::Scalar(Scalar::Int)) || is_integer_tensor(value),
        Kind::SymInt => is_index(value),
        Kind::TensorList => return tensors(value, position),
        Kind::IntList => return integers(value, parameter.size),
        Kind::FloatList => first_is(value, |first| is_real(first) || is_complex(first)),
        Kind::ScalarList => is_scalar_list(value),
        Kind::Dimname => is_name(value),
        Kind::DimnameList => first_is(value, is_name) || (parameter.size == 1 && is_name(value)),
        Kind::Generator => *value == Value::Generator,
        Kind::Bool => matches!(value, Value::Scalar(Scalar::Bool(_))),
        Kind::Storage => *value == Value::Storage,
        Kind::Object => true,
        Kind::ScalarType => matches!(value, Value::Dtype | Value::NumberType),
        Kind::Layout => *value == Value::Layout,
        Kind::MemoryFormat => matches!(value, Value::MemoryFormat(_)),
        Kind::QScheme => *value == Value::QScheme,
        Kind::Device => matches!(
            value,
            Value::Scalar(Scalar::Int) | Value::Str(_) | Value::Bytes | Value::Device
        ),
        Kind::Stream => *value == Value::Stream,
        Kind::Str => value.is_text(),
    };
    takes.into()
}

/// Checks a list of integers. Like the parser, it only looks at the first element. If the parameter
/// has a size, one integer stands for the whole list.
pub(super) fn integers(value: &Value, size: usize) -> Check {
    match value.elements() {
        Some([first, ..]) if !is_index(first) => Check::Refuses(Some(0)),
        Some(_) => Check::Takes,
        None => (size > 0 && is_index(value)).into(),
    }
}

fn tensors(value: &Value, position: usize) -> Check {
    let Some(elements) = value.elements() else {
        return Check::Refuses(None);
    };
    let is_tensor = |each: &Value| matches!(each, Value::Tensor(_));
    match elements
        .iter()
        .enumerate()
        .find(|(_, each)| !is_tensor(each))
    {
        None => Check::Takes,
        Some((index, other)) => Check::Raises(CallError::of_type(format!(
            "expected Tensor as element {index} in argument {position}, but got {}",
            other.class()
        ))),
    }
}

fn is_scalar_list(value: &Value) -> bool {
    let is_scalar = |each: &Value| matches!(each, Value::Scalar(_));
    value
        .elements()
        .is_some_and(|all| all.iter().all(is_scalar))
}

/// `true` if the list is empty or its first element passes the test.
fn first_is(value: &Value, is_right: impl Fn(&Value) -> bool) -> bool {
    value
        .elements()
        .is_some_and(|all| all.first().is_none_or(is_right))
}

pub(super) fn is_name(value: &Value) -> bool {
    value.is_text() || *value == Value::None
}

/// `true` for a float, an integer or a bool, because a bool is an integer in Python.
pub(super) fn is_real(value: &Value) -> bool {
    matches!(value, Value::Scalar(scalar) if *scalar != Scalar::Complex)
}

fn is_complex(value: &Value) -> bool {
    *value == Value::Scalar(Scalar::Complex)
}

/// `true` for an integer that is not a bool, or a tensor with such an integer.
pub(super) fn is_index(value: &Value) -> bool {
    match value {
        Value::Scalar(scalar) => *scalar == Scalar::Int,
        Value::Tensor(tensor) => tensor.is_index(),
        _ => false,
    }
}

fn is_number_tensor(value: &Value) -> bool {
    matches!(value, Value::Tensor(tensor) if is_number(*tensor))
}

fn is_integer_tensor(value: &Value) -> bool {
    matches!(value, Value::Tensor(tensor) if is_number(*tensor) && tensor.dtype == Scalar::Int)
}

fn is_number(tensor: Tensor) -> bool {
    tensor.dimensions == 0 && !tensor.requires_grad
}
