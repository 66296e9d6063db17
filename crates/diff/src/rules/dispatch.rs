//! Rules about kernels and how they are registered.

use super::{ChangeRule, Example, Group, Impacts, Level, Official};
use crate::rules::ChangeRuleId;

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        id: ChangeRuleId::DispatchKernelRemoved,
        group: Group::Dispatch,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("..r..r.."),
        what: "A kernel for a dispatch key is gone.",
        why: "What serves the key now is another kernel or none. It weighs as much as the \
              computed support says: no matter where a composite takes over, a break where \
              nothing does.",
        instead: Some("Keep the kernel, or add a composite that serves the key."),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    MPS: blend_mps\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::DispatchKernelAdded,
        group: Group::Dispatch,
        level: Some(Level::Safe),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".....r.."),
        what: "There is a kernel for a further dispatch key.",
        why: "A package that registers its own kernel for the same operator and key now \
              overrides this one and is warned about it.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    CUDA: blend_cuda\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::DispatchKernelRenamed,
        group: Group::Dispatch,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("....rr.."),
        what: "The kernel for a key has another name.",
        why: "Only what uses the symbol in `at::native` notices: selective builds, tables of \
              lowerings, direct C++ calls.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    CUDA: blend_cuda\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    CUDA: blend_gpu\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::DispatchCompositeAdded,
        group: Group::Dispatch,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("........"),
        what: "A composite kernel serves all backends without a kernel of their own.",
        why: "More backends have the operator; which ones is listed under backend-support-gained.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    CUDA: blend_cuda\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::DefaultCompositeLost,
        group: Group::Dispatch,
        level: Some(Level::Breaking),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("..x..xx."),
        what: "An entry without dispatch section got one, and no CompositeImplicitAutograd in it.",
        why: "Without a section an entry is an implicit composite: it runs everywhere and is \
              differentiable through what it calls. With one it runs on the backends listed, \
              and autograd has no formula.",
        instead: Some("List `CompositeImplicitAutograd` with the old kernel beside the new ones."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    CUDA: blend_cuda\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::CompositeImplicitToExplicit,
        group: Group::Dispatch,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("..r..rxx"),
        what: "The composite moved from above autograd to below it.",
        why: "The operator no longer dissolves into others: it shows up in exported graphs and \
              needs a derivative, a decomposition, a batching rule and whatever else is kept by \
              operator.",
        instead: Some("Make sure that `derivatives.yaml` and the decompositions follow."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::CompositeExplicitToImplicit,
        group: Group::Dispatch,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("..r..rxx"),
        what: "The composite moved from below autograd to above it.",
        why: "The operator dissolves into others and vanishes from exported graphs; what was \
              registered for it below autograd is no longer reached there.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::CompositeExplicitNonfunctionalChanged,
        group: Group::Dispatch,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".....r.x"),
        what: "The composite changed between CompositeExplicitAutograd and its NonFunctional \
               form.",
        why: "The NonFunctional one serves dense backends only: sparse, quantized, nested and \
              Mkldnn keys gain or lose the operator.",
        instead: Some(
            "Keep CompositeExplicitAutograd unless the kernel really is of no use \
                       there.",
        ),
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutogradNonFunctional: blend\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
    ChangeRule {
        id: ChangeRuleId::StructuredChanged,
        group: Group::Dispatch,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".....r.r"),
        what: "The operator became structured, or ceased to be.",
        why: "A structured operator brings its Meta kernel and the wrappers of its siblings \
              with it, and backends implement classes instead of functions. All that comes or \
              goes.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: fold(Tensor self, int dim) -> Tensor\n",
                "  structured_delegate: fold.out\n",
                "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  dispatch:\n",
                "    CPU: fold_out\n",
            ),
            new: concat!(
                "- func: fold(Tensor self, int dim) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: fold_cpu\n",
                "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  dispatch:\n",
                "    CPU: fold_out\n",
            ),
        }),
        source: "torchgen/model.py",
    },
    ChangeRule {
        id: ChangeRuleId::StructuredDelegateChanged,
        group: Group::Dispatch,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".....r.."),
        what: "Which structured operator an entry delegates to is another.",
        why: "Its kernels come from elsewhere.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: fold(Tensor self, int dim) -> Tensor\n",
                "  structured_delegate: fold.out\n",
                "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  dispatch:\n",
                "    CPU: fold_out\n",
            ),
            new: concat!(
                "- func: fold(Tensor self, int dim) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: fold_cpu\n",
                "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  dispatch:\n",
                "    CPU: fold_out\n",
            ),
        }),
        source: "torchgen/model.py",
    },
    ChangeRule {
        id: ChangeRuleId::StructuredInheritsChanged,
        group: Group::Dispatch,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".....r.."),
        what: "The class that structured kernels derive from is another.",
        why: "Backends that implement the structured kernel see another base class.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: fold(Tensor self, int dim) -> Tensor\n",
                "  structured_delegate: fold.out\n",
                "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  dispatch:\n",
                "    CPU: fold_out\n",
            ),
            new: concat!(
                "- func: fold(Tensor self, int dim) -> Tensor\n",
                "  structured_delegate: fold.out\n",
                "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  structured_inherits: TensorIteratorBase\n",
                "  dispatch:\n",
                "    CPU: fold_out\n",
            ),
        }),
        source: "torchgen/model.py",
    },
    ChangeRule {
        id: ChangeRuleId::PrecomputedChanged,
        group: Group::Dispatch,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".....x.."),
        what: "What the meta function computes ahead for structured kernels is another.",
        why: "The arguments of `impl` change with it, and backends that implement it no longer \
              compile.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: fold(Tensor self, int dim) -> Tensor\n",
                "  structured_delegate: fold.out\n",
                "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  precomputed:\n",
                "  - dim -> int dim\n",
                "  dispatch:\n",
                "    CPU: fold_out\n",
            ),
            new: concat!(
                "- func: fold(Tensor self, int dim) -> Tensor\n",
                "  structured_delegate: fold.out\n",
                "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  dispatch:\n",
                "    CPU: fold_out\n",
            ),
        }),
        source: "torchgen/model.py",
    },
    ChangeRule {
        id: ChangeRuleId::UfuncInnerLoopChanged,
        group: Group::Dispatch,
        level: Some(Level::Info),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row(".....r.."),
        what: "The inner loop of a generated elementwise kernel is another.",
        why: "Which dtypes are served and from which function is decided there; registrations \
              stay the same.",
        instead: None,
        example: Some(Example {
            old: concat!(
                "- func: fold(Tensor self, int dim) -> Tensor\n",
                "  structured_delegate: fold.out\n",
                "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  structured_inherits: TensorIteratorBase\n",
                "  ufunc_inner_loop:\n",
                "    Generic: fold (AllAndComplex)\n",
            ),
            new: concat!(
                "- func: fold(Tensor self, int dim) -> Tensor\n",
                "  structured_delegate: fold.out\n",
                "- func: fold.out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  structured_inherits: TensorIteratorBase\n",
                "  ufunc_inner_loop:\n",
                "    Generic: fold (AllAndComplex, BFloat16)\n",
            ),
        }),
        source: "torchgen/model.py",
    },
    ChangeRule {
        id: ChangeRuleId::ManualKernelRegistrationChanged,
        group: Group::Dispatch,
        level: Some(Level::Dangerous),
        backward: Official::NotChecked,
        forward: Official::NotChecked,
        impacts: Impacts::row("..r..r.."),
        what: "The code generator stopped registering the kernel, or began to.",
        why: "Without the hand-written registration that must go with it, the operator has no \
              kernel, or two.",
        instead: Some("Change the hand-written registration in the same step."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  manual_kernel_registration: True\n",
            ),
        }),
        source: "aten/src/ATen/native/README.md",
    },
];
