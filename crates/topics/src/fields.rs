//! The fields of an entry.

use opatlas_source::diagnostic::RuleId;

use super::{Example, Kind, Text};

const fn field(id: &'static str, summary: &'static str) -> Text {
    Text::new(id, Kind::Field, summary)
}

pub(super) const TEXTS: &[Text] = &[
    Text {
        body: &[
            "`name[.overload](arguments) -> returns`. The name and the overload name together name the \
             operator; both are permanent. Arguments behind `*` are keyword-only, and mutable \
             keyword-only arguments are out arguments.",
            "A namespace may stand before the name, one level deep. It is not part of what torchgen tells \
             operators apart by, so two namespaces cannot have an operator of the same name.",
        ],
        differs: Some(
            "The README wants defaults on the last arguments, out arguments named `out` or `out0`, `out1`, and \
             no optional returns. torchgen checks none of these; rules of the stage `convention` do.",
        ),
        examples: &[
            Example::accepted(
                "- func: blend(Tensor self, Tensor other, *, float weight=0.5) -> Tensor\n",
            ),
            Example::refused(
                "- func: blend(Tensor self, Tensor other)\n",
                RuleId::SchemaShape,
            ),
        ],
        see: &[
            "overloads",
            "namespaces",
            "argument-names",
            "defaults",
            "returns",
        ],
        ..field("func", "The schema: name, arguments and returns.")
    },
    Text {
        body: &[
            "`function` makes `at::op` and `torch.op`, `method` makes `Tensor.op`. The default is \
             `function`. A method needs an argument `Tensor self`, at any position; callers do not pass it.",
            "Methods are for core operations such as `add`. Layers and internal functions stay functions.",
        ],
        differs: Some(
            "torchgen reads a method without `Tensor self` and fails only when it generates code.",
        ),
        examples: &[Example::accepted(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  variants: function, method\n",
        )],
        see: &["python-bindings"],
        ..field(
            "variants",
            "Whether C++ and Python call the operator as a function, a method or both.",
        )
    },
    Text {
        body: &[
            "A mapping from dispatch keys to kernels. `CPU, CUDA: name` registers one kernel to two keys. A \
             kernel is a function in the namespace `at::native`, or in another one written before it, to \
             whose name `native` is added.",
            "Without the field the entry has one composite kernel, CompositeImplicitAutograd, named after the \
             operator. Whoever adds the first backend kernel must therefore list this composite too.",
            "A kernel on a backend's own key wins over a composite. Of the composites an entry may have only \
             one, apart from CompositeImplicitAutogradNestedTensor.",
        ],
        differs: Some(
            "The README allows `Autograd` keys. torchgen refuses them. It reads kernels in three levels of namespace but \
             generates code for two.",
        ),
        examples: &[
            Example::accepted(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: blend_cpu\n    CUDA: blend_cuda\n  \
                 autogen: blend.out\n",
            ),
            Example::refused(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    AutogradCPU: blend_autograd\n",
                RuleId::DispatchKeySupported,
            ),
        ],
        see: &[
            "dispatch-keyword",
            "CompositeImplicitAutograd",
            "CompositeExplicitAutograd",
        ],
        ..field("dispatch", "Which kernel serves which dispatch key.")
    },
    Text {
        body: &[
            "A list of operators that torchgen adds. For an in-place or mutable operator these are the \
             functional and the out variant, for a functional one the out variant. Generated operators \
             copy the result of the entry's own kernel.",
            "Functionalization needs them. So an in-place or mutable operator that is not composite must \
             have a functional variant, written or generated.",
            "Composites and views need no variants. Since PyTorch 2.6 a composite with the tag `core` gets \
             them too.",
        ],
        differs: Some(
            "The README announces that torchgen will require the field. It requires it only for operators \
             that mutate and are not composite; on views and composites it accepts and ignores it.",
        ),
        examples: &[Example::accepted(
            "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  variants: method\n  dispatch:\n    CPU: blend_\n  \
             autogen: blend, blend.out\n",
        )],
        see: &["Functionalize", "tags"],
        ..field(
            "autogen",
            "The variants of the operator that torchgen generates.",
        )
    },
    Text {
        body: &[
            "A name or a list of names from tags.yaml, such as `core`, `pointwise`, `view_copy` or \
             `dynamic_output_shape`. Compilers and exporters decide by them.",
            "torchgen requires `nondeterministic_seeded` on operators that take a Generator or are named as \
             random ones, and adds some tags by itself: `pt2_compliant_tag` since PyTorch 2.2, \
             `generated` on generated operators.",
        ],
        examples: &[Example::accepted(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  tags: pointwise\n",
        )],
        see: &["autogen"],
        ..field(
            "tags",
            "What compilers and tests may assume about the operator.",
        )
    },
    Text {
        body: &[
            "`structured: True` stands on the out variant. The author writes a `meta` function, which checks \
             the arguments and sets shapes, and an `impl` for each key. torchgen makes the functional and \
             the in-place variant of the two.",
            "Such an operator works for meta tensors at once. Its kernels never take symbolic sizes.",
        ],
        examples: &[Example::accepted(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n\
             - func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    \
             CPU: blend_out\n",
        )],
        see: &[
            "structured_delegate",
            "structured_inherits",
            "precomputed",
            "Meta",
        ],
        ..field(
            "structured",
            "The out variant is a structured kernel: `meta` and `impl`.",
        )
    },
    Text {
        body: &[
            "Names the structured out variant that implements this functional or in-place variant. The entry \
             then has no backend kernels of its own that allow structured ones; keys such as \
             SparseCPU may still have kernels.",
        ],
        examples: &[Example::refused(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n",
            RuleId::StructuredDelegateTargetMissing,
        )],
        see: &["structured"],
        ..field(
            "structured_delegate",
            "The structured out variant that implements this one.",
        )
    },
    Text {
        body: &[
            "A C++ class in namespace `at` that the class of the structured kernel derives from, such as \
             `TensorIteratorBase`. It belongs on the out variant, beside `structured: True`.",
        ],
        examples: &[Example::accepted(
            "- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  \
             structured_inherits: TensorIteratorBase\n  dispatch:\n    CPU: blend_out\n\
             - func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n",
        )],
        see: &["structured"],
        ..field(
            "structured_inherits",
            "The base class of the structured kernel.",
        )
    },
    Text {
        body: &[
            "Values that `meta` computes and `impl` gets. `old -> Type new` replaces an argument in `impl`, and \
             a line without an arrow adds values behind the arguments.",
        ],
        examples: &[Example::accepted(
            "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  precomputed:\n  - dim -> int axis\n  \
             dispatch:\n    CPU: fold_out\n\
             - func: fold(Tensor self, int dim) -> Tensor\n  structured_delegate: fold.out\n",
        )],
        see: &["structured"],
        ..field(
            "precomputed",
            "What `meta` of a structured kernel hands to `impl`.",
        )
    },
    Text {
        body: &[
            "For element-wise structured operators torchgen writes the loop and the author only the function \
             of two numbers. The keys are `Generic`, `ScalarOnly` and `CUDAFunctorOnSelf` and its like, with \
             the dtypes in parentheses.",
        ],
        see: &["structured"],
        ..field(
            "ufunc_inner_loop",
            "The inner loop of an element-wise structured kernel.",
        )
    },
    Text {
        body: &[
            "Binds the function in `torch._C._nn`, `_fft`, `_linalg`, `_sparse`, `_special` or `_nested` instead \
             of `torch`. It cannot be combined with a method.",
        ],
        examples: &[
            Example::accepted(
                "- func: linalg_blend(Tensor self) -> Tensor\n  python_module: linalg\n",
            ),
            Example::refused(
                "- func: linalg_blend(Tensor self) -> Tensor\n  python_module: linalg\n  variants: function, method\n",
                RuleId::ModuleNotMethod,
            ),
        ],
        see: &["python-bindings"],
        ..field(
            "python_module",
            "The Python module that binds the function.",
        )
    },
    Text {
        body: &[
            "Functions without tensor arguments that return a tensor are factory functions, and get \
             TensorOptions in Python. Write `factory` where a factory function has a tensor argument.",
            "Since PyTorch 2.3 `dummy` keeps TensorOptions out of Python.",
        ],
        examples: &[Example::accepted(
            "- func: blank_at(Tensor self, int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  category_override: factory\n",
        )],
        see: &["factory-functions"],
        ..field(
            "category_override",
            "Treat the operator as a factory function although it takes a tensor.",
        )
    },
    Text {
        body: &[
            "Generated code checks that all tensors are on one device. `NoCheck` omits the check, for \
             operators that work across devices or check by themselves. `_foreach_` operators must have it.",
        ],
        examples: &[Example::accepted(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  device_check: NoCheck\n",
        )],
        see: &["device_guard"],
        ..field(
            "device_check",
            "Whether generated code checks that tensors are on one device.",
        )
    },
    Text {
        body: &[
            "Generated code makes the device of the first tensor argument, or of the first tensor of a list, \
             the current one. `False` omits this, for operators that do not touch a device or whose callees \
             do it.",
        ],
        examples: &[Example::accepted(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  device_guard: False\n",
        )],
        see: &["device_check"],
        ..field(
            "device_guard",
            "Whether generated code sets the current device.",
        )
    },
    Text {
        body: &[
            "No registration is generated: the kernels are registered by hand, in VariableTypeManual.cpp. An \
             entry with the flag has no `dispatch`. Few operators use it.",
        ],
        examples: &[Example::accepted(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  manual_kernel_registration: True\n",
        )],
        see: &["dispatch"],
        ..field(
            "manual_kernel_registration",
            "The kernels are registered by hand.",
        )
    },
    Text {
        body: &[
            "torchgen does not make `at::op` and `Tensor::op`; they are written by hand in TensorBody.h. The \
             generated forms are named `__dispatch_op`.",
        ],
        examples: &[Example::accepted(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  manual_cpp_binding: True\n",
        )],
        see: &["variants"],
        ..field(
            "manual_cpp_binding",
            "The C++ function and method are written by hand.",
        )
    },
    Text {
        body: &[
            "Kernels take mutable tensors as `const Tensor &` instead of `Tensor &`. A kernel can then write the \
             data, but not replace the tensor. Set it on new operators: to change it later breaks \
             out-of-tree kernels.",
        ],
        examples: &[Example::accepted(
            "- func: blend_(Tensor(a!) self, Tensor other) -> Tensor(a!)\n  variants: method\n  \
             use_const_ref_for_mutable_tensors: True\n",
        )],
        see: &["write-annotation"],
        ..field(
            "use_const_ref_for_mutable_tensors",
            "Kernels take mutable tensors as `const Tensor &`.",
        )
    },
    Text {
        body: &[
            "Names arguments whose default exists in Python but not in C++, where it would make calls of two \
             overloads ambiguous.",
        ],
        examples: &[Example::accepted(
            "- func: blend(Tensor self, int[1] dim=[], bool keep=False) -> Tensor\n  cpp_no_default_args: [dim]\n",
        )],
        see: &["defaults", "overloads"],
        ..field("cpp_no_default_args", "Arguments without a default in C++.")
    },
];
