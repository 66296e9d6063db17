//! Parses one schema.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_diff::official::{self, Classes};
use opatlas_pytorch::release::Release;
use opatlas_report::findings::SourceText;
use opatlas_schema::signature::signature;
use opatlas_source::diagnostic::Diagnostic;

use crate::http::Api;
use crate::http::extract::{Json, Query};
use crate::http::negotiate::{Accept, JSON};
use crate::http::respond;
use crate::http::routes::stateless::judged;
use opatlas_service::JudgedSchema;
use opatlas_wire::finding;
use opatlas_wire::finding::Finding;
use opatlas_wire::json::json;
use opatlas_wire::library_schema;
use opatlas_wire::operator::{arguments, returns};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::schemas::{Dialect, ParseQuery, ParsedSchema, SchemaText, alias_sets};

/// Parse a schema
///
/// Checks the schema alone, without an entry. With `dialect=library` it reads schemas of operator
/// libraries as the C++ parser of PyTorch does. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/schemas/parse",
    tag = "stateless",
    operation_id = "parse_schema",
    params(ParseQuery),
    request_body = SchemaText,
    responses(
        (status = 200, description = "The parsed schema, or its errors", body = ParsedSchema),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn parse(
    State(api): State<Api>,
    Query(query): Query<ParseQuery>,
    accept: Accept,
    Json(body): Json<SchemaText>,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let release = judged(query.release.as_deref())?.release;
    let make = move || {
        if query.dialect == Dialect::Library {
            return json(&library_answer(&body, release));
        }
        let read = JudgedSchema::read(&body.schema, release);
        json(&answer(&body.schema, &read))
    };
    let bytes = api.service.make(move |_| Ok::<_, Problem>(make())).await?;
    respond::bytes(&api, &accept, StatusCode::OK, media, bytes).await
}

fn library_answer(body: &SchemaText, release: Release) -> ParsedSchema<'_> {
    match official::parse_definition(&body.schema, Classes::Defined(&body.classes), release) {
        Ok(schema) => library_schema::parsed(&schema),
        Err(errors) => ParsedSchema {
            findings: findings(&body.schema, &errors),
            ..ParsedSchema::default()
        },
    }
}

fn findings(text: &str, errors: &[Diagnostic]) -> Vec<Finding> {
    let source = SourceText::new("schema", Arc::from(text));
    let errors = errors.iter();
    errors.map(|e| finding::of_text(&source, e)).collect()
}

fn answer<'a>(text: &str, read: &'a JudgedSchema) -> ParsedSchema<'a> {
    let Some(schema) = read.schema() else {
        return ParsedSchema {
            findings: findings(text, &read.errors),
            ..ParsedSchema::default()
        };
    };
    ParsedSchema {
        schema: Some(schema.to_string()),
        namespace: Some(read.parsed.namespace.as_deref().unwrap_or("aten")),
        name: Some(schema.name.as_str().into()),
        base_name: Some(schema.name.base()),
        overload: Some(schema.name.overload()),
        kind: Some(schema.kind().into()),
        arguments: Some(arguments(schema)),
        returns: Some(returns(schema)),
        alias_sets: Some(alias_sets(schema)),
        signature: Some(signature(schema)),
        findings: Vec::new(),
    }
}
