//! The rules about defaults.

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const PARSE: &str = "torchgen/model.py: Argument.parse";
const README: &str = "aten/src/ATen/native/README.md: func, defaults";

const GOOD: Example = Example::native("- func: scale(Tensor self, int factor=2) -> Tensor\n");

const fn rule(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule::new(id, Family::Defaults, severity, stage, GOOD, PARSE)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "An argument contains a second `=`, even inside quotes.",
        why: "The parser splits the text at `=` into the name and the default, and expects exactly \
              two parts.",
        bad: Example::native("- func: scale(Tensor self, str mode='a=b') -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, str mode='ab') -> Tensor\n"),
        ..rule(RuleId::DefaultOneEquals, Severity::Error, Stage::Entry)
    },
    Rule {
        what: "The text after `=` is empty, or a space precedes `=`.",
        why: "The name, `=` and the default follow each other without spaces.",
        bad: Example::native("- func: scale(Tensor self, int factor =2) -> Tensor\n"),
        ..rule(RuleId::DefaultEmpty, Severity::Error, Stage::Entry)
    },
    Rule {
        until: Some(Release::V2_4),
        what: "A default contains a space.",
        why: "Up to 2.4 the parser split an argument at its last space, so it took the part of the \
              default before a space for part of the type.",
        bad: Example::native("- func: scale(Tensor self, str mode='a b') -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, str mode='a_b') -> Tensor\n"),
        ..rule(RuleId::DefaultBlank, Severity::Error, Stage::Entry)
    },
    Rule {
        what: "A list default has a space after a comma.",
        why: "The parser splits arguments at every comma followed by a space, even inside \
              brackets.",
        bad: Example::native("- func: pad(Tensor self, int[2] amount=[1, 2]) -> Tensor\n"),
        good: Example::native("- func: pad(Tensor self, int[2] amount=[1,2]) -> Tensor\n"),
        source: "torchgen/model.py: Arguments._preparse",
        ..rule(RuleId::DefaultListNoSpace, Severity::Error, Stage::Entry)
    },
    Rule {
        what: "A default does not fit the type of its argument.",
        why: "Nothing checks this if C++ converts the value and the runtime can parse it. If not, the \
              finding is `default-cpp` or `schema-load`.",
        bad: Example::native("- func: scale(Tensor self, float factor=True) -> Tensor\n"),
        source: README,
        ..rule(
            RuleId::DefaultValueUnchecked,
            Severity::Warning,
            Stage::Convention,
        )
    },
    Rule {
        what: "The default of a list without a size is not a list.",
        why: "A single value for a list means as many copies as the list's size. Without a size \
              there is no C++ for it; `None` requires a `?` after the list.",
        bad: Example::native("- func: pad(Tensor self, int[] amount=0) -> Tensor\n"),
        good: Example::native("- func: pad(Tensor self, int[2] amount=0) -> Tensor\n"),
        source: "torchgen/api/cpp.py: default_expr",
        ..rule(
            RuleId::DefaultUnsizedListScalar,
            Severity::Error,
            Stage::Codegen,
        )
    },
    Rule {
        what: "The C++ default that torchgen writes does not compile: a list of `True` or `False`, a \
               single value for a list of `bool`, or a value that does not convert to the C++ type.",
        why: "torchgen copies most defaults into headers as they are.",
        bad: Example::native(
            "- func: mask_backward(Tensor grad, bool[3] keep=[True,False,True]) -> Tensor\n",
        ),
        good: Example::native("- func: mask_backward(Tensor grad, bool[3] keep) -> Tensor\n"),
        source: "torchgen/api/cpp.py: default_expr",
        ..rule(RuleId::DefaultCpp, Severity::Error, Stage::Compile)
    },
    Rule {
        what: "An argument without a default follows one with a default. Keyword-only arguments \
               follow all others in C++.",
        why: "C++ does not compile such a declaration: a caller can only leave out the last arguments.",
        bad: Example::native("- func: scale(Tensor self, int factor=2, int bias) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, int bias, int factor=2) -> Tensor\n"),
        source: README,
        ..rule(RuleId::DefaultSuffixOnly, Severity::Error, Stage::Compile)
    },
];
