//! Gradient formulas: their text, and how they use the incoming gradients.

use opatlas_source::diagnostic::RuleId;

use super::{error, example};
use crate::rule::{Rule, Stage};

pub(crate) static RULES: [Rule; 12] = [
    Rule {
        what: "A formula is a string. For tangents this matters only if an argument has a \
               gradient.",
        why: "Formulas are C++ text; YAML parses `3` as a number and an empty value as null.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: 3\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * 3\n"),
        ..error(RuleId::DerivFormulaType)
    },
    Rule {
        what: "An argument is not both differentiated and listed under `non_differentiable`.",
        why: "The two contradict each other.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self, other: scale_backward(grad, self, other)\n  other: non_differentiable\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  other: non_differentiable\n",
        ),
        ..error(RuleId::DerivOverlapNondiff)
    },
    Rule {
        what: "The index in `grads[i]` is less than the number of returns.",
        why: "Each output has one incoming gradient.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grads[1] * other\n",
        ),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_derivative",
        ..error(RuleId::DerivGradsOob)
    },
    Rule {
        what: "The gradients of one operator do not use both `grad` and `grads`.",
        why: "`grad` is the gradient of the only differentiable output. Code that mixes both \
              compiles, but gives wrong second derivatives.",
        bad: example("- name: pair(Tensor self) -> (Tensor, Tensor)\n  self: grad + grads[1]\n"),
        good: example(
            "- name: pair(Tensor self) -> (Tensor, Tensor)\n  self: grads[0] + grads[1]\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, check_grad_usage",
        ..error(RuleId::DerivGradAndGrads)
    },
    Rule {
        what: "If `grads` is always indexed, at least one index is not 0.",
        why: "If the first output is the only differentiable one, its gradient is `grad`; \
              otherwise the formulas miss a gradient.",
        bad: example("- name: pair(Tensor self) -> (Tensor, Tensor)\n  self: grads[0]\n"),
        good: example("- name: pair(Tensor self) -> (Tensor, Tensor)\n  self: grad\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, check_grad_usage",
        ..error(RuleId::DerivGrads0Only)
    },
    Rule {
        what: "The gradients of one operator refer to the incoming gradients in one way: \
               `grad_NAME` after the returns, or `grad` and `grads`.",
        why: "A named gradient and an indexed one may be the same gradient, and PyTorch does not \
              check this.",
        bad: example(
            "- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  self: grad_values + grad\n",
        ),
        good: example(
            "- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  self: grad_values + grad_indices\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, check_grad_usage",
        ..error(RuleId::DerivNamedGradMix)
    },
    Rule {
        what: "Formulas do not call `.sizes()` or `->sizes()`.",
        why: "Sizes may be symbolic, and `.sizes()` would fix them in a traced program. \
              `sym_sizes()` keeps them symbolic, and is an argument of C++ functions whose names end \
              in `_symint`.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad.expand(self.sizes())\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad.expand_symint(self.sym_sizes())\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, saved_variables",
        ..error(RuleId::DerivSizesBanned)
    },
    Rule {
        what: "Formulas do not call `.size(N)` or `->size(N)` with a number.",
        why: "Sizes may be symbolic, and `.size(N)` would fix them in a traced program. \
              `sym_size(N)` keeps them symbolic.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad / self.size(0)\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad / self.sym_size(0)\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, saved_variables",
        ..error(RuleId::DerivSizeBanned)
    },
    Rule {
        what: "Formulas do not call `.strides()` or `->strides()`.",
        why: "Strides may be symbolic, and `.strides()` would fix them in a traced program. \
              `sym_strides()` keeps them symbolic.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  other: scale_backward(grad, other.strides())\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  other: scale_backward(grad, other.sym_strides())\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, saved_variables",
        ..error(RuleId::DerivStridesBanned)
    },
    Rule {
        what: "Only the formula for `x` alone uses `x.sym_strides()`.",
        why: "Tensors without strides raise an error here, and the generated code can report that \
              error only for the argument that is differentiated.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: scale_backward(grad, other.sym_strides())\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  other: scale_backward(grad, other.sym_strides())\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, saved_variables",
        ..error(RuleId::DerivStridesSingle)
    },
    Rule {
        stage: Stage::Compile,
        what: "A formula uses only names that exist: arguments, outputs, what torchgen declares \
               (`grad`, `grads`, `grad_NAME`, `grad_input_mask`, `retain_variables`; `self_p` and \
               `self_t` in tangents), and what it declares itself. Functions, members, qualified \
               names and constants of headers (`M_PI`, `kFloat`) are not checked.",
        why: "torchgen copies the formula into C++, which then does not compile. This happens when \
              an argument is renamed and the formula keeps the old name.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * others\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/gen_autograd_functions.py, process_function",
        ..error(RuleId::DerivUnknownName)
    },
    Rule {
        stage: Stage::Compile,
        what: "`wrap_opt_if` has two arguments, a tensor and a condition. In a formula for several arguments the \
               condition has no parentheses, so no call such as `requires_grad()`.",
        why: "torchgen saves the tensor for the backward pass only if the condition holds. It copies the condition \
              with a regular expression that ends at the first `)`, and the C++ does not compile.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self, other: scale_backward(grad, wrap_opt_if(other, self.requires_grad()))\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self, other: scale_backward(grad, wrap_opt_if(other, grad_input_mask[0]))\n",
        ),
        source: "torchgen/packaged/autograd/gen_variable_type.py, guard_for",
        ..error(RuleId::DerivWrapOptIf)
    },
];
