//! Formulas that the parser accepts but autograd code generation rejects, because of the operator's inputs
//! and outputs (`gen_variable_type.emit_body`).

use opatlas_source::diagnostic::RuleId;

use super::{example, generating};
use crate::rule::Rule;

pub(crate) static RULES: [Rule; 5] = [
    Rule {
        what: "`output_differentiability` has one flag per output.",
        why: "The generator counts the flags and fails if their number differs from the number of \
              returns.",
        bad: example(
            "- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [True]\n  self: grad\n",
        ),
        good: example(
            "- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [True, False]\n  self: grad\n",
        ),
        source: "torchgen/api/autograd.py, gen_differentiable_outputs",
        ..generating(RuleId::DerivOutputCount)
    },
    Rule {
        what: "Every argument with a gradient formula is a tensor, a list of tensors or an \
               optional tensor.",
        why: "Only tensors have gradients. PyTorch checks the first name when it loads the file, \
              and the others when it generates the autograd code.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self, othr: scale_backward(grad, self, other)\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self, other: scale_backward(grad, self, other)\n",
        ),
        source: "torchgen/packaged/autograd/gen_variable_type.py, find_args_with_derivatives",
        ..generating(RuleId::DerivGradientTarget)
    },
    Rule {
        what: "An operator with a gradient has a differentiable output, and is not on the list of \
               operators that autograd skips.",
        why: "The gradient would never be used, and the generator fails instead of dropping it.",
        bad: example(
            "- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [False, False]\n  self: grad\n",
        ),
        good: example(
            "- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [True, False]\n  self: grad\n",
        ),
        source: "torchgen/packaged/autograd/gen_variable_type.py, emit_body",
        ..generating(RuleId::DerivGradientUnused)
    },
    Rule {
        what: "Either all differentiable outputs have a tangent formula, or none has.",
        why: "The generator counts the formulas and fails if some are missing.",
        bad: example(
            "- name: pair(Tensor self) -> (Tensor, Tensor)\n  self: grads[0] + grads[1]\n  result0: self_t\n",
        ),
        good: example(
            "- name: pair(Tensor self) -> (Tensor, Tensor)\n  self: grads[0] + grads[1]\n  result0: self_t\n  result1: self_t\n",
        ),
        source: "torchgen/packaged/autograd/gen_variable_type.py, emit_body",
        ..generating(RuleId::DerivForwardCount)
    },
    Rule {
        what: "A tangent formula uses the tangent (`x_t`) of an argument `x` that has a gradient.",
        why: "Otherwise the result would not depend on any incoming tangent. The generator fails, \
              unless the operator takes a single list of tensors.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  result: other_t\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  result: self_t * other\n",
        ),
        source: "torchgen/packaged/autograd/gen_variable_type.py, get_any_has_forward_grad_fn",
        ..generating(RuleId::DerivForwardInputs)
    },
];
