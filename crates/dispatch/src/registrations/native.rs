//! Kernels of `dispatch` sections, of entries without one, of structured and generated operators, and
//! checks of in-place operators on `Meta` (`docs/spec/dispatch.md`, sections 6.1 to 6.4; torchgen
//! `RegisterDispatchKey`).

use super::{Builder, Row, RowSource};
use crate::origin::Origin;
use opatlas_operators::entry::{KernelEntry, KernelSource};
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::SchemaKind;

const NON_FUNCTIONAL: Key = Key::Alias(Alias::CompositeExplicitAutogradNonFunctional);

impl Builder<'_> {
    pub(super) fn native(&self, id: OperatorId, rows: &mut Vec<Row>) {
        let operator = self.inputs.catalogue.operator(id);
        if operator
            .declared()
            .is_some_and(|placed| placed.entry.manual_kernel_registration)
        {
            return;
        }
        match self.structured_out(id) {
            Some(out) => self.structured(id, out, rows),
            None => self.unstructured(id, rows),
        }
    }

    fn structured_out(&self, id: OperatorId) -> Option<OperatorId> {
        let catalogue = self.inputs.catalogue;
        let group = catalogue.groups.of(id);
        let out = group.out?;
        let is_structured = group.functional.is_some() && catalogue.operator(out).is_structured();
        let is_variant = group.member(catalogue.operator(id).kind) == Some(id);
        (is_structured && is_variant).then_some(out)
    }

    /// The kernels of the out variant serve all variants on structured keys. torchgen adds `Meta` for all
    /// variants, and an explicit composite for those that allocate their result.
    fn structured(&self, id: OperatorId, out: OperatorId, rows: &mut Vec<Row>) {
        let catalogue = self.inputs.catalogue;
        let structured_keys = &catalogue.release.data().structured_keys;
        let begin = rows.len();
        for (index, kernel) in (0..).zip(catalogue.kernels(out)) {
            let name = kernel.key.as_str();
            if let Some(key) = self.key(name).filter(|_| structured_keys.contains(name)) {
                let is_written = id == out && kernel.source == KernelSource::Declared;
                let origin = if is_written {
                    Origin::Declared
                } else {
                    Origin::Structured
                };
                rows.push(Row::new(key, origin, RowSource::Kernel(out, index)));
            }
        }
        let allocating = Some(NON_FUNCTIONAL).filter(|_| id != out);
        for key in self.at.meta.into_iter().chain(allocating) {
            rows.push(Row::new(key, Origin::Structured, RowSource::Operator));
        }
        let made = rows.len();
        for (index, kernel) in (0..).zip(catalogue.kernels(id)) {
            if let Some(key) = self.key(kernel.key.as_str())
                && !rows[begin..made].iter().any(|row| row.key == key)
            {
                rows.push(Row::new(key, origin(kernel), RowSource::Kernel(id, index)));
            }
        }
    }

    fn unstructured(&self, id: OperatorId, rows: &mut Vec<Row>) {
        let catalogue = self.inputs.catalogue;
        for (index, kernel) in (0..).zip(catalogue.kernels(id)) {
            if let Some(key) = self.key(kernel.key.as_str()) {
                rows.push(Row::new(key, origin(kernel), RowSource::Kernel(id, index)));
            }
        }
        if is_checked_at_meta(catalogue.operator(id), catalogue.kernels(id)) {
            super::generated::add(self.at.meta, Origin::Autogen, rows);
        }
    }

    /// The key of a name in `dispatch`. A rule rejects unknown names; they register nothing.
    pub(super) fn key(&self, name: &str) -> Option<Key> {
        self.keys
            .lookup(name)
            .filter(|&key| key != Key::Runtime(Slot::UNDEFINED))
    }
}

fn origin(kernel: &KernelEntry) -> Origin {
    match kernel.source {
        KernelSource::Declared => Origin::Declared,
        KernelSource::Implicit => Origin::ImplicitComposite,
        KernelSource::Ufunc => Origin::Structured,
        KernelSource::Generated => Origin::Autogen,
    }
}

/// Whether torchgen generates a kernel on `Meta` that only checks: for in-place operators without a
/// composite that return one value.
fn is_checked_at_meta(operator: &Operator, kernels: &[KernelEntry]) -> bool {
    let serves_meta = |kernel: &KernelEntry| {
        matches!(
            kernel.key.as_str(),
            "Meta"
                | "CompositeImplicitAutograd"
                | "CompositeExplicitAutograd"
                | "CompositeExplicitAutogradNonFunctional"
        )
    };
    operator.kind == SchemaKind::Inplace
        && operator.schema().returns.len() == 1
        && !kernels.iter().any(serves_meta)
}
