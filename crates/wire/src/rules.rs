//! Rules as JSON.

use opatlas_pytorch::release::Release;
use opatlas_rules::{Family, Stage};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::change_rule::ChangeRule;
use crate::finding::Severity;

/// A rule's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct RulePath {
    /// The rule's id.
    #[param(example = "out-return-matches")]
    pub rule: String,
}

/// Which rules, and which page.
#[derive(Debug, Clone, Hash, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RulesQuery {
    /// Only of this kind.
    #[param(inline)]
    pub kind: Option<RuleKind>,
    /// Only of this family.
    #[param(example = "dispatch")]
    pub family: Option<String>,
    /// Only of this severity (validation rules).
    #[param(inline)]
    pub severity: Option<Severity>,
    /// Only those that apply to this release; change rules always do.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// The number of items in a page.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    pub cursor: Option<String>,
}

/// The kind of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleKind {
    /// A rule about a declaration.
    Validation,
    /// A rule about a change.
    Compatibility,
}

/// A rule of either kind.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum AnyRule {
    /// A validation rule.
    Validation(Rule),
    /// A change rule.
    Compatibility(ChangeRule),
}

/// An example of a rule.
#[derive(Debug, Serialize, ToSchema)]
pub struct Example {
    /// The file it is about, by its name in a bundle.
    #[schema(example = "native_functions.yaml")]
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// A validation rule.
#[derive(Debug, Serialize, ToSchema)]
pub struct Rule {
    /// `validation`
    #[schema(example = "validation")]
    pub kind: &'static str,
    /// Its id, which never changes.
    #[schema(example = "out-return-matches")]
    pub id: &'static str,
    /// What it is about.
    #[schema(example = "returns")]
    pub family: &'static str,
    /// The severity of its findings.
    pub severity: Severity,
    /// The stage at which PyTorch's generator fails: `yaml`, `entry`, `file`, `generate`, `group`,
    /// `codegen`; the stage after it that fails, `compile` (the rest of the build) or `load`; or
    /// `convention`, which nothing checks.
    #[schema(example = "entry")]
    pub stage: &'static str,
    /// The first release that it applies to.
    #[schema(example = "2.0")]
    pub since: &'static str,
    /// The last release that it applies to; null if it still applies.
    pub until: Option<&'static str>,
    /// What it finds.
    pub what: &'static str,
    /// Why it matters, and to whom.
    pub why: &'static str,
    /// An example that violates it.
    pub bad: Example,
    /// The example without the violation.
    pub good: Example,
    /// The place in PyTorch that decides it.
    pub source: &'static str,
}

/// A page of rules.
#[derive(Debug, Serialize, ToSchema)]
pub struct RuleList {
    /// The rules by family, validation rules first.
    pub items: Vec<AnyRule>,
    /// The cursor of the next page; null at the end.
    pub next_cursor: Option<String>,
}

/// The name of a family of rules in URLs and JSON.
pub fn family_name(family: Family) -> &'static str {
    match family {
        Family::Yaml => "yaml",
        Family::Grammar => "grammar",
        Family::Fields => "fields",
        Family::Annotations => "annotations",
        Family::Arguments => "arguments",
        Family::Types => "types",
        Family::OutNaming => "out-naming",
        Family::Defaults => "defaults",
        Family::Returns => "returns",
        Family::Overloads => "overloads",
        Family::Variants => "variants",
        Family::Dispatch => "dispatch",
        Family::Structured => "structured",
        Family::Autogen => "autogen",
        Family::Tags => "tags",
        Family::Views => "views",
        Family::Derivatives => "derivatives",
        Family::Bindings => "bindings",
        Family::Backends => "backends",
        Family::Sources => "sources",
        Family::Runtime => "runtime",
        Family::Suppressions => "suppressions",
    }
}

pub(crate) fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Yaml => "yaml",
        Stage::Entry => "entry",
        Stage::File => "file",
        Stage::Generate => "generate",
        Stage::Group => "group",
        Stage::Codegen => "codegen",
        Stage::Autograd | Stage::Compile => "compile",
        Stage::Load => "load",
        Stage::Convention => "convention",
    }
}

impl From<&opatlas_rules::Rule> for Rule {
    fn from(rule: &opatlas_rules::Rule) -> Self {
        let example = |example: &opatlas_rules::Example| Example {
            file: example.file,
            text: example.text,
        };
        Self {
            kind: "validation",
            id: rule.id.as_str(),
            family: family_name(rule.family),
            severity: rule.severity.into(),
            stage: stage_name(rule.stage),
            since: rule.since.as_str(),
            until: rule.until.map(Release::as_str),
            what: rule.what,
            why: rule.why,
            bad: example(&rule.bad),
            good: example(&rule.good),
            source: rule.source,
        }
    }
}
