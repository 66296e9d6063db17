//! Names and keys of entries.

use opatlas_source::diagnostic::RuleId;

use super::{error, example, warning};
use crate::rule::Rule;

pub(crate) static RULES: [Rule; 13] = [
    Rule {
        what: "The file is a list, and each item is a mapping.",
        why: "The generator reads the file entry by entry and takes `name` and the formulas from \
              each mapping. An empty file is not a list; write `[]` for a file without entries.",
        bad: example("scale(Tensor self, Tensor other) -> Tensor:\n  self: grad * other\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, load_derivatives",
        ..error(RuleId::DerivRoot)
    },
    Rule {
        what: "Each entry has a `name`.",
        why: "The name identifies the operator that the formulas belong to.",
        bad: example("- self: grad * other\n  other: grad * self\n"),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  other: grad * self\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, load_derivatives",
        ..error(RuleId::DerivNameMissing)
    },
    Rule {
        what: "The name of an entry is a schema: `op(...)` or `op.overload(...)`, with only \
               letters, digits and underscores before the parenthesis.",
        why: "Overloads differ in their arguments, so a bare name is ambiguous.",
        bad: example("- name: scale\n  self: grad * other\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/utils.py, split_name_params",
        ..error(RuleId::DerivMalformedName)
    },
    Rule {
        what: "The name of an entry matches the schema of an operator in native_functions.yaml \
               exactly, including defaults, annotations and names of returns, but without the \
               namespace.",
        why: "The generator looks up entries by the printed schema. If a schema changes and its \
              entry does not, code generation fails for all of autograd.",
        bad: example("- name: scale(Tensor self, Tensor by) -> Tensor\n  self: grad * by\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_differentiability_info",
        ..error(RuleId::DerivSchemaMustMatchExactly)
    },
    Rule {
        what: "The operator of an entry has a variant that formulas can belong to: one with the \
            same base name that is not an out variant and whose overload is not `functional`, or \
            else a single in-place operator.",
        why: "Formulas belong to one variant, and the other variants share them. Without such a \
              variant there is nothing to differentiate.",
        bad: example("- name: tidy.functional(Tensor self) -> Tensor\n  self: grad\n"),
        good: example(
            "- name: scale.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)\n  self: grad * other\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, canonical_function",
        ..error(RuleId::DerivCanonicalFunction)
    },
    Rule {
        what: "`dispatch:` is a mapping from dispatch keys to mappings from arguments to formulas.",
        why: "Each key has its own formulas.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch: Default\n"),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Default:\n      self: grad * other\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_differentiability_info",
        ..error(RuleId::DerivDispatchShape)
    },
    Rule {
        what: "The keys of `dispatch` are `Default`, `AutogradNestedTensor`, or `Autograd` \
               followed by the name of a backend that the generator knows.",
        why: "`Default` registers to the alias key `Autograd`; the others register to the key of \
              that name. The alias key itself and keys outside autograd cannot have formulas.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Autograd:\n      self: grad * other\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Default:\n      self: grad * other\n    AutogradCUDA:\n      self: grad * other\n",
        ),
        source: "torchgen/model.py, AUTOGRAD_KEYS",
        ..error(RuleId::DerivDispatchKey)
    },
    Rule {
        what: "The key of a formula is a string: an argument, several arguments separated by \
               commas, or an output.",
        why: "The generator splits the key at commas, so a number or null fails.",
        bad: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  1: grad * other\n"),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, split_names",
        ..error(RuleId::DerivKeyType)
    },
    Rule {
        what: "An operator with an entry has no argument named `grad_input_mask` or `result`.",
        why: "The generated backward code uses both names: `grad_input_mask` for the gradients \
              requested, `result` for the output.",
        bad: example(
            "- name: masked_backward(Tensor self, bool[2] grad_input_mask) -> Tensor\n  self: grad\n",
        ),
        good: example("- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n"),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_differentiability_info",
        ..error(RuleId::DerivArgNames)
    },
    Rule {
        what: "The key of a formula is not both an argument and a named return of the operator.",
        why: "The formula could be the gradient of the argument or the tangent of the return.",
        bad: example(
            "- name: clash(Tensor self, Tensor values) -> (Tensor values, Tensor rest)\n  values: grads[0] + grads[1]\n",
        ),
        good: example(
            "- name: clash(Tensor self, Tensor values) -> (Tensor values, Tensor rest)\n  self: grads[0] + grads[1]\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, set_up_derivatives",
        ..error(RuleId::DerivArgReturnClash)
    },
    Rule {
        what: "`output_differentiability` is a list of booleans, one per output, or a list with \
               exactly one C++ condition.",
        why: "PyTorch supports a condition only for operators with a single output.",
        bad: example(
            "- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [condition, other]\n  self: grad\n",
        ),
        good: example(
            "- name: best(Tensor self) -> (Tensor values, Tensor indices)\n  output_differentiability: [True, False]\n  self: grad\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, create_differentiability_info",
        ..error(RuleId::DerivOutputDifferentiability)
    },
    Rule {
        what: "Each operator has only one entry, including variants that share the formulas.",
        why: "If an operator has two entries, the last one silently wins and the formulas of the \
              other are lost.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n- name: scale(Tensor self, Tensor other) -> Tensor\n  other: grad * self\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  self: grad * other\n  other: grad * self\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, load_derivatives",
        ..warning(RuleId::DerivDuplicateEntry)
    },
    Rule {
        what: "An entry with `dispatch:` has no formulas outside it.",
        why: "The generator reads only the formulas under a dispatch key and silently drops the \
              others.",
        bad: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Default:\n      self: grad * other\n  other: grad * self\n",
        ),
        good: example(
            "- name: scale(Tensor self, Tensor other) -> Tensor\n  dispatch:\n    Default:\n      self: grad * other\n      other: grad * self\n",
        ),
        source: "torchgen/packaged/autograd/load_derivatives.py, load_derivatives",
        ..warning(RuleId::DerivIgnoredKey)
    },
];
