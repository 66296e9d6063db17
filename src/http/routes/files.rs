//! The files of a revision, byte for byte.

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::Response;
use opatlas_source::{BACKENDS, SOURCES};

use crate::http::Api;
use crate::http::extract::Path;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use opatlas_service::{Address, ViewId};
use opatlas_store::RevisionKey;
use opatlas_wire::files::FilePath;
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// How long immutable answers can be cached: a year.
const FOREVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A file
///
/// The original bytes. They never change at an address by whole digest. The media type is
/// `application/yaml` for YAML and `text/plain` for sources, unless `Accept` names
/// `application/octet-stream`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/files/{name}",
    tag = "revisions",
    operation_id = "get_file",
    params(FilePath),
    responses(
        (status = 200, description = "The bytes", content(
            (String = "application/octet-stream"),
            (String = "application/yaml"),
            (String = "text/plain"),
        )),
        (status = 404, description = "No such project, revision or file", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "An ambiguous digest", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn one(
    State(api): State<Api>,
    Path(path): Path<FilePath>,
    accept: Accept,
) -> Result<Response, Problem> {
    answer(&api, &accept, path).await
}

/// The file of a backend
///
/// The original bytes, as `application/yaml` unless `Accept` names `application/octet-stream`.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/revisions/{revision}/files/backends/{name}",
    tag = "revisions",
    operation_id = "get_backend_file",
    params(FilePath),
    responses(
        (status = 200, description = "The bytes", content(
            (String = "application/octet-stream"),
            (String = "application/yaml"),
        )),
        (status = 404, description = "No such project, revision or file", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "An ambiguous digest", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn backend(
    State(api): State<Api>,
    Path(mut path): Path<FilePath>,
    accept: Accept,
) -> Result<Response, Problem> {
    path.name.insert_str(0, BACKENDS);
    answer(&api, &accept, path).await
}

async fn answer(api: &Api, accept: &Accept, path: FilePath) -> Result<Response, Problem> {
    let service = &api.service;
    let revision = service.resolve(&path.project, &path.revision, None).await?;
    let media = match &path.name {
        _ if accept.names(Media::Bytes) => Media::Bytes,
        name if name.ends_with(".json") => Media::Bytes,
        name if name.starts_with(SOURCES) => Media::Text,
        _ => Media::Yaml,
    };
    let id = ViewId::of_file(revision.digest, &path.name);
    let mut response = match respond::not_modified(accept, id) {
        Some(response) => response,
        None => {
            let bytes = async {
                let bytes = service.file(&revision, &path.name).await?;
                service.hold(bytes.to_vec())
            };
            let view = service.view(id, bytes).await?;
            respond::encoded(service, accept, id, media, &view).await?
        }
    };
    if is_whole_digest(&path.revision) {
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, FOREVER);
    }
    Ok(response)
}

/// The first digits of a digest are ambiguous once another digest starts with them.
fn is_whole_digest(address: &str) -> bool {
    match Address::parse(address) {
        Ok(Address::Key(RevisionKey::Digest(digits))) => digits.whole().is_some(),
        _ => false,
    }
}
