//! What a new revision changes for an out-of-tree backend.

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::service::access::Action;
use crate::service::backend::{BackendCompared, Vendor};
use crate::service::{Resolved, ServiceError};
use opatlas_diff::backend::{BackendImpact, Cell};
use opatlas_report::backend::{csv, markdown, text, verdict};
use opatlas_report::changes::message::message;
use opatlas_source::Stop;

use super::access::Access;
use super::compare::{ComparePath, split};
use super::comparison::SideView;
use super::extract::{Path, Query};
use super::negotiate::{Media, Wishes};
use super::problem::{Document, PROBLEM_JSON, Problem};
use super::respond::{self, json};
use super::{Api, body};

/// The forms of the answer.
const FORMS: &[Media] = &[Media::Json, Media::Markdown, Media::Csv, Media::Text];
/// The media types of a backend file.
const YAML: [&str; 4] = [
    "application/yaml",
    "application/x-yaml",
    "text/yaml",
    "text/plain",
];

/// The path of a comparison for a stored backend.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub struct BackendPath {
    /// The project.
    #[param(example = "pytorch")]
    pub project: String,
    /// `BASE...HEAD`, both as revisions are addressed.
    #[param(example = "2.14.1...2.15.0")]
    pub range: String,
    /// The project whose last revision has the backend file.
    #[param(example = "acme-npu")]
    pub backend: String,
}

/// How a backend file is read.
#[derive(Debug, Clone, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub struct BackendQuery {
    /// The release whose rules apply to revisions that are addressed by digest.
    #[param(example = "2.15")]
    pub release: Option<String>,
    /// What the backend file is called, for files that are sent.
    #[param(example = "acme")]
    pub name: Option<String>,
}

/// What a new revision changes for a backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackendReport {
    /// The base.
    pub base: SideView,
    /// The head.
    pub head: SideView,
    /// The backend file, by its name in a bundle.
    #[schema(example = "backends/acme.yaml")]
    pub file: String,
    /// The dispatch key of its kernels.
    #[schema(example = "PrivateUse1")]
    pub key: &'static str,
    /// How many operators it lists.
    pub listed: usize,
    /// Whether the vendor has to act before the upgrade.
    pub breaks: bool,
    /// What it comes to, in a sentence.
    pub verdict: String,
    /// Operators that it lists and the head does not have.
    pub unknown: Vec<UnknownOperator>,
    /// `fail` where the vendor has to act before the upgrade, else `pass`.
    pub conclusion: &'static str,
    /// Kernels whose declarations differ; `old` and `new` are what torchgen declares for them.
    pub kernels: Vec<KernelView>,
    /// Types that are only written in another way. Kernels compile as they are.
    pub respelled: Vec<Respelled>,
    /// Operators that it lists and that changed for who registers kernels.
    pub changed: Vec<ChangedOperator>,
    /// Operators that it does not list, that something served before and nothing does now.
    pub lost: Vec<BackendCell>,
    /// Operators that the head has new and nothing serves on the backend.
    pub lacking: Vec<BackendCell>,
    /// Operators that the head has new and something else serves on the backend.
    pub inherited: Vec<BackendCell>,
}

/// An operator that a backend file lists and the head does not have.
#[derive(Debug, Serialize, ToSchema)]
pub struct UnknownOperator {
    /// The name as it is listed.
    pub operator: String,
    /// Whether the base has it.
    pub vanished: bool,
    /// Names in the head that are near.
    pub suggestions: Vec<String>,
}

/// A kernel whose declaration differs.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = KernelChange)]
pub struct KernelView {
    /// The operator.
    pub operator: String,
    /// The declaration for the base; null where its torchgen makes none.
    pub old: Option<String>,
    /// The declaration for the head; null where its torchgen makes none.
    pub new: Option<String>,
    /// Only parameters have other names, so the kernel compiles as it is.
    pub only_names: bool,
}

/// A type that is written in another way.
#[derive(Debug, Serialize, ToSchema)]
pub struct Respelled {
    /// How the base writes it.
    #[schema(example = "c10::optional")]
    pub old: &'static str,
    /// How the head writes it.
    #[schema(example = "::std::optional")]
    pub new: &'static str,
}

