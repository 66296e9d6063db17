//! The rules about structured kernels.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const POST_INIT: &str = "torchgen/model.py: NativeFunction.__post_init__";
const FROM_YAML: &str = "torchgen/model.py: NativeFunction.from_yaml";
const FILE_CHECK: &str = "torchgen/gen.py: error_check_native_functions";
const GROUP: &str = "torchgen/model.py: NativeFunctionsGroup.__post_init__";
const WRITER: &str =
    "torchgen/dest/register_dispatch_key.py: StructuredRegisterDispatchKey.gen_one";

const GOOD: Example = Example::native(
    "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
);

const UFUNC: Example = Example::native(
    "- func: blend(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  structured_inherits: TensorIteratorBase\n  ufunc_inner_loop:\n    Generic: blend (AllAndComplex, BFloat16)\n    ScalarOnly: blend (Bool)\n",
);

const fn rule(id: RuleId, stage: Stage, source: &'static str) -> Rule {
    Rule {
        id,
        family: Family::Structured,
        severity: Severity::Error,
        stage,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source,
    }
}

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "`structured: True` stands on an operator that is no out variant.",
        why: "The kernel is written once, for the out variant; the other variants delegate to it.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured: True\n",
        ),
        ..rule(RuleId::StructuredOnOutOnly, Stage::Entry, POST_INIT)
    },
    Rule {
        what: "A structured or delegating operator has `device_guard: False`.",
        why: "The code around structured kernels always guards the device and would ignore it.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n  device_guard: False\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(RuleId::StructuredDeviceGuard, Stage::Entry, POST_INIT)
    },
    Rule {
        what: "An out variant has `structured_delegate`.",
        why: "Out variants are what the others delegate to.",
        bad: Example::native(
            "- func: mix(Tensor self) -> Tensor\n  structured_delegate: mix.out\n- func: mix.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: mix_out\n- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured_delegate: mix.out\n",
        ),
        ..rule(RuleId::StructuredDelegateNotOnOut, Stage::Entry, POST_INIT)
    },
    Rule {
        what: "One entry is structured and delegates.",
        why: "A kernel is either here or in the operator that is delegated to.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  structured_delegate: blend.out\n  dispatch:\n    SparseCPU: blend_out\n",
        ),
        ..rule(RuleId::StructuredAndDelegate, Stage::Entry, POST_INIT)
    },
    Rule {
        what: "`structured_delegate` or `structured_inherits` is qualified with a namespace.",
        why: "Both are looked for in the operator's own namespace.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: aten::blend.out\n",
        ),
        ..rule(RuleId::StructuredDelegateNamespace, Stage::Entry, FROM_YAML)
    },
    Rule {
        what: "`structured_delegate` is not the name of an operator.",
        why: "It is `base_name.overload`, where the base name does not end in `_out` and the \
              overload is not empty.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend_out\n",
        ),
        ..rule(
            RuleId::StructuredDelegateMalformed,
            Stage::Entry,
            "torchgen/model.py: OperatorName.parse",
        )
    },
    Rule {
        what: "`structured_delegate` names an operator that the file does not declare.",
        why: "There is no kernel to delegate to.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.into\n",
        ),
        ..rule(
            RuleId::StructuredDelegateTargetMissing,
            Stage::File,
            FILE_CHECK,
        )
    },
    Rule {
        what: "`structured_delegate` names an operator that is not structured.",
        why: "Only structured operators have the class that delegating ones are made from.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(
            RuleId::StructuredDelegateTargetStructured,
            Stage::File,
            FILE_CHECK,
        )
    },
    Rule {
        what: "A delegating operator lists a kernel on a key that structured kernels are for: CPU, \
               CUDA and MPS, XPU since 2.5, MTIA since 2.8.",
        why: "On these keys the kernel is the one that is delegated to. Other keys may be listed.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n  dispatch:\n    CPU: blend_cpu\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(
            RuleId::StructuredDelegateNoStructuredKeys,
            Stage::Entry,
            FROM_YAML,
        )
    },
    Rule {
        what: "`structured_inherits` stands on an operator that is not structured.",
        why: "It names the base class of a structured operator's meta function.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_inherits: TensorIteratorBase\n",
        ),
        ..rule(RuleId::StructuredInherits, Stage::Entry, POST_INIT)
    },
    Rule {
        what: "`precomputed` stands on an operator that is not structured, be it empty.",
        why: "What is worked out in advance is worked out by the meta function of a structured \
              operator.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other, int dim) -> Tensor\n  precomputed:\n  - dim -> int wrapped_dim\n",
        ),
        ..rule(RuleId::PrecomputedNeedsStructured, Stage::Entry, FROM_YAML)
    },
    Rule {
        what: "`precomputed` is not a list of `argument -> Type name, Type name`, with parameters \
               that replace none in its last item. Names may not be their own upper case, an \
               argument is replaced once, and types must be ones that C++ can be written for.",
        why: "Structs, setters and template parameters are generated from it, the latter called \
              after the names in upper case.",
        bad: Example::native(
            "- func: blend(Tensor self, int dim) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  precomputed:\n  - dim -> int DIM\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, int dim) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  precomputed:\n  - dim -> int wrapped_dim\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(
            RuleId::Precomputed,
            Stage::Entry,
            "torchgen/model.py: Precompute",
        )
    },
    Rule {
        what: "`ufunc_inner_loop` is neither `function (dtypes)` nor a mapping from loops to that; \
               or it names an unknown loop or dtype; or `dispatch` has a kernel on a key that the \
               loops make one for.",
        why: "Kernels for CPU and CUDA are generated around the loops, with one case for each \
              dtype.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  structured_inherits: TensorIteratorBase\n  ufunc_inner_loop:\n    Generic: blend (float)\n",
        ),
        good: UFUNC,
        ..rule(
            RuleId::Ufunc,
            Stage::Entry,
            "torchgen/model.py: UfuncInnerLoop.parse",
        )
    },
    Rule {
        what: "`ufunc_inner_loop` stands on an operator that is not structured.",
        why: "The kernels around inner loops are structured.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n- func: blend.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)\n  ufunc_inner_loop: blend (Float)\n",
        ),
        good: UFUNC,
        ..rule(RuleId::UfuncStructured, Stage::Entry, FROM_YAML)
    },
    Rule {
        what: "The loops of a ufunc do not fit together: `Generic` and `ScalarOnly` name different \
               functions; a functor for two tensors stands on an operator that has not two; or \
               some functor or scalar loop is missing for some dtype.",
        why: "The functors for CUDA and the cases for each dtype are put together from all loops.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  structured_inherits: TensorIteratorBase\n  ufunc_inner_loop:\n    Generic: blend (AllAndComplex, BFloat16)\n    ScalarOnly: mix (Bool)\n",
        ),
        good: UFUNC,
        ..rule(
            RuleId::UfuncNamesMatch,
            Stage::Codegen,
            "torchgen/dest/ufunc.py: compute_ufunc_cuda_functors",
        )
    },
    Rule {
        what: "A ufunc takes an argument that is neither a plain tensor nor a plain scalar.",
        why: "The loops run over elements of tensors, with scalars beside them; nothing else \
              reaches them.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other, *, int times) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, int times, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  structured_inherits: TensorIteratorBase\n  ufunc_inner_loop: blend (AllAndComplex)\n",
        ),
        good: UFUNC,
        ..rule(
            RuleId::UfuncArgumentType,
            Stage::Codegen,
            "torchgen/api/ufunc.py; torchgen/dest/ufunc.py: compute_ufunc_cpu_dtype_body",
        )
    },
    Rule {
        what: "Two overloads of one base name are ufuncs.",
        why: "The generated kernels stand in files called after the base name, and no file is \
              written twice.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  ufunc_inner_loop: blend (All)\n- func: blend.alpha(Tensor self, Tensor other, *, Scalar alpha) -> Tensor\n  structured_delegate: blend.alpha_out\n- func: blend.alpha_out(Tensor self, Tensor other, *, Scalar alpha, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  ufunc_inner_loop: blend (All)\n",
        ),
        good: UFUNC,
        ..rule(
            RuleId::UfuncFileTaken,
            Stage::Codegen,
            "torchgen/gen.py: gen_source_files; torchgen/utils.py: FileManager.write_with_template",
        )
    },
    Rule {
        what: "In one group the out variant is structured and another variant does not delegate, or \
               the other way round.",
        why: "The variants of a structured operator are all made from one class, so all of them \
              take part.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(RuleId::StructuredGroupConsistent, Stage::Group, GROUP)
    },
    Rule {
        what: "A variant delegates to a structured operator, but not to the out variant of its own \
               group.",
        why: "The kernel that it would get has other arguments.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: mix.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n- func: mix(Tensor self) -> Tensor\n  structured_delegate: mix.out\n- func: mix.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: mix_out\n",
        ),
        ..rule(RuleId::StructuredDelegateMismatch, Stage::Group, GROUP)
    },
    Rule {
        what: "A structured out variant has a kernel on an implicit composite key.",
        why: "Structured operators are made of a meta function and kernels for backends. A kernel \
              that decomposes has no place in that; one on CompositeExplicitAutograd has.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n    CompositeImplicitAutograd: blend_out_composite\n",
        ),
        ..rule(RuleId::StructuredComposite, Stage::Group, GROUP)
    },
    Rule {
        what: "A structured out variant lists a kernel on Meta or on \
               CompositeExplicitAutogradNonFunctional.",
        why: "Both are generated: the first from the meta function, the second for backends that \
              have the out variant only.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n    Meta: blend_out_meta\n",
        ),
        ..rule(
            RuleId::StructuredNoMeta,
            Stage::Codegen,
            "torchgen/dest/register_dispatch_key.py: RegisterDispatchKey.gen_structured",
        )
    },
    Rule {
        what: "The functional variant of a structured operator has TensorOptions.",
        why: "Structured kernels take dtype, layout, device and pinning from the tensors that they \
              are given, and have no parameters for them.",
        bad: Example::native(
            "- func: blend(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(
            RuleId::StructuredNoTensorOptions,
            Stage::Codegen,
            "torchgen/api/structured.py: argument",
        )
    },
    Rule {
        what: "An out argument of a structured operator is no plain tensor.",
        why: "The class holds its outputs as an array of tensors.",
        bad: Example::native(
            "- func: split_evenly(Tensor self) -> Tensor[]\n  structured_delegate: split_evenly.out\n- func: split_evenly.out(Tensor self, *, Tensor(a!)[] out) -> ()\n  structured: True\n  dispatch:\n    CPU, CUDA: split_evenly_out\n",
        ),
        ..rule(RuleId::StructuredOutTensors, Stage::Codegen, WRITER)
    },
    Rule {
        what: "A structured operator takes an argument of a type that its wrappers cannot pass on, \
               such as `SymInt[]?` or `Scalar[]`.",
        why: "Structured kernels have plain sizes and hold optional arguments by reference; from \
              the type that the dispatcher hands over there is no conversion.",
        bad: Example::native(
            "- func: blend(Tensor self, SymInt[]? size) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, SymInt[]? size, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, SymInt[] size) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, SymInt[] size, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(
            RuleId::StructuredArgumentType,
            Stage::Codegen,
            "torchgen/api/structured.py: argumenttype_type; torchgen/api/translate.py",
        )
    },
    Rule {
        what: "A variant of a structured operator is registered by hand.",
        why: "All registrations of a structured group are generated.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n  manual_kernel_registration: True\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(RuleId::StructuredManualRegistration, Stage::Codegen, WRITER)
    },
    Rule {
        what: "A structured group has a mutable variant.",
        why: "Classes are written for the functional, in-place and out variants only.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor(a!) buffer) -> Tensor\n  structured_delegate: blend.out\n- func: blend_functional(Tensor self, Tensor buffer) -> (Tensor, Tensor)\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor buffer, *, Tensor(a!) out0, Tensor(b!) out1) -> (Tensor(a!), Tensor(b!))\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(
            RuleId::StructuredMutable,
            Stage::Codegen,
            "torchgen/dest/register_dispatch_key.py: StructuredRegisterDispatchKey.gen_class",
        )
    },
];
