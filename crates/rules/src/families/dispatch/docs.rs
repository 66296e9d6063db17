//! The rules about `dispatch`.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const FROM_YAML: &str = "torchgen/model.py: NativeFunction.from_yaml";

const GOOD: Example = Example::native(
    "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: blend_cpu\n    CUDA: blend_cuda\n  autogen: blend.out\n",
);

const fn rule(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule {
        id,
        family: Family::Dispatch,
        severity,
        stage,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source: FROM_YAML,
    }
}

const fn error(id: RuleId) -> Rule {
    rule(id, Severity::Error, Stage::Entry)
}

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "A key of `dispatch` is no string.",
        why: "Keys are names. YAML reads `1` as a number and `on` as a boolean, and neither names \
              a dispatch key.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    1: blend_cpu\n",
        ),
        ..error(RuleId::DispatchKeyType)
    },
    Rule {
        what: "The kernel of a dispatch key is missing, or is no string.",
        why: "The value is the name of a C++ function. What the name consists of is not checked \
              here, only that there is one.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: [blend_cpu]\n",
        ),
        ..error(RuleId::DispatchValueType)
    },
    Rule {
        what: "A key of `dispatch` is not the name of a dispatch key of this release.",
        why: "Nothing is registered under a name that PyTorch does not know. Letters' case matters, \
              and a list of keys is separated by commas without empty pieces.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Cpu: blend_cpu\n",
        ),
        source: "torchgen/model.py: DispatchKey.parse",
        ..error(RuleId::DispatchKeyKnown)
    },
    Rule {
        what: "A dispatch key is used that exists, but that this file takes no kernels for in this \
               release: keys of out-of-tree backends, `Autograd` keys, functorch's and others.",
        why: "The generator writes registrations for a fixed set of keys. Kernels for the others \
              are registered in C++, in a backend's own YAML file, or follow from derivatives.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    AutogradCPU: blend_autograd\n",
        ),
        source: "torchgen/model.py: dispatch_keys, NativeFunction.from_yaml",
        ..error(RuleId::DispatchKeySupported)
    },
    Rule {
        what: "One dispatch key is listed twice in one `dispatch`, through lists of keys.",
        why: "The later kernel silently replaces the earlier one.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: blend_cpu\n    CPU, CUDA: blend_any\n  autogen: blend.out\n",
        ),
        ..rule(RuleId::DispatchKeyRepeated, Severity::Warning, Stage::Entry)
    },
    Rule {
        what: "`dispatch` is there and empty.",
        why: "An operator without the field gets a composite kernel; one with an empty field gets \
              no kernel at all and cannot be called on anything.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch: {}\n  manual_cpp_binding: True\n",
        ),
        good: Example::native("- func: blend(Tensor self, Tensor other) -> Tensor\n"),
        ..rule(RuleId::DispatchEmpty, Severity::Warning, Stage::Entry)
    },
    Rule {
        what: "`dispatch` says nothing but what holds without it: the kernel named after the \
               operator on CompositeImplicitAutograd.",
        why: "The table is refused as unnecessary, so that there is one way to write a composite.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeImplicitAutograd: blend\n",
        ),
        good: Example::native("- func: blend(Tensor self, Tensor other) -> Tensor\n"),
        ..error(RuleId::DispatchRedundantImplicit)
    },
    Rule {
        what: "The only kernel is on CompositeImplicitAutograd and is not called as the operator \
               is.",
        why: "A lone composite kernel is to bear the expected name, so that `dispatch` can be left \
              out. Kernels for symbolic sizes (`_symint`) and entries that delegate are free.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeImplicitAutograd: blend_composite\n",
        ),
        good: Example::native("- func: blend(Tensor self, Tensor other) -> Tensor\n"),
        ..error(RuleId::DispatchSingletonImplicitName)
    },
    Rule {
        what: "More than one composite key is given a kernel.",
        why: "Each composite key serves all backends, so one of the kernels would never run. Only \
              CompositeImplicitAutogradNestedTensor may stand beside CompositeImplicitAutograd or \
              CompositeExplicitAutograd.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeImplicitAutograd: blend\n    CompositeExplicitAutograd: blend_explicit\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: blend\n  autogen: blend.out\n",
        ),
        ..error(RuleId::DispatchMultipleComposite)
    },
    Rule {
        what: "A kernel is qualified with more than two levels of namespace.",
        why: "Four levels cannot be read, and three cannot be written: the generator opens at most \
              two namespaces around a kernel (`native` is added by itself).",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: acme::vision::cpu::blend\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: acme::vision::blend\n",
        ),
        source: "torchgen/utils.py: NamespaceHelper; torchgen/gen.py: get_native_function_definitions",
        ..error(RuleId::KernelNamespace)
    },
    Rule {
        what: "The kernels of one operator are in different namespaces. For operators that come in \
               variants, those of the out variant count.",
        why: "The declarations of an operator's kernels are written into one namespace.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: acme::blend_cpu\n    CUDA: blend_cuda\n",
        ),
        source: "torchgen/gen.py: get_ns_grouped_kernels",
        ..rule(
            RuleId::KernelNamespaceSingle,
            Severity::Error,
            Stage::Codegen,
        )
    },
    Rule {
        what: "A kernel's name holds `_symint`, but no argument of the operator is a SymInt. In \
               2.0 a SymInt among the returns will do.",
        why: "The suffix asks for a C++ signature with symbolic sizes, and there is no size that \
              could be one.",
        bad: Example::native(
            "- func: stretch(Tensor self, int times) -> Tensor\n  dispatch:\n    CPU: stretch_symint\n",
        ),
        good: Example::native(
            "- func: stretch(Tensor self, SymInt times) -> Tensor\n  dispatch:\n    CPU: stretch_symint\n",
        ),
        source: "torchgen/api/types/signatures.py: kernel_signature",
        ..rule(
            RuleId::SymintKernelNeedsSymint,
            Severity::Error,
            Stage::Codegen,
        )
    },
    Rule {
        what: "A factory has no `dispatch`: an operator called `new_*` or `*_like`, or one with \
               TensorOptions that takes no tensor.",
        why: "Without `dispatch` it would decompose before modes that intercept operators see it, \
              and they must see where tensors come from.",
        bad: Example::native("- func: blend_like(Tensor self) -> Tensor\n"),
        good: Example::native(
            "- func: blend_like(Tensor self) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: blend_like\n",
        ),
        ..error(RuleId::FactoryNeedsDispatch)
    },
    Rule {
        what: "An operator outside of `aten` has no `dispatch`.",
        why: "The composite kernel that it gets by default is looked for in `at::native` all the \
              same, under the operator's base name.",
        bad: Example::native("- func: acme::blend(Tensor self, Tensor other) -> Tensor\n"),
        good: Example::native(
            "- func: acme::blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: acme::blend\n  autogen: blend.out\n",
        ),
        ..rule(RuleId::DispatchDefault, Severity::Info, Stage::Convention)
    },
    Rule {
        what: "`dispatch` has kernels for sparse, nested, quantized or other special tensors only, \
               while another variant or overload of the operator has no `dispatch` at all.",
        why: "An operator without `dispatch` has a composite kernel for everything. Adding a kernel \
              for one kind of tensor takes it away from all others unless it is listed too.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    NestedTensorCPU, NestedTensorCUDA: blend_nested\n  autogen: blend.out\n- func: blend.Scalar(Tensor self, Scalar other) -> Tensor\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeImplicitAutograd: blend\n    NestedTensorCPU, NestedTensorCUDA: blend_nested\n- func: blend.Scalar(Tensor self, Scalar other) -> Tensor\n",
        ),
        ..rule(
            RuleId::DispatchDropsComposite,
            Severity::Warning,
            Stage::Convention,
        )
    },
    Rule {
        what: "An operator decomposes, and its out variant has kernels of its own.",
        why: "The obvious kernel of such a composite would call the out variant, which it may not: \
              `out=` operators have no derivative, and tracing modes cannot follow them.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        source: "the documentation of composite compliance; nothing checks it here",
        ..rule(
            RuleId::CompositeBesideOut,
            Severity::Info,
            Stage::Convention,
        )
    },
];
