//! Composites ask for the device in places, so a backend may not make a call that was recorded.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};

use crate::View;
use crate::calls::Calls;
use crate::column::Served;

/// Composites that return at once for tensors on Meta, before the calls that were recorded
/// (`aten/src/ATen/native/BatchLinearAlgebra.cpp`).
const RETURN_ON_META: [&str; 1] = ["_linalg_check_errors"];

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

/// Marks composites that call nothing on Meta.
pub(crate) fn return_on_meta(view: View<'_>, served: &mut [Served]) {
    let catalogue = view.inputs.catalogue;
    for id in RETURN_ON_META
        .iter()
        .filter_map(|name| catalogue.find(name))
    {
        if let Some(found @ Served::Calls) = served.get_mut(id.index()) {
            *found = Served::Kernel;
        }
    }
}
