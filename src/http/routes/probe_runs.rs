//! Probe runs: the list, and what a run measured next to the verdicts (`docs/probe.md`).

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use crate::http::Api;
use crate::http::extract::{Path, Query};
use crate::http::negotiate::{Accept, JSON, LIST, Media};
use crate::http::page;
use crate::http::page::Cursors;
use crate::http::respond;
use crate::http::stream::push_line;
use opatlas_service::probe::Seen;
use opatlas_service::{ServiceError, ViewId};
use opatlas_store::StoreError;
use opatlas_wire::json::json;
use opatlas_wire::page::PageQuery;
use opatlas_wire::paths::ProjectPath;
use opatlas_wire::probe::{ProbeProgress, ProbeRunPath};
use opatlas_wire::probe_runs::{
    ProbeRunItem, ProbeRunList, ProbeVerdictQuery, ProbeVerdicts, VerdictPage,
};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Runs
///
/// The runs of a project, last opened first.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/probe/runs",
    tag = "probe",
    operation_id = "list_probe_runs",
    params(ProjectPath, PageQuery),
    responses(
        (status = 200, description = "A page of runs; or all of them, one per line", content(
            (ProbeRunList = "application/json"),
            (ProbeRunItem = "application/x-ndjson"),
        )),
        (status = 404, description = "No such project", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn list(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    Query(query): Query<PageQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    let media = accept.media(LIST)?;
    let limit = page::limit(query.limit)?;
    let cursors = Cursors::of(ViewId::of_program("probe runs", &path.project));
    let before = match &query.cursor {
        Some(cursor) => Some(cursors.decode_number(cursor)?),
        None => None,
    };
    if media == Media::NdJson && query.limit.is_none() {
        return lines(&api, &accept, &path.project, before).await;
    }
    let page = api.service.probe_runs(&path.project, before, limit).await?;
    let next = page.next.map(|place| cursors.encode(&place.to_string()));
    let list = ProbeRunList {
        items: page.items.into_iter().map(Into::into).collect(),
        next_cursor: next.clone(),
    };
    let mut response = respond::list(&api, &accept, media, (&list, &list.items)).await?;
    page::mark(&mut response, next);
    Ok(response)
}

async fn lines(
    api: &Api,
    accept: &Accept,
    project: &str,
    mut before: Option<i64>,
) -> Result<Response, Problem> {
    let mut text = Vec::new();
    loop {
        let page = api.service.probe_runs(project, before, page::MAX_LIMIT);
        let page = page.await?;
        for run in page.items {
            push_line(&mut text, &ProbeRunItem::from(run));
        }
        before = page.next;
        if before.is_none() {
            break;
        }
    }
    let bytes = api.service.hold(text)?;
    respond::bytes(api, accept, StatusCode::OK, Media::NdJson, bytes).await
}

/// A run and the verdicts
///
/// What the operators did on the device, next to what the verdicts of the revision predict for its
/// dispatch key. A missing kernel contradicts a verdict that calls work, and a test that ran contradicts
/// one that calls fail. Anything else says nothing, and is unknown.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/probe/runs/{run}/verdicts",
    tag = "probe",
    operation_id = "get_probe_verdicts",
    params(ProbeRunPath, ProbeVerdictQuery),
    responses(
        (status = 200, description = "A page of tests, with the counts of all", body = ProbeVerdicts),
        (status = 404, description = "No such project or run", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "The results are too large", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn verdicts(
    State(api): State<Api>,
    Path(path): Path<ProbeRunPath>,
    Query(query): Query<ProbeVerdictQuery>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let limit = page::limit(query.limit)? as usize;
    let list = (&path.project, &path.run, query.agrees);
    let cursors = Cursors::of(ViewId::of_program("probe verdicts", &list));
    let after = match &query.cursor {
        Some(cursor) => Some(cursors.decode(cursor)?),
        None => None,
    };
    let service = &api.service;
    let run = service.probe_progress(&path.project, &path.run).await?;
    let run = ProbeProgress::from(run);
    let revision = service.revision_of_run(&path.project, &run.digest, &run.torch);
    let revision = revision.await?;
    let results = service.probe_results(&path.project, &path.run).await?;
    let snapshot = service.snapshot(&revision).await?;
    let made = service.make_parts(move |stop| {
        let seen = Seen::read(&results)
            .map_err(|error| ServiceError::from(StoreError::corrupt(format!("a run: {error}"))))?;
        let judged = snapshot.judge_run(&run.device, seen, stop)?;
        let page = VerdictPage {
            agrees: query.agrees,
            after: after.as_deref(),
            limit,
        };
        let (mut view, has_more) = ProbeVerdicts::page(&run, &revision, judged, page);
        let last = view.items.last().filter(|_| has_more);
        view.next_cursor = last.map(|last| cursors.encode(&last.item));
        Ok::<_, Problem>(respond::with_next(json(&view), view.next_cursor))
    });
    respond::bytes_of_page(&api, &accept, Media::Json, &made.await?).await
}
