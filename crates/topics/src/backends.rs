//! Backend components: the devices that keys such as `SparseCPU` end in.

/// The device's name, and notes on its kernels.
pub(super) fn backend(component: &str) -> (&str, Option<&'static str>) {
    let (title, about) = match component {
        "CPU" => ("CPU", ""),
        "CUDA" => (
            "NVIDIA GPUs (CUDA)",
            "Builds for AMD GPUs use this key too: ROCm presents itself as CUDA.",
        ),
        "HIP" => (
            "AMD GPUs under the key of their own",
            "Builds for ROCm register their kernels under CUDA, so this key is usually empty.",
        ),
        "XLA" => (
            "XLA devices",
            "The kernels are in torch_xla, outside PyTorch's tree. The backend works on a functional \
             representation and implements functional operators itself.",
        ),
        "MPS" => ("Apple GPUs (Metal Performance Shaders)", ""),
        "IPU" => ("Graphcore IPUs", "The kernels are outside PyTorch's tree."),
        "XPU" => (
            "Intel GPUs",
            "Kernels are in the tree and in torch-xpu-ops.",
        ),
        "HPU" => ("Intel Gaudi", "The kernels are outside PyTorch's tree."),
        "VE" => (
            "NEC Vector Engine",
            "The kernels are outside PyTorch's tree.",
        ),
        "Lazy" => (
            "lazy tensors",
            "Operators build a graph that runs later. Kernels are generated from a backend file.",
        ),
        "MTIA" => ("Meta's training and inference accelerator", ""),
        "MAIA" => (
            "Microsoft's MAIA accelerator",
            "The kernels are outside PyTorch's tree.",
        ),
        "PrivateUse1" => (
            "a backend of your own",
            "The key for out-of-tree backends. `torch.utils.rename_privateuse1_backend` gives the device \
             a name. torchgen generates registrations from a backend file.",
        ),
        "PrivateUse2" | "PrivateUse3" => (
            "a further backend of your own",
            "Like PrivateUse1, but PyTorch's support for renaming and for Python modules covers only \
             PrivateUse1.",
        ),
        "Meta" => (
            "meta tensors, which have sizes and strides but no data",
            "A kernel computes the shape of the result. Structured operators have one for free: their \
             `meta` function. Fake tensors use it under `torch.compile`.",
        ),
        other => (other, ""),
    };
    (title, (!about.is_empty()).then_some(about))
}
