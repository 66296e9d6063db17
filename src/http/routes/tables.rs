//! One operator's dispatch table, its explanation, and the table with other registrations.

use axum::extract::State;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use opatlas_report::findings::Colour;
use opatlas_wire::json::json;
use opatlas_wire::paths::OperatorPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::tables::{TableView, with_table};
use opatlas_wire::tables_query::TableQuery;
use opatlas_wire::tables_text::text;

const MEDIA: &[Media] = &[Media::Json, Media::Text];

/// The dispatch table of an operator
///
/// Which kernel runs for every runtime key and why. `explain=true` explains each entry; `with` and
/// `without` show the table for other registrations.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/operators/{operator}/dispatch",
    tag = "dispatch",
    operation_id = "get_dispatch_table",
    params(OperatorPath, TableQuery),
    responses(
        (status = 200, description = "The table", content(
            (TableView = "application/json"),
            (String = "text/plain"),
        )),
        (status = 404, description = "No such project, revision or operator", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release, runtime key or build, or a registration \
                                      that the dispatcher rejects", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<OperatorPath>,
    Query(pairs): Query<Vec<(String, String)>>,
    accept: Accept,
) -> Result<Response, Problem> {
    // `with` and `without` may be given several times.
    let query = TableQuery::read(pairs)?;
    let media = accept.media(MEDIA)?;
    let service = &api.service;
    let revision = service
        .resolve(&path.project, &path.revision, query.release.as_deref())
        .await?;
    let request = ViewRequest {
        revision: &revision,
        view: "table",
        parameters: (path.operator.clone(), query.clone()),
        media,
        making: Making::Tabulated,
        effort: if query.is_of_default_tables() {
            Effort::Little
        } else {
            Effort::Much
        },
    };
    let asked = revision.clone();
    respond::view(&api, &accept, request, move |snapshot, _| {
        let (title, operator) = (asked.title(), &path.operator);
        match media {
            Media::Text => {
                let text = text(snapshot, &title, operator, &query, Colour::Never)?;
                Ok(text.into_bytes())
            }
            _ => with_table(snapshot, &title, operator, &query, |table| json(&table)),
        }
    })
    .await
}
