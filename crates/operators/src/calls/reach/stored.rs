//! Stores: `x[0] = y` (`torch/csrc/autograd/python_variable_indexing.cpp`).

use opatlas_pytorch::release::Release;
use opatlas_schema::python_call::{Expression, Scalar, Value};

use super::indexed::Parts;
use super::{Reach, Reached, ReachedOperator};

const STORE: &str = "torch.Tensor.__setitem__";
const AS_TENSOR: &str = "the release stores numbers as tensors";

/// The operators that store a value at an index. Variables count as tensors.
pub(super) fn reach(release: Release, index: &[Expression], value: &Expression) -> Reach {
    let is_number = matches!(value.value(), Some(Value::Scalar(_)));
    let bool_alone = match index {
        [one] => match one.value() {
            Some(Value::Scalar(Scalar::Bool(value))) => Some(value),
            _ => None,
        },
        _ => None,
    };
    let mut operators = if is_number { made(release) } else { Vec::new() };
    match bool_alone {
        // `x[False] = 1` stores nothing.
        Some(false) => {}
        Some(true) => {
            operators.push(ReachedOperator::always("unsqueeze"));
            operators.extend(stored(release, is_number));
        }
        None => {
            let parts = Parts::of(index);
            operators.extend(parts.operators);
            operators.extend(match (is_number, parts.has_tensors) {
                (_, false) => stored(release, is_number),
                (false, true) => tensors_at_tensors(),
                (true, true) => numbers_at_tensors(release),
            });
        }
    }
    let mut notes = vec!["Variables count as tensors.".to_owned()];
    if is_number {
        let note = "How a number is stored was recorded in PyTorch 2.9 and 2.15.";
        notes.push(note.to_owned());
    }
    Reach::Reached(Reached {
        notes,
        ..Reached::of(STORE, once(operators))
    })
}

/// A number becomes a tensor in 2.9, and does not in 2.15.
fn made(release: Release) -> Vec<ReachedOperator> {
    if release >= Release::V2_15 {
        Vec::new()
    } else if release <= Release::V2_9 {
        vec![ReachedOperator::always("lift_fresh")]
    } else {
        vec![ReachedOperator::when("lift_fresh", AS_TENSOR)]
    }
}

/// Copies or fills what the index leaves.
fn stored(release: Release, is_number: bool) -> Vec<ReachedOperator> {
    let when = ReachedOperator::when;
    if !is_number {
        return vec![
            when(
                "view",
                "the value has fewer elements than the index leaves, or another shape",
            ),
            when(
                "expand",
                "the value has fewer elements than the index leaves",
            ),
            when(
                "fill_.Tensor",
                "the value has no dimensions, and the index leaves some",
            ),
            when(
                "copy_",
                "the value has dimensions, or the index leaves none",
            ),
        ];
    }
    if release >= Release::V2_15 {
        return vec![ReachedOperator::always("fill_.Scalar")];
    }
    let mut operators = vec![
        when("fill_.Tensor", "the index leaves several elements"),
        when("copy_", "the index leaves one element"),
    ];
    if release > Release::V2_9 {
        operators.push(when("fill_.Scalar", "the release stores numbers directly"));
    }
    operators
}

fn tensors_at_tensors() -> Vec<ReachedOperator> {
    vec![
        ReachedOperator::when("view", "the value begins with a dimension of size 1"),
        ReachedOperator::always("index_put_"),
    ]
}

fn numbers_at_tensors(release: Release) -> Vec<ReachedOperator> {
    if release <= Release::V2_9 {
        return vec![ReachedOperator::always("index_put_")];
    }
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
        (
            "lift_fresh",
            "the index has several tensors, or the release is older",
        ),
    ];
    operators
        .map(|(name, when)| ReachedOperator::when(name, when))
        .into()
}

/// Each operator once, where it is first; one that is always run counts more.
fn once(operators: Vec<ReachedOperator>) -> Vec<ReachedOperator> {
    let mut found: Vec<ReachedOperator> = Vec::new();
    for one in operators {
        match found.iter_mut().find(|known| known.name == one.name) {
            Some(known) if one.is_always() => *known = one,
            Some(_) => {}
            None => found.push(one),
        }
    }
    found
}
