//! Whether a model runs on backends.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use opatlas_model::Limits;
use opatlas_report::preflight::{markdown, text};
use opatlas_source::Stop;
use opatlas_store::ProjectName;

use crate::http::Api;
use crate::http::body;
use crate::http::bundle::parts;
use crate::http::extract::Query;
use crate::http::middleware::access::{Access, project_name};
use crate::http::negotiate::{Accept, Media};
use crate::http::respond;
use opatlas_service::access::Action;
use opatlas_service::backend::Vendor;
use opatlas_service::dispatch::runtime_key;
use opatlas_service::preflight::{Backend, DEFAULT_KEYS, Purpose};
use opatlas_service::{JudgedRelease, Resolved, ServiceError, Snapshot, highest_of};
use opatlas_wire::comparison::SideView;
use opatlas_wire::json::json;
use opatlas_wire::preflight::{
    PreflightAnswer, PreflightQuery, backends, expect_backends, refusal, report, view,
};
use opatlas_wire::problem::{Document, Kind, PROBLEM_JSON, Problem};

const FORMS: &[Media] = &[Media::Json, Media::Markdown, Media::Text];

/// The media types of a model.
const MODEL: [&str; 5] = [
    "application/octet-stream",
    "application/zip",
    "text/plain",
    "text/csv",
    "application/json",
];

const MULTIPART: &str = "multipart/form-data";

/// The name of the part with the model.
const MODEL_PART: &str = "model";

/// The project of a request that names none.
const PROJECT: &str = "pytorch";

/// Judge a model
///
/// Whether a model runs on backends, which operator fails first and where, and which kernels would make
/// it run. The model is an exported program (`.pt2`), a TorchScript archive, a printed graph, or a list
/// of operators. Nothing is stored, and no pickle is loaded.
#[utoipa::path(
    post,
    path = "/v1/preflight",
    tag = "stateless",
    operation_id = "preflight",
    params(PreflightQuery),
    request_body(
        description = "The model, alone or as the part `model` with the files of backends as other parts",
        content(
            (String = "application/octet-stream", example = "aten.mm.default,3\n"),
            (std::collections::BTreeMap<String, String> = "multipart/form-data"),
        ),
    ),
    responses(
        (status = 200, description = "The answer", content(
            (PreflightAnswer = "application/json"),
            (String = "text/markdown"),
            (String = "text/plain"),
        )),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not the media type of a model", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "No such release or backend, an alias key, or an unusable backend file", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn preflight(
    State(api): State<Api>,
    Query(query): Query<PreflightQuery>,
    access: Access,
    accept: Accept,
    request: Request,
) -> Result<Response, Problem> {
    let media = accept.media(FORMS)?;
    let asked = Asked::read(request, &api).await?;
    access.expect(Action::Read, query.project.as_deref().unwrap_or(PROJECT))?;
    let (revision, snapshot) = revision(&api, &query).await?;
    let mut chosen = chosen(&api, &access, &snapshot, query.backend.as_deref()).await?;
    chosen.extend(
        asked
            .files
            .into_iter()
            .map(|file| Chosen::File(Box::new(file))),
    );
    if chosen.is_empty() {
        chosen.extend(DEFAULT_KEYS.map(|key| Chosen::Key(key.to_owned())));
    }
    let purpose = match query.training {
        Some(true) => Purpose::Training,
        _ => Purpose::Inference,
    };
    let model = asked.model;
    let make = move |stop: &Stop| {
        let model = opatlas_model::read(&model, &Limits::default());
        let model = model.map_err(|refused| refusal(&refused))?;
        stop.check()?;
        let backends = chosen.iter().map(|it| it.backend(&snapshot, stop));
        let backends: Vec<Backend> = backends.collect::<Result<_, _>>()?;
        expect_backends(&backends)?;
        let side = SideView::of_revision(&revision);
        let answer = view((side, &snapshot), model, &backends, purpose, stop)?;
        Ok::<_, Problem>(match media {
            Media::Markdown => markdown(&report(&answer)).into_bytes(),
            Media::Text => text(&report(&answer)).into_bytes(),
            _ => json(&answer),
        })
    };
    let bytes = api.service.make(make).await?;
    respond::bytes(&api, &accept, StatusCode::OK, media, bytes).await
}

/// A model, and the files of backends that came with it.
struct Asked {
    model: Vec<u8>,
    files: Vec<Vendor>,
}

