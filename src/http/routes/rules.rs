//! The rules, with their documentation.

use std::collections::BTreeSet;

use axum::extract::State;
use axum::response::Response;
use opatlas_diff::rules as change_rules;
use opatlas_pytorch::release::Release;
use opatlas_rules::registry;
use opatlas_source::suggest::nearest_few;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::page;
use crate::http::respond;
use crate::http::routes::stateless::judged;
use opatlas_wire::json::json;
use opatlas_wire::page::PageQuery;
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};
use opatlas_wire::rules::{AnyRule, RuleKind, RuleList, RulePath, RulesQuery, family_name};

/// Rules
///
/// All validation and change rules, with reasons and examples.
#[utoipa::path(
    get,
    path = "/v1/rules",
    tag = "knowledge",
    operation_id = "list_rules",
    params(RulesQuery),
    responses(
        (status = 200, description = "The rules", body = RuleList),
        (status = 422, description = "No such release or family", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Query(query): Query<RulesQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let release = match &query.release {
        Some(text) => Some(judged(Some(text))?.release),
        None => None,
    };
    if let Some(family) = &query.family {
        expect_family(family)?;
    }
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
    let next = next_cursor.clone();
    let make = || {
        Ok(json(&RuleList {
            items: items.iter().map(|rule| rule.view()).collect(),
            next_cursor: next,
        }))
    };
    let view = ("rules", &query);
    let mut response = respond::program_view(&api, &accept, view, media, make).await?;
    page::mark(&mut response, next_cursor);
    Ok(response)
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
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let found = registry::find(&path.rule)
        .map(Chosen::Validation)
        .or_else(|| change_rules::find(&path.rule).map(Chosen::Compatibility));
    let Some(rule) = found else {
        let changes = change_rules::RULES.iter().map(|rule| rule.id.as_str());
        let known = registry::all().map(|rule| rule.id.as_str()).chain(changes);
        let near = nearest_few(&path.rule, known, 3);
        let shown: String = path.rule.chars().take(128).collect();
        let problem = Problem::new(Kind::UnknownRule, format!("unknown rule `{shown}`"));
        return Err(problem
            .in_path()
            .suggesting(near.into_iter().map(Into::into).collect()));
    };
    let make = || Ok(json(&rule.view()));
    respond::program_view(&api, &accept, ("rule", path.rule.as_str()), media, make).await
}

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

fn expect_family(family: &str) -> Result<(), Problem> {
    let own = registry::all().map(|rule| family_name(rule.family));
    let groups = change_rules::RULES.iter().map(|rule| rule.group.as_str());
    let known: BTreeSet<&str> = own.chain(groups).collect();
    if known.contains(family) {
        Ok(())
    } else {
        Err(Problem::unknown_value("family", family, known))
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
