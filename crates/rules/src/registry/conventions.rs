//! Conventions of ATen's README that no generator checks.

use opatlas_source::DERIVATIVES;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const README: &str = "aten/src/ATen/native/README.md";

const fn note(id: RuleId, family: Family) -> Rule {
    Rule::new(
        id,
        family,
        Severity::Info,
        Stage::Convention,
        Example::native(""),
        README,
    )
}

pub(super) static RULES: [Rule; 8] = [
    Rule {
        what: "A list of views is returned, and no viewed argument enters the wildcard set (`a -> *`).",
        why: "The elements of a list may alias anything, so after the call the argument may too. With \
              `Tensor(a) self` alone, TorchScript believes that nothing but `a` aliases it.",
        bad: Example::native("- func: pieces(Tensor(a) self, int count) -> Tensor(a)[]\n"),
        good: Example::native("- func: pieces(Tensor(a -> *) self, int count) -> Tensor(a)[]\n"),
        ..note(RuleId::ViewListWildcard, Family::Views)
    },
    Rule {
        what: "A view has a kernel on CompositeExplicitAutogradNonFunctional.",
        why: "The key is for operators that do not alias their arguments and whose kernel calls one \
              that does. Backends that do not decompose into views have no kernel for a view on this key.",
        bad: Example::native(concat!(
            "- func: tilted(Tensor(a) self) -> Tensor(a)\n",
            "  dispatch:\n",
            "    CompositeExplicitAutogradNonFunctional: tilted\n",
            "- func: tilted_copy(Tensor self) -> Tensor\n",
            "  dispatch:\n",
            "    CompositeExplicitAutogradNonFunctional: tilted_copy\n",
            "  tags: view_copy\n",
            "  autogen: tilted_copy.out\n",
        )),
        good: Example::native(concat!(
            "- func: tilted(Tensor(a) self) -> Tensor(a)\n",
            "  dispatch:\n",
            "    CompositeExplicitAutograd: tilted\n",
            "- func: tilted_copy(Tensor self) -> Tensor\n",
            "  dispatch:\n",
            "    CompositeExplicitAutogradNonFunctional: tilted_copy\n",
            "  tags: view_copy\n",
            "  autogen: tilted_copy.out\n",
        )),
        ..note(RuleId::ViewNonFunctional, Family::Views)
    },
    Rule {
        what: "An argument `bool[N] output_mask` has another size than the operator has returned tensors.",
        why: "`output_mask[i]` says whether return `i` is wanted. A backward function returns an \
              undefined tensor exactly where it is false.",
        bad: Example::native(
            "- func: blend_backward(Tensor grad, bool[3] output_mask) -> (Tensor, Tensor)\n",
        ),
        good: Example::native(
            "- func: blend_backward(Tensor grad, bool[2] output_mask) -> (Tensor, Tensor)\n",
        ),
        ..note(RuleId::OutputMaskWidth, Family::Returns)
    },
    Rule {
        what: "A list of `bool` has more than four elements.",
        why: "The README allows `bool[1]` to `bool[4]`, and PyTorch's own operators use 2 to 4. torchgen accepts every \
              size, but only for operators that Python does not bind.",
        bad: Example::native("- func: choose_backward(Tensor grad, bool[5] mask) -> Tensor\n"),
        good: Example::native("- func: choose_backward(Tensor grad, bool[4] mask) -> Tensor\n"),
        ..note(RuleId::BoolListLong, Family::Types)
    },
    Rule {
        what: "An operator `foo_backward` exists next to `foo`, and `foo` has a kernel of its own but no \
               formula in derivatives.yaml.",
        why: "A pair `foo` and `foo_backward` needs an entry that connects them. Without it nothing \
              calls `foo_backward`, and `foo` cannot be differentiated.",
        bad: Example::of(DERIVATIVES, "[]\n").beside(PAIR),
        good: Example::of(
            DERIVATIVES,
            "- name: tilted(Tensor self) -> Tensor\n  self: tilted_backward(grad, result)\n",
        )
        .beside(PAIR),
        ..note(RuleId::BackwardWithoutFormula, Family::Derivatives)
    },
    Rule {
        what: "A formula calls something that composite functions may not call: `resize_`, an `_out` \
               function, `item`, `data_ptr`, or what changes a tensor without the dispatcher.",
        why: "A formula is a composite function. It must work for most backends and tensor subclasses, \
              and these calls do not: vmap and meta tensors cannot resize or write to `out`, and \
              `data_ptr` and `item` bypass the dispatcher.",
        bad: Example::of(
            DERIVATIVES,
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other.item()\n",
        ),
        good: Example::of(
            DERIVATIVES,
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n",
        ),
        ..note(RuleId::DerivCompositeCall, Family::Derivatives)
    },
    Rule {
        what: "An operator named `foo_backward` has no `dispatch`, although a formula calls it or \
               `foo` has kernels.",
        why: "Without `dispatch` it decomposes, and its derivative follows from the operators that it \
              calls. A backend that registers its own kernel replaces the decomposition at its \
              autograd key too, so its second derivative is lost without an error in the file.",
        bad: Example::of(
            DERIVATIVES,
            "- name: tilted(Tensor self) -> Tensor\n  self: tilted_backward(grad, result)\n",
        )
        .beside(concat!(
            "- func: tilted(Tensor self) -> Tensor\n",
            "  dispatch:\n",
            "    CPU: tilted_cpu\n",
            "  autogen: tilted.out\n",
            "- func: tilted_backward(Tensor grad_output, Tensor output) -> Tensor\n",
        )),
        good: Example::of(
            DERIVATIVES,
            concat!(
                "- name: tilted(Tensor self) -> Tensor\n",
                "  self: tilted_backward(grad, result)\n",
                "- name: tilted_backward(Tensor grad_output, Tensor output) -> Tensor\n",
                "  grad_output: tilted_backward(grad, output)\n",
            ),
        )
        .beside(PAIR),
        ..note(RuleId::BackwardImplicit, Family::Derivatives)
    },
    Rule {
        severity: Severity::Warning,
        what: "An operator has a kernel on CompositeImplicitAutograd and one for a backend or Meta, \
               and no formula. Operators named `foo_backward` are exempt.",
        why: "The kernel replaces the decomposition at the backend's autograd key too, so the \
              derivative is not implemented for that backend. `torch.library` refuses a Meta kernel \
              beside a decomposition.",
        bad: Example::of(DERIVATIVES, "[]\n").beside(concat!(
            "- func: tilted(Tensor self) -> Tensor\n",
            "  dispatch:\n",
            "    CompositeImplicitAutograd: tilted\n",
            "    Meta: tilted_meta\n",
        )),
        good: Example::of(
            DERIVATIVES,
            "- name: tilted(Tensor self) -> Tensor\n  self: grad.neg()\n",
        )
        .beside(concat!(
            "- func: tilted(Tensor self) -> Tensor\n",
            "  dispatch:\n",
            "    CompositeExplicitAutograd: tilted\n",
            "    Meta: tilted_meta\n",
            "  autogen: tilted.out\n",
        )),
        source: "aten/src/ATen/core/dispatch/OperatorEntry.cpp, computeDispatchTableEntryWithDebug",
        ..note(RuleId::CompositeBesideKernel, Family::Dispatch)
    },
];

const PAIR: &str = "\
- func: tilted(Tensor self) -> Tensor
  dispatch:
    CPU: tilted_cpu
  autogen: tilted.out
- func: tilted_backward(Tensor grad_output, Tensor output) -> Tensor
  dispatch:
    CPU: tilted_backward_cpu
  autogen: tilted_backward.out
";
