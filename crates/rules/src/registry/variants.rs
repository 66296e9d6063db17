//! The rules about `variants`.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const GOOD: Example = Example::native(
    "- func: scale(Tensor self, float factor) -> Tensor\n  variants: function, method\n",
);

const fn error(id: RuleId) -> Rule {
    Rule::new(
        id,
        Family::Variants,
        Severity::Error,
        Stage::Entry,
        GOOD,
        "torchgen/model.py: NativeFunction.from_yaml",
    )
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "`variants` is not a list of `function` and `method`, separated by a comma and one \
               space.",
        why: "PyTorch splits the text at `, `, and each part must be one of the two words in lower \
              case.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variants: function,method\n",
        ),
        ..error(RuleId::Variants)
    },
    Rule {
        stage: Stage::Codegen,
        what: "An operator is a method, but has no positional argument `self` of type `Tensor`.",
        why: "The C++ method passes its own tensor as `self`. Without that argument the method \
              cannot be generated, and only code generation detects this.",
        bad: Example::native(
            "- func: scale(Tensor input, float factor) -> Tensor\n  variants: function, method\n",
        ),
        source: "torchgen/gen.py: ComputeTensorMethod; torchgen/api/translate.py: translate",
        ..error(RuleId::MethodNeedsSelf)
    },
    Rule {
        what: "An operator in a Python module is a method.",
        why: "`python_module` puts the function into a module such as `torch.nn.functional`, and \
              methods belong to tensors, so the two exclude each other.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  python_module: linalg\n  variants: function, method\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  python_module: linalg\n  variants: function\n",
        ),
        ..error(RuleId::ModuleNotMethod)
    },
    Rule {
        what: "An operator with out arguments is a method.",
        why: "Out variants are functions only: `at::scale_out(out, ...)` in C++ and `out=` in \
              Python.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n  variants: function, method\n",
        ),
        good: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  variants: function, method\n- func: scale.out(Tensor self, float factor, *, Tensor(a!) out) -> Tensor(a!)\n",
        ),
        source: "torchgen/model.py: NativeFunction.__post_init__",
        ..error(RuleId::OutFunctionOnly)
    },
];
