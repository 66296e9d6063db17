//! What several kinds read from a message.

use opatlas_pytorch::Release;
use opatlas_pytorch::keys::Keys;

use crate::Way;
use crate::facts;
use crate::name;
use crate::reading::Reading;

/// Takes a function of `torch` as the operator, if a release has an operator with this name:
/// `add`, `torch.cat`, `torch.nn.functional.gelu`.
pub(super) fn function(reading: &mut Reading<'_>, called: Option<&str>) {
    let name = called.map(|called| called.rsplit('.').next().unwrap_or(called));
    if let Some(name) = name.filter(|name| name::is_base(name)) {
        reading.operator = Some(name.to_owned());
    }
}

/// A call during `backward()` is training.
pub(super) fn under_backward(reading: &mut Reading<'_>) {
    let is_backward = ["run_backward", ".backward()", "autograd.grad("];
    if reading.way == Way::Eager && is_backward.iter().any(|word| reading.mentions(word)) {
        reading.way = Way::Training;
    }
}

/// The dispatch keys of device types in PyTorch.
const DEVICES: [&str; 16] = [
    "CPU", "CUDA", "HIP", "MPS", "XPU", "HPU", "XLA", "Meta", "MTIA", "MAIA", "IPU", "VE", "Lazy",
    "FPGA", "Vulkan", "Metal",
];

/// True if a dispatch key is that of a device whose tensors have data.
pub(super) fn is_device(key: &str) -> bool {
    key != "Meta" && (DEVICES.contains(&key) || key.starts_with("PrivateUse"))
}

/// Keeps the keys that name devices.
pub(super) fn devices<'t>(keys: &[&'t str]) -> Vec<&'t str> {
    let devices = keys.iter().copied().filter(|key| is_device(key));
    devices.collect()
}

/// The dispatch key of a device type: `CUDA` of `cuda:0`; `None` if it is not a device.
pub(super) fn key_of_device(device: &str) -> Option<String> {
    let device = device.split(':').next().unwrap_or(device);
    if let Some(key) = DEVICES.iter().find(|key| key.eq_ignore_ascii_case(device)) {
        return Some((*key).to_owned());
    }
    is_private(device).then(|| "PrivateUse1".to_owned())
}

/// True if a device type is one that backends outside PyTorch give themselves.
fn is_private(device: &str) -> bool {
    let private = [
        "NPU",
        "MUSA",
        "MLU",
        "DML",
        "GCU",
        "SDAA",
        "PrivateUse1",
        "PrivateUseOne",
        "OpenReg",
    ];
    private.iter().any(|it| it.eq_ignore_ascii_case(device))
}

/// True if there are builds of PyTorch for a device type.
pub(super) fn has_build(device: &str) -> bool {
    let devices = ["CPU", "CUDA", "HIP", "ROCm", "XPU", "MPS"];
    devices.iter().any(|it| it.eq_ignore_ascii_case(device))
}

/// The device of a type such as `torch.cuda.FloatTensor` or `MPSFloatType`; `None` if it is only a data
/// type.
pub(super) fn device_of_type(name: &str) -> Option<String> {
    if let Some(path) = name.strip_prefix("torch.") {
        let device = path.split_once('.').map_or("cpu", |(device, _)| device);
        return Some(device.to_ascii_lowercase());
    }
    let name = name.strip_suffix("Type")?;
    let types = [
        "BFloat16", "Float", "Half", "Double", "Long", "Int", "Bool", "Byte", "Char", "Short",
    ];
    let device = types.iter().find_map(|it| name.strip_suffix(it))?;
    (!device.is_empty()).then(|| device.to_ascii_lowercase())
}

/// True if a package outside PyTorch adds a device type.
pub(super) fn is_outside(device: &str) -> bool {
    let packages = ["HPU", "XLA", "MTIA", "MAIA", "IPU", "VE"];
    is_private(device) || packages.iter().any(|it| it.eq_ignore_ascii_case(device))
}

/// The keys that a message of the dispatcher lists as available.
pub(super) fn listed_backends<'t>(reading: &Reading<'t>) -> Vec<&'t str> {
    const MOST: usize = 16 * 1024;
    let after = reading.after(MOST);
    let list = after.find("backends: [").map(|at| &after[at + 11..]);
    let list = list.map(|list| &list[..list.find("].").unwrap_or(list.len())]);
    let listed = list.into_iter().flat_map(|list| list.split([',', ' ']));
    let lines = after
        .lines()
        .filter_map(|line| line.split_once(": registered at"));
    listed
        .chain(lines.map(|(key, _)| key))
        .map(str::trim)
        .filter(|key| is_key(key))
        .collect()
}

/// Whether a name is a dispatch key of the newest release.
pub(super) fn is_key(name: &str) -> bool {
    Keys::of(Release::LATEST).lookup(name).is_some()
}

/// Whether an operator is for sparse tensors.
pub(super) fn is_sparse(operator: &str) -> bool {
    const SPARSE: [&str; 13] = [
        "to_dense",
        "_to_dense",
        "coalesce",
        "_coalesce",
        "indices",
        "values",
        "crow_indices",
        "col_indices",
        "ccol_indices",
        "row_indices",
        "sparse_dim",
        "dense_dim",
        "_nnz",
    ];
    let base = operator.split('.').next().unwrap_or(operator);
    SPARSE.contains(&base) || base.starts_with("_sparse") || base.starts_with("sparse_")
}

/// Whether a namespace belongs to a library that is built for each device.
pub(super) fn is_library(namespace: &str) -> bool {
    let libraries = [
        "torchvision",
        "torchaudio",
        "torchtext",
        "xformers",
        "fbgemm",
        "torch_sparse",
        "torchao",
        "torch_scatter",
        "torch_cluster",
        "detectron2",
        "mmcv",
        "flash_attn",
        "vllm",
        "_C",
    ];
    libraries.contains(&namespace)
}

/// Whether an operator works at a key in each known release, although the message does not list it.
pub(super) fn works_elsewhere(reading: &Reading<'_>, operator: &str, key: &str) -> bool {
    let listed = listed_backends(reading);
    // Autograd and autocast are in the list of every build.
    let is_kernel = |name: &&&str| !name.starts_with("Auto");
    let mut kernels = listed.iter().filter(is_kernel);
    let has_device = kernels.any(|name| name.ends_with(key));
    !has_device && facts::works_in_all(operator, key)
}
