//! The kinds of `could-not-run`, told apart by the tensors and the device of the call.

use crate::kind::{Asks, Kind};

pub(super) static QUANTIZED: Kind = Kind {
    id: "could-not-run-quantized",
    titles: &["{op} cannot run on {backend}"],
    asks: Asks::Key,
    causes: &["Quantized tensors have kernels of their own, and {op} has none for them."],
    advice: &[
        "Call `.dequantize()` first, so that the call gets {plain} tensors.",
        "Move the tensor to the {same}, which has a kernel for such tensors: `x.cpu()`.",
        "If a quantized module or function does the same, use it: `torch.ops.quantized.add(a, b, scale, \
         zero_point)` for `a + b`. In the model that is converted, write `FloatFunctional().add(a, b)`.",
    ],
    misleads: &[
        "The list of available backends contains Autograd keys and fallbacks. They are not kernels.",
    ],
    ..Kind::ERROR
};

pub(super) static QUANTIZED_ONLY: Kind = Kind {
    titles: &["{op} is for quantized tensors only, and it got an ordinary one"],
    causes: &["{op} has kernels for quantized tensors only, on purpose."],
    advice: &[
        "Quantize the tensor first: `QuantStub` at the beginning of a model that is converted, or \
         `torch.quantize_per_tensor`.",
        "Many quantized kernels are for the {home} only: move the model and the input there.",
        "If the tensor need not be quantized: test `x.is_quantized` before the call, or use the module \
         for ordinary tensors.",
        "If a library makes the call: install versions of it and of PyTorch that belong together.",
    ],
    ..QUANTIZED
};

pub(super) static SPARSE: Kind = Kind {
    id: "could-not-run-sparse",
    titles: &["{op} cannot run on {backend}"],
    asks: Asks::Key,
    causes: &[
        "Sparse tensors have kernels of their own, by layout (COO, CSR) and by device. {op} has none for \
         the tensors of this call.",
    ],
    advice: &[
        "Convert the tensor: `.to_dense()` gives {plain} ones, `.to_sparse_coo()` and `.to_sparse_csr()` \
         another layout.",
        "Move the tensors to the {same}, which has a kernel for such tensors: `x.cpu()`.",
        "Use SciPy, which has more functions for sparse matrices.",
    ],
    misleads: &["`UserWarning: Sparse CSR tensor support is in beta state` is harmless."],
    ..Kind::ERROR
};

pub(super) static SPARSE_ONLY: Kind = Kind {
    titles: &["{op} is for sparse tensors, and it got a dense one"],
    causes: &["The tensor is dense already, and {op} has kernels for sparse tensors only."],
    advice: &["Drop the call, or test `x.is_sparse` before it."],
    misleads: &["No kernel for sparse tensors is missing."],
    ..SPARSE
};

pub(super) static NESTED: Kind = Kind {
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

pub(super) static MKLDNN: Kind = Kind {
    id: "could-not-run-mkldnn",
    titles: &["{op} cannot run on {backend}"],
    asks: Asks::Key,
    causes: &["The tensor has the layout of oneDNN (`to_mkldnn()`), for which {op} has no kernel."],
    advice: &["Convert the tensor with `.to_dense()` before the call."],
    ..Kind::ERROR
};

pub(super) static MKLDNN_ONLY: Kind = Kind {
    titles: &["{op} is for tensors of oneDNN, and it got an ordinary one"],
    causes: &["{op} has kernels for the layout of oneDNN only, on purpose."],
    advice: &["Convert the tensor with `.to_mkldnn()`, or call the function for ordinary tensors."],
    ..MKLDNN
};

pub(super) static PRIVATE_USE: Kind = Kind {
    id: "could-not-run-privateuse",
    titles: &["The backend that registers itself as {key} does not implement {op}"],
    causes: &["{key} is the key of backends outside PyTorch. This one did not register {op}."],
    advice: &[
        "If you use the backend: upgrade its package.",
        "Or move this call to the {fallback}.",
        "If you write the backend: register a kernel for {op}, or a {fallback} fallback for the whole key.",
        "If you write the backend: register a kernel for {op}. A CPU fallback cannot serve it, because it \
         {shares} memory with its input, or the fallback itself needs it.",
    ],
    misleads: &["The error is not in PyTorch: the backend's own registrations decide."],
    ..Kind::ERROR
};

pub(super) static PRIVATE_USE_EMPTY: Kind = Kind {
    titles: &["The backend that registers itself as {key} cannot make tensors in this process"],
    causes: &[
        "{key} is the key of backends outside PyTorch. None has registered {op}, which makes tensors: its \
         package is not imported, or it is not finished.",
    ],
    advice: &[
        "If you use the backend: import its package before the first tensor on the device.",
        "If you write the backend: register `empty.memory_format` and `empty_strided` at {key} first.",
    ],
    ..PRIVATE_USE
};

pub(super) static PRIVATE_USE_AUTOGRAD: Kind = Kind {
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

pub(super) static WRONG_BUILD: Kind = Kind {
    id: "could-not-run-wrong-build",
    titles: &[
        "The installed build of PyTorch or of the library has no code for {backend}; {op} itself \
         exists",
    ],
    asks: Asks::Key,
    causes: &[
        "The program uses {backend}, and nothing registers kernels for {outside} in this process: the \
         package of the backend is not imported, or this build does not contain it.",
        "The program uses {backend}, and the installed package was built without it.",
    ],
    advice: &[
        "Install builds of torch, torchvision and torchaudio from the same index, for the same {cuda} \
         version.",
        "Install builds of torch and of the package that support {intel}, from the same index.",
        "Run it on a Mac with Apple silicon, in a Python for arm64: other builds have no {mac}.",
        "Import the package that adds {outside} before the first tensor on the device.",
        "On a machine without such a device: use `device='cpu'`.",
    ],
    misleads: &[
        "It reads like a missing operator. The operator exists; this build lacks the device.",
    ],
    ..Kind::ERROR
};
