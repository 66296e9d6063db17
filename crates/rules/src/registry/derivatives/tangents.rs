//! Tangent formulas, which forward-mode differentiation uses.

use opatlas_source::diagnostic::RuleId;

use super::{error, example};
use crate::rule::Rule;

pub(crate) static RULES: [Rule; 5] = [
    Rule {
        what: "The first name in the key of a gradient formula is an argument of the operator, by \
               its C++ name (`options` for dtype, layout, device and pin_memory together).",
        why: "The generator takes any other name for an output with a tangent, and no output has \
              that name. Usually the argument's name is misspelt or has changed.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  othr: grad * self\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  other: grad * self\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_forward_derivative",
        ..error(RuleId::DerivUnknownArg)
    },
    Rule {
        what: "The key of a tangent formula is an output: `result` for an operator with one \
               return, `result0`, `result1`, ..., or the name of a return.",
        why: "The generated code assigns the tangent to that output.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  product: self_t * other_p\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  result: self_t * other\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_forward_derivative",
        ..error(RuleId::DerivForwardTarget)
    },
    Rule {
        what: "A tangent formula refers to a differentiable argument `x` as `x_p` (its value) or \
               `x_t` (its tangent), never as `x`.",
        why: "The plain name is ambiguous. Lists of tensors are exempt, because they are passed \
              whole.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  other: grad * self\n  result: self_t * other + self * other_t\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  other: grad * self\n  result: self_t * other_p + self_p * other_t\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, postprocess_forward_derivatives",
        ..error(RuleId::DerivForwardAmbiguous)
    },
    Rule {
        what: "`auto_element_wise` is the tangent of an operator that is not in-place and has one \
               differentiable input, one gradient formula and one output.",
        why: "PyTorch derives the tangent from the gradient formula. This is only correct if each \
              element of the output depends on one element of one input.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  other: grad * self\n  result: auto_element_wise\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  result: auto_element_wise\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, postprocess_forward_derivatives",
        ..error(RuleId::DerivAutoElementWise)
    },
    Rule {
        what: "`auto_linear` is the tangent of an operator with a differentiable input and a \
               single output.",
        why: "PyTorch computes the tangent by calling the operator on the tangents of its inputs.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  result: auto_linear\n"),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  result: auto_linear\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, postprocess_forward_derivatives",
        ..error(RuleId::DerivAutoLinear)
    },
];
