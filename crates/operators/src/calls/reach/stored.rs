//! Stores: `x[0] = y` (`torch/csrc/autograd/python_variable_indexing.cpp`).

use opatlas_pytorch::release::Release;
use opatlas_schema::python_call::{Expression, Scalar, Value};

use super::{Reach, Reached, ReachedOperator};

const STORE: &str = "torch.Tensor.__setitem__";

/// The operators that store a value at an index. Variables count as tensors.
pub(super) fn reach(release: Release, index: &[Expression], value: &Expression) -> Reach {
    let is_number = matches!(value.value(), Some(Value::Scalar(_)));
    let has_tensors = index.iter().any(|one| match one.value() {
        None | Some(Value::Tensor(_) | Value::List(_)) => true,
        Some(_) => false,
    });
    let mut operators: Vec<ReachedOperator> = Vec::new();
    let selected = index.iter().filter_map(|one| match one.value()? {
        Value::Scalar(Scalar::Int) => Some("select.int"),
        Value::Other("slice") => Some("slice.Tensor"),
        Value::None | Value::Scalar(Scalar::Bool(_)) => Some("unsqueeze"),
        _ => None,
    });
    for name in selected {
        if operators.iter().all(|known| known.name != name) {
            operators.push(ReachedOperator::always(name));
        }
    }
    operators.extend(match (is_number, has_tensors) {
        (false, false) => vec![ReachedOperator::always("copy_")],
        (false, true) => vec![ReachedOperator::always("index_put_")],
        (true, false) => numbers(release),
        (true, true) => numbers_at_tensors(),
    });
    let mut notes = vec!["Variables count as tensors.".to_owned()];
    if is_number {
        let note = "How a number is stored was recorded in PyTorch 2.9 and 2.15.";
        notes.push(note.to_owned());
    }
    Reach::Reached(Reached {
        notes,
        ..Reached::of(STORE, operators)
    })
}

/// A number becomes a tensor in 2.9, and does not in 2.15.
fn numbers(release: Release) -> Vec<ReachedOperator> {
    let as_tensor = ["lift_fresh", "fill_.Tensor"];
    let when = |name| ReachedOperator::when(name, "the release stores numbers as tensors");
    if release >= Release::V2_15 {
        vec![ReachedOperator::always("fill_.Scalar")]
    } else if release <= Release::V2_9 {
        let copied = ReachedOperator::when("copy_", "the index leaves one element");
        let filled = ReachedOperator::when("fill_.Tensor", "the index leaves several elements");
        vec![ReachedOperator::always("lift_fresh"), filled, copied]
    } else {
        let direct = "the release stores numbers directly";
        let mut operators: Vec<_> = as_tensor.map(when).into();
        operators.push(ReachedOperator::when("fill_.Scalar", direct));
        operators
    }
}

fn numbers_at_tensors() -> Vec<ReachedOperator> {
    let operators = [
        ("masked_fill_.Scalar", "the index is a tensor of bools"),
        (
            "index_fill_.int_Scalar",
            "the index has one tensor of integers",
        ),
        (
            "index_put_",
            "the index has several tensors, or the release is older",
        ),
        ("lift_fresh", "the release stores numbers as tensors"),
    ];
    operators
        .map(|(name, when)| ReachedOperator::when(name, when))
        .into()
}
