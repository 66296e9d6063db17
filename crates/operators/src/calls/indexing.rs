//! The first operator that `tensor[index]` runs
//! (`torch/csrc/autograd/python_variable_indexing.cpp`).

use opatlas_schema::python_call::{CallError, Scalar, Value};

use super::Called;

/// Returns the first operator that an index runs.
pub(super) fn first(index: &Value) -> Result<Called, CallError> {
    let operator = match index {
        Value::Scalar(Scalar::Int) => "select.int",
        Value::None | Value::Scalar(Scalar::Bool(_)) => "unsqueeze",
        Value::Other("ellipsis") => "alias",
        Value::Other("slice" | "full slice") => "slice.Tensor",
        Value::Tensor(tensor) if tensor.dimensions > 0 => "index.Tensor",
        Value::Tensor(tensor) => match tensor.dtype {
            Scalar::Int => "select.int",
            Scalar::Bool(_) => "unsqueeze",
            _ => "index.Tensor",
        },
        // PyTorch converts the list to a tensor.
        Value::List(_) => "empty.memory_format",
        Value::Str(_) | Value::Bytes => {
            let message = format!("new(): invalid data type '{}'", index.class());
            return Err(CallError::of_type(message));
        }
        Value::Tuple(indices) => return first_of(indices),
        other => {
            let class = other.class();
            return Err(CallError {
                class: "IndexError",
                message: format!(
                    "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables \
                     are valid indices (got {class})"
                ),
            });
        }
    };
    Ok(Called::Operator(operator.to_owned()))
}

/// Returns the first operator of a tuple. Tensors in it are used after all other indices.
fn first_of(indices: &[Value]) -> Result<Called, CallError> {
    let is_later = |index: &&Value| match index {
        Value::Tensor(tensor) => tensor.dimensions > 0,
        // In a tuple, `:` changes nothing.
        Value::Other("ellipsis" | "full slice") => true,
        _ => false,
    };
    match indices.iter().find(|index| !is_later(index)) {
        Some(index) => first(index),
        None if indices.iter().any(|it| matches!(it, Value::Tensor(_))) => {
            Ok(Called::Operator("index.Tensor".to_owned()))
        }
        None => Ok(Called::Operator("alias".to_owned())),
    }
}
