//! The rules about suppressions, which [`crate::suppress`] reports.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const GOOD: Example = Example::native(
    "# opatlas: allow(mutable-self-not-inplace) the name is public since 1.0\n- func: scale(Tensor(a!) self, float factor) -> Tensor(a!)\n",
);

const fn rule(id: RuleId, severity: Severity) -> Rule {
    Rule::new(
        id,
        Family::Suppressions,
        severity,
        Stage::Convention,
        GOOD,
        "none: suppressions are a feature of Opatlas",
    )
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "A suppression names a rule that has no finding in its entry.",
        why: "The finding is fixed, or the comment is at the wrong entry. If kept, it would hide \
              the next finding of that rule.",
        bad: Example::native(
            "# opatlas: allow(mutable-self-not-inplace) the name is public since 1.0\n- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!)\n",
        ),
        ..rule(RuleId::SuppressionUnused, Severity::Warning)
    },
    Rule {
        what: "A suppression names an unknown rule.",
        why: "It suppresses nothing. Findings show the ids of their rules.",
        bad: Example::native(
            "- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!) # opatlas: allow(mutable-self) public name\n",
        ),
        ..rule(RuleId::SuppressionUnknownRule, Severity::Warning)
    },
    Rule {
        what: "A comment starts with `opatlas:` but is not of the form `# opatlas: allow(rule-id) \
               reason`. Separate several rules by commas.",
        why: "It counts as an ordinary comment and suppresses nothing.",
        bad: Example::native(
            "- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!) # opatlas: ignore\n",
        ),
        ..rule(RuleId::SuppressionMalformed, Severity::Warning)
    },
    Rule {
        what: "A suppression has no reason.",
        why: "The next reader needs the reason to judge whether it still holds.",
        bad: Example::native(
            "# opatlas: allow(mutable-self-not-inplace)\n- func: scale(Tensor(a!) self, float factor) -> Tensor(a!)\n",
        ),
        ..rule(RuleId::SuppressionWithoutReason, Severity::Info)
    },
];
