//! The rules, with their documentation.

use axum::extract::State;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use opatlas_diff::rules as change_rules;
use opatlas_pytorch::release::Release;
use opatlas_rules::{Family, Stage, registry};
use opatlas_source::suggest::nearest_few;

use super::Api;
use super::change_rule::ChangeRule;
use super::extract::{Path, Query};
use super::finding::Severity;
use super::negotiate::{JSON, Wishes};
use super::page::{self, PageQuery};
use super::problem::{Document, Kind, PROBLEM_JSON, Problem};
use super::respond::{self, json};
use super::stateless::judged;

/// A rule's path.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct RulePath {
    /// The rule's id.
    #[param(example = "out-return-matches")]
    pub rule: String,
}

/// Which rules, and which part of them.
#[derive(Debug, Clone, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct RulesQuery {
    /// Only of this kind.
    #[param(inline)]
    pub kind: Option<RuleKind>,
    /// Only of this family.
    #[param(example = "dispatch")]
    pub family: Option<String>,
    /// Only of this severity, which rules of validation have.
    #[param(inline)]
    pub severity: Option<Severity>,
    /// Only those that apply to this release; those of compatibility always do.
    #[param(example = "2.9")]
    pub release: Option<String>,
    /// How many items a page has.
    #[param(minimum = 1, maximum = 1000, default = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
}

/// What a rule judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RuleKind {
    /// A declaration.
    Validation,
    /// A change from one declaration to another.
    Compatibility,
}

/// A rule of either kind.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub enum AnyRule {
    /// Of validation.
    Validation(Rule),
    /// Of compatibility.
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

/// A rule of validation.
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
    /// How bad a finding of it is.
    pub severity: Severity,
    /// When PyTorch's generator notices: `yaml`, `entry`, `file`, `generate`, `group`, `codegen`,
    /// or never, for a `convention`.
    #[schema(example = "entry")]
    pub stage: &'static str,
    /// The first release that it applies to.
    #[schema(example = "2.0")]
    pub since: &'static str,
    /// The last release that it applies to; null where it still does.
    pub until: Option<&'static str>,
    /// What it finds.
    pub what: &'static str,
    /// Why that is bad, and for whom.
    pub why: &'static str,
    /// An example that breaks it.
    pub bad: Example,
    /// The same, mended.
    pub good: Example,
    /// Where PyTorch decides it.
    pub source: &'static str,
}

/// A page of rules.
#[derive(Debug, Serialize, ToSchema)]
pub struct RuleList {
    /// The rules, family by family, those of validation first.
    pub items: Vec<AnyRule>,
    /// What to ask for the next part with; null at the end.
    pub next_cursor: Option<String>,
}

/// Rules
///
/// All rules of validation and of compatibility, with why they are, and examples.
#[utoipa::path(
    get,
    path = "/v1/rules",
    tag = "knowledge",
    operation_id = "list_rules",
    params(RulesQuery),
    responses(
        (status = 200, description = "The rules", body = RuleList),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Query(query): Query<RulesQuery>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(JSON)?;
    let release = match &query.release {
        Some(text) => Some(judged(Some(text))?.release),
        None => None,
    };
    let chosen: Vec<Chosen> = registry::all()
        .filter(|rule| fits(rule, &query, release))
        .map(Chosen::Validation)
        .chain(
            change_rules::RULES
                .iter()
                .filter(|rule| fits_change(rule, &query))
                .map(Chosen::Compatibility),
        )
        .collect();
    let part = PageQuery {
        limit: query.limit,
        cursor: query.cursor.clone(),
    };
    let filter = (query.kind, &query.family, query.severity, release);
    let (items, next_cursor) = page::cut("rules", &filter, &chosen, &part)?;
    let make = || {
        Ok(json(&RuleList {
            items: items.iter().map(|rule| rule.view()).collect(),
            next_cursor,
        }))
    };
    respond::program_view(&api, &wishes, ("rules", &query), media, make).await
}

/// A rule
#[utoipa::path(
    get,
    path = "/v1/rules/{rule}",
    tag = "knowledge",
    operation_id = "get_rule",
    params(RulePath),
    responses(
        (status = 200, description = "The rule", body = AnyRule),
        (status = 404, description = "No such rule", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<RulePath>,
    wishes: Wishes,
) -> Result<Response, Problem> {
    let media = wishes.media(JSON)?;
    let found = registry::find(&path.rule).map(Chosen::Validation);
    let found = found.or_else(|| change_rules::find(&path.rule).map(Chosen::Compatibility));
    let Some(rule) = found else {
        let changes = change_rules::RULES.iter().map(|rule| rule.id.as_str());
        let known = registry::all().map(|rule| rule.id.as_str()).chain(changes);
        let near = nearest_few(&path.rule, known, 3);
        let shown: String = path.rule.chars().take(128).collect();
        let problem = Problem::new(Kind::UnknownRule, format!("there is no rule `{shown}`"));
        return Err(problem.suggesting(near.into_iter().map(Into::into).collect()));
    };
    let make = || Ok(json(&rule.view()));
    respond::program_view(&api, &wishes, ("rule", path.rule.as_str()), media, make).await
}

/// A rule that is to be shown.
#[derive(Debug, Clone, Copy)]
enum Chosen {
    Validation(&'static opatlas_rules::Rule),
    Compatibility(&'static change_rules::ChangeRule),
}

impl Chosen {
    fn view(self) -> AnyRule {
        match self {
            Self::Validation(rule) => AnyRule::Validation(rule.into()),
            Self::Compatibility(rule) => AnyRule::Compatibility(rule.into()),
        }
    }
}

fn fits_change(rule: &change_rules::ChangeRule, query: &RulesQuery) -> bool {
    let family = query.family.as_deref();
    query.kind != Some(RuleKind::Validation)
        && query.severity.is_none()
        && family.is_none_or(|name| name == rule.group.as_str())
}

fn fits(rule: &opatlas_rules::Rule, query: &RulesQuery, release: Option<Release>) -> bool {
    let family = query.family.as_deref();
    query.kind != Some(RuleKind::Compatibility)
        && family.is_none_or(|name| name == family_name(rule.family))
        && query.severity.is_none_or(|s| s == rule.severity.into())
        && release.is_none_or(|release| rule.applies_to(release))
}

fn family_name(family: Family) -> &'static str {
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
        Family::Backends => "backends",
        Family::Runtime => "runtime",
        Family::Suppressions => "suppressions",
    }
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Yaml => "yaml",
        Stage::Entry => "entry",
        Stage::File => "file",
        Stage::Generate => "generate",
        Stage::Group => "group",
        Stage::Codegen => "codegen",
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
