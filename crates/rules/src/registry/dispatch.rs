//! The rules about `dispatch`.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const FROM_YAML: &str = "torchgen/model.py: NativeFunction.from_yaml";

const GOOD: Example = Example::native(
    "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: blend_cpu\n    CUDA: blend_cuda\n  autogen: blend.out\n",
);

const fn rule(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule::new(id, Family::Dispatch, severity, stage, GOOD, FROM_YAML)
}

const fn error(id: RuleId) -> Rule {
    rule(id, Severity::Error, Stage::Entry)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "A key of `dispatch` is not a string.",
        why: "Keys are names. YAML parses `1` as a number and `on` as a boolean; neither is a \
              dispatch key.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    1: blend_cpu\n",
        ),
        ..error(RuleId::DispatchKeyType)
    },
    Rule {
        what: "A dispatch key has no kernel, or its kernel is not a string.",
        why: "The value is the name of a C++ function. This rule does not check the characters of \
              the name.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: [blend_cpu]\n",
        ),
        ..error(RuleId::DispatchValueType)
    },
    Rule {
        what: "A key of `dispatch` is not a dispatch key of this release.",
        why: "PyTorch cannot register a kernel under an unknown name. Names are case-sensitive, \
              and a list of keys is separated by commas without empty items.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Cpu: blend_cpu\n",
        ),
        source: "torchgen/model.py: DispatchKey.parse",
        ..error(RuleId::DispatchKeyKnown)
    },
    Rule {
        what: "A dispatch key exists, but this file cannot have kernels for it in this release: \
               keys of out-of-tree backends, `Autograd` keys, functorch keys and others.",
        why: "The generator writes registrations for a fixed set of keys. Kernels for other keys \
              are registered in C++, in a backend's own YAML file, or follow from derivatives.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    AutogradCPU: blend_autograd\n",
        ),
        source: "torchgen/model.py: dispatch_keys, NativeFunction.from_yaml",
        ..error(RuleId::DispatchKeySupported)
    },
    Rule {
        what: "A dispatch key occurs twice in one `dispatch`, through lists of keys.",
        why: "The later kernel silently replaces the earlier one.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: blend_cpu\n    CPU, CUDA: blend_any\n  autogen: blend.out\n",
        ),
        ..rule(RuleId::DispatchKeyRepeated, Severity::Warning, Stage::Entry)
    },
    Rule {
        what: "`dispatch` is present but empty.",
        why: "An operator without the field gets a composite kernel. An operator with an empty \
              field gets no kernel at all, and every call fails.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch: {}\n  manual_cpp_binding: True\n",
        ),
        good: Example::native("- func: blend(Tensor self, Tensor other) -> Tensor\n"),
        ..rule(RuleId::DispatchEmpty, Severity::Warning, Stage::Entry)
    },
    Rule {
        what: "`dispatch` only repeats the default: the kernel named after the operator on \
               CompositeImplicitAutograd.",
        why: "PyTorch rejects the redundant table, so that there is one way to declare a composite \
              operator.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeImplicitAutograd: blend\n",
        ),
        good: Example::native("- func: blend(Tensor self, Tensor other) -> Tensor\n"),
        ..error(RuleId::DispatchRedundantImplicit)
    },
    Rule {
        what: "The only kernel is on CompositeImplicitAutograd and is not named after the \
               operator.",
        why: "A lone composite kernel must have the default name, so that `dispatch` can be left \
              out. Kernels for symbolic sizes (`_symint`) and delegating entries are exempt.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeImplicitAutograd: blend_composite\n",
        ),
        good: Example::native("- func: blend(Tensor self, Tensor other) -> Tensor\n"),
        ..error(RuleId::DispatchSingletonImplicitName)
    },
    Rule {
        what: "More than one composite key has a kernel.",
        why: "Each composite key serves all backends, so one of the kernels would never run. Only \
              CompositeImplicitAutogradNestedTensor can be combined with CompositeImplicitAutograd \
              or CompositeExplicitAutograd.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeImplicitAutograd: blend\n    CompositeExplicitAutograd: blend_explicit\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: blend\n  autogen: blend.out\n",
        ),
        ..error(RuleId::DispatchMultipleComposite)
    },
    Rule {
        what: "The name of a kernel is not a name in C++.",
        why: "torchgen copies the name into a declaration and a call, which do not compile.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: blend cpu\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: blend_cpu\n",
        ),
        source: "torchgen/dest/native_functions.py: gen_unstructured",
        ..rule(RuleId::KernelName, Severity::Error, Stage::Compile)
    },
    Rule {
        what: "The name of a kernel has more than two levels of namespace.",
        why: "The parser rejects four levels, and the generator cannot write three: it opens at \
              most two namespaces around a kernel (and adds `native` itself).",
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
        what: "The kernels of one operator are in different namespaces. For operators with \
               variants, PyTorch compares the kernels of the out variant.",
        why: "The generator declares all kernels of an operator in one namespace.",
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
        what: "The kernels of an operator whose out variant is another entry or is generated are in different \
               namespaces, in another one than the out variant's entry has for the same key, or in more than two \
               levels of namespace.",
        why: "The generator looks only at the kernels of the out variant, so it goes on. But the C++ that it writes \
              calls kernels that nothing declares.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: acme::blend_cpu\n    CUDA: blend_cuda\n  autogen: blend.out\n",
        ),
        source: "torchgen/gen.py: get_ns_grouped_kernels",
        ..rule(
            RuleId::KernelNamespaceVariant,
            Severity::Error,
            Stage::Compile,
        )
    },
    Rule {
        what: "A kernel has a namespace, and the out variant of its operator is generated.",
        why: "PyTorch declares the kernels of all variants in the namespace of the out variant's kernel, and that of \
              a generated one is `at::native`. It calls the kernel in the namespace of the entry, where nothing \
              declares it, so the C++ does not compile unless an edited header does.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: acme::blend_cpu\n  autogen: blend.out\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CPU: acme::blend_cpu\n\
             - func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU: acme::blend_out_cpu\n",
        ),
        source: "torchgen/gen.py: get_ns_grouped_kernels",
        ..rule(
            RuleId::KernelNamespaceGenerated,
            Severity::Warning,
            Stage::Compile,
        )
    },
    Rule {
        what: "The name of a kernel contains `_symint`, but no argument of the operator is a \
               SymInt. In 2.0 a SymInt return is enough.",
        why: "The suffix selects a C++ signature with symbolic sizes, but the schema has no \
              symbolic size.",
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
        what: "A factory has no `dispatch`. A factory is an operator named `new_*` or `*_like`, or \
               one with TensorOptions that takes no tensor.",
        why: "Without `dispatch` the operator decomposes before modes that intercept operators see \
              it. They must see where tensors are created.",
        bad: Example::native(
            "- func: blend_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n",
        ),
        good: Example::native(
            "- func: blend_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: blend_like\n",
        ),
        ..error(RuleId::FactoryNeedsDispatch)
    },
    Rule {
        what: "An operator outside the namespace `aten` has no `dispatch`.",
        why: "PyTorch still looks up the default composite kernel in `at::native`, under the \
              operator's base name.",
        bad: Example::native("- func: acme::blend(Tensor self, Tensor other) -> Tensor\n"),
        good: Example::native(
            "- func: acme::blend(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: blend\n  autogen: blend.out\n",
        ),
        ..rule(RuleId::DispatchDefault, Severity::Info, Stage::Convention)
    },
    Rule {
        what: "`dispatch` has kernels only for sparse, nested, quantized or other special tensors, \
               while another variant or overload of the operator has no `dispatch`.",
        why: "An operator without `dispatch` has a composite kernel for all tensors. Adding a \
              kernel for one kind of tensor removes it for all others unless it is listed too.",
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
        what: "An operator is composite, and its out variant has its own kernels.",
        why: "The obvious composite kernel would call the out variant, which is not composite \
              compliant: `out=` operators have no derivative, and tracing modes cannot follow \
              them.",
        bad: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  dispatch:\n    CPU, CUDA: blend_out\n",
        ),
        good: Example::native(
            "- func: blend(Tensor self, Tensor other) -> Tensor\n- func: blend.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        source: "the documentation of composite compliance; PyTorch does not check it",
        ..rule(
            RuleId::CompositeBesideOut,
            Severity::Info,
            Stage::Convention,
        )
    },
];
