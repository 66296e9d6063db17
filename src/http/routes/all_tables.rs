//! Views over the dispatch tables of all operators.

use std::hash::Hash;

use axum::response::Response;
use opatlas_verdict::View;

use crate::http::Api;
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use crate::http::respond::{Effort, Making, ViewRequest};
use opatlas_service::Resolved;
use opatlas_wire::coverage::CoverageQuery;
use opatlas_wire::key_entries::TableSelection;
use opatlas_wire::problem::Problem;

pub(super) async fn selection(
    api: &Api,
    (project, revision): (&str, &str),
    query: &CoverageQuery,
) -> Result<(Resolved, TableSelection), Problem> {
    let release = query.release.as_deref();
    let revision = api.service.resolve(project, revision, release).await?;
    let build = query.build.as_deref();
    let selection =
        TableSelection::parse(build, query.source, query.generated, revision.release())?;
    Ok((revision, selection))
}

pub(super) async fn view<P: Hash>(
    api: &Api,
    accept: &Accept,
    (revision, selection): (&Resolved, TableSelection),
    (name, parameters): (&'static str, P),
    make: impl FnOnce(View<'_>, &TableSelection) -> Result<Vec<u8>, Problem> + Send + 'static,
) -> Result<Response, Problem> {
    let request = request(revision, name, (selection.clone(), parameters));
    respond::view(api, accept, request, move |snapshot, _| {
        let tables = snapshot.tables(&selection.profile);
        make(View::new(snapshot.inputs(), &tables), &selection)
    })
    .await
}

/// Like [`view`], for a page of a list.
pub(super) async fn page<P: Hash>(
    api: &Api,
    accept: &Accept,
    (revision, selection): (&Resolved, TableSelection),
    (name, parameters): (&'static str, P),
    make: impl FnOnce(View<'_>, &TableSelection) -> Result<(Vec<u8>, Option<String>), Problem>
    + Send
    + 'static,
) -> Result<Response, Problem> {
    let request = request(revision, name, (selection.clone(), parameters));
    respond::page(api, accept, request, move |snapshot, _| {
        let tables = snapshot.tables(&selection.profile);
        make(View::new(snapshot.inputs(), &tables), &selection)
    })
    .await
}

fn request<'a, P>(revision: &'a Resolved, view: &'static str, parameters: P) -> ViewRequest<'a, P> {
    ViewRequest {
        revision,
        view,
        parameters,
        media: Media::Json,
        making: Making::Parsed,
        effort: Effort::Much,
    }
}
