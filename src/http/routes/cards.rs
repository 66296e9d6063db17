//! Cards: where an operator works, as a picture for previews of links.

use axum::extract::State;
use axum::response::Response;
use opatlas_report::support::card;

use crate::http::Api;
use crate::http::extract::Path;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use opatlas_wire::paths::OperatorPath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::since::answers;

/// The card of an operator
///
/// A picture for previews of links: the operator's verdict on each backend of which something is known,
/// and since when.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/operators/{operator}/card.svg",
    tag = "dispatch",
    operation_id = "get_card",
    params(OperatorPath),
    responses(
        (status = 200, description = "The picture", body = String, content_type = "image/svg+xml"),
        (status = 404, description = "No such project, revision or operator", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "An ambiguous digest", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<OperatorPath>,
    accept: Accept,
) -> Result<Response, Problem> {
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, None).await?;
    let title = revision.title();
    let request = ViewRequest {
        revision: &revision,
        view: "card",
        parameters: (path.operator.clone(), title.clone()),
        media: Media::Svg,
        making: Making::Tabulated,
        effort: Effort::Little,
    };
    respond::view(&api, &accept, request, move |snapshot, _| {
        let id = snapshot.find_in(|| title.clone(), &path.operator)?;
        let answers = answers(snapshot.view(), id);
        Ok(card(&path.operator, &title, &answers).into_bytes())
    })
    .await
}
