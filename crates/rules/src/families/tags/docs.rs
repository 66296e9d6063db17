//! The rules about tags.

use crate::{Example, Family, Rule, Stage};
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::RuleId;
use opatlas_source::diagnostic::Severity;

const GOOD: Example = Example::native(
    "- func: scale(Tensor self, float factor) -> Tensor\n  tags: [core, pointwise]\n",
);

const fn error(id: RuleId) -> Rule {
    Rule {
        id,
        family: Family::Tags,
        severity: Severity::Error,
        stage: Stage::Entry,
        since: Release::V2_0,
        until: None,
        what: "",
        why: "",
        bad: GOOD,
        good: GOOD,
        source: "torchgen/model.py: NativeFunction.from_yaml",
    }
}

pub(crate) static RULES: &[Rule] = &[
    Rule {
        what: "A tag is not declared in `tags.yaml`; without that file, it is none of the \
               release's own. A plain text is one tag, commas or not.",
        why: "Passes ask for tags by name, so a misspelt one would be without effect. Several tags \
              are a list: `[core, pointwise]`.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  tags: core, pointwise\n",
        ),
        ..error(RuleId::Tags)
    },
    Rule {
        what: "An operator draws random numbers, or seems to, and is not tagged \
               `nondeterministic_seeded`: it takes a Generator, its name holds `rand`, or its name \
               or an argument's holds `dropout`.",
        why: "Functionalization and compilers must not merge or repeat such calls. Names are \
              searched for the letters alone, so `operand` counts too; names that hold `backward` \
              are excused from `dropout`, and since 2.15 those with `_philox_` from `rand`. Until \
              2.0 arguments called `dropout` do not count.",
        bad: Example::native(
            "- func: noise(Tensor self, *, Generator? generator=None) -> Tensor\n",
        ),
        good: Example::native(
            "- func: noise(Tensor self, *, Generator? generator=None) -> Tensor\n  tags: nondeterministic_seeded\n",
        ),
        source: "torchgen/model.py: NativeFunction.__post_init__",
        ..error(RuleId::RandomNeedsSeededTag)
    },
    Rule {
        stage: Stage::Yaml,
        what: "`tags.yaml` is not a list of mappings with a `tag` and a `desc` that is not empty.",
        why: "Every tag is documented; one without a description is refused.",
        bad: Example::tags("- tag: pointwise\n"),
        good: Example::tags("- tag: pointwise\n  desc: computes each element by itself\n"),
        source: "torchgen/gen.py: parse_tags_yaml_struct",
        ..error(RuleId::TagsYaml)
    },
];
