//! Compares two schemas.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_diff::{official, schema};
use opatlas_report::findings::SourceText;

use crate::http::Api;
use crate::http::extract::Json;
use crate::http::negotiate::{Accept, JSON};
use opatlas_wire::change::change;
use opatlas_wire::compare_schemas::{ComparedSchemas, SchemaPair};
use opatlas_wire::comparison::Verdict;
use opatlas_wire::finding;
use opatlas_wire::finding::Finding;
use opatlas_wire::problem::{Document, Fault, Kind, PROBLEM_JSON, Problem};

/// Compare two schemas
///
/// The verdict of PyTorch's own check and the changes between two schemas. Accepts the runtime's
/// schema language, which is larger than that of `native_functions.yaml`. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/schemas/compare",
    tag = "stateless",
    operation_id = "compare_schemas",
    request_body = SchemaPair,
    responses(
        (status = 200, description = "The changes", body = ComparedSchemas),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "A schema that the runtime's parser rejects", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn compare(
    State(api): State<Api>,
    accept: Accept,
    Json(pair): Json<SchemaPair>,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let bytes = api.service.make(move |_| answer(&pair)).await?;
    crate::http::respond::bytes(&api, &accept, StatusCode::OK, media, bytes).await
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
    let found = schema::compare(operator, side(&old, &pair.old), side(&new, &pair.new));
    Ok(opatlas_wire::json::json(&ComparedSchemas {
        official: Verdict::of(&official::compare(&old, &new)),
        changes: found
            .iter()
            .map(|found| change(found, None, None).into_owned())
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
