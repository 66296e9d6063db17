//! The C++ and Python declarations of operators.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_operators::faces::FaceMaker;
use opatlas_source::Stop;

use crate::http::Api;
use crate::http::bundle::BundleBody;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON, LIST};
use crate::http::page;
use crate::http::page::{Cursors, Window};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use crate::http::routes::stateless::judged;
use crate::http::stream;
use opatlas_service::search::{Filter, find};
use opatlas_service::{Snapshot, ViewId};
use opatlas_wire::bundle::BundleJson;
use opatlas_wire::json::json;
use opatlas_wire::paths::{OperatorPath, RevisionPath};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};
use opatlas_wire::signatures::{
    PostedSignaturesQuery, SignatureListQuery, Signatures, SignaturesList, SignaturesQuery,
    signatures, view,
};

/// The declarations of an operator
///
/// The C++ and Python declarations that the release's torchgen generates for the operator. With `key`,
/// also how to implement it for that key.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/operators/{operator}/signatures",
    tag = "operators",
    operation_id = "get_signatures",
    params(OperatorPath, SignaturesQuery),
    responses(
        (status = 200, description = "The declarations", body = Signatures),
        (status = 404, description = "No such project, revision or operator", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or dispatch key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<OperatorPath>,
    Query(query): Query<SignaturesQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let service = &api.service;
    let revision = service
        .resolve(&path.project, &path.revision, query.release.as_deref())
        .await?;
    let name = path.operator;
    let request = ViewRequest {
        revision: &revision,
        view: "signatures",
        parameters: (name.clone(), query.key.clone()),
        media,
        making: Making::Checked,
        effort: Effort::Much,
    };
    let asked = revision.clone();
    respond::view(&api, &accept, request, move |snapshot, _| {
        let id = snapshot.find(&asked, &name)?;
        Ok(json(&signatures(snapshot, id, query.key.as_deref())?))
    })
    .await
}

/// The declarations of a posted operator
///
/// The declarations of an operator of a bundle in the body. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/signatures",
    tag = "stateless",
    operation_id = "make_signatures",
    params(PostedSignaturesQuery),
    request_body(
        description = "The files: `native_functions.yaml` alone (`application/yaml` is accepted, too), or a bundle as JSON or as multipart parts named after the files",
        content(
            (String = "application/octet-stream", example = "- func: blend(Tensor self, Tensor other) -> Tensor\n"),
            (BundleJson = "application/json"),
            (std::collections::BTreeMap<String, String> = "multipart/form-data"),
        ),
    ),
    responses(
        (status = 200, description = "The declarations", body = Signatures),
        (status = 404, description = "No such operator in the bundle", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "The media type is not that of a bundle", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or dispatch key", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn posted(
    State(api): State<Api>,
    Query(query): Query<PostedSignaturesQuery>,
    accept: Accept,
    BundleBody(bundle): BundleBody,
) -> Result<Response, Problem> {
    let media = accept.media(JSON)?;
    let judged = judged(query.release.as_deref())?;
    let reader = api.service.reader();
    let make = move |stop: &Stop| {
        let snapshot = reader.judge(bundle, judged.release, stop)?;
        stop.check()?;
        let id = snapshot.find_in(|| "the bundle".to_owned(), &query.operator)?;
        Ok::<_, Problem>(json(&signatures(&snapshot, id, query.key.as_deref())?))
    };
    let bytes = api.service.make(make).await?;
    respond::bytes(&api, &accept, StatusCode::OK, media, bytes).await
}

/// The declarations of all operators
///
/// The declarations of each operator of a revision: declared operators in file order, then generated
/// operators. With `Accept: application/x-ndjson`, one per line, and all of them unless there is a `limit`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/signatures",
    tag = "operators",
    operation_id = "list_signatures",
    params(RevisionPath, SignatureListQuery),
    responses(
        (status = 200, description = "A page of declarations; or all of them, one per line", content(
            (SignaturesList = "application/json"),
            (Signatures = "application/x-ndjson"),
        )),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<RevisionPath>,
    Query(query): Query<SignatureListQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(LIST)?;
    page::limit(query.limit)?;
    let service = &api.service;
    let revision = service
        .resolve(&path.project, &path.revision, query.release.as_deref())
        .await?;
    let filter = Filter {
        generated: query.generated.map_or_else(Default::default, Into::into),
        ..Filter::default()
    };
    let list = ViewId::new(&revision, "all signatures", &filter, "");
    let asked = (query.limit, query.cursor.as_deref());
    let window = Window::of(media, Cursors::of(list), asked)?;
    if window.is_whole() {
        let asked = ("all signatures", filter);
        return stream::operators(&api, &accept, &revision, asked, |snapshot, id, text| {
            let faces = FaceMaker::new(&snapshot.catalogue).faces(id);
            stream::push_line(text, &view(snapshot, id, faces, None));
        })
        .await;
    }
    let request = ViewRequest {
        revision: &revision,
        view: "all signatures",
        parameters: (filter.clone(), window.place()),
        media,
        making: Making::Parsed,
        effort: Effort::Much,
    };
    respond::page(&api, &accept, request, move |snapshot, stop| {
        let list = page_of(snapshot, &filter, &window, stop)?;
        let text = stream::text(media, &list, &list.items);
        Ok((text, list.next_cursor))
    })
    .await
}

fn page_of(
    snapshot: &Snapshot,
    filter: &Filter,
    window: &Window,
    stop: &Stop,
) -> Result<SignaturesList, Problem> {
    let found = find(snapshot, filter, stop)?;
    let maker = FaceMaker::new(&snapshot.catalogue);
    let items = found[window.within(found.len())].iter();
    let items = items.map(|&id| view(snapshot, id, maker.faces(id), None));
    Ok(SignaturesList {
        items: items.collect(),
        next_cursor: window.next(found.len()),
    })
}
