//! The rules about return values.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const PARSE: &str = "torchgen/model.py: parse_returns, Return.parse";
const CPP: &str = "torchgen/api/cpp.py: returntype_type";

const GOOD: Example = Example::native("- func: halves(Tensor self) -> (Tensor, Tensor)\n");

const fn rule(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule::new(id, Family::Returns, severity, stage, GOOD, PARSE)
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "The text after the arrow is not `()`, a single type, or two or more types in \
               parentheses. `void`, `None` and a single type in parentheses are errors.",
        why: "There is one way to write each number of returns, so the printed schema equals the \
              text.",
        bad: Example::native("- func: half(Tensor self) -> (Tensor)\n"),
        good: Example::native("- func: half(Tensor self) -> Tensor\n"),
        ..rule(RuleId::Returns, Severity::Error, Stage::Entry)
    },
    Rule {
        what: "A return seems to have a default.",
        why: "Returns have no defaults. torchgen takes the rest of the text as the return's name, and \
              PyTorch's runtime refuses the schema when it is loaded.",
        bad: Example::native("- func: half(Tensor self) -> Tensor value=None\n"),
        good: Example::native("- func: half(Tensor self) -> Tensor value\n"),
        ..rule(RuleId::ReturnDefault, Severity::Error, Stage::Load)
    },
    Rule {
        what: "A return is optional, or a list of anything but tensors.",
        why: "The documentation lists tensors, lists of tensors and tuples of tensors; queries \
              return numbers. PyTorch accepts other types, but autograd, vmap and most backends do \
              not support them.",
        bad: Example::native("- func: first_forward(Tensor self) -> int?\n"),
        good: Example::native("- func: first_forward(Tensor self) -> int\n"),
        source: "aten/src/ATen/native/README.md: returns",
        ..rule(RuleId::ReturnTypeAllowed, Severity::Info, Stage::Convention)
    },
    Rule {
        what: "A return has no C++ type: a list with a size, an optional list or optional Scalar, \
               and before 2.2 an optional tensor.",
        why: "The schema parses, but the C++ generator supports only values, tensors, lists \
              without a size and `Tensor?`.",
        bad: Example::native("- func: halves(Tensor self) -> Tensor[2]\n"),
        source: CPP,
        ..rule(
            RuleId::ReturnTypeNotGenerated,
            Severity::Error,
            Stage::Codegen,
        )
    },
    Rule {
        what: "The return is a mutable list: `Tensor(a!)[]`.",
        why: "C++ returns a list of tensors by value. An operator that mutates a list of tensors \
              returns nothing.",
        bad: Example::native("- func: half_(Tensor(a!) self) -> Tensor(a!)[]\n"),
        good: Example::native("- func: half_(Tensor(a!) self) -> Tensor(a!)\n"),
        source: CPP,
        ..rule(RuleId::MutableListReturn, Severity::Error, Stage::Codegen)
    },
];