/// An operator that a backend file lists and that changed.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChangedOperator {
    /// The operator.
    pub operator: String,
    /// Whether its kernel must change.
    pub breaks: bool,
    /// What changed.
    pub changes: Vec<BackendChange>,
}

/// A change of an operator that a backend registers.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackendChange {
    /// The change rule.
    #[schema(example = "argument-added")]
    pub rule: &'static str,
    /// How bad it is, to everybody together.
    pub level: &'static str,
    /// What changed, in a sentence.
    pub message: String,
    /// What stood there before.
    pub old: Option<String>,
    /// What stands there now.
    pub new: Option<String>,
}

/// What serves an operator on the backend.
#[derive(Debug, Serialize, ToSchema)]
pub struct BackendCell {
    /// The operator.
    pub operator: String,
    /// Why.
    pub reason: &'static str,
    /// The registered key that serves.
    pub source_key: Option<&'static str>,
    /// Whether it is tagged `core`.
    pub core: bool,
}

/// What an upgrade costs a stored backend
///
/// What the head changes for the backend file of another project's last revision: operators that it
/// lists and that changed or vanished, new ones that it inherits or lacks.
#[utoipa::path(
    get,
    path = "/v1/projects/{project}/compare/{range}/backends/{backend}",
    tag = "comparisons",
    operation_id = "compare_for_backend",
    params(BackendPath, BackendQuery),
    responses(
        (status = 200, description = "What changes", content(
            (BackendReport = "application/json"),
            (String = "text/markdown"),
            (String = "text/csv"),
            (String = "text/plain"),
        )),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "The same revision twice, no such release, or no backend file that can be laid over the sides", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn stored(
    State(api): State<Api>,
    Path(path): Path<BackendPath>,
    Query(query): Query<BackendQuery>,
    access: Access,
    wishes: Wishes,
) -> Result<Response, Problem> {
    access.expect(Action::Read, &path.backend)?;
    let backend = api.service.resolve(&path.backend, "latest", None).await?;
    let snapshot = api.service.snapshot(&backend).await?;
    let vendor = Vendor::of(&snapshot.bundle);
    let vendor = vendor.ok_or_else(|| ServiceError::UnusableBackend {
        file: backend.title(),
        why: "it has no `backends/NAME.yaml`".to_owned(),
    })?;
    let range = ComparePath {
        project: path.project,
        range: path.range,
    };
    answer(&api, &wishes, &range, query.release.as_deref(), vendor).await
}

/// What an upgrade costs a backend
///
/// The same for a backend file that is sent. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/projects/{project}/compare/{range}",
    tag = "comparisons",
    operation_id = "compare_for_backend_file",
    params(ComparePath, BackendQuery),
    request_body(description = "The backend file", content((String = "application/yaml"))),
    responses(
        (status = 200, description = "What changes", content(
            (BackendReport = "application/json"),
            (String = "text/markdown"),
            (String = "text/csv"),
            (String = "text/plain"),
        )),
        (status = 404, description = "No such project or revision", body = Document, content_type = PROBLEM_JSON),
        (status = 409, description = "Another release, or an ambiguous digest", body = Document, content_type = PROBLEM_JSON),
        (status = 413, description = "Too large", body = Document, content_type = PROBLEM_JSON),
        (status = 415, description = "Not YAML", body = Document, content_type = PROBLEM_JSON),
        (status = 422, description = "The same revision twice, no such release, or a file that cannot be laid over the sides", body = Document, content_type = PROBLEM_JSON),
    ),
)]
pub async fn given(
    State(api): State<Api>,
    Path(path): Path<ComparePath>,
    Query(query): Query<BackendQuery>,
    wishes: Wishes,
    request: Request,
) -> Result<Response, Problem> {
    body::expect_media(request.headers(), &YAML)?;
    let bytes = body::collect(request, &api, api.service.limits().file_bytes).await?;
    let name = query.name.as_deref().unwrap_or("backend");
    let vendor = Vendor::new(name, bytes.to_vec())?;
    answer(&api, &wishes, &path, query.release.as_deref(), vendor).await
}