impl Asked {
    async fn read(request: Request, api: &Api) -> Result<Self, Problem> {
        let limit = api.service.limits().bundle_bytes;
        let media = body::media(request.headers());
        match media.as_deref() {
            Some(media) if MODEL.contains(&media) => Ok(Self {
                model: body::collect(request, api, limit).await?.to_vec(),
                files: Vec::new(),
            }),
            Some(MULTIPART) => Self::of_parts(request, api).await,
            media => {
                let all: Vec<&str> = MODEL.into_iter().chain([MULTIPART]).collect();
                Err(body::unsupported(media, &all))
            }
        }
    }

    async fn of_parts(request: Request, api: &Api) -> Result<Self, Problem> {
        let malformed = |text: &str| Problem::new(Kind::MalformedBody, text);
        let (mut model, mut files) = (None, Vec::new());
        let name = |part: Option<&str>, file: Option<&str>| {
            let is_model = part == Some(MODEL_PART);
            let name = if is_model { part } else { file.or(part) };
            Ok(name.unwrap_or_default().to_owned())
        };
        let largest = api.service.limits().bundle_bytes;
        for (name, bytes) in parts(request, api, largest, name).await? {
            match &*name {
                MODEL_PART => model = Some(bytes),
                _ => files.push(Vendor::new(&name, bytes)?),
            }
        }
        let model = model.ok_or_else(|| malformed("the body has no part `model`"))?;
        Ok(Self { model, files })
    }
}

/// The revision of the query.
async fn revision(api: &Api, query: &PreflightQuery) -> Result<(Resolved, Arc<Snapshot>), Problem> {
    let service = &api.service;
    let project = query.project.as_deref().unwrap_or(PROJECT);
    let release = query.release.as_deref();
    let resolved = match (&query.revision, release) {
        (Some(revision), release) => service.resolve(project, revision, release).await?,
        (None, Some(release)) => {
            let label = label_of(api, project, release).await?;
            service.resolve(project, &label, None).await?
        }
        (None, None) => service.resolve(project, "latest", None).await?,
    };
    let snapshot = service.snapshot(&resolved).await?;
    Ok((resolved, snapshot))
}

/// The highest label of a release.
async fn label_of(api: &Api, project: &str, release: &str) -> Result<String, Problem> {
    let release = JudgedRelease::parse(release).map_err(ServiceError::Release)?;
    let labels = api.service.labels(project).await?;
    let highest = highest_of(&labels, &release).map(ToString::to_string);
    highest.ok_or_else(|| {
        let wanted = release.stored();
        let text = format!("no label of project `{project}` is a version of {wanted}");
        Problem::new(Kind::UnknownRevision, text)
    })
}

/// A backend of the query or the body.
enum Chosen {
    Key(String),
    File(Box<Vendor>),
}

impl Chosen {
    fn backend(&self, snapshot: &Arc<Snapshot>, stop: &Stop) -> Result<Backend, ServiceError> {
        match self {
            Self::Key(key) => Backend::of_key(snapshot, key),
            Self::File(vendor) => Backend::of_file(snapshot, vendor, stop),
        }
    }
}

/// The backends of the query: runtime keys, and projects that have the files of a backend.
async fn chosen(
    api: &Api,
    access: &Access,
    snapshot: &Snapshot,
    names: Option<&str>,
) -> Result<Vec<Chosen>, Problem> {
    let mut chosen = Vec::new();
    for name in backends(names.unwrap_or_default()) {
        let unknown = match runtime_key(snapshot.release(), name) {
            Ok(_) => {
                chosen.push(Chosen::Key(name.to_owned()));
                continue;
            }
            Err(unknown) => unknown,
        };
        // Whether a project exists is for those to know who may read it.
        let project = project_name(name)
            .ok()
            .filter(|project| access.sees(project));
        let vendor = match project {
            Some(project) => vendor(api, &project).await,
            None => None,
        };
        chosen.push(Chosen::File(Box::new(vendor.ok_or(unknown)?)));
    }
    Ok(chosen)
}

/// The files of a backend in the last revision of a project, under its name.
async fn vendor(api: &Api, project: &ProjectName) -> Option<Vendor> {
    let name = project.as_str();
    let backend = api.service.resolve(name, "latest", None).await.ok()?;
    let snapshot = api.service.snapshot(&backend).await.ok()?;
    let mut vendor = Vendor::of(&snapshot.bundle)?;
    name.clone_into(&mut vendor.name);
    Some(vendor)
}
