//! Data types, autocast, determinism.

use super::{devices, names};
use crate::Way;
use crate::facts;
use crate::kind::{Asks, Kind};
use crate::name;
use crate::reading::Reading;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "dtype-not-implemented",
        titles: &[
            "{op} does not support the data type {dtype} on {backend}",
            "{op} does not support the data type {dtype} here",
            "The function {label} does not support the data type {dtype}",
        ],
        patterns: &[
            "{label}\" not implemented for '{dtype}'",
            "{label}' not implemented for '{dtype}'",
        ],
        asks: Asks::Dtype,
        refine: label,
        causes: &[
            "The kernel exists and covers some data types. {dtype} is not one of them in this release.",
        ],
        advice: &[
            "Convert the {real} tensor: `x.float()`, or `x.to(torch.bfloat16)`, which the CPU supports more \
             often.",
            "Compute with the parts of the {complex} tensor: `torch.view_as_real(x)`.",
            "For a model in {half} precision: run it on a GPU, or load it with \
             `torch_dtype=torch.float32`.",
        ],
        misleads: &["`{label}` is a label inside the kernel, not the name of an operator."],
        ..Kind::ERROR
    },
    Kind {
        id: "autocast-banned",
        titles: &["Autocast refuses {op} on purpose"],
        patterns: &["{name} and {text} are unsafe to autocast"],
        way: Way::Autocast,
        asks: Asks::Autocast,
        refine: |reading| {
            let name = reading.part("name").map(str::to_owned);
            names::function(reading, name.as_deref());
            let operator = reading.operator.clone().unwrap_or_default();
            reading.key = facts::banned_by(&operator).map(str::to_owned);
        },
        causes: &["In half precision its result overflows easily."],
        advice: &[
            "Use `binary_cross_entropy_with_logits` or `BCEWithLogitsLoss`, without the sigmoid before it.",
            "Or compute the loss in float32 outside autocast: \
             `with torch.autocast('cuda', enabled=False)`.",
        ],
        ..Kind::ERROR
    },
    Kind {
        id: "deterministic",
        titles: &[
            "{op} gives results that may vary from run to run, and the program forbids that",
            "The function {label} gives results that may vary from run to run, and the program forbids that",
        ],
        patterns: &["{label} does not have a deterministic implementation, but you set"],
        refine: |reading| {
            let warns = reading.after(120).contains("warn_only=True)'");
            if warns {
                reading.severity = crate::Severity::Warning;
            }
            label(reading);
        },
        causes: &["The GPU kernel adds numbers in an order that varies, and \
                   `torch.use_deterministic_algorithms(True)` is set."],
        advice: &[
            "Allow it with a warning: `torch.use_deterministic_algorithms(True, warn_only=True)`.",
            "Compute this step on the CPU, or with another operator.",
        ],
        misleads: &["`{label}` is the name of a C++ function."],
        ..Kind::ERROR
    },
    Kind {
        id: "autocast-dtype-warning",
        titles: &["Autocast does nothing, because it does not support this data type here"],
        patterns: &[
            "autocast, but the target dtype is not supported. disabling autocast",
            "autocast, but the target device or dtype is not supported",
        ],
        severity: crate::Severity::Warning,
        way: Way::Autocast,
        causes: &["Each device type supports some lower-precision types only."],
        advice: &["Use `dtype=torch.bfloat16`, which most devices support."],
        ..Kind::ERROR
    },
    Kind {
        id: "sdpa-no-backend",
        titles: &["No implementation of attention fits these inputs"],
        patterns: &[
            "no available kernel. aborting execution",
            "flashattention only supports ampere gpus or newer",
            "no viable backend for scaled_dot_product_attention",
        ],
        causes: &[
            "`scaled_dot_product_attention` was limited to implementations that do not support these shapes, types, masks or this GPU. Warnings before the error say why each does not fit.",
        ],
        advice: &[
            "Allow the general implementation: `torch.nn.attention.sdpa_kernel(SDPBackend.MATH)`.",
            "Use half precision for FlashAttention, and no mask.",
        ],
        ..Kind::ERROR
    },
    Kind {
        id: "deterministic-cublas",
        titles: &["Matrix products on CUDA need a setting to be deterministic"],
        patterns: &["but this operation is not deterministic because it uses cublas"],
        key: Some("CUDA"),
        causes: &["cuBLAS is deterministic only with a fixed workspace."],
        advice: &["Set `CUBLAS_WORKSPACE_CONFIG=:4096:8` before Python starts."],
        ..Kind::ERROR
    },
    Kind {
        id: "dtype-mismatch",
        titles: &["Two tensors of one call have different data types"],
        patterns: &[
            "expected scalar type {dtype} but found {other}",
            "expected m1 and m2 to have the same dtype",
            "must have the same dtype, but got",
            "should have the same dtype",
            "expected object of scalar type {dtype} but got scalar type",
            "input type ({input}) and bias type ({weight}) should be the same",
            "input type ({input}) and weight type ({weight}) should be the same",
            "self and mat2 must have the same dtype",
            "expected query, key, and value to have the same dtype",
            "expected both inputs to have same dtype",
        ],
        refine: |reading| {
            let device = |name| reading.part(name).and_then(names::device_of_type);
            let devices = (device("input"), device("weight"));
            if devices.0.is_some() && devices.1.is_some() && devices.0 != devices.1 {
                return devices::mixed(reading);
            }
            match reading.part("dtype") {
                Some("Long") => reading.know("labels", "labels"),
                _ => reading.know("model", "model"),
            }
        },
        causes: &["PyTorch converts data types by itself in simple arithmetic only, not here."],
        advice: &[
            "Indices and {labels} of classes are 64-bit integers: convert them with `.long()`.",
            "Convert one of them: `x.to(weight.dtype)`, or the {model}: `model.float()`, `model.half()`.",
            "With mixed precision: run the whole forward pass of the {model} under `torch.autocast`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "dtype-cast",
        titles: &["The result does not fit the data type of the tensor that it is written to"],
        patterns: &[
            "result type {dtype} can't be cast to the desired output type",
            "can't be cast to the desired output type",
        ],
        causes: &[
            "An in-place call or `out=` cannot change the data type: `int_tensor /= 2` would need floating point.",
        ],
        advice: &["Use the form that is not in place, or convert the tensor first."],
        ..Kind::OTHER
    },
    Kind {
        id: "dtype-unsupported",
        titles: &[
            "The function {op} does not accept this data type",
            "The function does not accept this data type",
        ],
        patterns: &[
            "{name}(): could not infer output dtype. input dtype must be either",
            "could not infer output dtype. input dtype must be either a floating point or complex",
            "{name}: expected a floating point or complex tensor as input",
            "{name} only supports floating-point dtypes",
            "only tensors of floating point and complex dtype can require gradients",
            "is not implemented for tensors with non-complex dtypes",
            "subtraction, the '-' operator, with a bool tensor is not supported",
            "complex tensors are not supported",
        ],
        refine: |reading| {
            let name = reading.part("name").map(str::to_owned);
            names::function(reading, name.as_deref());
        },
        causes: &[
            "It is defined for floating point (or complex) numbers only. No release changes that.",
        ],
        advice: &["Convert the tensor with `.float()` first; use `~` or `^` for booleans."],
        ..Kind::ERROR
    },
];

