//! Functionalities: the purpose of keys, apart from the device.

use std::borrow::Cow;

/// A summary, without a full stop if a device follows, and notes.
pub(super) fn functionality(name: &str) -> (String, Vec<Cow<'static, str>>) {
    let (what, more): (&str, &[&'static str]) = match name {
        "Dense" => (
            "Dense (strided) tensors",
            &[
                "The key of ordinary kernels. A kernel here wins over every composite kernel for inference.",
            ],
        ),
        "Quantized" => (
            "Quantized tensors",
            &[
                "Tensors that carry a scale and a zero point. Composite explicit kernels serve this key too.",
            ],
        ),
        "Sparse" => (
            "Sparse COO tensors",
            &[
                "CompositeExplicitAutogradNonFunctional does not serve this key; CompositeExplicitAutograd \
                 does.",
            ],
        ),
        "SparseCsr" => (
            "Sparse compressed tensors (CSR, CSC, BSR, BSC)",
            &["CompositeExplicitAutograd serves this key."],
        ),
        "NestedTensor" => (
            "Nested tensors",
            &[
                "The implicit composite of an operator serves nested tensors only where no \
                 CompositeImplicitAutogradNestedTensor kernel does.",
            ],
        ),
        "AutogradFunctionality" | "Autograd" => (
            "Autograd for tensors",
            &[
                "Kernels generated from derivatives.yaml are registered under the alias Autograd and \
                 serve this key.",
            ],
        ),
        _ => return single(name),
    };
    (
        what.to_owned(),
        more.iter().map(|&text| text.into()).collect(),
    )
}

fn single(name: &str) -> (String, Vec<Cow<'static, str>>) {
    let (what, more): (&str, &str) = match name {
        "Undefined" => (
            "The entry that is used when no tensor has a key.",
            "Factory functions without tensor arguments reach BackendSelect instead. No kernel can be \
             registered here; composite kernels serve it.",
        ),
        "BackendSelect" => (
            "Chooses the backend of a factory function from its TensorOptions.",
            "Operators without tensor arguments have a generated kernel here.",
        ),
        "Python" => (
            "Calls `__torch_dispatch__` of tensor subclasses.",
            "A backend fallback serves all operators.",
        ),
        "PythonTLSSnapshot" => (
            "Saves which keys are active before `__torch_dispatch__` is called.",
            "A backend fallback serves all operators.",
        ),
        "PythonDispatcher" => (
            "Lets registrations in Python decide before all other keys.",
            "It is active only while the Python dispatcher is enabled, as under `torch.compile`.",
        ),
        "PreDispatch" => (
            "Traces operators before autograd and other functionality run.",
            "`torch.export` uses it.",
        ),
        "Fake" => (
            "Fake tensors of C++ code.",
            "Most programs use fake tensors in Python, which do not need the key.",
        ),
        "Functionalize" => (
            "Replaces mutation and views by functional operators.",
            "The kernels are generated. That is why in-place and mutable operators need `autogen`.",
        ),
        "Conjugate" => (
            "Resolves lazy conjugation of complex tensors.",
            "A backend fallback materializes the conjugate before it calls a kernel that does not know \
             about it.",
        ),
        "Negative" => (
            "Resolves lazy negation.",
            "A backend fallback materializes the negation before it calls a kernel that does not know \
             about it.",
        ),
        "ZeroTensor" => (
            "Tensors that are known to be zero and have no memory.",
            "Forward-mode autograd makes them. A few operators have kernels; for the others a backend \
             fallback materializes the zeros.",
        ),
        "ADInplaceOrView" => (
            "Counts versions of mutated tensors and records views for autograd.",
            "The kernels are generated for in-place operators and views. Composite kernels pass through.",
        ),
        "AutogradOther" => (
            "Autograd for tensors whose backend has no autograd key of its own.",
            "Quantized, sparse CSR and similar keys share it.",
        ),
        "AutogradNestedTensor" => (
            "Autograd for nested tensors.",
            "Formulas can name the key in `dispatch`.",
        ),
        "Tracer" => (
            "Records calls for `torch.jit.trace`.",
            "The kernels are generated, except for composites.",
        ),
        "FuncTorchBatched" => (
            "Rules of `torch.vmap` for batched tensors.",
            "Kernels are registered in C++ under functorch; a fallback loops over the batch.",
        ),
        "BatchedNestedTensor" => (
            "Rules of `torch.vmap` for nested tensors.",
            "A fallback serves most operators.",
        ),
        "FuncTorchVmapMode" => (
            "Handles random operators inside `torch.vmap`.",
            "It decides whether each example gets other random numbers.",
        ),
        "Batched" => (
            "The former vmap.",
            "Kept for old code; `torch.vmap` uses FuncTorchBatched.",
        ),
        "VmapMode" => ("The mode of the former vmap.", "Kept for old code."),
        "FuncTorchGradWrapper" => (
            "Wraps tensors for the function transforms of `torch.func`.",
            "A backend fallback serves all operators.",
        ),
        "FuncTorchDynamicLayerFrontMode" => (
            "Enters the innermost transform of `torch.func`.",
            "A backend fallback serves all operators.",
        ),
        "FuncTorchDynamicLayerBackMode" => (
            "Leaves the innermost transform of `torch.func`.",
            "A backend fallback serves all operators.",
        ),
        "DeferredInit" => (
            "Records the creation of modules for deferred initialization.",
            "The kernels are in torchdistX.",
        ),
        "Named" => (
            "Named tensors: propagates and checks the names of dimensions.",
            "Operators without support have a fallback that raises an error.",
        ),
        "FPGA" => ("Tensors on FPGAs.", "Out-of-tree."),
        "Vulkan" => (
            "Tensors on mobile GPUs through Vulkan.",
            "For inference only.",
        ),
        "Metal" => (
            "Tensors on Apple GPUs in mobile builds.",
            "For inference only. Desktop builds use MPS.",
        ),
        "ORT" => ("Tensors of ONNX Runtime.", "Out-of-tree."),
        "MAIA" => ("Tensors on Microsoft's MAIA accelerator.", "Out-of-tree."),
        "SparseCsrCPU" => ("Sparse compressed tensors (CSR, CSC, BSR, BSC) on CPU.", ""),
        "SparseCsrCUDA" => (
            "Sparse compressed tensors (CSR, CSC, BSR, BSC) on NVIDIA GPUs (CUDA).",
            "",
        ),
        "CustomRNGKeyId" => (
            "Tensors that use a random number generator of their own.",
            "Rarely used.",
        ),
        "MkldnnCPU" => (
            "Tensors in the opaque layouts of oneDNN, on CPU.",
            "Such a tensor has no strides. `to_mkldnn` makes one.",
        ),
        "TESTING_ONLY_GenericWrapper" | "TESTING_ONLY_GenericMode" => {
            ("A key for PyTorch's own tests.", "Do not use it.")
        }
        autocast if autocast.starts_with("Autocast") => (
            "Automatic mixed precision: casts arguments before the call.",
            "The lists of operators that are cast are in autocast_mode.cpp. All other operators fall \
             through.",
        ),
        _ => ("A dispatch key of the runtime.", ""),
    };
    let more = (!more.is_empty()).then_some(Cow::Borrowed(more));
    (what.to_owned(), more.into_iter().collect())
}
