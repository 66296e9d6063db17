//! Calls under `torch.vmap`: the key `FuncTorchBatched` (`docs/spec/support.md`, section 7).

use opatlas_operators::operator::Operator;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_schema::function::SchemaKind;

use opatlas_schema::types::Type;

use crate::because::Because;
use crate::column::Served;

/// Operators with a batching rule that only raises, in every release with functorch: their results
/// depend on data, or the rule is a placeholder (`aten/src/ATen/functorch/BatchRulesDynamic.cpp`,
/// `BatchRulesViews.cpp`, `BatchRulesRandomness.cpp`).
const RAISE: [&str; 15] = [
    "_local_scalar_dense",
    "_unique2",
    "allclose",
    "as_strided_scatter",
    "is_nonzero",
    "item",
    "masked_select",
    "nonzero",
    "rrelu",
    "rrelu_",
    "rrelu_with_noise",
    "rrelu_with_noise_",
    "unique_consecutive",
    "unique_dim",
    "unique_dim_consecutive",
];

/// Whether a key is the one that calls under `vmap` have.
pub(crate) fn is_vmap(keys: &Keys, slot: Slot) -> bool {
    keys.name(Key::Runtime(slot)) == "FuncTorchBatched"
}

/// What serves a call under `vmap`, given what the table says.
pub(crate) fn under_vmap(operator: &Operator, served: Served) -> Served {
    match served {
        _ if RAISE.contains(&operator.name_text()) => Served::Raises(Because::RaisesUnderVmap),
        // Batches of sparse tensors cannot be sliced and stacked.
        Served::Fallback if operator.base_name().contains("sparse") => {
            Served::Raises(Because::SparseUnderVmap)
        }
        Served::Fallback if !falls_back(operator) => Served::Raises(Because::RefusedByVmap),
        served => served,
    }
}

/// Whether the fallback, which calls the operator once for each element of the batch, can serve it
/// (`aten/src/ATen/functorch/BatchedFallback.cpp`).
fn falls_back(operator: &Operator) -> bool {
    let schema = operator.schema();
    let is_list = |ty: &Type| matches!(ty, Type::List(inner, _) if inner.is_tensor());
    let takes_lists = schema
        .arguments
        .all()
        .iter()
        .any(|argument| is_list(&argument.ty));
    let returns_tensors = !takes_lists
        && !schema.returns.is_empty()
        && schema
            .returns
            .iter()
            .all(|returned| returned.ty.is_tensor());
    match operator.kind {
        SchemaKind::Inplace => schema.returns.len() == 1 && returns_tensors,
        SchemaKind::Functional => {
            let is_alias = schema
                .returns
                .iter()
                .any(|returned| returned.annotation.is_some());
            returns_tensors && !is_alias
        }
        _ => false,
    }
}
