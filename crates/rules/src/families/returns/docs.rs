//! The rules about return values.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const PARSE: &str = "torchgen/model.py: parse_returns, Return.parse";
const CPP: &str = "torchgen/api/cpp.py: returntype_type";

const GOOD: Example = Example::native("- func: halves(Tensor self) -> (Tensor, Tensor)\n");

const fn rule(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule {
        id,
        family: Family::Returns,
        severity,
        stage,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source: PARSE,
    }
}

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "What stands behind the arrow is not `()`, one type, or two and more in parentheses. \
               `void`, `None` and a single type in parentheses are refused.",
        why: "There is one way to write each number of returns, so that printing them gives the \
              same text.",
        bad: Example::native("- func: half(Tensor self) -> (Tensor)\n"),
        good: Example::native("- func: half(Tensor self) -> Tensor\n"),
        ..rule(RuleId::Returns, Severity::Error, Stage::Entry)
    },
    Rule {
        what: "A return seems to have a default.",
        why: "Returns have none; the text up to the end becomes the return's name.",
        bad: Example::native("- func: half(Tensor self) -> Tensor value=None\n"),
        good: Example::native("- func: half(Tensor self) -> Tensor value\n"),
        ..rule(RuleId::ReturnDefault, Severity::Warning, Stage::Convention)
    },
    Rule {
        what: "A return is optional, or a list of anything but tensors.",
        why: "The documentation knows tensors, lists of tensors and tuples of tensors, and operators \
              that ask something return numbers. Others are accepted, but autograd, vmap and most \
              backends do not handle them.",
        bad: Example::native("- func: first(Tensor self) -> int?\n"),
        good: Example::native("- func: first(Tensor self) -> int\n"),
        source: "aten/src/ATen/native/README.md: returns",
        ..rule(RuleId::ReturnTypeAllowed, Severity::Info, Stage::Convention)
    },
    Rule {
        what: "A return has no type in the generated C++: a list with a size, an optional list or \
               optional Scalar, and before 2.2 an optional tensor.",
        why: "Such returns are read, but the C++ generator knows only values, tensors, lists of \
              unknown length and `Tensor?`.",
        bad: Example::native("- func: halves(Tensor self) -> Tensor[2]\n"),
        source: CPP,
        ..rule(
            RuleId::ReturnTypeNotGenerated,
            Severity::Error,
            Stage::Codegen,
        )
    },
    Rule {
        what: "A list is returned as a written alias, `Tensor(a!)[]`.",
        why: "In C++ a list of tensors is returned by value. An operator that writes to a list of \
              tensors returns nothing.",
        bad: Example::native("- func: half_(Tensor(a!) self) -> Tensor(a!)[]\n"),
        good: Example::native("- func: half_(Tensor(a!) self) -> Tensor(a!)\n"),
        source: CPP,
        ..rule(RuleId::MutableListReturn, Severity::Error, Stage::Codegen)
    },
];
