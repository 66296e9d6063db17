//! The operators that a line of Python reaches (`docs/spec/calls.md`, section 6).
//!
//! Bindings choose an operator by their argument parser. What functions that are written in Python call
//! was recorded in real processes.

mod back;
mod bound;
mod builtins;
mod indexed;
mod names;
pub(super) mod recorded;
mod stored;
mod values;

use opatlas_pytorch::release::Release;
use opatlas_schema::python_call::{Argument, CallError, Expression, Statement};

pub use back::{Reacher, reaches};

use crate::catalogue::Catalogue;
use names::{Target, target};

/// What a line of Python reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    /// Operators.
    Reached(Reached),
    /// The call raises before any operator runs.
    Raises {
        /// The function: `torch.add`.
        function: String,
        /// The exception.
        error: CallError,
    },
    /// Nobody can tell, for this reason.
    Unknown(String),
}

/// The operators of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reached {
    /// The function, method or module: `torch.nn.functional.relu`, `torch.Tensor.add_`.
    pub function: String,
    /// The operators that the function itself calls, in order.
    pub operators: Vec<ReachedOperator>,
    /// The operators below autograd, which need kernels, as recorded on the CPU. Empty if they are
    /// those of `operators`, or were not recorded.
    pub below: Vec<ReachedOperator>,
    /// The operators of the backward, as far as they were recorded.
    pub backward: Vec<ReachedOperator>,
    /// The release in which a function that is written in Python was recorded; `None` for a binding.
    pub recorded_with: Option<Release>,
    /// What the answer leaves out or takes for granted, in sentences.
    pub notes: Vec<String>,
}

/// An operator that a call reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReachedOperator {
    /// The name: `add.Tensor`.
    pub name: String,
    /// When the call reaches it; `None` for always.
    pub when: Option<String>,
}

impl ReachedOperator {
    fn always(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            when: None,
        }
    }

    fn when(name: impl Into<String>, when: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            when: Some(when.into()),
        }
    }

    /// Whether each such call reaches it.
    #[must_use]
    pub fn is_always(&self) -> bool {
        self.when.is_none()
    }
}

impl Reached {
    fn of(function: impl Into<String>, operators: Vec<ReachedOperator>) -> Self {
        Self {
            function: function.into(),
            operators,
            below: Vec::new(),
            backward: Vec::new(),
            recorded_with: None,
            notes: Vec::new(),
        }
    }
}

/// The operators that a line of Python reaches: a name such as `torch.nn.functional.grid_sample`, a call
/// such as `F.relu(x, inplace=True)`, `x.add_(y)`, `nn.Linear(3, 4)(x)`, or `x += 1`. Variables count as
/// tensors where a tensor fits. Only the outermost call counts.
#[must_use]
pub fn reach(catalogue: &Catalogue, line: &str) -> Reach {
    let statement = match Statement::read(line) {
        Ok(statement) => statement,
        Err(error) => return Reach::Unknown(error.to_string()),
    };
    let target = match &statement {
        Statement::InPlace(op, left, right) => names::in_place(op, left, right),
        Statement::Store(index, value) => return stored::reach(catalogue.release, index, value),
        Statement::Expression(expression) => target(expression),
    };
    match target {
        Target::Unknown(why) => Reach::Unknown(why),
        Target::Operator(name) => operator(catalogue, &name),
        Target::Reach(reach) => *reach,
        Target::Index(of, index) => indexed::reach(catalogue, of, index),
        Target::Function(call) => function(catalogue, &call),
    }
}

/// A call of a function by its full name.
#[derive(Debug, Clone, Default)]
pub(crate) struct FunctionCall {
    /// `torch.nn.functional.relu`, `torch.Tensor.add_`, `torch.nn.Linear`.
    name: String,
    /// The arguments, the tensor of a method first; `None` if the line only names the function.
    arguments: Option<Vec<Argument>>,
    /// The arguments that the module is made with.
    made_with: Option<Vec<Argument>>,
}

/// `torch.ops.aten.add.Tensor`.
fn operator(catalogue: &Catalogue, name: &str) -> Reach {
    let shown = format!("torch.ops.aten.{name}");
    let exact = name.strip_suffix(".default").unwrap_or(name);
    if name.contains('.') && catalogue.find(exact).is_some() {
        return Reach::Reached(Reached::of(shown, vec![ReachedOperator::always(exact)]));
    }
    let overloads = catalogue.overloads(name);
    let names = overloads
        .iter()
        .map(|&id| catalogue.operator(id).qualified_name());
    let operators: Vec<_> = match overloads {
        [] => return Reach::Unknown(format!("the release has no operator `{name}`")),
        [_] => names.map(ReachedOperator::always).collect(),
        _ => names
            .map(|name| ReachedOperator::when(name, "its arguments fit"))
            .collect(),
    };
    Reach::Reached(Reached::of(shown, operators))
}

fn function(catalogue: &Catalogue, call: &FunctionCall) -> Reach {
    if let (indexed::GET, Some([of, index])) = (&*call.name, call.arguments.as_deref()) {
        return indexed::reach(catalogue, &of.value, std::slice::from_ref(&index.value));
    }
    if let Some(reach) = recorded::reach(catalogue, call) {
        return reach;
    }
    if let Some(reach) = bound::reach(catalogue, call) {
        return reach;
    }
    Reach::Unknown(format!(
        "`{}` is neither a binding of an operator nor a recorded function of {}",
        call.name, catalogue.release
    ))
}

impl FunctionCall {
    fn of(name: impl Into<String>, arguments: Vec<Expression>) -> Self {
        let argument = |value| Argument {
            name: None,
            value,
            is_unpacked: false,
        };
        Self {
            name: name.into(),
            arguments: Some(arguments.into_iter().map(argument).collect()),
            made_with: None,
        }
    }
}
