//! The rules about tags.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const GOOD: Example = Example::native(
    "- func: scale(Tensor self, float factor) -> Tensor\n  tags: [core, pointwise]\n",
);

const fn error(id: RuleId) -> Rule {
    Rule::new(
        id,
        Family::Tags,
        Severity::Error,
        Stage::Entry,
        GOOD,
        "torchgen/model.py: NativeFunction.from_yaml",
    )
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "A tag is not declared in `tags.yaml` (or, if that file is missing, not a tag of the \
               release). Plain text is a single tag, even with commas.",
        why: "Compiler passes look up tags by name, so a misspelt tag has no effect. Write several \
              tags as a list: `[core, pointwise]`.",
        bad: Example::native(
            "- func: scale(Tensor self, float factor) -> Tensor\n  tags: core, pointwise\n",
        ),
        ..error(RuleId::Tags)
    },
    Rule {
        what: "An operator draws random numbers, or seems to, but is not tagged \
               `nondeterministic_seeded`: it takes a Generator, its name contains `rand`, or its \
               name or an argument's name contains `dropout`.",
        why: "Functionalization and compilers must not merge or repeat such calls. PyTorch only \
              searches the letters, so `operand` matches too. Exempt are names with `backward` \
              (from `dropout`) and, since 2.15, names with `_philox_` (from `rand`). Up to 2.0, \
              argument names do not count.",
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
        what: "`tags.yaml` is not a list of mappings with a `tag` and a non-empty `desc`.",
        why: "Every tag needs a description.",
        bad: Example::tags("- tag: pointwise\n"),
        good: Example::tags("- tag: pointwise\n  desc: computes each element by itself\n"),
        source: "torchgen/gen.py: parse_tags_yaml_struct",
        ..error(RuleId::TagsYaml)
    },
];
