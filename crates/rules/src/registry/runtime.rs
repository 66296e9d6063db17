//! The grammar of PyTorch's runtime parser, which parses the two schemas of a comparison. It accepts more
//! than torchgen's. `opatlas_diff::official` reports under these rules.

use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, SCHEMA, Stage};

const GOOD: Example = Example::of(
    SCHEMA,
    "scale(Tensor self, int[] dim=[0, 1], *, float factor=1.) -> Tensor",
);

const fn bad(text: &'static str) -> Example {
    Example::of(SCHEMA, text)
}

const fn error(id: RuleId) -> Rule {
    Rule::new(
        id,
        Family::Runtime,
        Severity::Error,
        Stage::Entry,
        GOOD,
        "torch/csrc/jit/frontend/function_schema_parser.cpp",
    )
}

pub(super) static RULES: &[Rule] = &[
    Rule {
        what: "A schema contains a token that the schema parser of the PyTorch runtime does not \
               allow there.",
        why: "`torch.library` and saved models use this parser, which raises an error at the same \
              token.",
        bad: bad("scale(Tensor self,, float factor) -> Tensor"),
        ..error(RuleId::RuntimeSchemaSyntax)
    },
    Rule {
        what: "A schema names a type that the PyTorch runtime does not have or cannot construct.",
        why: "The schema parser of the runtime raises an error for the whole schema.",
        bad: bad("scale(Tenser self) -> Tensor"),
        source: "torch/csrc/jit/frontend/schema_type_parser.cpp",
        ..error(RuleId::RuntimeSchemaType)
    },
    Rule {
        what: "A default value does not fit the type of its argument.",
        why: "The schema parser of the runtime evaluates each default for its type and raises an \
              error if it cannot.",
        bad: bad("scale(Tensor self, int factor=one) -> Tensor"),
        ..error(RuleId::RuntimeSchemaDefault)
    },
    Rule {
        what: "A positional argument without a default follows one with a default.",
        why: "A caller could not omit the first without omitting the second.",
        bad: bad("scale(Tensor self, int dim=0, float factor) -> Tensor"),
        source: "aten/src/ATen/core/function_schema.h: FunctionSchema::checkSchema",
        ..error(RuleId::RuntimeSchemaDefaultOrder)
    },
    Rule {
        what: "A schema is longer or more deeply nested than Opatlas accepts.",
        why: "A comparison matches arguments pairwise, so the size of a schema is limited.",
        bad: bad(
            "scale(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((Tensor",
        ),
        source: "none: a limit of Opatlas",
        ..error(RuleId::RuntimeSchemaLimit)
    },
];
