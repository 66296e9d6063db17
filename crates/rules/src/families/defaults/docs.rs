//! The rules about defaults.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const PARSE: &str = "torchgen/model.py: Argument.parse";
const README: &str = "aten/src/ATen/native/README.md: func, defaults";

const GOOD: Example = Example::native("- func: scale(Tensor self, int factor=2) -> Tensor\n");

const fn rule(id: RuleId, severity: Severity, stage: Stage) -> Rule {
    Rule {
        id,
        family: Family::Defaults,
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
        what: "An argument holds a second `=`, be it within quotes.",
        why: "The text is cut at `=` into the name and the default, and there must be two parts.",
        bad: Example::native("- func: scale(Tensor self, str mode='a=b') -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, str mode='ab') -> Tensor\n"),
        ..rule(RuleId::DefaultOneEquals, Severity::Error, Stage::Entry)
    },
    Rule {
        what: "Nothing stands behind `=`, or a space stands before it.",
        why: "Name, `=` and default follow one another without a gap.",
        bad: Example::native("- func: scale(Tensor self, int factor =2) -> Tensor\n"),
        ..rule(RuleId::DefaultEmpty, Severity::Error, Stage::Entry)
    },
    Rule {
        until: Some(Release::V2_4),
        what: "A default holds a space.",
        why: "Until 2.4 an argument was cut at its last space, so what stands before a space in \
              the default was taken for part of the type.",
        bad: Example::native("- func: scale(Tensor self, str mode='a b') -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, str mode='a_b') -> Tensor\n"),
        ..rule(RuleId::DefaultBlank, Severity::Error, Stage::Entry)
    },
    Rule {
        what: "A list given as a default has a space behind its comma.",
        why: "Arguments are cut at every comma followed by a space, brackets or not.",
        bad: Example::native("- func: pad(Tensor self, int[2] amount=[1, 2]) -> Tensor\n"),
        good: Example::native("- func: pad(Tensor self, int[2] amount=[1,2]) -> Tensor\n"),
        source: "torchgen/model.py: Arguments._preparse",
        ..rule(RuleId::DefaultListNoSpace, Severity::Error, Stage::Entry)
    },
    Rule {
        what: "A default does not fit the type of its argument.",
        why: "Nothing compares the two: the text goes into the C++ as it stands, and the compiler \
              or the parser of schemas at run time refuses it.",
        bad: Example::native("- func: scale(Tensor self, int factor=two) -> Tensor\n"),
        source: README,
        ..rule(
            RuleId::DefaultValueUnchecked,
            Severity::Warning,
            Stage::Convention,
        )
    },
    Rule {
        what: "A list without a size has a default that is no list.",
        why: "One value for a whole list means as many copies as its size says. Without a size \
              there is no C++ for it; `None` needs a `?` behind the list.",
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
        what: "A positional argument without a default stands behind one that has a default.",
        why: "Neither C++ nor Python allows it: arguments can only be left out from the end.",
        bad: Example::native("- func: scale(Tensor self, int factor=2, int bias) -> Tensor\n"),
        good: Example::native("- func: scale(Tensor self, int bias, int factor=2) -> Tensor\n"),
        source: README,
        ..rule(
            RuleId::DefaultSuffixOnly,
            Severity::Warning,
            Stage::Convention,
        )
    },
];
