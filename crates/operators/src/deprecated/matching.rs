//! Finds the operators that deprecated signatures call (`load_deprecated_signatures` of
//! `tools/autograd/gen_python_functions.py`).

use opatlas_schema::function::{Argument, FunctionSchema};
use opatlas_schema::types::{BaseType, Type};
use rustc_hash::FxHashMap;

use super::{Deprecated, DeprecatedForm, Value};
use crate::operator::OperatorId;
use crate::table::OperatorTable;

/// The maximum number of overloads to compare with a signature; real releases have about 20.
pub const MOST_OVERLOADS: usize = 1_000;

/// The operators that deprecated signatures call.
#[derive(Debug, Default)]
pub struct DeprecatedMatches {
    /// By form; usually one operator.
    of_form: Vec<Vec<OperatorId>>,
    of_operator: FxHashMap<OperatorId, Vec<usize>>,
}

impl DeprecatedMatches {
    /// Only operators with a Python binding can be called.
    pub(crate) fn new(
        catalogue: &OperatorTable,
        file: &Deprecated,
        is_bound: impl Fn(OperatorId) -> bool,
    ) -> Self {
        let mut matches = Self::default();
        for (index, form) in file.forms.iter().enumerate() {
            let overloads = catalogue.overloads(&form.call.name).iter();
            let called = overloads
                .take(MOST_OVERLOADS)
                .copied()
                .filter(|&id| calls(form, catalogue.operator(id).schema()) && is_bound(id));
            let called: Vec<OperatorId> = called.collect();
            for &id in &called {
                matches.of_operator.entry(id).or_default().push(index);
            }
            matches.of_form.push(called);
        }
        matches
    }

    /// The operators that a form calls.
    #[must_use]
    pub fn of_form(&self, index: usize) -> &[OperatorId] {
        self.of_form.get(index).map_or(&[], Vec::as_slice)
    }

    /// The indices of the forms that call an operator, in file order.
    #[must_use]
    pub fn of_operator(&self, id: OperatorId) -> &[usize] {
        self.of_operator.get(&id).map_or(&[], Vec::as_slice)
    }
}

/// Requires equal types and annotations, defaults for missing arguments, and equal returns.
fn calls(form: &DeprecatedForm, schema: &FunctionSchema) -> bool {
    let arguments = &schema.arguments;
    let (first, then) = if form.call.is_out {
        (arguments.out(), arguments.non_out())
    } else {
        (arguments.all(), &[][..])
    };
    let mut passed = form.call.arguments.iter();
    let fits = first
        .iter()
        .chain(then)
        .all(|argument| match passed.next() {
            Some(passed) => takes(form, passed.value, argument),
            None => argument.default.is_some(),
        });
    fits && form.schema.returns == schema.returns
}

fn takes(form: &DeprecatedForm, value: Value, argument: &Argument) -> bool {
    match value {
        Value::Argument(index) => {
            let given = form.schema.arguments.all().get(index);
            given.is_some_and(|given| {
                given.ty == argument.ty && given.annotation == argument.annotation
            })
        }
        Value::Constant => {
            argument.ty == Type::Base(BaseType::Scalar) && argument.annotation.is_none()
        }
        Value::Unknown => false,
    }
}
