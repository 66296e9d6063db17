//! Devices without a kernel, and devices that the build or the machine lacks.

use super::names;
use crate::kind::{Asks, Kind};
use crate::name;
use crate::reading::Reading;

/// The package of a backend outside PyTorch is not imported, or registers too little.
const BACKEND_NOT_LOADED: Kind = Kind {
    id: "backend-not-loaded",
    titles: &[
        "Nothing in this process registers what PyTorch needs from the backend {device}",
        "Nothing in this process registers what PyTorch needs from the backend outside it",
    ],
    patterns: &[
        "please register privateuse1hooksinterface by 'registerprivateuse1hooksinterface' first",
        "no module named 'torch.privateuseone'",
        "device '{device}' does not have a corresponding module registered as",
        "tried to use amp with the '{device}' backend, but the backend has not registered a module",
    ],
    refine: outside,
    causes: &[
        "PyTorch asks the backend for its {hooks}, which make generators and pin memory, and no library has \
         registered them.",
        "PyTorch looks for the Python module of the device, `torch.{device}`. The package of the backend \
         registers it, and is not imported.",
    ],
    advice: &[
        "If you use the backend: import its package before the first call that names the device.",
        "If you write the backend: pass its {hooks} to `at::RegisterPrivateUse1HooksInterface` when the \
         library is loaded.",
        "If you write the backend: register the module with \
         `torch._register_device_module('{device}', module)`.",
    ],
    misleads: &["No package to install has this name: the backend's package is named differently."],
    ..Kind::OTHER
};

const DEVICE_MISMATCH: Kind = Kind {
    id: "device-mismatch",
    titles: &["Tensors of one call are on different devices"],
    patterns: &[
        "expected all tensors to be on the same device, {text} in method wrapper_{wrapper})",
        "expected all tensors to be on the same device",
        "unhandled faketensor device propagation for {op}, found two different devices",
        "expected object of device type {device} but got device type",
        "placeholder storage has not been allocated on mps device",
        "must be on the same device",
        "should be the same or input should be a mkldnn tensor",
        "tensor for argument #{number} {text} is on {device}, but",
        "tensor for {text} is on cpu, expected",
        "input type (torch.cuda.{word}) and weight type (torch.{word2}) should be the same",
    ],
    refine: wrapped,
    causes: &["PyTorch does not move tensors between devices by itself. No operator is missing."],
    advice: &[
        "Move the model and all inputs to one device with `.to(device)`; create tensors with \
         `device=x.device`.",
    ],
    ..Kind::OTHER
};

