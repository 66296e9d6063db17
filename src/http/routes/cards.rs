//! Cards: where an operator works, as a picture for previews of links.

use axum::extract::State;
use axum::response::Response;
use opatlas_report::support;

use crate::http::Api;
use crate::http::extract::Path;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use opatlas_wire::json::json;
use opatlas_wire::paths::OperatorPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::since::{Card, answers, card};

/// A picture unless another form is asked for.
const FORMS: &[Media] = &[Media::Svg, Media::Json];

/// The card of an operator
///
/// The verdict on each backend of which something is known, and since when: a picture for previews of
/// links, or JSON by `Accept`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/operators/{operator}/card",
    tag = "dispatch",
    operation_id = "get_card",
    params(OperatorPath),
    responses(
        (status = 200, description = "The card", content(
            (Card = "application/json"),
            (String = "image/svg+xml"),
        )),
        (status = 404, description = "No such project, revision or operator", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "An ambiguous digest", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<OperatorPath>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(FORMS)?;
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, None).await?;
    let title = revision.title();
    let request = ViewRequest {
        revision: &revision,
        view: "card",
        parameters: (path.operator.clone(), title.clone()),
        media,
        making: Making::Tabulated,
        effort: Effort::Little,
    };
    respond::view(&api, &accept, request, move |snapshot, _| {
        let id = snapshot.find_in(|| title.clone(), &path.operator)?;
        let view = snapshot.view();
        Ok(match media {
            Media::Json => json(&card(view, id)),
            _ => support::card(&path.operator, &title, &answers(view, id)).into_bytes(),
        })
    })
    .await
}
