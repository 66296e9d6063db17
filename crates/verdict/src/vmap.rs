//! Calls under `torch.vmap`: the key `FuncTorchBatched` (`docs/spec/support.md`, section 7).

use opatlas_operators::operator::Operator;
use opatlas_pytorch::Release;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::ways::{Registry, facts};
use opatlas_schema::function::SchemaKind;
use opatlas_schema::types::Type;

use crate::because::Because;
use crate::column::Served;

/// Registries that serve a call where the table says that the fallback does: rules that the first
/// `torch.vmap` registers, random operators, and replacements.
const OUTSIDE_THE_TABLE: [Registry; 3] = [
    Registry::VmapPython,
    Registry::VmapRandom,
    Registry::VmapFront,
];

/// Whether a key is the one that calls under `vmap` have.
pub(crate) fn is_vmap(keys: &Keys, slot: Slot) -> bool {
    keys.name(Key::Runtime(slot)) == "FuncTorchBatched"
}

/// Decides how a call under `vmap` is served, given the table. The registries of the release say more
/// (`data/ways.txt`).
pub(crate) fn under_vmap(operator: &Operator, release: Release, served: Served) -> Served {
    let known = facts(release).map(|facts| facts.operator(operator.name_text()));
    let is_in = |registry| known.is_some_and(|known| known.is_in(registry));
    match served {
        _ if is_in(Registry::VmapRaises) => Served::Raises(Because::RaisesUnderVmap),
        Served::Fallback if OUTSIDE_THE_TABLE.into_iter().any(is_in) => Served::Kernel,
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
