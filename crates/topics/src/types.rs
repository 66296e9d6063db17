//! Types of arguments and returns.

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;

use super::{Example, Kind, Text, span_of};

const fn ty(id: &'static str, summary: &'static str) -> Text {
    Text::new(id, Kind::Type, summary)
}

/// The releases with a base type; all releases for anything else.
pub(super) fn releases(id: &str) -> (Release, Option<Release>) {
    let has = |release: Release| release.data().base_types.contains(id);
    span_of(has).unwrap_or((Release::V2_0, None))
}

pub(super) const TEXTS: &[Text] = &[
    Text {
        body: &[
            "In C++ `const at::Tensor &`, and `at::Tensor &` where it is mutable. The argument is always \
             defined; `Tensor?` may be undefined or None. Python binds the first tensor argument as `input` \
             in functions, if it is named `self`.",
        ],
        examples: &[Example::accepted(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        )],
        see: &["optional", "undefined-tensors", "write-annotation", "list"],
        ..ty("Tensor", "A tensor.")
    },
    Text {
        body: &["`int64_t` in C++. Sizes that may be symbolic are `SymInt`."],
        examples: &[Example::accepted(
            "- func: roll1(Tensor self, int shift=1) -> Tensor\n",
        )],
        see: &["SymInt", "list"],
        ..ty("int", "A 64-bit integer.")
    },
    Text {
        body: &[
            "`double` in C++, whatever the dtype of the tensors. The C++ names `double` and `int64_t` are not types of a schema.",
        ],
        examples: &[
            Example::accepted(
                "- func: blend(Tensor self, Tensor other, float weight=0.5) -> Tensor\n",
            ),
            Example::refused(
                "- func: blend(Tensor self, Tensor other, double weight) -> Tensor\n",
                RuleId::TypeUnknown,
            ),
        ],
        see: &["Scalar"],
        ..ty("float", "A 64-bit floating-point number.")
    },
    Text {
        body: &["`bool` in C++. Defaults are `True` and `False`."],
        examples: &[Example::accepted(
            "- func: blend(Tensor self, bool keep=False) -> Tensor\n",
        )],
        see: &["bool-list"],
        ..ty("bool", "A truth value.")
    },
    Text {
        body: &[
            "`c10::string_view` in C++, in all releases: a view of a text that the caller owns. Defaults are in quotes.",
        ],
        differs: Some(
            "The README names the view of the C++ standard library. torchgen writes `c10::string_view`.",
        ),
        examples: &[Example::accepted(
            "- func: blend(Tensor self, str mode=\"mean\") -> Tensor\n",
        )],
        see: &["defaults"],
        ..ty("str", "A text.")
    },
    Text {
        body: &[
            "Takes Python integers, floats and complex numbers, and tensors without dimensions. Prefer `float` \
             or `int` unless the operator really takes either: a Scalar keeps the kind of its number, and \
             kernels must handle all kinds.",
        ],
        examples: &[Example::accepted(
            "- func: shift(Tensor self, Scalar by) -> Tensor\n",
        )],
        see: &["float", "int"],
        ..ty("Scalar", "A number of any kind.")
    },
    Text {
        body: &[
            "A size that may be unknown while a program is traced. In C++ `c10::SymInt`. torchgen makes a form \
             with `int64_t` for callers and kernels that do not need symbols: a kernel takes symbols \
             exactly if its name contains `_symint`, and in a backend file if the operator is listed \
             under `symint`.",
        ],
        examples: &[Example::accepted(
            "- func: resized(Tensor self, SymInt[] size) -> Tensor\n",
        )],
        see: &["int", "list"],
        ..ty("SymInt", "A size that may be symbolic.")
    },
    Text {
        body: &[
            "A condition that may be unknown while a program is traced. torchgen has a C++ type for it since PyTorch 2.9.",
        ],
        see: &["SymInt", "bool"],
        ..ty("SymBool", "A truth value that may be symbolic.")
    },
    Text {
        body: &[
            "The state of a random number generator, almost always `Generator? generator=None`. torchgen \
             requires the tag `nondeterministic_seeded` on such operators.",
        ],
        examples: &[Example::accepted(
            "- func: noise(Tensor self, *, Generator? generator=None) -> Tensor\n  tags: nondeterministic_seeded\n",
        )],
        see: &["tags", "optional"],
        ..ty("Generator", "A random number generator.")
    },
    Text {
        body: &[
            "The dtype of a tensor. `ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
             pin_memory=None`, keyword-only and in this order, are gathered into TensorOptions in C++.",
        ],
        examples: &[Example::accepted(
            "- func: blank(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
             pin_memory=None) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: blank\n  autogen: blank.out\n",
        )],
        see: &["factory-functions", "Layout", "Device"],
        ..ty("ScalarType", "A dtype.")
    },
    Text {
        body: &["Strided, sparse and so on. Part of TensorOptions."],
        see: &["ScalarType", "Device"],
        ..ty("Layout", "The layout of a tensor.")
    },
    Text {
        body: &["A kind of device and an optional index. Part of TensorOptions."],
        see: &["ScalarType", "DeviceIndex"],
        ..ty("Device", "A device.")
    },
    Text {
        body: &["The number of a device, without its kind."],
        see: &["Device"],
        ..ty("DeviceIndex", "The index of a device.")
    },
    Text {
        body: &[
            "`contiguous_format`, `channels_last`, `preserve_format` and others. In Python it is keyword-only by convention.",
            "As defaults the runtime reads `contiguous_format`, and `None` for `MemoryFormat?`. For any other, write \
             `None` and let the kernel choose.",
        ],
        examples: &[
            Example::accepted(
                "- func: copied(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor\n",
            ),
            Example::refused(
                "- func: copied(Tensor self, *, MemoryFormat? memory_format=channels_last) -> Tensor\n",
                RuleId::SchemaLoad,
            ),
        ],
        see: &["Layout"],
        ..ty(
            "MemoryFormat",
            "The order of a tensor's dimensions in memory.",
        )
    },
    Text {
        body: &[
            "How a quantized tensor maps numbers to integers, such as per tensor or per channel.",
        ],
        see: &["QuantizedCPU"],
        ..ty("QScheme", "A scheme of quantization.")
    },
    Text {
        body: &["The memory of a tensor. Used by `set_`."],
        see: &["Tensor"],
        ..ty("Storage", "The memory behind tensors.")
    },
    Text {
        body: &["A stream of a device. Used by `record_stream`."],
        see: &["Device"],
        ..ty("Stream", "A stream of a device.")
    },
    Text {
        body: &[
            "The name of a dimension, for named tensors. Overloads with names went with the type.",
        ],
        see: &["str"],
        ..ty("Dimname", "The name of a dimension.")
    },
    Text {
        body: &[
            "A list of sizes that stays on the stack if it is short. Used by generated code only.",
        ],
        see: &["list"],
        ..ty("DimVector", "A short list of sizes.")
    },
    Text {
        body: &[
            "A pointer to a quantizer, for a few internal operators. torchgen has no binding for it.",
        ],
        see: &["QScheme"],
        ..ty("ConstQuantizerPtr", "A quantizer.")
    },
    Text {
        body: &[
            "An FX graph, for higher-order operators. It has no C++ type, so torchgen generates no code for it.",
        ],
        see: &["custom-class"],
        ..ty("GraphModule", "An FX graph module.")
    },
    Text {
        body: &[
            "`T?` may be None in Python and `nullopt` in C++. Use it where None means something, where a default \
             must depend on another argument, or where a default would stand before an argument \
             without one: make that argument optional and let the kernel choose.",
        ],
        differs: Some(
            "The README allows no optional returns. torchgen reads them, and generates C++ for `Tensor?` since PyTorch \
             2.2, but no Python binding.",
        ),
        examples: &[Example::accepted(
            "- func: clip(Tensor self, Scalar? low=None, Scalar? high=None) -> Tensor\n",
        )],
        names: &["?", "T?", "Tensor?"],
        see: &["defaults", "undefined-tensors"],
        ..ty("optional", "A value or None: `T?`.")
    },
    Text {
        body: &[
            "`Tensor[]` is `at::TensorList`, `int[]` an array reference. A size, as in `int[2]`, does not change C++: \
             it lets Python callers pass one number, which is repeated. Only a list with a size can have a \
             single number as default.",
            "Defaults of lists are written without spaces.",
        ],
        differs: Some(
            "The README writes a default as `[0, 0]`. torchgen refuses the space: `[0,0]`.",
        ),
        examples: &[
            Example::accepted(
                "- func: pooled(Tensor self, int[2] kernel, int[2] stride=1) -> Tensor\n",
            ),
            Example::refused(
                "- func: pooled(Tensor self, int[2] kernel, int[2] stride=[1, 1]) -> Tensor\n",
                RuleId::DefaultListNoSpace,
            ),
        ],
        names: &["T[]", "Tensor[]", "int[]", "int[2]", "TensorList"],
        see: &["bool-list", "defaults", "wildcard-annotation"],
        ..ty("list", "A list: `T[]`, or `T[N]` with a size.")
    },
    Text {
        body: &[
            "`::std::array<bool,N>` in C++, so the size is part of the type and must be written. Backward functions \
             use `bool[N] output_mask`, which says what gradients are wanted; N is the number of tensors that \
             they return.",
        ],
        differs: Some(
            "The README allows N from 1 to 4. torchgen reads every N of at least 1, and fails without one only \
             when it generates code.",
        ),
        examples: &[
            Example::accepted(
                "- func: blend_backward(Tensor grad, bool[2] output_mask) -> (Tensor, Tensor)\n",
            ),
            Example::refused(
                "- func: blend_backward(Tensor grad, bool[] output_mask) -> Tensor\n",
                RuleId::BoolListSize,
            ),
        ],
        names: &["bool[]", "bool[N]", "output_mask"],
        see: &["list", "undefined-tensors"],
        ..ty("bool-list", "A fixed number of truth values: `bool[N]`.")
    },
    Text {
        body: &[
            "`__torch__.torch.classes.NAMESPACE.NAME` names a class that C++ registers for TorchScript. torchgen reads \
             the type, but has no C++ type for it: declare such operators in a library.",
        ],
        examples: &[Example::refused(
            "- func: run(Tensor self, __torch__.torch.classes.acme.Plan plan) -> Tensor\n",
            RuleId::TypeNotGenerated,
        )],
        names: &["__torch__.torch.classes."],
        see: &["Tensor"],
        ..ty("custom-class", "A class that C++ registers.")
    },
];
