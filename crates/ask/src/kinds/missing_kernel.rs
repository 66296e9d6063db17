//! An operator has no kernel for the tensors that it got.

mod tensors;

use super::names;
use crate::Way;
use crate::facts;
use crate::kind::{Asks, Kind};
use crate::name;
use crate::reading::Reading;
use tensors::{
    MKLDNN, MKLDNN_ONLY, NESTED, PRIVATE_USE, PRIVATE_USE_AUTOGRAD, PRIVATE_USE_EMPTY, QUANTIZED,
    QUANTIZED_ONLY, SPARSE, SPARSE_ONLY, WRONG_BUILD,
};

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "could-not-run",
        titles: &["{op} cannot run on {backend}: no kernel is registered for it there"],
        patterns: &[
            "could not run '{op}' with arguments from the '{key}' backend",
            "could not run '{op}' with arguments from '{key}' backend",
            "could not run '{op}' from the '{key}' device",
            "could not run {op} with arguments from the {key} backend",
        ],
        asks: Asks::Key,
        refine: could_not_run,
        causes: &[
            "Nothing is registered for {op} at the dispatch key {key}, so PyTorch cannot choose a \
             function to run.",
        ],
        advice: &[
            "Move this call to the {cpu}: `x.cpu()`, then the call, then `.to(x.device)`.",
            "Its kernels are for other devices ({devices}): move the tensors to one of them, or call \
             another function.",
            "If you write the operator or the backend: register a kernel for {op} at {key}.",
        ],
        misleads: &[
            "The list of available backends contains fallbacks, such as Autograd keys, `Python` and \
             `BackendSelect`. They are not kernels.",
        ],
        ..Kind::ERROR
    },
    Kind {
        id: "no-kernel-at-key",
        titles: &[
            "{op} cannot be traced: it cannot run without data",
            "{op} has no kernel at the dispatch key {key}",
        ],
        patterns: &[
            "could not find kernel for {op} at dispatch key dispatchkey.{key}",
            "could not find kernel for {op} at dispatch key {key}",
        ],
        asks: Asks::Key,
        refine: |reading| {
            if reading.mentions("fake_tensor") || reading.mentions("dynamo") {
                reading.way = Way::Compile;
            }
            if reading.key.as_deref() == Some("Meta") {
                reading.way = Way::Compile;
                reading.asks = Asks::Meta;
            }
        },
        causes: &[
            "PyTorch looked for a kernel of {op} at {key}. It has none there, nor one that it could use \
             instead.",
        ],
        advice: &[
            "Write the call with another operator that does the same.",
            "If it is your own operator: `torch.library.register_fake` gives it a function for tracing.",
        ],
        ..Kind::ERROR
    },
    Kind {
        id: "no-tensor-arguments",
        titles: &["{op} got no tensor: an argument is an empty list"],
        patterns: &[
            "but no fallback function is registered for schema {op}.",
            "{name}(): expected a non-empty list of tensors",
        ],
        key: Some("Undefined"),
        refine: |reading| {
            let name = reading.part("name").map(str::to_owned);
            names::function(reading, name.as_deref());
        },
        causes: &[
            "PyTorch chooses the implementation by the tensors of a call. This call has none, most \
             likely because a list of tensors is empty.",
        ],
        advice: &[
            "Check that the list has tensors before the call, and handle the empty case on its own.",
            "If it is your own operator: register a kernel at `CompositeExplicitAutograd` or \
             `BackendSelect` for calls without tensors.",
        ],
        misleads: &["The list of available functions suggests a missing backend; none is missing."],
        ..Kind::ERROR
    },
    META,
    Kind {
        id: "kernel-refuses",
        titles: &[
            "{op} has no kernel for {backend}",
            "The function has no kernel for these devices",
        ],
        patterns: &[
            "there are no kernels registered for this dispatch key. the operator is {op}",
            "{name} does not have a kernel registered for {device}.",
            "convolution_{name} not implemented. you are likely triggering this with tensor backend",
        ],
        refine: |reading| {
            if let Some(device) = reading.part("device") {
                reading.key = names::key_of_device(device);
            }
            if let Some(name) = reading.part("name").filter(|name| name.contains("::")) {
                reading.operator = name::operator(name);
            }
            if reading.mentions("convolution_overrideable") {
                reading.operator = Some("convolution_overrideable".to_owned());
            }
        },
        causes: &["No kernel is registered for the device of the tensors."],
        advice: &[
            "Move the tensors to a device that the operator supports.",
            "If you write the operator: register a kernel for this device.",
        ],
        ..Kind::ERROR
    },
];

