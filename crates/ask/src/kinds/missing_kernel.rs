//! An operator has no kernel for the tensors that it got.

use super::names;
use crate::Way;
use crate::kind::{Asks, Kind};
use crate::name;
use crate::reading::Reading;

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
            "Move this call to the CPU: `x.cpu()`, then the call, then `.to(x.device)`.",
            "If you write this backend: register a kernel for {op} at {key}.",
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

static QUANTIZED: Kind = Kind {
    id: "could-not-run-quantized",
    titles: &["{op} cannot run on {backend}"],
    asks: Asks::Key,
    causes: &["Quantized tensors have kernels of their own, and {op} has none for them."],
    advice: &[
        "Call `.dequantize()` first.",
        "Use the module of `torch.ao.nn.quantized` that does the same: `FloatFunctional().add(a, b)` for \
         `a + b`.",
    ],
    misleads: &[
        "The list of available backends contains Autograd keys and fallbacks. They are not kernels.",
    ],
    ..Kind::ERROR
};

static QUANTIZED_ONLY: Kind = Kind {
    titles: &["{op} is for quantized tensors only, and it got an ordinary one"],
    causes: &["{op} has kernels for quantized tensors only, on purpose."],
    advice: &[
        "Quantize the tensor first, or test `x.is_quantized` before the call.",
        "If a library makes the call: install versions of it and of PyTorch that belong together.",
    ],
    ..QUANTIZED
};

static SPARSE: Kind = Kind {
    id: "could-not-run-sparse",
    titles: &["{op} cannot run on {backend}"],
    asks: Asks::Key,
    causes: &[
        "Sparse tensors have kernels of their own, by layout (COO, CSR) and by device. {op} has none for \
         the tensors of this call.",
    ],
    advice: &[
        "Convert the tensor: `.to_dense()`, or `.to_sparse_coo()` and `.to_sparse_csr()` for another \
         layout.",
        "Use another device, or SciPy, which has more functions for sparse matrices.",
    ],
    misleads: &["`UserWarning: Sparse CSR tensor support is in beta state` is harmless."],
    ..Kind::ERROR
};

static SPARSE_ONLY: Kind = Kind {
    titles: &["{op} is for sparse tensors, and it got a dense one"],
    causes: &["The tensor is dense already, and {op} has kernels for sparse tensors only."],
    advice: &["Drop the call, or test `x.is_sparse` before it."],
    misleads: &["No kernel for sparse tensors is missing."],
    ..SPARSE
};

static NESTED: Kind = Kind {
    id: "could-not-run-nested",
    titles: &["{op} cannot run on {backend}"],
    asks: Asks::Key,
    causes: &[
        "Nested tensors have kernels of their own, and the default kernel of {op} does not cover \
         them.",
    ],
    advice: &[
        "Make the nested tensor with `layout=torch.jagged`, which supports more operators.",
        "Convert it with `.to_padded_tensor(0)`.",
    ],
    misleads: &[
        "Nearly every backend is in the list: a default kernel serves all but nested tensors.",
    ],
    ..Kind::ERROR
};

static MKLDNN: Kind = Kind {
    id: "could-not-run-mkldnn",
    titles: &["{op} cannot run on {backend}"],
    asks: Asks::Key,
    causes: &["The tensor has the layout of oneDNN (`to_mkldnn()`), for which {op} has no kernel."],
    advice: &["Convert the tensor with `.to_dense()` before the call."],
    ..Kind::ERROR
};

static PRIVATE_USE: Kind = Kind {
    id: "could-not-run-privateuse",
    titles: &["The backend that registers itself as {key} does not implement {op}"],
    causes: &["{key} is the key of backends outside PyTorch. This one did not register {op}."],
    advice: &[
        "If you use the backend: upgrade its package, or move this call to the CPU.",
        "If you write the backend: register a kernel for {op}, or a CPU fallback for the whole key.",
    ],
    misleads: &["The error is not in PyTorch: the backend's own registrations decide."],
    ..Kind::ERROR
};

static PRIVATE_USE_AUTOGRAD: Kind = Kind {
    titles: &["The backend outside PyTorch registers {op} in a way that breaks it"],
    causes: &[
        "The backend registers a kernel for {op}, which is a composite operator. That removes the composite \
         kernel from the autograd key {key}, and nothing replaces it there.",
    ],
    advice: &[
        "If you use the backend: upgrade its package.",
        "If you write the backend: do not register {op}. Register the operators that it decomposes into \
         (`_to_copy` for `to.dtype`).",
        "Or register an autograd kernel for {op} as well.",
    ],
    ..PRIVATE_USE
};

static WRONG_BUILD: Kind = Kind {
    id: "could-not-run-wrong-build",
    titles: &[
        "The installed build of PyTorch or of the library has no code for {backend}; {op} itself \
         exists",
    ],
    asks: Asks::Key,
    causes: &["The program uses {backend}, and the installed package was built without it."],
    advice: &[
        "Install builds of torch, torchvision and torchaudio from the same index, for the same CUDA \
         version.",
        "On a machine without such a device: use `device='cpu'`, or `'mps'` on a Mac.",
    ],
    misleads: &[
        "It reads like a missing operator. The operator exists; this build lacks the device.",
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
pub(super) static REFINED: [&Kind; 11] = [
    &QUANTIZED,
    &QUANTIZED_ONLY,
    &SPARSE,
    &SPARSE_ONLY,
    &NESTED,
    &MKLDNN,
    &PRIVATE_USE,
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
        reading.key = Some(key);
    }
    names::under_backward(reading);
}

/// The kind by the tensors of the call: their key, or what the operator is for.
fn kind_of(reading: &Reading<'_>, key: &str) -> Option<&'static Kind> {
    let operator = reading.operator.as_deref().unwrap_or_default();
    let of_key = [
        ("Quantized", &QUANTIZED),
        ("Sparse", &SPARSE),
        ("Nested", &NESTED),
        ("Mkldnn", &MKLDNN),
        ("AutogradPrivateUse", &PRIVATE_USE_AUTOGRAD),
        ("PrivateUse", &PRIVATE_USE),
    ];
    let found = of_key.iter().find(|(of, _)| key.contains(of));
    if let Some((_, kind)) = found {
        return Some(kind);
    }
    if is_only_for(reading, operator, "Quantized", "q_") {
        return Some(&QUANTIZED_ONLY);
    }
    if is_only_for(reading, operator, "Sparse", "sparse_") || names::is_sparse(operator) {
        return Some(&SPARSE_ONLY);
    }
    is_wrong_build(reading, operator, key).then_some(&WRONG_BUILD)
}

/// Whether the message lists kernels for one kind of tensor and none for plain ones.
fn is_only_for(reading: &Reading<'_>, operator: &str, kind: &str, prefix: &str) -> bool {
    let listed = names::listed_backends(reading);
    let plain = ["CPU", "CUDA", "XPU"];
    let has_kind = listed.iter().any(|key| key.starts_with(kind));
    let has_plain = listed.iter().any(|key| plain.contains(key));
    has_kind && !has_plain || listed.is_empty() && operator.starts_with(prefix)
}

/// Whether the operator has a kernel for the device in builds for it.
fn is_wrong_build(reading: &Reading<'_>, operator: &str, key: &str) -> bool {
    if !matches!(key, "CUDA" | "CPU" | "XPU" | "MPS" | "HIP") {
        return false;
    }
    match operator.split_once("::") {
        Some((library, _)) => key != "CPU" && names::is_library(library),
        None => names::works_elsewhere(reading, operator, key),
    }
}
