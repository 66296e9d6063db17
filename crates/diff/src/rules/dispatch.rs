//! Rules about kernels and how they are registered.

use super::{ChangeRule, Example, Group, Impacts, Level};
use crate::rules::ChangeRuleId as Id;

const fn rule(id: Id, level: Level) -> ChangeRule {
    ChangeRule::new(id, Group::Dispatch, level, "aten/src/ATen/native/README.md")
}

pub(super) const RULES: &[ChangeRule] = &[
    ChangeRule {
        impacts: Impacts::row("..r..r.."),
        what: "The kernel for a dispatch key was removed.",
        why: "Another kernel or none now serves the key. The impact follows from the computed \
              support: none if a composite kernel takes over, a break if no kernel does.",
        instead: Some("Keep the kernel, unless another one serves the key as well."),
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
        ..rule(Id::DispatchKernelRemoved, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row(".....r.."),
        what: "A kernel for another dispatch key was added.",
        why: "A package that registers its own kernel for the same operator and key now overrides \
              this one and gets a warning.",
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
        ..rule(Id::DispatchKernelAdded, Level::Safe)
    },
    ChangeRule {
        impacts: Impacts::row("....rr.."),
        what: "The kernel for a key was renamed.",
        why: "This affects only code that uses the symbol in `at::native`: selective builds, \
              lowering tables, direct C++ calls.",
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
        ..rule(Id::DispatchKernelRenamed, Level::Info)
    },
    ChangeRule {
        what: "A composite kernel now serves all backends without a kernel of their own.",
        why: "More backends run the operator; see `backend-support-gained`.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    CUDA: blend_cuda\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        ..rule(Id::DispatchCompositeAdded, Level::Info)
    },
    ChangeRule {
        impacts: Impacts::row("..x..xx."),
        what: "An entry gained a dispatch section without CompositeImplicitAutograd.",
        why: "Without the section the operator is an implicit composite: it runs on every backend, \
              and autograd differentiates the operators it calls. With the section it runs only on \
              the listed backends, and autograd has no formula.",
        instead: Some("List `CompositeImplicitAutograd` with the old kernel next to the new ones."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CPU: blend_cpu\n",
                "    CUDA: blend_cuda\n",
            ),
        }),
        ..rule(Id::DefaultCompositeLost, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row("..r..rxx"),
        what: "The composite kernel changed from implicit to explicit.",
        why: "The operator no longer decomposes: it appears in exported graphs and needs a \
              derivative, a decomposition, a batching rule and any other per-operator support.",
        instead: Some(
            "Give it a formula in `derivatives.yaml` and a decomposition if it lacks them.",
        ),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
        }),
        ..rule(Id::CompositeImplicitToExplicit, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row("..r..rxx"),
        what: "The composite kernel changed from explicit to implicit.",
        why: "The operator decomposes and disappears from exported graphs. Kernels registered for \
              it below autograd are no longer called there.",
        example: Some(Example {
            old: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  dispatch:\n",
                "    CompositeExplicitAutograd: blend\n",
            ),
            new: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
        }),
        ..rule(Id::CompositeExplicitToImplicit, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row(".....r.x"),
        what: "The composite kernel changed between CompositeExplicitAutograd and its \
               NonFunctional form.",
        why: "The NonFunctional form serves only dense backends: sparse, quantized, nested and \
              Mkldnn keys gain or lose the operator.",
        instead: Some("Keep CompositeExplicitAutograd unless the kernel does not work there."),
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
        ..rule(Id::CompositeExplicitNonfunctionalChanged, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row(".....r.r"),
        what: "The operator became structured or stopped being structured.",
        why: "A structured operator generates its Meta kernel and the wrappers of its variants, \
              and backends implement classes instead of functions. All of this appears or \
              disappears.",
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
        ..rule(Id::StructuredChanged, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row(".....r.."),
        what: "An entry delegates to a different structured operator.",
        why: "Its kernels come from that operator.",
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
                "  structured_delegate: fold.dim_out\n",
                "- func: fold.dim_out(Tensor self, int dim, *, Tensor(a!) out) -> Tensor(a!)\n",
                "  structured: True\n",
                "  dispatch:\n",
                "    CPU: fold_out\n",
            ),
        }),
        source: "torchgen/model.py",
        ..rule(Id::StructuredDelegateChanged, Level::Info)
    },
    ChangeRule {
        impacts: Impacts::row(".....r.."),
        what: "The base class of structured kernels changed.",
        why: "Backends that implement the structured kernel get another base class.",
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
        ..rule(Id::StructuredInheritsChanged, Level::Info)
    },
    ChangeRule {
        impacts: Impacts::row(".....x.."),
        what: "The values that the meta function precomputes for structured kernels changed.",
        why: "The arguments of `impl` change with them, so backends that implement it no longer \
              compile.",
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
        ..rule(Id::PrecomputedChanged, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row(".....r.."),
        what: "The inner loop of a generated elementwise kernel changed.",
        why: "The inner loop determines the supported dtypes and the function that serves them; \
              registrations stay the same.",
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
        ..rule(Id::UfuncInnerLoopChanged, Level::Info)
    },
    ChangeRule {
        impacts: Impacts::row("..r..r.."),
        what: "The code generator stopped or started registering the kernel.",
        why: "Without the matching change to the hand-written registration, the operator has no \
              kernel, or two.",
        instead: Some("Change the hand-written registration in the same commit."),
        example: Some(Example {
            old: "- func: blend(Tensor self, Tensor other) -> Tensor\n",
            new: concat!(
                "- func: blend(Tensor self, Tensor other) -> Tensor\n",
                "  manual_kernel_registration: True\n",
            ),
        }),
        ..rule(Id::ManualKernelRegistrationChanged, Level::Dangerous)
    },
    ChangeRule {
        impacts: Impacts::row("xx....x."),
        what: "An input or output of the operator is no longer differentiable.",
        why: "Its formula in `derivatives.yaml` is gone, only raises an error, or is \
              `non_differentiable`, or `output_differentiability` now excludes the output. Training \
              through it fails, or the gradient silently stops there.",
        instead: Some("Keep the formula until another one replaces it."),
        source: "tools/autograd/derivatives.yaml",
        ..rule(Id::FormulaRemoved, Level::Breaking)
    },
    ChangeRule {
        impacts: Impacts::row("rr....r."),
        what: "A formula in `derivatives.yaml` changed.",
        why: "The gradients may have other values. A comparison of files cannot tell, so a test of \
              the gradients must.",
        instead: Some("Test the gradients numerically, with `gradcheck` for example."),
        source: "tools/autograd/derivatives.yaml",
        ..rule(Id::FormulaChanged, Level::Dangerous)
    },
    ChangeRule {
        what: "An input or output of the operator is now differentiable by a formula.",
        why: "Training through it works where it raised an error or passed no gradient on.",
        source: "tools/autograd/derivatives.yaml",
        ..rule(Id::FormulaAdded, Level::Safe)
    },
];
