//! The rules of `derivatives.yaml`.

pub(super) mod entries;
pub(super) mod gradients;
pub(super) mod outputs;
pub(super) mod tangents;
pub(super) mod variants;

use opatlas_source::DERIVATIVES;
use opatlas_source::diagnostic::{RuleId, Severity};

use crate::rule::{Example, Family, Rule, Stage};

const fn rule(id: RuleId, severity: Severity) -> Rule {
    Rule::new(
        id,
        Family::Derivatives,
        severity,
        Stage::Codegen,
        example(""),
        "torchgen/packaged/autograd/load_derivatives.py",
    )
}

const fn error(id: RuleId) -> Rule {
    rule(id, Severity::Error)
}

/// The file can be read, but autograd code cannot be generated from it.
const fn generating(id: RuleId) -> Rule {
    Rule {
        stage: Stage::Autograd,
        ..error(id)
    }
}

const fn warning(id: RuleId) -> Rule {
    rule(id, Severity::Warning)
}

const fn example(text: &'static str) -> Example {
    Example::of(DERIVATIVES, text)
}
