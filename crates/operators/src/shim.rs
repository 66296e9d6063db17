//! The operators that packages of AOTInductor call through the C shim
//! (`torchgen/aoti/fallback_ops.py`), and the C functions that torchgen generates for them
//! (`torchgen/gen_aoti_c_shim.py`).

mod lists;
mod literal;

use opatlas_pytorch::release::Release;
use opatlas_schema::faces::shim_declarations;
use opatlas_schema::function::FunctionSchema;

use crate::catalogue::Catalogue;
use crate::operator::OperatorId;

pub use lists::{ShimEntry, ShimLists, VersionForm};
pub use literal::LiteralError;

/// The dispatch keys with a C shim, and the release that it came with.
const DEVICES: [(&str, Release); 4] = [
    ("CPU", Release::V2_4),
    ("CUDA", Release::V2_4),
    ("MPS", Release::V2_8),
    ("XPU", Release::V2_6),
];

/// The kernels that serve a device without one of its own.
const COMPOSITES: [&str; 3] = [
    "CompositeExplicitAutograd",
    "CompositeExplicitAutogradNonFunctional",
    "CompositeImplicitAutograd",
];

/// The C declarations of an operator for one device, or for all devices (`aten`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceShim {
    /// The word in the function's name: `cpu`.
    pub device: String,
    /// The declarations, the newest version first.
    pub declarations: Vec<String>,
}

/// The C functions that torchgen generates for an operator; none if no list has it, or if an argument
/// has no C type.
#[must_use]
pub fn device_shims(catalogue: &Catalogue, id: OperatorId, lists: &ShimLists) -> Vec<DeviceShim> {
    device_shims_with(catalogue, id, catalogue.operator(id).schema(), lists)
}

/// Like [`device_shims`], with another schema and the same kernels.
#[must_use]
pub fn device_shims_with(
    catalogue: &Catalogue,
    id: OperatorId,
    schema: &FunctionSchema,
    lists: &ShimLists,
) -> Vec<DeviceShim> {
    let name = catalogue.operator(id).name_text();
    let devices = lists.fallback(name).into_iter().flat_map(|entry| {
        let devices = devices(catalogue, id);
        devices.map(move |device| (device.to_ascii_lowercase(), &*entry.versions))
    });
    let for_all = lists.shimified(name);
    let for_all = for_all.map(|entry| ("aten".to_owned(), &*entry.versions));
    let all = devices.chain(for_all);
    all.filter_map(|(device, versions)| {
        Some(DeviceShim {
            declarations: shim_declarations(schema, &device, versions).ok()?,
            device,
        })
    })
    .collect()
}

/// The declarations that packages may call and that are missing after a change.
#[must_use]
pub fn lost_shims<'a>(before: &'a [DeviceShim], after: &[DeviceShim]) -> Vec<&'a str> {
    let is_kept = |device: &str, line: &String| {
        let mut same = after.iter().filter(|shim| shim.device == device);
        same.any(|shim| shim.declarations.contains(line))
    };
    let lost = before.iter().flat_map(|shim| {
        let lines = shim.declarations.iter();
        lines.filter(|line| !is_kept(&shim.device, line))
    });
    lost.map(String::as_str).collect()
}

/// The entry of the list that keeps all declarations of `before` by a new version with the arguments
/// that the old schema lacks; `None` if no version keeps them.
#[must_use]
pub fn version_entry(
    before: &[DeviceShim],
    old: &FunctionSchema,
    (catalogue, id): (&Catalogue, OperatorId),
    new: &FunctionSchema,
    lists: &ShimLists,
) -> Option<String> {
    let known = |name: &str| old.arguments.all().iter().any(|one| *one.name == *name);
    let names = new.arguments.all().iter().map(|one| &*one.name);
    let names: Vec<&str> = names.filter(|name| !known(name)).collect();
    let name = catalogue.operator(id).name_text();
    let (lists, entry) = lists.with_version(name, &names)?;
    let after = device_shims_with(catalogue, id, new, &lists);
    (!names.is_empty() && lost_shims(before, &after).is_empty()).then_some(entry)
}

/// The devices that have a kernel of the operator, one of the operator that it delegates to, or a
/// composite one.
fn devices(catalogue: &Catalogue, id: OperatorId) -> impl Iterator<Item = &'static str> {
    let has = move |id: OperatorId, key: &str| {
        let mut kernels = catalogue.kernels(id).iter();
        kernels.any(|kernel| kernel.key.as_str() == key)
    };
    let delegate = catalogue.operator(id).structured_delegate();
    let delegate = delegate.and_then(|name| catalogue.find(name.as_str()));
    let is_composite = COMPOSITES.iter().any(|key| has(id, key));
    let keys = DEVICES.into_iter();
    let keys = keys.filter(|(_, since)| catalogue.release >= *since);
    keys.map(|(key, _)| key)
        .filter(move |key| is_composite || has(id, key) || delegate.is_some_and(|id| has(id, key)))
}
