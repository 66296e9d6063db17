//! Composites ask for the device in places, so a backend may not make a call that was recorded.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};

use crate::because::Because;
use crate::calls::Calls;
use crate::column::Served;
use crate::generated::Call;
use crate::server::is_meta;

/// Tensors that composites treat in their own way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tensors {
    /// Those without data.
    Meta,
    Quantized,
    Sparse,
    Other,
}

impl Tensors {
    pub(crate) fn of(keys: &Keys, slot: Slot) -> Self {
        match keys.functionality(slot) {
            _ if is_meta(keys, slot) => Self::Meta,
            "Quantized" => Self::Quantized,
            "Sparse" => Self::Sparse,
            _ => Self::Other,
        }
    }
}

/// What a composite does with some tensors instead of the calls that were recorded.
#[derive(Debug, Clone, Copy)]
enum Instead {
    Calls(&'static [&'static str]),
    /// It needs data.
    Raises,
}

/// Composites that do something else with some tensors. Those on Meta count as subclasses
/// (`aten/src/ATen/TensorSubclassLikeUtils.h`); the others are in `aten/src/ATen/native/`: `LossCTC.cpp`,
/// `BatchLinearAlgebra.cpp`, `Pooling.cpp`, `MaxPooling.cpp`, `TensorShape.cpp`, `TensorConversions.cpp` and
/// `sparse/SparseTensor.cpp`.
const INSTEAD: [(Tensors, &str, Instead); 8] = [
    (Tensors::Meta, "_linalg_check_errors", Instead::Calls(&[])),
    (
        Tensors::Meta,
        "ctc_loss.Tensor",
        Instead::Calls(&["_ctc_loss.Tensor"]),
    ),
    (Tensors::Meta, "_to_cpu", Instead::Raises),
    (Tensors::Meta, "sparse_coo_tensor.indices", Instead::Raises),
    (
        Tensors::Quantized,
        "max_pool1d",
        Instead::Calls(&["quantized_max_pool1d"]),
    ),
    (
        Tensors::Quantized,
        "max_pool2d",
        Instead::Calls(&["quantized_max_pool2d"]),
    ),
    (
        Tensors::Quantized,
        "max_pool3d",
        Instead::Calls(&["quantized_max_pool3d"]),
    ),
    (
        Tensors::Sparse,
        "select.int",
        Instead::Calls(&[
            "_indices",
            "_values",
            "_sparse_coo_tensor_with_dims_and_tensors",
        ]),
    ),
];

/// Calls that the backward of an operator makes on dense tensors and not on Meta
/// (`evenly_distribute_backward` and `masked_fill_backward` in `torch/csrc/autograd/FunctionsManual.cpp`).
const NO_BACKWARD_CALLS_ON_META: [(&str, &str); 5] = [
    ("max", "item"),
    ("min", "item"),
    ("median", "item"),
    ("nanmedian", "item"),
    ("masked_fill.Tensor", "masked_select"),
];

/// Fused kernels that dropout calls on GPUs and on backends outside PyTorch. MPS got them in 2.9; before,
/// dropout multiplied by noise there (`is_fused_kernel_acceptable` in
/// `aten/src/ATen/native/Dropout.cpp`).
const FUSED_DROPOUT: [&str; 2] = ["native_dropout", "native_dropout_backward"];

/// Which recorded calls a backend's own branch in C++ code replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Branches {
    /// None: the backend runs what the recording device ran.
    Never,
    /// Calls that composites do not make on MPS.
    Mps,
    /// Copies from one memory to another.
    Copies,
    /// All calls of operators that the backend lacks.
    Always,
}

impl Branches {
    /// Whether they replace a recorded call of an operator that the backend lacks.
    pub(crate) fn replace(self, calls: &Calls, called: OperatorId) -> bool {
        match self {
            Self::Never => false,
            Self::Mps => calls.is_uncalled_on_mps(called),
            Self::Copies => calls.copies(called),
            Self::Always => true,
        }
    }
}

/// Calls were recorded on a device without kernels of its own. PyTorch's composites ask for the
/// device in places: CPU and CUDA then run code of their own instead of an operator that only other
/// backends have (`copy_` does not call `_copy_from`), MPS has convolutions of its own, tensors on Meta
/// hold no data to copy, and `copy_` copies on XPU by itself (`is_supported_device` in
/// `aten/src/ATen/native/Copy.cpp`).
pub(crate) fn branches(keys: &Keys, slot: Slot) -> Branches {
    match keys.name(Key::Runtime(slot)) {
        "CPU" | "CUDA" => Branches::Always,
        "MPS" => Branches::Mps,
        "Meta" | "XPU" => Branches::Copies,
        _ => Branches::Never,
    }
}

/// The fused kernels of dropout.
pub(crate) fn fused_dropout(catalogue: &Catalogue) -> [Option<OperatorId>; 2] {
    FUSED_DROPOUT.map(|name| catalogue.find_in("aten", name))
}

/// Whether the backward of an operator does not make a call for tensors on Meta.
pub(crate) fn is_no_backward_call_on_meta(
    catalogue: &Catalogue,
    of: OperatorId,
    to: OperatorId,
) -> bool {
    let name = |id| catalogue.operator(id).name_text();
    NO_BACKWARD_CALLS_ON_META.contains(&(name(of), name(to)))
}

/// Marks composites that raise for these tensors, and returns those that make other calls.
pub(crate) fn do_otherwise(
    catalogue: &Catalogue,
    tensors: Tensors,
    served: &mut [Served],
) -> Vec<(OperatorId, Vec<Call>)> {
    let mut others = Vec::new();
    for (_, name, instead) in INSTEAD.iter().filter(|(of, ..)| *of == tensors) {
        let Some(id) = catalogue.find_in("aten", name) else {
            continue;
        };
        let Some(served @ Served::Calls) = served.get_mut(id.index()) else {
            continue;
        };
        match instead {
            Instead::Raises => *served = Served::Raises(Because::NeedsData),
            Instead::Calls(names) => {
                let called = names.iter().map(|name| catalogue.find_in("aten", name));
                let called = called.map(|id| id.map(|to| Call { to, always: true }));
                // A release without an operator of the list does not branch.
                others.extend(called.collect::<Option<_>>().map(|called| (id, called)));
            }
        }
    }
    others
}