async fn answer(
    api: &Api,
    wishes: &Wishes,
    path: &ComparePath,
    release: Option<&str>,
    vendor: Vendor,
) -> Result<Response, Problem> {
    let media = wishes.media(FORMS)?;
    let service = &api.service;
    let (base, head) = split(&path.range, None)?;
    let head = service.resolve(&path.project, head, release).await?;
    let base = base.unwrap_or_default();
    let base = service.resolve(&path.project, base, release).await?;
    let old = service.snapshot(&base).await?;
    let new = service.snapshot(&head).await?;
    let file = vendor.file.clone();
    let make = move |stop: &Stop| {
        let compared = BackendCompared::new(&old, &new, &vendor, stop)?;
        let impact = compared.impact();
        let impact = impact.ok_or_else(|| ServiceError::UnusableBackend {
            file: file.clone(),
            why: "its `backend` is no dispatch key of both releases".to_owned(),
        })?;
        let (from, to) = (base.title(), head.title());
        Ok::<_, Problem>(match media {
            Media::Markdown => markdown(&impact, &file, &from, &to).into_bytes(),
            Media::Csv => csv(&impact).into_bytes(),
            Media::Text => text(&impact, &file, &from, &to).into_bytes(),
            _ => json(&view(&impact, file, side(&base), side(&head))),
        })
    };
    let bytes = service.make(make).await?;
    respond::bytes(api, wishes, StatusCode::OK, media, bytes).await
}

fn side(resolved: &Resolved) -> SideView {
    SideView {
        title: resolved.title(),
        project: Some(resolved.project.to_string()),
        revision: format!("sha256:{}", resolved.digest),
        label: resolved.label.as_ref().map(|label| label.name.to_string()),
        release: resolved.release().as_str(),
    }
}

/// What a new revision changes for a backend, on the wire.
#[must_use]
pub fn view(
    impact: &BackendImpact<'_>,
    file: String,
    base: SideView,
    head: SideView,
) -> BackendReport {
    let unknown = impact.unknown.iter().map(|unknown| UnknownOperator {
        operator: unknown.name.clone(),
        vanished: unknown.vanished,
        suggestions: unknown.near.clone(),
    });
    let changed = impact.changed.iter().map(|changed| ChangedOperator {
        operator: changed.operator.clone(),
        breaks: changed.breaks,
        changes: changed
            .changes
            .iter()
            .map(|change| BackendChange {
                rule: change.rule.id.as_str(),
                level: change.level.as_str(),
                message: message(change),
                old: change.old.as_ref().map(|side| side.text.to_string()),
                new: change.new.as_ref().map(|side| side.text.to_string()),
            })
            .collect(),
    });
    let kernels = impact.declarations.kernels.iter();
    let kernels = kernels.map(|kernel| KernelView {
        operator: kernel.operator.clone(),
        old: kernel.old.clone(),
        new: kernel.new.clone(),
        only_names: kernel.only_names,
    });
    let respelled = impact.declarations.respelled.iter();
    BackendReport {
        base,
        head,
        file,
        key: impact.key,
        listed: impact.listed,
        breaks: impact.breaks(),
        verdict: verdict(impact),
        conclusion: match impact.breaks() {
            true => "fail",
            false => "pass",
        },
        unknown: unknown.collect(),
        kernels: kernels.collect(),
        respelled: respelled
            .map(|&(old, new)| Respelled { old, new })
            .collect(),
        changed: changed.collect(),
        lost: impact.lost.iter().map(cell).collect(),
        lacking: impact.lacking().map(cell).collect(),
        inherited: impact.inherited().map(cell).collect(),
    }
}

fn cell(cell: &Cell) -> BackendCell {
    BackendCell {
        operator: cell.operator.clone(),
        reason: cell.reason.as_str(),
        source_key: cell.source_key,
        core: cell.is_core,
    }
}
