//! Formulas that the parser accepts but autograd code generation rejects, because of variants and generated
//! operators that share them.

use opatlas_source::diagnostic::RuleId;

use super::{example, generating};
use crate::rule::Rule;

pub(crate) static RULES: [Rule; 5] = [
    Rule {
        what: "An operator with a gradient, and every variant that shares the formula, has a \
               `dispatch:` with a kernel other than CompositeImplicitAutograd.",
        why: "Autograd differentiates the decomposition, so an autograd kernel would never run. \
              The generator fails on such operators.",
        bad: example("- name: decomposed(Tensor self) -> Tensor\n  self: grad\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/gen_variable_type.py, gen_variable_type_func",
        ..generating(RuleId::DerivNeedsDispatch)
    },
    Rule {
        what: "`output_differentiability` is not false for any output if the formulas also serve \
               an in-place variant.",
        why: "The in-place variant must bump the version counter of the mutated tensor, which it \
              does not do for an output without a gradient.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  output_differentiability: [False]\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: non_differentiable\n  other: non_differentiable\n",
        ),
        source: "torchgen/api/autograd.py, gen_differentiable_outputs",
        ..generating(RuleId::DerivOutputInplace)
    },
    Rule {
        what: "An in-place operator has at most one tangent formula, and a formula declared for it \
               does not use `self_p`.",
        why: "The value of `self` is already overwritten when PyTorch computes the tangent: the \
              formula may use `result`, or `original_self_p` to keep a copy.",
        bad: example(
            "- name: stamp_(Tensor(a!) self, Tensor mark) -> Tensor(a!)\n  self: grad\n  result: self_t * self_p\n",
        ),
        good: example(
            "- name: stamp_(Tensor(a!) self, Tensor mark) -> Tensor(a!)\n  self: grad\n  result: self_t * result\n",
        ),
        source: "torchgen/api/autograd.py, match_differentiability_info",
        ..generating(RuleId::DerivInplaceForward)
    },
    Rule {
        what: "If an in-place operator shares the gradient for `self`, the formula does not use \
               the strides of an argument.",
        why: "The formula would read the strides after `self` is overwritten.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: scale_backward(grad, self.sym_strides())\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: scale_backward(grad, self.sym_sizes())\n",
        ),
        source: "torchgen/api/autograd.py, match_differentiability_info",
        ..generating(RuleId::DerivInplaceStrides)
    },
    Rule {
        what: "If the formulas of a mutable operator also serve its generated functional variant, \
               they do not use `self`.",
        why: "`self` is the result in one variant and the input in the other, so the formula would \
              have to be rewritten.",
        bad: example(
            "- name: stamp_(Tensor(a!) self, Tensor mark) -> Tensor(a!)\n  mark: grad * self\n",
        ),
        good: example(
            "- name: stamp_(Tensor(a!) self, Tensor mark) -> Tensor(a!)\n  mark: grad * mark\n",
        ),
        source: "torchgen/api/autograd.py, match_differentiability_info",
        ..generating(RuleId::DerivGeneratedSelf)
    },
];
