//! Concepts that concern several fields.

use opatlas_source::diagnostic::RuleId;

use super::{Example, Kind, Text};

const fn guide(id: &'static str, summary: &'static str) -> Text {
    Text::new(id, Kind::Guide, summary)
}

pub(super) const TEXTS: &[Text] = &[
    Text {
        body: &[
            "Answer at most five questions about the kernel. The answer is the `dispatch` section, and the table \
             that the dispatcher computes from it.",
            "A kernel on a backend's own key always wins over an alias key. An entry has at most one \
             composite, apart from the one for nested tensors: with two, CompositeExplicitAutograd would hide \
             CompositeImplicitAutograd everywhere.",
        ],
        differs: Some(
            "The README checks a table with `PythonDispatcher` of torch/_python_dispatcher.py, which knows a few \
             keys of one build. The tables here have all keys of the release.",
        ),
        names: &["dispatch-keywords", "which-dispatch-key"],
        see: &[
            "dispatch",
            "CompositeImplicitAutograd",
            "CompositeExplicitAutograd",
            "derivatives",
        ],
        ..guide("dispatch-keyword", "Which dispatch key does a kernel need?")
    },
    Text {
        body: &[
            "An operator is differentiable without a formula if its kernel only calls operators that are. Then it \
             is a composite: leave out `dispatch`.",
            "It is not if the kernel reads memory, uses DispatchStub, calls an out variant, or differs between \
             backends. Then derivatives.yaml needs an entry that names the schema and gives a formula for \
             each tensor that has a gradient. A formula may call an operator `NAME_backward`, which Python does \
             not bind.",
            "Without the entry the operator works in inference, and raises an error in the backward pass.",
        ],
        names: &["derivatives.yaml", "autograd", "backward"],
        see: &[
            "dispatch-keyword",
            "composite-functions",
            "undefined-tensors",
            "Autograd",
        ],
        ..guide(
            "derivatives",
            "When an operator needs a formula, and where it goes.",
        )
    },
    Text {
        body: &[
            "A composite function is a CompositeImplicitAutograd kernel, a formula of derivatives.yaml, or any \
             function that consists of PyTorch operators. It must work for most backends and tensor subclasses, \
             meta tensors and vmap among them.",
            "So it must not call `resize_` or the like, call out variants, change sizes or strides without the \
             dispatcher, or use `data_ptr` and `item`. Avoid `copy_` unless the target is a view.",
            "An operator that needs one of these gets a kernel of its own and a formula. Or move that part into \
             an operator that is not a composite.",
        ],
        names: &["composite-compliance", "composite"],
        see: &["CompositeImplicitAutograd", "derivatives"],
        ..guide(
            "composite-functions",
            "What composite kernels and formulas may not call.",
        )
    },
    Text {
        body: &[
            "An argument `Tensor` is defined. `Tensor?` may be undefined.",
            "A backward function with `bool[N] output_mask` returns an undefined tensor at every position whose \
             element is false. In all other cases a function never returns an undefined tensor: return an \
             empty tensor for a buffer that is not needed, and zeros for a gradient that is zero.",
        ],
        examples: &[Example::accepted(
            "- func: blend_backward(Tensor grad, Tensor? weight, bool[2] output_mask) -> (Tensor, Tensor)\n",
        )],
        differs: Some(
            "The README writes an empty list as the default of `Tensor?`. The runtime refuses it: write `None`.",
        ),
        names: &["undefined"],
        see: &["bool-list", "optional"],
        ..guide("undefined-tensors", "Where a tensor may be undefined.")
    },
    Text {
        body: &[
            "torchgen binds operators to Python, except generated ones, a list of names, and patterns such as \
             `.*_backward`. An out variant is folded into the function without `out`, which must have the same \
             Python signature.",
            "Functions are in `torch`, methods in `Tensor`, and functions with `python_module` in \
             `torch._C._nn` and its siblings. Everything is reachable as `torch.ops.aten.NAME.OVERLOAD`.",
            "deprecated.yaml keeps old orders of arguments callable, such as `torch.add(self, alpha, other)`.",
        ],
        names: &["python", "deprecated.yaml"],
        see: &["python_module", "variants", "argument-names"],
        ..guide(
            "python-bindings",
            "Whether and where Python has an operator.",
        )
    },
    Text {
        body: &[
            "Operators of one name differ in their overload name, behind a dot. At most one has none. C++ and \
             Python callers do not use it, but backends register to it, and saved programs name it: it can never \
             be changed.",
            "Name an overload after what is different about it, or after its first different argument. A list of \
             types says little.",
        ],
        differs: Some(
            "torchgen notices two equal names only through a shared dispatch key or an equal signature. Opatlas \
             reports every one.",
        ),
        examples: &[Example::accepted(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.weight(Tensor self, Tensor other, Tensor weight) -> Tensor\n",
        )],
        see: &["func"],
        ..guide("overloads", "Several operators of one name.")
    },
    Text {
        body: &[
            "`*` between arguments is none itself. Python callers pass the arguments behind it by name only, C++ \
             callers by position. Options such as `dtype` and `memory_format`, generators and out arguments go there.",
        ],
        examples: &[Example::accepted(
            "- func: blend(Tensor self, Tensor other, *, float weight=0.5) -> Tensor\n",
        )],
        names: &["*"],
        see: &["func", "argument-names", "python-bindings"],
        ..guide(
            "keyword-only",
            "Arguments that Python passes by name: those behind `*`.",
        )
    },
    Text {
        body: &[
            "An operator in another namespace than `aten` has it before its name: `acme::blend`. One level, and it is not \
             part of the identity: two namespaces cannot have an operator of the same name.",
            "Kernels are functions in `at::native`. A kernel in another namespace has it before its name, at most two \
             levels, and `native` is added: `acme::vision::blend_cpu` is `acme::vision::native::blend_cpu`. All kernels \
             of an operator and of its variants are in one namespace. A generated out variant has its kernel in \
             `at::native`, so write an entry for it.",
        ],
        examples: &[
            Example::accepted(
                "- func: acme::blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: acme::blend_cpu\n\
                 - func: acme::blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    \
                 CPU: acme::blend_out_cpu\n",
            ),
            Example::refused(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: acme::vision::cpu::blend\n  \
                 autogen: blend.out\n",
                RuleId::KernelNamespaceVariant,
            ),
        ],
        names: &["namespace"],
        see: &["func", "dispatch"],
        ..guide("namespaces", "Where operators and kernels are.")
    },
    Text {
        body: &[
            "Names are part of the interface: Python callers pass arguments by name, formulas in derivatives.yaml \
             use them, and saved programs contain them. Renaming one breaks compatibility.",
            "`self` is the tensor of a method. Out arguments are called `out`, or `out0`, `out1` and so on.",
        ],
        differs: Some(
            "The README requires the names of out arguments; torchgen accepts all. Since PyTorch 2.6 torchgen refuses \
             the keywords of Python as names, which the README does not mention.",
        ),
        examples: &[Example::refused(
            "- func: blend(Tensor self, Tensor with) -> Tensor\n",
            RuleId::ArgumentNameKeyword,
        )],
        names: &["arguments"],
        see: &["func", "python-bindings"],
        ..guide("argument-names", "Why names of arguments are permanent.")
    },
    Text {
        body: &[
            "Numbers for `int`, `float` and `Scalar`, `True` and `False` for `bool`, texts in quotes for `str`, `None` for \
             every optional type, and the names `Mean` for `int`, `long` for `ScalarType` and `contiguous_format` for \
             `MemoryFormat`. A tensor has no default: make it `Tensor?` and write `None`.",
            "Lists are written without spaces: `[]`, or numbers as in `[0,1]`. A list with a size also takes one number, \
             which is repeated. An optional list takes `None`, and with a size one number, but no list.",
            "Only the last positional arguments may have one. If a default would stand before an argument without \
             one, make the argument optional and let the kernel choose the value.",
        ],
        differs: Some(
            "The README allows an empty list for a tensor. torchgen reads it, but the runtime refuses it when the \
             library is loaded. The README asks for defaults at the end; torchgen never checks it, and the C++ compiler \
             fails. The README writes `[0, 0]`; torchgen refuses the space.",
        ),
        examples: &[
            Example::accepted(
                "- func: measured(Tensor self, Scalar? p, int dim, bool keepdim=False) -> Tensor\n",
            ),
            Example::accepted(
                "- func: masked(Tensor self, Tensor? mask=None, int[2] stride=1, str mode=\"mean\") -> Tensor\n",
            ),
            Example::refused(
                "- func: masked(Tensor self, Tensor? mask=[]) -> Tensor\n",
                RuleId::SchemaLoad,
            ),
        ],
        names: &["default"],
        see: &["optional", "list", "cpp_no_default_args"],
        ..guide("defaults", "Default values of arguments.")
    },
    Text {
        body: &[
            "One type, or several in parentheses. Either all returns have names or none. Names make the result a \
             named tuple in Python, and formulas refer to them; renaming one breaks callers.",
            "An in-place operator returns its mutable `self`, an out variant its out arguments.",
        ],
        differs: Some(
            "The README allows tensors, lists of tensors and tuples of tensors. torchgen also binds single plain values \
             (`int`, `float`, `bool`, `Scalar`, `ScalarType`), but refuses mixtures such as `(Tensor, float)`. It generates \
             C++ for more, such as `SymInt` and, since PyTorch 2.2, `Tensor?`, but no Python binding: only operators \
             without one, such as `..._backward`, may return them.",
        ),
        examples: &[
            Example::accepted("- func: extremes(Tensor self) -> (Tensor low, Tensor high)\n"),
            Example::refused(
                "- func: measured(Tensor self) -> (Tensor, float)\n",
                RuleId::PythonReturn,
            ),
        ],
        names: &["return", "return-types"],
        see: &["write-annotation", "undefined-tensors"],
        ..guide("returns", "What an operator returns.")
    },
    Text {
        body: &[
            "A function that takes no tensor and returns one. C++ gathers dtype, layout, device and pin_memory into \
             TensorOptions, Python adds `requires_grad`, and a generated kernel on BackendSelect chooses the \
             backend from the options.",
            "`category_override: factory` makes a function with a tensor argument one of them. Names that begin \
             with `new_` or end in `_like` get TensorOptions in Python too.",
        ],
        examples: &[Example::accepted(
            "- func: blank(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? \
             pin_memory=None) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: blank\n  autogen: blank.out\n",
        )],
        names: &["TensorOptions", "factory"],
        see: &["category_override", "BackendSelect", "ScalarType"],
        ..guide(
            "factory-functions",
            "Functions that make tensors from nothing.",
        )
    },
];
