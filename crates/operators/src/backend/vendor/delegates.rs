//! Kernels that variants take from a structured out variant, for profiles with `delegates`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::VendorEntry;
use crate::backend::{BackendFile, BackendKernel, KeyKernels};
use crate::operator::OperatorId;
use crate::table::OperatorTable;

impl BackendFile {
    /// The entries whose `dispatch` lacks the vendor's key, and whose operator delegates to an out
    /// variant with a structured kernel there.
    pub(in crate::backend) fn delegated(
        &self,
        catalogue: &OperatorTable,
        kernels: &[KeyKernels],
    ) -> Option<KeyKernels> {
        let vendor = self
            .vendor
            .as_ref()
            .filter(|vendor| vendor.profile.delegates)?;
        let key = self.backend_key(catalogue.release)?;
        let own = kernels.iter().filter(|on_key| on_key.key == key);
        let own = own.flat_map(|on_key| &on_key.kernels);
        let own: FxHashMap<OperatorId, &BackendKernel> =
            own.map(|kernel| (kernel.operator, kernel)).collect();
        let current = vendor
            .entries
            .iter()
            .filter(|entry| entry.is_registered && entry.versions.contain(catalogue.release));
        let current: Vec<&VendorEntry> = current.collect();
        let unstructured = current.iter().filter(|entry| !entry.may_be_structured);
        let unstructured: FxHashSet<&str> = unstructured.map(|entry| &*entry.name.value).collect();
        let with_others = current.into_iter().filter(|entry| {
            let mut kernels = entry.kernels.iter().flatten();
            entry.kernels.is_some() && kernels.all(|kernel| kernel.key != vendor.profile.key)
        });
        let delegated = with_others.filter_map(|entry| {
            let operator = self.listed(catalogue, &entry.name.value)?;
            catalogue.operator(operator).structured_delegate()?;
            let out = catalogue.groups.of(operator).out?;
            let is_structured = !unstructured.contains(catalogue.operator(out).name_text());
            let kernel = own.get(&out).filter(|_| is_structured)?;
            Some(BackendKernel {
                operator,
                kernel: kernel.kernel.clone(),
                at: entry.name.at,
            })
        });
        let kernels: Vec<BackendKernel> = delegated.collect();
        (!kernels.is_empty()).then_some(KeyKernels { key, kernels })
    }
}
