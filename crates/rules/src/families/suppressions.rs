//! The rules about suppressions, which [`crate::suppress`] reads and reports on.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const GOOD: Example = Example::native(
    "# opatlas: allow(mutable-self-not-inplace) the name is public since 1.0\n- func: scale(Tensor(a!) self, float factor) -> Tensor(a!)\n",
);

const fn rule(id: RuleId, severity: Severity) -> Rule {
    Rule {
        id,
        family: Family::Suppressions,
        severity,
        stage: Stage::Convention,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source: "none: suppressions are this program's own",
    }
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "A comment allows a rule that finds nothing in its entry.",
        why: "What it was for is mended, or it stands at the wrong entry. Kept, it would hide the \
              next finding of that rule.",
        bad: Example::native(
            "# opatlas: allow(mutable-self-not-inplace) the name is public since 1.0\n- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!)\n",
        ),
        ..rule(RuleId::SuppressionUnused, Severity::Warning)
    },
    Rule {
        what: "A comment allows a rule that does not exist.",
        why: "It suppresses nothing. Rules are named by their ids, as findings show them.",
        bad: Example::native(
            "- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!) # opatlas: allow(mutable-self) public name\n",
        ),
        ..rule(RuleId::SuppressionUnknownRule, Severity::Warning)
    },
    Rule {
        what: "A comment begins with `opatlas:` and is not of the form `# opatlas: allow(rule-id) \
               reason`; several rules are separated by commas.",
        why: "It is taken for an ordinary comment, which is hardly what was meant.",
        bad: Example::native(
            "- func: scale_(Tensor(a!) self, float factor) -> Tensor(a!) # opatlas: ignore\n",
        ),
        ..rule(RuleId::SuppressionMalformed, Severity::Warning)
    },
    Rule {
        what: "A comment allows a rule without saying why.",
        why: "Whoever reads the entry next wants to know whether the reason still holds.",
        bad: Example::native(
            "# opatlas: allow(mutable-self-not-inplace)\n- func: scale(Tensor(a!) self, float factor) -> Tensor(a!)\n",
        ),
        ..rule(RuleId::SuppressionWithoutReason, Severity::Info)
    },
];
