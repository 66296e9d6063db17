//! One schema on its own.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::service::JudgedSchema;
use opatlas_report::findings::SourceText;
use opatlas_schema::annotation::{AfterSet, Annotation};
use opatlas_schema::function::FunctionSchema;
use opatlas_schema::signature::signature;

use super::Api;
use super::extract::{Json, Query};
use super::finding::{self, Finding};
use super::negotiate::{JSON, Wishes};
use super::operator::{Argument, OperatorKind, Return, arguments, returns};
use super::paths::ReleaseQuery;
use super::problem::{Document, PROBLEM_JSON, Problem};
use super::respond::{self, json};
use super::stateless::judged;

/// A schema to be read.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SchemaText {
    /// The text, with or without a namespace.
    #[schema(example = "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")]
    pub schema: String,
}

/// A schema as it was read. With an error among the findings all parts are null.
#[derive(Debug, Default, Serialize, ToSchema)]
pub struct ParsedSchema<'a> {
    /// The canonical text, without the namespace.
    pub schema: Option<String>,
    /// The namespace, `aten` where none is written.
    pub namespace: Option<&'a str>,
    /// `base_name[.overload]`
    pub name: Option<&'a str>,
    /// The name before the dot.
    pub base_name: Option<&'a str>,
    /// The name after the dot; empty for the default overload.
    pub overload: Option<&'a str>,
    /// What it writes to.
    pub kind: Option<OperatorKind>,
    /// The arguments, in schema order.
    pub arguments: Option<Vec<Argument<'a>>>,
    /// The return values.
    pub returns: Option<Vec<Return<'a>>>,
    /// What may share memory.
    pub alias_sets: Option<Vec<AliasSet<'a>>>,
    /// The canonical text of the key that variants are grouped by.
    pub signature: Option<String>,
    /// What is wrong with it; columns count from the beginning of the text.
    pub findings: Vec<Finding>,
}

/// Arguments and returns that may share memory.
#[derive(Debug, Serialize, ToSchema)]
pub struct AliasSet<'a> {
    /// Its letter, or `*` for what may share with anything.
    #[schema(example = "a")]
    pub name: char,
    /// Whether it is written to.
    pub is_write: bool,
    /// The arguments in it, before or after the call.
    pub arguments: Vec<&'a str>,
    /// The returns in it, by place from 0.
    pub returns: Vec<usize>,
}

/// Parse a schema
///
/// Judges the schema alone, and not an entry with it. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/schemas/parse",
    tag = "stateless",
    operation_id = "parse_schema",
    params(ReleaseQuery),
    request_body = SchemaText,
    responses(
        (status = 200, description = "The schema, or what is wrong with it", body = ParsedSchema),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn parse(
    State(api): State<Api>,
    Query(query): Query<ReleaseQuery>,
    wishes: Wishes,
    Json(body): Json<SchemaText>,
) -> Result<Response, Problem> {
    let media = wishes.media(JSON)?;
    let release = judged(query.release.as_deref())?.release;
    let make = move || {
        let read = JudgedSchema::read(&body.schema, release);
        json(&answer(&body.schema, &read))
    };
    let bytes = api.service.make(move |_| Ok::<_, Problem>(make())).await?;
    respond::bytes(&api, &wishes, StatusCode::OK, media, bytes).await
}

fn answer<'a>(text: &str, read: &'a JudgedSchema) -> ParsedSchema<'a> {
    let Some(schema) = read.schema() else {
        let source = SourceText::new("schema", Arc::from(text));
        let errors = read.errors.iter();
        return ParsedSchema {
            findings: errors.map(|e| finding::of_text(&source, e)).collect(),
            ..ParsedSchema::default()
        };
    };
    ParsedSchema {
        schema: Some(schema.to_string()),
        namespace: Some(read.parsed.namespace.as_deref().unwrap_or("aten")),
        name: Some(schema.name.as_str()),
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

/// The sets by letter, the wildcard last.
fn alias_sets(schema: &FunctionSchema) -> Vec<AliasSet<'_>> {
    let names = ('a'..='z').chain(['*']);
    let sets = names.map(|name| {
        let has = |annotation: Option<&Annotation>| annotation.is_some_and(|a| holds(a, name));
        let arguments = schema.arguments.all().iter();
        let returns = schema.returns.iter().enumerate();
        let in_arguments = arguments.filter(|a| has(a.annotation.as_ref()));
        let in_returns = returns.filter(|(_, r)| has(r.annotation.as_ref()));
        let (in_arguments, in_returns): (Vec<_>, Vec<_>) =
            (in_arguments.collect(), in_returns.collect());
        AliasSet {
            name,
            is_write: in_arguments.iter().any(|a| a.is_write())
                || in_returns.iter().any(|(_, r)| r.is_write()),
            arguments: in_arguments.iter().map(|a| &*a.name).collect(),
            returns: in_returns.iter().map(|(i, _)| *i).collect(),
        }
    });
    sets.filter(|set| !set.arguments.is_empty() || !set.returns.is_empty())
        .collect()
}

fn holds(annotation: &Annotation, set: char) -> bool {
    let letters = |letters: &[u8]| letters.iter().any(|&letter| char::from(letter) == set);
    let after = match &annotation.after {
        AfterSet::Same => false,
        AfterSet::Wildcard => set == '*',
        AfterSet::Letters(after) => letters(after),
    };
    after || letters(&annotation.before)
}
