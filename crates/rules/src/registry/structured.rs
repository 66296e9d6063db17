//! The rules about structured kernels.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

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
    Rule::new(id, Family::Structured, Severity::Error, stage, GOOD, source)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        severity: Severity::Warning,
        what: "An operator that delegates to a structured out variant has a kernel on \
               CompositeExplicitAutograd or CompositeExplicitAutogradNonFunctional, and the out \
               variant has none there.",
        why: "PyTorch generates kernels for all backends from the structured one. The kernel by hand \
              serves only the backends without a generated one, or none, so the two can disagree.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n  dispatch:\n    CompositeExplicitAutograd: blend\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(
            RuleId::StructuredDelegateComposite,
            Stage::Convention,
            "torchgen/dest/register_dispatch_key.py: RegisterDispatchKey.gen_structured",
        )
    },
    Rule {
        what: "`structured: True` is set on an operator that is not an out variant.",
        why: "Only the out variant has a kernel; the other variants delegate to it.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured: True\n",
        ),
        ..rule(RuleId::StructuredOnOutOnly, Stage::Entry, POST_INIT)
    },
    Rule {
        what: "A structured or delegating operator has `device_guard: False`.",
        why: "Structured kernels always have a device guard and would ignore the field.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n  device_guard: False\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(RuleId::StructuredDeviceGuard, Stage::Entry, POST_INIT)
    },
    Rule {
        what: "An out variant has `structured_delegate`.",
        why: "The other variants delegate to the out variant.",
        bad: Example::native(
            "- func: mix(Tensor self) -> Tensor\n  structured_delegate: mix.out\n- func: mix.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: mix_out\n- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured_delegate: mix.out\n",
        ),
        ..rule(RuleId::StructuredDelegateNotOnOut, Stage::Entry, POST_INIT)
    },
    Rule {
        what: "An entry is both structured and delegating.",
        why: "The kernel belongs either to this operator or to the one it delegates to.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  structured_delegate: blend.out\n  dispatch:\n    SparseCPU: blend_out\n",
        ),
        ..rule(RuleId::StructuredAndDelegate, Stage::Entry, POST_INIT)
    },
    Rule {
        what: "`structured_delegate` or `structured_inherits` is qualified with a namespace.",
        why: "PyTorch looks up both in the operator's own namespace.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: aten::blend.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(RuleId::StructuredDelegateNamespace, Stage::Entry, FROM_YAML)
    },
    Rule {
        what: "`structured_delegate` is not the name of an operator.",
        why: "The form is `base_name.overload`; the base name does not end in `_out`, and the \
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
        why: "The kernel to delegate to does not exist.",
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
        why: "Only structured operators have the class that delegating operators derive from.",
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
        what: "A delegating operator lists a kernel for a key that has structured kernels: CPU, \
               CUDA and MPS, XPU since 2.5, MTIA since 2.8.",
        why: "For these keys the kernel comes from the structured operator. Other keys may be \
              listed.",
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
        what: "`structured_inherits` is set on an operator that is not structured.",
        why: "It names the base class of the meta function of a structured operator.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_inherits: TensorIteratorBase\n",
        ),
        ..rule(RuleId::StructuredInherits, Stage::Entry, POST_INIT)
    },
    Rule {
        what: "`precomputed` is set (even if empty) on an operator that is not structured.",
        why: "The meta function of a structured operator computes these values.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other, int dim) -> Tensor\n  precomputed:\n  - dim -> int wrapped_dim\n",
        ),
        ..rule(RuleId::PrecomputedNeedsStructured, Stage::Entry, FROM_YAML)
    },
    Rule {
        what: "`precomputed` is not a list of `argument -> Type name, Type name`, optionally with \
               added parameters in its last item. A name may not equal its own upper case, an \
               argument is replaced only once, and each type must have a C++ type.",
        why: "The generator derives structs, setters and template parameters from it; the template \
              parameters are the names in upper case.",
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
        what: "`ufunc_inner_loop` is neither `function (dtypes)` nor a mapping from loops to that \
               form; or it names an unknown loop or dtype; or `dispatch` has a kernel for a key \
               that the loops already serve.",
        why: "The generator writes the CPU and CUDA kernels around the loops, with one case per \
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
        what: "`ufunc_inner_loop` is set on an operator that is not structured.",
        why: "The generated kernels around inner loops are structured.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor\n- func: blend.out(Tensor self, Tensor other, *, Scalar alpha=1, Tensor(a!) out) -> Tensor(a!)\n  ufunc_inner_loop: blend (Float)\n",
        ),
        good: UFUNC,
        ..rule(RuleId::UfuncStructured, Stage::Entry, FROM_YAML)
    },
    Rule {
        what: "The loops of a ufunc do not match: `Generic` and `ScalarOnly` name different \
               functions; an operator without exactly two tensors has a functor for two tensors; \
               or a functor or scalar loop is missing for a dtype.",
        why: "The generator builds the CUDA functors and the cases for each dtype from all loops.",
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
        why: "The loops run over the elements of tensors and take only scalars besides.",
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
        why: "The generator names the files of the kernels after the base name, and writes no file \
              twice.",
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
        what: "In a group the out variant is structured but another variant does not delegate to \
               it, or the reverse.",
        why: "The generator derives all variants of a structured operator from one class.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(RuleId::StructuredGroupConsistent, Stage::Group, GROUP)
    },
    Rule {
        what: "A variant delegates to a structured operator that is not the out variant of its own \
               group.",
        why: "The kernel would have different arguments.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: mix.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n- func: mix(Tensor self) -> Tensor\n  structured_delegate: mix.out\n- func: mix.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: mix_out\n",
        ),
        ..rule(RuleId::StructuredDelegateMismatch, Stage::Group, GROUP)
    },
    Rule {
        what: "A structured out variant has a kernel for an implicit composite key.",
        why: "A structured operator consists of a meta function and backend kernels. A kernel that \
              decomposes does not fit; one for CompositeExplicitAutograd does.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n    CompositeImplicitAutograd: blend_out_composite\n",
        ),
        ..rule(RuleId::StructuredComposite, Stage::Group, GROUP)
    },
    Rule {
        what: "A structured out variant lists a kernel for Meta or for \
               CompositeExplicitAutogradNonFunctional.",
        why: "PyTorch generates both: the first from the meta function, the second for backends \
              that have only the out variant.",
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
        why: "Structured kernels take dtype, layout, device and pinning from their tensor \
              arguments, and have no parameters for them.",
        bad: Example::native(
            "- func: blend_forward(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  structured_delegate: blend_forward.out\n- func: blend_forward.out(Tensor self, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_forward_out\n",
        ),
        ..rule(
            RuleId::StructuredNoTensorOptions,
            Stage::Codegen,
            "torchgen/api/structured.py: argument",
        )
    },
    Rule {
        what: "An out argument of a structured operator is not a plain tensor.",
        why: "The generated class stores its outputs as an array of tensors.",
        bad: Example::native(
            "- func: split_evenly(Tensor self) -> Tensor[]\n  structured_delegate: split_evenly.out\n- func: split_evenly.out(Tensor self, *, Tensor(a!)[] out) -> ()\n  structured: True\n  dispatch:\n    CPU, CUDA: split_evenly_out\n",
        ),
        ..rule(RuleId::StructuredOutTensors, Stage::Codegen, WRITER)
    },
    Rule {
        what: "A structured operator takes an argument of a type that the generated wrappers \
               cannot pass on, such as `SymInt[]?` or `Scalar[]`.",
        why: "Structured kernels take plain sizes and hold optional arguments by reference, and \
              the type that the dispatcher passes does not convert to them.",
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
        what: "A variant of a structured operator has manual kernel registration.",
        why: "PyTorch generates all registrations of a structured group.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  structured_delegate: blend.out\n  manual_kernel_registration: True\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  structured: True\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        ..rule(RuleId::StructuredManualRegistration, Stage::Codegen, WRITER)
    },
    Rule {
        what: "A structured group has a mutable variant.",
        why: "The generator writes classes only for the functional, in-place and out variants.",
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
