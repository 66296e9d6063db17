//! The routes for workers of the probe (`docs/probe.md`).

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;

use crate::http::Api;
use crate::http::body;
use crate::http::extract::{Json, Path, from_json_object, parsed};
use crate::http::middleware::access::Access;
use crate::http::negotiate::{Accept, JSON, Media};
use crate::http::respond;
use opatlas_service::probe::LARGEST_BODY;
use opatlas_store::Renewal;
use opatlas_wire::paths::ProjectPath;
use opatlas_wire::probe::{
    LeaseRelease, LeaseRenewal, LeaseRequest, LeaseView, NewProbeRun, NewProbeTables, ProbeDone,
    ProbeProgress, ProbeResults, ProbeRunPath, ProbeRunView, ShardPath, ShardResultBody,
};
use opatlas_wire::problem::{Document, PROBLEM_JSON, Problem};

/// Open a run
///
/// Creates a run of the probe, or joins the one with the same key. The items are split into shards of
/// about equal work, based on earlier times. A project keeps the last 200 runs of each token.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/probe/runs",
    tag = "probe",
    operation_id = "open_probe_run",
    params(ProjectPath),
    request_body = NewProbeRun,
    responses(
        (status = 200, description = "The run", body = ProbeRunView),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "The revision is of another release than the worker, or the \
                                      run is of something else", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn open(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    access: Access,
    accept: Accept,
    request: Request,
) -> Result<Response, Problem> {
    let bytes = large(&api, request).await?;
    let size = bytes.len();
    let asked: NewProbeRun = parsed(&api, size, move || from_json_object(&bytes)).await?;
    let run = api
        .service
        .open_probe_run(&path.project, asked.into(), access.token())
        .await?;
    respond::value(&api, &accept, StatusCode::OK, &ProbeRunView::from(run)).await
}

/// Progress of a run
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/probe/runs/{run}",
    tag = "probe",
    operation_id = "get_probe_run",
    params(ProbeRunPath),
    responses(
        (status = 200, description = "The progress of the run and of each rank", body = ProbeProgress),
        (status = 404, description = "No such project or run", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn progress(
    State(api): State<Api>,
    Path(path): Path<ProbeRunPath>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let progress = api.service.probe_progress(&path.project, &path.run).await?;
    respond::value(
        &api,
        &accept,
        StatusCode::OK,
        &ProbeProgress::from(progress),
    )
    .await
}

/// Results of a run
///
/// The rows of all finished shards, by part and item. They do not depend on how the work was divided.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/probe/runs/{run}/results",
    tag = "probe",
    operation_id = "get_probe_results",
    params(ProbeRunPath),
    responses(
        (status = 200, description = "The rows", body = ProbeResults),
        (status = 404, description = "No such project or run", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "The results are too large", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn results(
    State(api): State<Api>,
    Path(path): Path<ProbeRunPath>,
    accept: Accept,
) -> Result<Response, Problem> {
    accept.media(JSON)?;
    let rows = api.service.probe_results(&path.project, &path.run).await?;
    respond::bytes(&api, &accept, StatusCode::OK, Media::Json, rows).await
}

/// Lease a shard
///
/// Answers with a shard, with the time to wait for one, or with the end of the run. The lease is a
/// secret, and valid only with the token that took it.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/probe/runs/{run}/lease",
    tag = "probe",
    operation_id = "lease_probe_shard",
    params(ProbeRunPath),
    request_body = LeaseRequest,
    responses(
        (status = 200, description = "A shard, or what to do instead", body = LeaseView),
        (status = 404, description = "No such project or run", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn lease(
    State(api): State<Api>,
    Path(path): Path<ProbeRunPath>,
    access: Access,
    accept: Accept,
    Json(request): Json<LeaseRequest>,
) -> Result<Response, Problem> {
    let worker = request.worker.into();
    let leased = api
        .service
        .lease_shard(&path.project, &path.run, &worker, access.token())
        .await?;
    respond::value(&api, &accept, StatusCode::OK, &LeaseView::from(leased)).await
}

/// Renew a lease
///
/// Reports the item that runs now, and an item that killed its process. An item that kills two
/// processes is quarantined.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/probe/runs/{run}/shards/{shard}/renew",
    tag = "probe",
    operation_id = "renew_probe_lease",
    params(ShardPath),
    request_body = LeaseRenewal,
    responses(
        (status = 200, description = "Renewed", body = ProbeDone),
        (status = 404, description = "No such project, run or shard", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "The lease has ended or is another worker's", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn renew(
    State(api): State<Api>,
    Path(path): Path<ShardPath>,
    access: Access,
    accept: Accept,
    Json(renewal): Json<LeaseRenewal>,
) -> Result<Response, Problem> {
    let said = Renewal {
        begun: renewal.begun.as_deref(),
        killed: renewal.killed.as_deref(),
        kills: renewal.kills.map(i64::from),
    };
    let shard = (&*path.run, path.shard);
    let renewed =
        api.service
            .renew_lease(&path.project, shard, (&renewal.lease, access.token()), said);
    renewed.await?;
    respond::value(&api, &accept, StatusCode::OK, &ProbeDone {}).await
}

/// Give a shard back
///
/// Ends a lease early. This does not count against the items.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/probe/runs/{run}/shards/{shard}/release",
    tag = "probe",
    operation_id = "release_probe_lease",
    params(ShardPath),
    request_body = LeaseRelease,
    responses(
        (status = 200, description = "Given back", body = ProbeDone),
        (status = 404, description = "No such project, run or shard", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "The lease has ended or is another worker's", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn release(
    State(api): State<Api>,
    Path(path): Path<ShardPath>,
    access: Access,
    accept: Accept,
    Json(release): Json<LeaseRelease>,
) -> Result<Response, Problem> {
    let shard = (&*path.run, path.shard);
    let released =
        api.service
            .release_lease(&path.project, shard, (&release.lease, access.token()));
    released.await?;
    respond::value(&api, &accept, StatusCode::OK, &ProbeDone {}).await
}

/// Send the result of a shard
///
/// The first result of a shard is stored. Sending it again has no effect.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/probe/runs/{run}/shards/{shard}",
    tag = "probe",
    operation_id = "finish_probe_shard",
    params(ShardPath),
    request_body = ShardResultBody,
    responses(
        (status = 200, description = "The same result was stored before", body = ProbeDone),
        (status = 201, description = "Stored", body = ProbeDone),
        (status = 404, description = "No such project, run or shard", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "The lease has ended or is another worker's, or the shard has another result", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "The rows do not match the digest or the items", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn finish(
    State(api): State<Api>,
    Path(path): Path<ShardPath>,
    access: Access,
    accept: Accept,
    request: Request,
) -> Result<Response, Problem> {
    let bytes = large(&api, request).await?;
    let shard = (&*path.run, path.shard);
    let is_new = api
        .service
        .finish_shard(&path.project, shard, access.token(), bytes)
        .await?;
    respond::value(&api, &accept, stored(is_new), &ProbeDone {}).await
}

/// Send the tables of a process
///
/// Equal dumps are stored once. A revision has at most 200 different ones.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/probe/tables",
    tag = "probe",
    operation_id = "add_probe_tables",
    params(ProjectPath),
    request_body = NewProbeTables,
    responses(
        (status = 200, description = "The revision has this dump", body = ProbeDone),
        (status = 201, description = "Stored", body = ProbeDone),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "The dump or the process is of another release", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large, or the revision has too many dumps", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not JSON", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "The dump does not match the digest, or no such release", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn tables(
    State(api): State<Api>,
    Path(path): Path<ProjectPath>,
    accept: Accept,
    request: Request,
) -> Result<Response, Problem> {
    let bytes = large(&api, request).await?;
    let is_new = api.service.add_dump(&path.project, bytes).await?;
    respond::value(&api, &accept, stored(is_new), &ProbeDone {}).await
}

async fn large(api: &Api, request: Request) -> Result<Bytes, Problem> {
    body::expect_media(request.headers(), &["application/json"])?;
    body::collect(request, api, LARGEST_BODY).await
}

fn stored(is_new: bool) -> StatusCode {
    if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    }
}
