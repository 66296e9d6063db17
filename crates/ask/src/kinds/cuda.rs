//! Errors of the GPU and its libraries, which operator data cannot explain.

use crate::kind::Kind;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "cuda-out-of-memory",
        titles: &["The GPU has too little free memory"],
        patterns: &[
            "cuda out of memory. tried to allocate {text}",
            "cuda out of memory",
            "hip out of memory",
            "xpu out of memory",
            "mps backend out of memory",
            "cuda error: out of memory",
            "outofmemoryerror",
            "cudaerrormemoryallocation",
        ],
        refine: |reading| {
            if reading.mentions("mps backend out of memory") {
                reading.know("mps", "MPS");
            } else if !reading.mentions("xpu out of memory") {
                reading.know("cuda", "CUDA");
            }
        },
        causes: &["The model, its gradients and the batch need more memory than is free."],
        advice: &[
            "Use a smaller batch, lower precision, or gradient checkpointing.",
            "If much is reserved and unallocated: set \
             `PYTORCH_{cuda}_ALLOC_CONF=expandable_segments:True`.",
            "Check whether another process holds memory of the {cuda} GPU: `nvidia-smi`, `rocm-smi`.",
            "With {mps}, the CPU and the GPU share memory: close other programs, or call \
             `torch.mps.empty_cache()`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "out-of-memory",
        titles: &["The machine has too little free memory"],
        patterns: &[
            "defaultcpuallocator: can't allocate memory",
            "defaultcpuallocator: not enough memory",
            "unable to mmap",
            "is killed by signal: killed",
        ],
        causes: &["The CPU's memory is exhausted."],
        advice: &["Use a smaller batch or model, or fewer workers of the data loader."],
        ..Kind::OTHER
    },
    Kind {
        id: "no-kernel-image",
        titles: &["The installed binaries contain no code for this GPU"],
        patterns: &[
            "no kernel image is available for execution on the device",
            "hip error: invalid device function",
            "cuda error: invalid device function",
            "hiperrornobinaryforgpu",
            "is not compatible with the current pytorch installation",
            "cudaerrornokernelimagefordevice",
        ],
        causes: &[
            "PyTorch or an extension was built for other GPU architectures than yours: the GPU is newer or older.",
        ],
        advice: &[
            "Install a build whose architectures include the GPU; `torch.cuda.get_arch_list()` shows them.",
            "If an extension is at fault: rebuild it with `TORCH_CUDA_ARCH_LIST` set to the GPU's architecture.",
        ],
        misleads: &["`kernel` means a compiled GPU program here, not a kernel of an operator."],
        ..Kind::OTHER
    },
    Kind {
        id: "device-assert",
        titles: &["An index is out of range on the GPU"],
        patterns: &[
            "device-side assert triggered",
            "index out of bounds\"' failed",
            "scattergatherkernel.cu",
            "assertion 't >= 0 && t < n_classes' failed",
        ],
        causes: &[
            "Most often a label is not below the number of classes, or a token id not below the size of the vocabulary.",
        ],
        advice: &[
            "Run with `CUDA_LAUNCH_BLOCKING=1`, or on the CPU, to see which index it is.",
            "Check `labels.min()`, `labels.max()` and the number of classes. Restart Python afterwards.",
        ],
        misleads: &["The file that it names belongs to PyTorch, which only checks your index."],
        ..Kind::OTHER
    },
    Kind {
        id: "cuda-illegal-access",
        titles: &["A GPU program read or wrote outside its memory"],
        patterns: &[
            "an illegal memory access was encountered",
            "misaligned address",
            "an illegal instruction was encountered",
            "unspecified launch failure",
            "invalid configuration argument",
            "too many resources requested for launch",
        ],
        causes: &[
            "A kernel of PyTorch or of an extension has a fault, or got sizes that it does not expect. The line in the traceback may be a later one.",
        ],
        advice: &[
            "Run with `CUDA_LAUNCH_BLOCKING=1` to find the call, then with `compute-sanitizer`.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "gpu-library",
        titles: &["A library of the GPU failed"],
        patterns: &[
            "cublas_status_{word}",
            "cudnn_status_{word}",
            "cusolver_status_{word}",
            "cusparse_status_{word}",
            "cufft_{word}",
            "cudnn error:",
            "unable to find a valid cudnn algorithm",
            "unable to find an engine to execute this computation",
            "miopenstatus",
        ],
        causes: &[
            "Often the memory is exhausted, an index was out of range before, or two versions of the library are loaded.",
        ],
        advice: &[
            "Run with `CUDA_LAUNCH_BLOCKING=1`, and with a smaller batch.",
            "Check that `LD_LIBRARY_PATH` does not name another CUDA than PyTorch's.",
        ],
        ..Kind::OTHER
    },
    Kind {
        id: "cuda-error",
        titles: &["The GPU reported an error"],
        patterns: &["cuda error: {text}", "hip error: {text}"],
        causes: &["It reported: {text}"],
        advice: &["Run with `CUDA_LAUNCH_BLOCKING=1` to find the call that causes it."],
        ..Kind::OTHER
    },
];
