//! Keys and generated functions of formulas.

use opatlas_pytorch::release::Release;
use opatlas_schema::function::FunctionSchema;
use rustc_hash::{FxHashMap, FxHashSet};

use super::KeyFormulas;
use crate::derivatives::{DEFAULT_KEY, DerivativeEntry, Derivatives, FormulaSet, bindings};

/// Whether a key can have formulas (torchgen `AUTOGRAD_KEYS`): `Default`, `AutogradNestedTensor`,
/// and `Autograd` with each of the generator's backends.
#[must_use]
pub fn is_formula_key(key: &str, release: Release) -> bool {
    if matches!(key, DEFAULT_KEY | "AutogradNestedTensor") {
        return true;
    }
    let backend = key.strip_prefix("Autograd");
    backend.is_some_and(|backend| release.data().backend_components.contains(backend))
}

/// All keys that can have formulas.
pub fn formula_keys(release: Release) -> impl Iterator<Item = String> {
    let backends = release.data().backend_components.iter();
    [DEFAULT_KEY.to_owned(), "AutogradNestedTensor".to_owned()]
        .into_iter()
        .chain(backends.map(|backend| format!("Autograd{backend}")))
}

/// The function's name has no number yet.
pub(super) fn on_key(
    (file, entry): (&Derivatives, &DerivativeEntry),
    set: &FormulaSet,
    schema: &FunctionSchema,
    base: &str,
) -> KeyFormulas {
    let key = file.key(set);
    let is_gradient = |formula| {
        bindings::has_argument(schema, file.first_name(formula))
            && !file.is_non_differentiable(formula)
    };
    let is_differentiable = set.formulas.iter().any(is_gradient);
    KeyFormulas {
        key: key.into(),
        is_differentiable,
        lacks_formulas: !is_differentiable && leaves_gradients((file, entry), set, schema),
        function: is_differentiable.then(|| function_prefix(base, key)),
    }
}

/// Whether an input and an output could have a gradient as far as an entry says (torchgen
/// `gen_differentiable_inputs` and `gen_differentiable_outputs`).
fn leaves_gradients(
    (file, entry): (&Derivatives, &DerivativeEntry),
    set: &FormulaSet,
    schema: &FunctionSchema,
) -> bool {
    let excluded = set.formulas.iter();
    let excluded = excluded.filter(|formula| file.is_non_differentiable(formula));
    let excluded: FxHashSet<&str> = excluded
        .flat_map(|formula| file.names(formula).map(|(_, name)| name))
        .collect();
    let mut inputs = schema.arguments.non_out().iter();
    let mut outputs = bindings::results(schema).into_iter().enumerate();
    inputs.any(|input| input.ty.is_tensor_like() && !excluded.contains(&*input.name))
        && outputs.any(|(index, output)| match &entry.output_differentiability {
            Some(declared) => declared.allows(index),
            None => schema.returns[index].ty.is_tensor_like() && !excluded.contains(&*output.name),
        })
}

/// torchgen `_create_op_prefix`
fn function_prefix(base: &str, key: &str) -> Box<str> {
    let mut prefix = String::with_capacity(base.len() + 16);
    for part in base.split('_') {
        let mut after_letter = false;
        for c in part.chars() {
            if after_letter {
                prefix.extend(c.to_lowercase());
            } else {
                prefix.extend(c.to_uppercase());
            }
            after_letter = c.is_alphabetic();
        }
    }
    prefix.push_str("Backward");
    let mut prefix = prefix.replace("ForwardBackward", "Backward");
    if key != DEFAULT_KEY {
        prefix.push_str(key);
    }
    prefix.into()
}

/// Numbers the functions with a common prefix (torchgen `op_counter`).
#[derive(Default)]
pub(super) struct FunctionNames {
    count: FxHashMap<Box<str>, u32>,
}

impl FunctionNames {
    pub(super) fn next(&mut self, prefix: Box<str>) -> Box<str> {
        let number = self.count.get(&prefix).copied().unwrap_or(0);
        let name = format!("{prefix}{number}").into();
        self.count.insert(prefix, number + 1);
        name
    }
}
