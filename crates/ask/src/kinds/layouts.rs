//! Sparse, nested, quantized and named tensors.

use super::names;
use crate::kind::Kind;
use crate::name;

pub(super) const KINDS: &[Kind] = &[
    Kind {
        id: "named-tensor",
        titles: &["{op} does not support named dimensions"],
        patterns: &[
            "{op} is not yet supported with named tensors",
            "{op}: nyi: named tensors",
        ],
        key: Some("Named"),
        causes: &["Named tensors are experimental, and few operators pass names on."],
        advice: &["Drop the names first: `x.rename(None)`, and add them to the result again."],
        ..Kind::ERROR
    },
    Kind {
        id: "quantized-engine",
        titles: &[
            "{op} has no kernel for the quantized engine that is set",
            "The quantized engine that is set does not support this operator",
        ],
        patterns: &[
            "didn't find engine for operation {op} {word}",
            "didn't find engine for when trying to {text}",
            "quantized engine {word} is not supported",
        ],
        causes: &["The engine is `noqengine`, or this build does not contain it."],
        advice: &[
            "Set `torch.backends.quantized.engine` to one of `torch.backends.quantized.supported_engines`.",
        ],
        ..Kind::ERROR
    },
    Kind {
        id: "sparse-unsupported",
        titles: &[
            "{op} does not support this combination of sparse and dense tensors",
            "The function does not support this combination of sparse and dense tensors",
        ],
        patterns: &[
            "{name}: computation on {device} is not implemented for {text}",
            "{name}: expected {text} to be sparse",
            "unsupported tensor layout: sparse{word}",
            "expected result tensor to be of format csr",
        ],
        refine: |reading| {
            let name = reading.part("name").map(str::to_owned);
            names::function(reading, name.as_deref());
            reading.key = reading.part("device").and_then(names::key_of_device);
        },
        causes: &[
            "Products of sparse tensors are written for some layouts, and some need a library such as MKL.",
        ],
        advice: &["Convert one tensor: `.to_dense()`, `.to_sparse_csr()` or `.to_sparse_coo()`."],
        ..Kind::ERROR
    },
    Kind {
        id: "layout-without-storage",
        titles: &["The function does not support tensors with the layout of oneDNN"],
        patterns: &["unsupported tensor layout: mkldnn"],
        causes: &[
            "The tensor has the layout of oneDNN (`to_mkldnn()`), whose values have no strides.",
        ],
        advice: &["Convert the tensor with `.to_dense()` before the call."],
        ..Kind::ERROR
    },
    Kind {
        id: "layout-without-storage",
        titles: &["The tensor has no memory of its own: it stands for another one"],
        patterns: &["cannot access data pointer of tensor that doesn't have storage"],
        causes: &[
            "Inside `torch.vmap`, `torch.func` and compiled code, a tensor is a wrapper. Sparse and other \
             special tensors have no single block of memory either.",
        ],
        advice: &[
            "Move the code that needs the memory (`.numpy()`, `.data_ptr()`, a C++ extension) out of the \
             transformed or compiled function, or make it a custom operator (`torch.library.custom_op`).",
            "If the tensor is sparse: convert it with `.to_dense()`.",
        ],
        ..Kind::ERROR
    },
    Kind {
        id: "memory-format",
        titles: &["The tensor does not have the number of dimensions of this memory format"],
        patterns: &[
            "required rank 4 tensor to use channels_last format",
            "required rank 5 tensor to use channels_last_3d format",
            "unsupported memory format option {word}",
        ],
        causes: &["`channels_last` is for four dimensions, `channels_last_3d` for five."],
        advice: &["Convert only the tensors of images: `x.to(memory_format=torch.channels_last)`."],
        ..Kind::OTHER
    },
    Kind {
        id: "layout-without-storage",
        titles: &["A sparse, nested or other special tensor is used as if it were an ordinary one"],
        patterns: &[
            "sparse tensors do not have strides",
            "do not have strides",
            "does not have strides",
            "cannot access storage of {word}",
            "cannot access data pointer of tensor",
            "is_contiguous is not supported for sparse",
            "sparse csr tensors do not have strides",
            "internal error: nestedtensorimpl doesn't support sizes",
            "nestedtensorimpl doesn't support",
            "opaque tensors do not have",
        ],
        causes: &["Its values are not in one block of memory with strides, which this call needs."],
        advice: &[
            "Convert it first: `.to_dense()` for sparse tensors, `.to_padded_tensor(0)` for nested ones, `.dequantize()` for quantized ones.",
        ],
        ..Kind::ERROR
    },
    Kind {
        id: "nested-unsupported",
        titles: &[
            "{op} does not support this nested tensor",
            "A nested tensor does not support this call",
        ],
        patterns: &[
            "{op} not supported for nestedtensor",
            "nestedtensor {op}(",
            "nested tensors of the strided layout",
            "sequencelike nested",
        ],
        refine: |reading| {
            let known = |name: &String| name::is_base(name.split('.').next().unwrap_or(name));
            reading.operator = reading.operator.take().filter(known);
        },
        causes: &[
            "Operators for nested tensors are written one by one, and most reduce or reshape only some dimensions.",
        ],
        advice: &["Use `layout=torch.jagged`, which supports more, or `.to_padded_tensor(0)`."],
        ..Kind::ERROR
    },
];
