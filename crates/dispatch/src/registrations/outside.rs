//! Registrations of out-of-tree backend files (`docs/spec/files.md`, section 6; torchgen
//! `gen_backend_stubs.py`, `gets_generated_out_inplace_wrapper`).

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Inputs, Row, RowSource};
use crate::origin::Origin;
use opatlas_operators::backend::{BackendFile, KeyKernels};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::keys::{Key, Keys};

pub(super) struct BackendRows(FxHashMap<OperatorId, Vec<Row>>);

impl BackendRows {
    pub(super) fn new(inputs: Inputs<'_>) -> Self {
        let mut made = Self(FxHashMap::default());
        for (index, (_, file)) in (0..).zip(inputs.backends) {
            for kernels in file.kernels(inputs.catalogue) {
                made.add(inputs, index, file, &kernels);
            }
        }
        made
    }

    pub(super) fn of(&self, id: OperatorId) -> &[Row] {
        self.0.get(&id).map_or(&[], |rows| rows)
    }

    fn add(&mut self, inputs: Inputs<'_>, index: u16, file: &BackendFile, on_key: &KeyKernels) {
        let Some(key) = Keys::of(inputs.catalogue.release).lookup(on_key.key) else {
            return;
        };
        let listed: FxHashSet<_> = on_key
            .kernels
            .iter()
            .map(|kernel| kernel.operator)
            .collect();
        for kernel in &on_key.kernels {
            let is_symbolic = kernel.kernel.ends_with("_symint");
            let source = RowSource::Backend(index, kernel.at, is_symbolic);
            self.push(kernel.operator, key, source);
            if !file.use_out_as_primary {
                for variant in wrapped_variants(inputs, kernel.operator) {
                    if !listed.contains(&variant) {
                        self.push(variant, key, RowSource::BackendWrapper(index, kernel.at));
                    }
                }
            }
        }
    }

    fn push(&mut self, operator: OperatorId, key: Key, source: RowSource) {
        let rows = self.0.entry(operator).or_default();
        rows.push(Row::new(key, Origin::BackendFile, source));
    }
}

/// The other variants of a triple, which torchgen wraps around the functional kernel.
fn wrapped_variants(
    inputs: Inputs<'_>,
    functional: OperatorId,
) -> impl Iterator<Item = OperatorId> + use<> {
    let group = inputs.catalogue.groups.of(functional);
    let is_triple = group.functional == Some(functional) && group.out.is_some();
    let members = is_triple.then(|| group.members());
    members
        .into_iter()
        .flatten()
        .filter(move |&member| member != functional)
}
