//! Comparing two schemas that come from no file.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use opatlas_diff::{official, schema};
use opatlas_report::findings::SourceText;

use super::Api;
use super::change::{Change, change};
use super::comparison::Verdict;
use super::extract::Json;
use super::finding::{self, Finding};
use super::negotiate::{JSON, Wishes};
use super::problem::{Document, Fault, Kind, PROBLEM_JSON, Problem};
use super::respond;

/// Two schemas.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaPair {
    /// The old schema.
    #[schema(example = "can_cast(ScalarType from, ScalarType to) -> bool")]
    pub old: String,
    /// The new schema.
    #[schema(example = "can_cast(ScalarType from_, ScalarType to) -> bool")]
    pub new: String,
}

/// What changed between two schemas.
#[derive(Debug, Serialize, ToSchema)]
pub struct ComparedSchemas {
    /// Torch's verdict, bit for bit.
    #[serde(flatten)]
    pub official: Verdict,
    /// What changed.
    pub changes: Vec<Change>,
}

/// Compare two schemas
///
/// Torch's own verdict and our findings on a pair of schemas. It reads the runtime's schema
/// language, which is wider than that of `native_functions.yaml`. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/schemas/compare",
    tag = "stateless",
    operation_id = "compare_schemas",
    request_body = SchemaPair,
    responses(
        (status = 200, description = "What changed", body = ComparedSchemas),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "A schema that the runtime does not read", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn compare(
    State(api): State<Api>,
    wishes: Wishes,
    Json(pair): Json<SchemaPair>,
) -> Result<Response, Problem> {
    let media = wishes.media(JSON)?;
    let bytes = api.service.make(move |_| answer(&pair)).await?;
    respond::bytes(&api, &wishes, StatusCode::OK, media, bytes).await
}

fn answer(pair: &SchemaPair) -> Result<Vec<u8>, Problem> {
    let (old, new) = match (official::parse(&pair.old), official::parse(&pair.new)) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => {
            let old = old.err().map(|errors| findings("old", &pair.old, &errors));
            let new = new.err().map(|errors| findings("new", &pair.new, &errors));
            return Err(unreadable(old.into_iter().chain(new).flatten().collect()));
        }
    };
    let side = |schema, text| schema::Side {
        schema,
        text,
        has_spans: true,
    };
    let operator = match (old.namespace, old.overload) {
        (official::DEFAULT_NAMESPACE, "") => old.name.to_owned(),
        (official::DEFAULT_NAMESPACE, overload) => format!("{}.{overload}", old.name),
        (namespace, "") => format!("{namespace}::{}", old.name),
        (namespace, overload) => format!("{namespace}::{}.{overload}", old.name),
    };
    let found = schema::compare(&operator, side(&old, &pair.old), side(&new, &pair.new));
    Ok(respond::json(&ComparedSchemas {
        official: Verdict::of(&official::compare(&old, &new)),
        changes: found
            .iter()
            .map(|found| change(found, None, None))
            .collect(),
    }))
}

fn findings(
    member: &'static str,
    text: &str,
    errors: &[opatlas_source::diagnostic::Diagnostic],
) -> Vec<(&'static str, Finding)> {
    let source = SourceText::new(member, Arc::from(text));
    let errors = errors.iter();
    errors
        .map(|error| (member, finding::of_text(&source, error)))
        .collect()
}

fn unreadable(findings: Vec<(&'static str, Finding)>) -> Problem {
    let first = findings.first();
    let detail = first.map_or_else(String::new, |(member, finding)| {
        let (line, column) = (finding.span.line, finding.span.column);
        format!(
            "`{member}`, line {line}, column {column}: {}",
            finding.message
        )
    });
    let mut problem = Problem::new(Kind::UnreadableSchema, detail);
    for (member, finding) in findings {
        let place = format!("column {}: {}", finding.span.column, finding.message);
        problem.errors.push(Fault::of(member, place));
        problem.findings.push(finding);
    }
    problem
}