const META: Kind = Kind {
    id: "meta-no-kernel",
    titles: &["{op} cannot run on the meta device, where tensors have a shape and no data"],
    patterns: &["{op}: attempted to run this operator with meta tensors"],
    refine: meta,
    way: Way::Meta,
    key: Some("Meta"),
    asks: Asks::Meta,
    causes: &[
        "Export, compilation and `device='meta'` run operators without data. {op} has no function that \
         computes only the shape.",
    ],
    advice: &[
        "If it is your own operator: add one with `torch.library.register_fake`.",
        "Run this part of the model with real tensors.",
    ],
    ..Kind::ERROR
};

static META_COLLECTIVE: Kind = Kind {
    patterns: &[],
    causes: &["The collectives of the namespace `c10d` are registered for real devices only."],
    advice: &["Use the functional collectives, which can be traced: \
         `torch.distributed._functional_collectives`."],
    misleads: &["`AutogradMeta` in the list of backends is not a Meta kernel."],
    ..META
};

static META_VALUE: Kind = Kind {
    patterns: &[],
    titles: &["{op} needs a value, and a meta tensor has none"],
    asks: Asks::Never,
    causes: &["`.item()`, `bool(x)` or an `if` on a tensor reads a value. A meta tensor has none."],
    advice: &["Remove `.item()`, `bool()` or the branch from the code that runs without data."],
    misleads: &["The message asks for a registration that cannot exist."],
    ..META
};

/// The kinds that `could-not-run` may turn out to be.
pub(super) static REFINED: [&Kind; 13] = [
    &QUANTIZED,
    &QUANTIZED_ONLY,
    &SPARSE,
    &SPARSE_ONLY,
    &NESTED,
    &MKLDNN,
    &MKLDNN_ONLY,
    &PRIVATE_USE,
    &PRIVATE_USE_EMPTY,
    &PRIVATE_USE_AUTOGRAD,
    &WRONG_BUILD,
    &META_VALUE,
    &META_COLLECTIVE,
];

fn meta(reading: &mut Reading<'_>) {
    reading.way = Way::Meta;
    reading.key = Some("Meta".to_owned());
    match reading.operator.as_deref() {
        Some("_local_scalar_dense") => reading.choose(&META_VALUE),
        Some(name) if name.starts_with("c10d::") => reading.choose(&META_COLLECTIVE),
        _ => {}
    }
}

fn could_not_run(reading: &mut Reading<'_>) {
    let Some(key) = reading.key.clone() else {
        return;
    };
    if key == "Meta" {
        reading.choose(&META);
        return meta(reading);
    }
    if let Some(kind) = kind_of(reading, &key) {
        reading.choose(kind);
        reading.key = Some(key.clone());
    }
    know_devices(reading, &key);
    names::under_backward(reading);
}