/// The name that PyTorch gives to backends outside it before they choose one.
const PRIVATE_USE: &str = "privateuseone";

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "mps-fallback-warning",
        titles: &[
            "{op} ran on the CPU, because it has no kernel for Apple GPUs (MPS); nothing failed",
        ],
        patterns: &[
            "the operator '{op}' is not currently supported on the mps backend and will fall back to run on the cpu",
        ],
        key: Some("MPS"),
        asks: Asks::Key,
        refine: names::under_backward,
        causes: &[
            "`PYTORCH_ENABLE_MPS_FALLBACK` is set, or PyTorch always runs this operator on the CPU. Each \
             call copies the tensors to the CPU and back.",
        ],
        advice: &["This is a warning: the results are right, only slower."],
        misleads: &["A part of the call or of the backward pass may run it, not a line of yours."],
        ..Kind::WARNING
    },
    Kind {
        id: "mps-not-implemented",
        titles: &["{op} cannot run on Apple GPUs (MPS)"],
        patterns: &[
            "the operator '{op}' is not currently implemented for the mps device",
            "the operator '{op}' is not current implemented for the mps device",
            "the operator '{op}' is not currently supported on the mps backend",
            "operator '{op}' is not currently implemented for the mps device",
        ],
        key: Some("MPS"),
        asks: Asks::Key,
        refine: names::under_backward,
        causes: &["No kernel of {op} is registered for MPS in the release that you run."],
        advice: &[
            "Set `PYTORCH_ENABLE_MPS_FALLBACK=1` before Python starts: the operator then runs on the CPU, \
             more slowly.",
            "Move this call to the CPU: `f(x.cpu()).to('mps')`.",
        ],
        misleads: &["{overload} is the name of an overload, not a function that you called."],
        ..Kind::ERROR
    },
    Kind {
        id: "xpu-not-implemented",
        titles: &["{op} cannot run on Intel GPUs (XPU)"],
        patterns: &[
            "the operator '{op}' is not currently implemented for the xpu device",
            "the operator '{op}' is not currently supported on the xpu backend.",
        ],
        key: Some("XPU"),
        asks: Asks::Key,
        refine: names::under_backward,
        causes: &["No kernel of {op} is registered for XPU in the release that you run."],
        advice: &[
            "Set `PYTORCH_ENABLE_XPU_FALLBACK=1`: the operator then runs on the CPU. It does not help for \
             every operator.",
            "Move this call to the CPU: `f(x.cpu()).to('xpu')`.",
        ],
        misleads: &[
            "Kernels for XPU are in the repository `torch-xpu-ops`; PyTorch's own files list many of them \
             only from 2.14 on.",
        ],
        ..Kind::ERROR
    },
    Kind {
        id: "xpu-fallback-warning",
        titles: &[
            "{op} ran on the CPU instead of the Intel GPU (XPU); nothing failed",
            "An operator ran on the CPU instead of the Intel GPU (XPU); nothing failed",
        ],
        patterns: &[
            "the operator '{op}' on the xpu backend is falling back to run on the cpu",
            "the operator '{op}' is not currently supported on the xpu backend and will fall back to run on the cpu",
            "aten op fallback from xpu to cpu happen",
        ],
        key: Some("XPU"),
        causes: &[
            "An operator without a kernel for XPU was called, and the fallback to the CPU is on.",
        ],
        advice: &[
            "To see which operator it is: set `PYTORCH_DEBUG_XPU_FALLBACK=1` and run again.",
            "If an error follows: look for its own cause. This warning does not stop the program.",
        ],
        ..Kind::WARNING
    },
    Kind {
        id: "device-fallback-warning",
        titles: &[
            "{op} ran on the CPU, because the {device} backend has no kernel; nothing failed",
        ],
        patterns: &[
            "the operator '{op}' is not currently supported on the {device} backend and will fall back to run on the cpu",
            "the operator '{op}' is not currently supported on the {device} backend and will fallback to run on the cpu",
        ],
        refine: device,
        causes: &[
            "The backend registers a CPU fallback, which copies the tensors to the CPU and back.",
        ],
        advice: &[
            "This is a warning: the results are right, only slower.",
            "A newer release of the backend's package may have the kernel.",
        ],
        ..Kind::WARNING
    },
    Kind {
        id: "device-not-implemented",
        titles: &["{op} cannot run on the {device} backend"],
        patterns: &[
            "the operator '{op}' is not currently implemented for the {device} device",
            "the operator '{op}' is not currently supported on the {device} backend",
            "{op} is not implemented for the {device} backend",
        ],
        asks: Asks::Key,
        refine: device,
        causes: &["The backend has no kernel for {op} in the release that you run."],
        advice: &[
            "Move this call to the CPU.",
            "Look for a newer release of the package of this backend, which has kernels of its own.",
        ],
        ..Kind::ERROR
    },
    Kind {
        id: "xla-fallback",
        titles: &["{op} ran on the CPU, because XLA has no lowering for it; nothing failed"],
        patterns: &["counter: aten::{op} value:"],
        key: Some("XLA"),
        causes: &[
            "In the metrics of torch_xla, a counter whose name begins with `aten::` counts calls that left \
             the device.",
        ],
        advice: &[
            "Avoid the operator in the training loop. `_local_scalar_dense` comes from `.item()`.",
            "Look for a newer torch_xla, or ask its project for a lowering.",
        ],
        ..Kind::WARNING
    },
    Kind {
        id: "build-without-device",
        titles: &[
            "This build of PyTorch has no support for {backend}",
            "This build of PyTorch has no support for {device} devices",
        ],
        patterns: &[
            "torch not compiled with {device} enabled",
            "pytorch is not linked with support for {device} devices",
            "cannot access accelerator device when none is available",
        ],
        refine: built,
        way: crate::Way::None,
        causes: &[
            "PyTorch's own builds do not contain {outside}: the package of the backend adds it, and is not \
             imported.",
            "The installed package was built without this device. No operator is at fault.",
        ],
        advice: &[
            "Import the package of the backend before the first use of {outside}.",
            "If you write the backend: register a device guard (`C10_REGISTER_GUARD_IMPL`) in the library \
             that the package loads, so that PyTorch knows {outside}.",
            "On a machine with such a device: install the build of PyTorch for it from the selector on \
             {selector}.",
            "On another machine: write `device='cpu'`, or choose the device with `torch.accelerator`.",
        ],
        ..Kind::ERROR
    },
    BACKEND_NOT_LOADED,
    Kind {
        id: "no-device",
        titles: &["PyTorch finds no usable GPU"],
        patterns: &[
            "found no nvidia driver on your system",
            "no cuda gpus are available",
            "no hip gpus are available",
            "the nvidia driver on your system is too old",
            "cuda driver version is insufficient for cuda runtime version",
            "cuda driver initialization failed",
            "cuda initialization: {text}",
            "cuda error: no cuda-capable device is detected",
            "cudagetdevice returns invalid device -1",
        ],
        causes: &["The driver is missing, too old or hidden, or the process sees no such device."],
        advice: &[
            "Check `nvidia-smi` (or `rocm-smi`) and `CUDA_VISIBLE_DEVICES`.",
            "Install a driver for the CUDA version of this PyTorch (`torch.version.cuda`), or a PyTorch \
             for the driver.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "no-device",
        titles: &["The process has no GPU with this number"],
        patterns: &["invalid device ordinal"],
        causes: &[
            "Numbers begin at 0 and end before `torch.cuda.device_count()`. `CUDA_VISIBLE_DEVICES` hides \
             GPUs, and those that are left begin at 0 again.",
        ],
        advice: &[
            "Check the number (`cuda:1`, `set_device(local_rank)`), and start at most as many processes per \
             machine as it has GPUs.",
            "Loading a file that was saved on another GPU: pass `map_location` to `torch.load`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "mps-dtype",
        titles: &["Apple GPUs (MPS) do not support this data type"],
        patterns: &[
            "cannot convert a mps tensor to {dtype} dtype as the mps framework doesn't support",
            "trying to convert {dtype} to the mps backend but it does not have support for that dtype",
            "mps does not support {text} input",
            "mps device does not support {text}",
        ],
        key: Some("MPS"),
        causes: &[
            "Metal has no 64-bit floating point numbers, and some types work only on newer macOS.",
        ],
        advice: &[
            "Use float32: `x.float()` or `.to(torch.float32)` before moving the tensor to `mps`.",
        ],
        ..Kind::ERROR
    },
    DEVICE_MISMATCH,
    Kind {
        id: "unknown-device",
        titles: &["The text does not name a device type"],
        patterns: &[
            "device type at start of device string: {device}",
            "invalid device string: '{text}'",
        ],
        causes: &[
            "The name of the device is misspelled, or the package that adds it is not imported.",
        ],
        advice: &[
            "Write `cpu`, `cuda:0`, `mps`, `xpu`, or import the package of the backend first.",
        ],
        ..Kind::OTHER
    },
];

/// Reads that tensors of one call are on different devices, from their types.
pub(super) fn mixed(reading: &mut Reading<'_>) {
    static MIXED: Kind = DEVICE_MISMATCH;
    reading.choose(&MIXED);
}

/// The operator and the key of `wrapper_CUDA_addmm`, a function that torchgen writes.
fn wrapped(reading: &mut Reading<'_>) {
    let Some((key, name)) = reading
        .part("wrapper")
        .and_then(|text| text.split_once('_'))
    else {
        return;
    };
    let (key, operator) = (key.to_owned(), name::wrapped(name));
    if operator.is_some() {
        reading.operator = operator;
        reading.key = Some(key);
    }
}

fn device(reading: &mut Reading<'_>) {
    reading.key = reading.part("device").and_then(names::key_of_device);
    names::under_backward(reading);
}

/// True if the build lacks the device, or a package outside PyTorch adds it.
fn built(reading: &mut Reading<'_>) {
    let device = reading.part("device").map(str::to_ascii_lowercase);
    reading.key = device.as_deref().and_then(names::key_of_device);
    match device.filter(|it| !names::has_build(it)) {
        Some(device) => reading.know("outside", &format!("`{device}`")),
        None => reading.know("selector", "pytorch.org"),
    }
}

/// Reads the device, or that the hooks are missing.
fn outside(reading: &mut Reading<'_>) {
    reading.key = Some("PrivateUse1".to_owned());
    if reading.mentions("please register privateuse1hooksinterface") {
        reading.know("hooks", "hooks");
        return;
    }
    let device = reading.part("device").unwrap_or(PRIVATE_USE).to_owned();
    reading.know("device", &device);
}

/// Reads an error about a name of a backend outside PyTorch that Python does not find: `torch.npu`.
pub(super) fn without_backend(reading: &mut Reading<'_>, device: &str) {
    static NOT_LOADED: Kind = BACKEND_NOT_LOADED;
    reading.choose(&NOT_LOADED);
    reading.key = names::key_of_device(device);
    reading.operator = None;
    reading.know("device", device);
}
