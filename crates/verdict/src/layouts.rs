//! Tensors of another layout than the kernel's key. A sparse or quantized tensor has a dispatch key of
//! its own, so a backend that returns one needs a kernel that makes it at that key: `to_sparse` on
//! PrivateUse1 ends in `_sparse_coo_tensor_with_dims_and_tensors` on SparsePrivateUse1.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Keys;

use crate::View;
use crate::column::OTHER_LAYOUTS;
use opatlas_dispatch::resolve::Precedence;

/// The operators that make tensors, each with the functionality of the key that calls of it have:
/// their only tensors, if any, are the parts of the result.
const MAKERS: [(&str, &str); 3] = [
    ("_sparse_coo_tensor_with_dims_and_tensors", "Sparse"),
    ("_sparse_coo_tensor_with_dims", "Sparse"),
    ("empty_quantized", "Quantized"),
];

/// Operators on dense tensors with a kernel whose result is sparse (in coordinate form) or quantized,
/// each with the one of [`MAKERS`] that moves such a result to a backend. Measured in 2.9.0: the error
/// of each on a device of PrivateUse1 where the CPU fallback serves it names the maker.
const RETURNS: [(&str, &str); 7] = [
    ("_to_sparse", MAKERS[0].0),
    ("_to_sparse.sparse_dim", MAKERS[0].0),
    ("_spdiags", MAKERS[0].0),
    ("quantize_per_tensor", MAKERS[2].0),
    ("quantize_per_tensor.tensor_qparams", MAKERS[2].0),
    ("quantize_per_tensor_dynamic", MAKERS[2].0),
    ("quantize_per_channel", MAKERS[2].0),
];

/// The makers that a revision has, in the order of [`MAKERS`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct Makers([Option<OperatorId>; MAKERS.len()]);

impl Makers {
    pub(crate) fn of(catalogue: &Catalogue) -> Self {
        Self(MAKERS.map(|(name, _)| catalogue.find_in("aten", name)))
    }

    /// What makes the result of an operator, if it has another layout than the arguments.
    pub(crate) fn result(self, operator: &Operator) -> Option<OperatorId> {
        let (_, needed) = RETURNS
            .iter()
            .find(|(name, _)| *name == operator.name_text())?;
        let place = MAKERS.iter().position(|(name, _)| name == needed)?;
        self.0.get(place).copied().flatten()
    }

    /// Those with a kernel at a key of the same backend as `slot`, where calls of them end.
    pub(crate) fn elsewhere(self, view: View<'_>, slot: Slot) -> Vec<OperatorId> {
        let makers = self.0.iter().zip(MAKERS);
        let has_kernel = |(id, (_, functionality)): (&Option<OperatorId>, (&str, &str))| {
            let id = (*id)?;
            let sibling = sibling(view.keys(), slot, functionality)?;
            let rule = view.tables.pattern(id)?.rule(sibling);
            (rule == Precedence::Direct).then_some(id)
        };
        makers.filter_map(has_kernel).collect()
    }
}

impl View<'_> {
    /// Whether calls work with tensors of another layout on the device of a key: `sparse_sampled_addmm`
    /// has no kernel on CPU, but one on SparseCsrCPU, for the same device.
    #[must_use]
    pub fn works_in_another_layout(self, id: OperatorId, slot: Slot) -> bool {
        let mut others = OTHER_LAYOUTS
            .iter()
            .filter_map(|functionality| sibling(self.keys(), slot, functionality));
        others.any(|other| other != slot && self.verdict(id, other).works())
    }
}

/// The key of the same backend for another functionality.
fn sibling(keys: &Keys, slot: Slot, functionality: &str) -> Option<Slot> {
    let backend = keys.backend(slot)?;
    keys.slot(&format!("{functionality}{backend}"))
}