/// Reads the operator and the device of a label in a kernel.
fn label(reading: &mut Reading<'_>) {
    let Some(label) = reading.part("label") else {
        return;
    };
    reading.operator = name::labelled(label);
    let devices = [
        ("cpu", "CPU"),
        ("cuda", "CUDA"),
        ("gpu", "CUDA"),
        ("mps", "MPS"),
        ("xpu", "XPU"),
    ];
    let words = label.to_ascii_lowercase();
    let mut words = words.split(|char: char| !char.is_alphanumeric());
    let device = words.find_map(|word| devices.iter().find(|(name, _)| *name == word));
    reading.key = device.map(|(_, key)| (*key).to_owned());
    let is_gpu = label.contains("CUDA");
    if reading.key.is_none() {
        reading.key = match is_gpu {
            true => Some("CUDA".to_owned()),
            false => facts::device_without(reading).map(str::to_owned),
        };
    }
    let dtype = reading.part("dtype").unwrap_or_default();
    match dtype {
        "Half" | "BFloat16" => {
            reading.know("real", dtype);
            if reading.key.as_deref().is_none_or(|key| key == "CPU") {
                reading.know("half", "half");
            }
        }
        _ if dtype.contains("Complex") => reading.know("complex", "complex"),
        _ => reading.know("real", dtype),
    }
    names::under_backward(reading);
}