/// The kind by the tensors of the call: their key, or what the operator is for.
fn kind_of(reading: &Reading<'_>, key: &str) -> Option<&'static Kind> {
    let operator = reading.operator.as_deref().unwrap_or_default();
    let of_key: [(&str, &'static Kind); 6] = [
        ("Quantized", &QUANTIZED),
        ("Sparse", &SPARSE),
        ("Nested", &NESTED),
        ("Mkldnn", &MKLDNN),
        ("AutogradPrivateUse", &PRIVATE_USE_AUTOGRAD),
        ("PrivateUse", &PRIVATE_USE),
    ];
    let found = of_key.iter().find(|(of, _)| key.contains(of));
    if let Some((_, kind)) = found {
        let makes = key.starts_with("PrivateUse") && makes_tensors(operator);
        return Some(if makes { &PRIVATE_USE_EMPTY } else { kind });
    }
    if is_only_for(reading, operator, "Quantized") {
        return Some(&QUANTIZED_ONLY);
    }
    if is_only_for(reading, operator, "Sparse") || names::is_sparse(operator) {
        return Some(&SPARSE_ONLY);
    }
    if is_only_for(reading, operator, "Mkldnn") {
        return Some(&MKLDNN_ONLY);
    }
    is_wrong_build(reading, operator, key).then_some(&WRONG_BUILD)
}

/// True if an operator has kernels for one kind of tensor and none for plain ones: the message lists
/// them, or the name tells.
fn is_only_for(reading: &Reading<'_>, operator: &str, kind: &str) -> bool {
    let listed = names::listed_backends(reading);
    let plain = ["CPU", "CUDA", "XPU"];
    let has_kind = listed.iter().any(|key| key.starts_with(kind));
    let has_plain = listed.iter().any(|key| plain.contains(key));
    let is_named = match kind {
        "Quantized" => is_quantized(operator),
        "Sparse" => listed.is_empty() && operator.starts_with("sparse_"),
        _ => false,
    };
    has_kind && !has_plain || is_named
}

/// True if an operator takes quantized tensors by its name. Dynamic quantization takes ordinary ones, and
/// so do functions that pack weights.
fn is_quantized(operator: &str) -> bool {
    let takes_plain = ["_dynamic", "_prepack", "_unpack", "_fp16", "embedding"];
    match operator.split_once("::") {
        Some(("quantized" | "_quantized", name)) => !takes_plain.iter().any(|it| name.contains(it)),
        Some(("sparse", name)) => name.starts_with('q') && !name.contains("_dynamic"),
        Some(_) => false,
        None => operator.starts_with("q_") || operator == "int_repr",
    }
}

/// True if an operator makes tensors, so that a device without it has no tensors at all.
fn makes_tensors(operator: &str) -> bool {
    matches!(operator, "empty.memory_format" | "empty_strided")
}

/// True if a CPU fallback cannot serve an operator: a view, or what copies to the CPU.
fn is_basic(operator: &str) -> bool {
    let base = operator.split('.').next().unwrap_or(operator);
    let basic = [
        "view",
        "as_strided",
        "_reshape_alias",
        "unfold",
        "set_",
        "resize_",
        "_copy_from",
        "_copy_from_and_resize",
        "empty",
        "empty_strided",
    ];
    basic.contains(&base)
}

/// Whether the operator has a kernel for the device in builds for it.
fn is_wrong_build(reading: &Reading<'_>, operator: &str, key: &str) -> bool {
    if key != "CPU" && names::is_device(key) && makes_tensors(operator) {
        return true;
    }
    if !matches!(key, "CUDA" | "CPU" | "XPU" | "MPS" | "HIP") {
        return false;
    }
    match operator.split_once("::") {
        Some((library, _)) => key != "CPU" && names::is_library(library),
        None => names::works_elsewhere(reading, operator, key),
    }
}

/// Notes the other devices where the call may still have a kernel, by the message and the releases.
fn know_devices(reading: &mut Reading<'_>, key: &str) {
    let listed = names::listed_backends(reading);
    let devices = names::devices(&listed);
    let operator = reading.operator.clone().unwrap_or_default();
    let has_cpu = match listed.is_empty() {
        true => !facts::never_works(&operator, "CPU") && !is_quantized(&operator),
        false => devices.contains(&"CPU"),
    };
    let is_elsewhere = names::is_device(key) && key != "CPU";
    if is_elsewhere && has_cpu {
        reading.know("cpu", "CPU");
    } else if !devices.is_empty() && !devices.contains(&key) {
        reading.know("devices", &devices.join(", "));
    }
    if !devices.is_empty() || listed.is_empty() && !is_quantized(&operator) {
        reading.know("plain", "ordinary");
    }
    let layout = ["SparseCsr", "Sparse", "Quantized", "Nested"];
    let layout = layout.iter().find(|it| key.starts_with(**it));
    let of_cpu = layout.map(|layout| format!("{layout}CPU"));
    if of_cpu.is_some_and(|of_cpu| of_cpu != key && listed.contains(&&*of_cpu)) {
        reading.know("same", "CPU");
    }
    if is_elsewhere && (listed.is_empty() || listed.contains(&"QuantizedCPU")) {
        reading.know("home", "CPU");
    }
    match is_basic(&operator) {
        true => reading.know("shares", "shares"),
        false => reading.know("fallback", "CPU"),
    }
    let build = match key {
        "CUDA" | "HIP" => "cuda",
        "MPS" => "mac",
        "XPU" => "intel",
        _ => "outside",
    };
    reading.know(build, key);
}
