//! Indices: the operators of `x[0, 1:, i]` (`torch/csrc/autograd/python_variable_indexing.cpp`).
//! Recorded in PyTorch 2.9 and 2.15.

use opatlas_schema::python_call::{Expression, Scalar, Value};

use super::{FunctionCall, Reach, Reached, ReachedOperator, bound};
use crate::catalogue::Catalogue;

pub(super) const GET: &str = "torch.Tensor.__getitem__";
const LEAVES_OUT: &str = "the slice leaves elements out";

/// What the parts of an index run, in order.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) operators: Vec<ReachedOperator>,
    /// A part is a tensor, or becomes one: a list, a bool beside other parts.
    pub(super) has_tensors: bool,
    /// A part is `True` or `False`, whose tensor is made in another way on some devices.
    has_bools: bool,
}

/// What `of[index]` reaches. Variables count as tensors.
pub(super) fn reach(catalogue: &Catalogue, of: &Expression, index: &[Expression]) -> Reach {
    if index
        .iter()
        .filter_map(Expression::value)
        .any(|it| is_refused(&it))
    {
        let index = match index {
            [one] => one.clone(),
            several => Expression::Tuple(several.to_vec()),
        };
        return refused(catalogue, &FunctionCall::of(GET, vec![of.clone(), index]));
    }
    let mut parts = Parts::of(index);
    if let [Expression::Slice { .. }] = index {
        parts.operators = vec![ReachedOperator::always("slice.Tensor")];
    }
    if parts.has_tensors {
        parts.add("index.Tensor", None);
    }
    let is_certain = parts.operators.iter().any(ReachedOperator::is_always);
    if !is_certain {
        let when = (!parts.operators.is_empty()).then_some("no slice leaves elements out");
        parts.add("alias", when);
    }
    let mut reached = Reached::of(GET, parts.operators);
    reached.notes.push("Variables count as tensors.".to_owned());
    if parts.has_bools {
        let note = "On other devices than the CPU and CUDA, `zeros` makes the tensor of `True`.";
        reached.notes.push(note.to_owned());
    }
    Reach::Reached(reached)
}

/// What the binding says of an index that PyTorch refuses.
fn refused(catalogue: &Catalogue, call: &FunctionCall) -> Reach {
    let unknown = || Reach::Unknown("the index is not one of a tensor".to_owned());
    bound::reach(catalogue, call).unwrap_or_else(unknown)
}

/// True if PyTorch raises for such an index.
fn is_refused(value: &Value) -> bool {
    match value {
        Value::Scalar(Scalar::Float | Scalar::Complex) | Value::Str(_) | Value::Bytes => true,
        Value::Scalar(_) | Value::None | Value::Tensor(_) | Value::List(_) | Value::Tuple(_) => {
            false
        }
        Value::Other("slice" | "full slice" | "ellipsis") => false,
        _ => true,
    }
}

impl Parts {
    /// The parts of an index: those between the commas, or those of the tuple that it is.
    pub(super) fn of(index: &[Expression]) -> Self {
        let mut parts = Self::default();
        let index = match index {
            [Expression::Tuple(elements)] => elements,
            _ => index,
        };
        for part in index {
            parts.part(part);
        }
        parts
    }

    fn part(&mut self, part: &Expression) {
        if let Expression::Slice {
            is_full,
            may_be_full,
        } = part
        {
            match (is_full, may_be_full) {
                (true, _) => {}
                (false, true) => self.add("slice.Tensor", Some(LEAVES_OUT)),
                (false, false) => self.add("slice.Tensor", None),
            }
            return;
        }
        match part.value() {
            Some(Value::Scalar(Scalar::Int)) => self.add("select.int", None),
            Some(Value::None) => self.add("unsqueeze", None),
            Some(Value::Scalar(Scalar::Bool(value))) => self.bool(value),
            Some(Value::Other("ellipsis")) => {}
            Some(Value::List(_) | Value::Tuple(_)) => self.list(part),
            _ => self.has_tensors = true,
        }
    }

    /// A bool adds a dimension, which it indexes.
    fn bool(&mut self, value: bool) {
        self.add("unsqueeze", None);
        self.add("empty.memory_format", None);
        if value {
            self.add("fill_.Scalar", None);
        }
        (self.has_tensors, self.has_bools) = (true, true);
    }

    /// PyTorch makes a tensor of a list of numbers. Of a list of tensors it depends on the release.
    fn list(&mut self, part: &Expression) {
        self.has_tensors = true;
        let (Expression::List(elements) | Expression::Tuple(elements)) = part else {
            return;
        };
        let has_variables = elements.iter().any(|one| one.value().is_none());
        let when = has_variables.then_some("the list has numbers only");
        for name in ["empty.memory_format", "to.device", "lift_fresh"] {
            self.add(name, when);
        }
    }

    /// Adds an operator once; one that is always run counts more.
    fn add(&mut self, name: &str, when: Option<&str>) {
        let one = ReachedOperator {
            name: name.to_owned(),
            when: when.map(str::to_owned),
        };
        match self.operators.iter_mut().find(|known| known.name == name) {
            Some(known) if when.is_none() => *known = one,
            Some(_) => {}
            None => self.operators.push(one),
        }
    }
}
