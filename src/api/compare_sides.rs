//! The two sides of a comparison: stored revisions, or files that a request brings.

use serde::Deserialize;
use utoipa::ToSchema;

use crate::service::access::Action;
use crate::service::policy::{ExceptionText, PolicyText};
use crate::service::{Reader, Resolved, ServiceError};
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, Stop};

use super::Api;
use super::access::Access;
use super::bundle::Files;
use super::compare_report::Read;
use super::comparison::SideView;
use super::lift::Lifted;
use super::problem::{Kind, Problem};
use super::stateless::judged;

/// Two sides to compare.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({
    "base": {"files": {"native_functions.yaml": "- func: f(Tensor self, int dim) -> Tensor\n"}},
    "head": {"files": {"native_functions.yaml": "- func: f(Tensor self, int axis) -> Tensor\n"}}
}))]
pub struct CompareBody {
    /// The base.
    pub base: SideBody,
    /// The head.
    pub head: SideBody,
    /// What the comparison is judged by; by default the policy of the project of a stored side,
    /// the head's first.
    #[schema(value_type = Option<Object>)]
    pub policy: Option<PolicyText>,
    /// What is excused, besides the exceptions of that project.
    #[serde(default)]
    #[schema(value_type = Vec<super::exceptions::NewException>)]
    pub exceptions: Vec<ExceptionText>,
}

/// A side: files, or a stored revision.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SideBody {
    /// The files of a bundle, by name; those of both sides have at most 16 MiB together.
    #[schema(value_type = Option<std::collections::BTreeMap<String, String>>)]
    pub files: Option<Files>,
    /// The project of a stored revision.
    pub project: Option<String>,
    /// The address of a stored revision.
    pub revision: Option<String>,
    /// What people call it, for files: `this pull request`.
    pub title: Option<String>,
    /// The release whose rules apply to this side.
    pub release: Option<String>,
}

/// Reads a stored revision.
pub(super) async fn read(api: &Api, resolved: Resolved) -> Result<Read, Problem> {
    let snapshot = api.service.checked(&resolved).await?;
    Ok(Read {
        view: SideView {
            title: resolved.title(),
            project: Some(resolved.project.to_string()),
            revision: format!("sha256:{}", resolved.digest),
            label: resolved.label.as_ref().map(|label| label.name.to_string()),
            release: resolved.release().as_str(),
        },
        snapshot,
        resolved: Some(resolved),
    })
}

/// Where the files of both sides stand in the body.
pub(super) const FILES: &[&[&str]] = &[&["base", "files"], &["head", "files"]];

/// A side of a comparison.
pub(super) enum Side {
    /// A stored revision.
    Stored(Box<Read>),
    /// Files that a request brings, still to be read.
    Given {
        bundle: Bundle,
        release: Release,
        title: String,
    },
}

impl Side {
    /// The stored revision that it is.
    pub(super) fn resolved(&self) -> Option<&Resolved> {
        match self {
            Self::Stored(read) => read.resolved.as_ref(),
            Self::Given { .. } => None,
        }
    }

    /// The side, read where it is not yet.
    pub(super) fn read(self, reader: &Reader, stop: &Stop) -> Result<Read, ServiceError> {
        match self {
            Self::Stored(read) => Ok(*read),
            Self::Given {
                bundle,
                release,
                title,
            } => {
                let snapshot = reader.judge(bundle, release, stop)?;
                Ok(Read {
                    view: SideView {
                        title,
                        project: None,
                        revision: format!("sha256:{}", snapshot.digest),
                        label: None,
                        release: snapshot.release().as_str(),
                    },
                    snapshot,
                    resolved: None,
                })
            }
        }
    }
}

/// Finds a side of a request, and reads it where it is stored.
pub(super) async fn side(
    api: &Api,
    access: &Access,
    (side, lifted): (SideBody, &mut Lifted),
    name: &'static str,
    release: Option<&str>,
) -> Result<Side, Problem> {
    let release = side.release.as_deref().or(release);
    match (side.files, side.project, side.revision) {
        (Some(files), None, None) => {
            let bundle = files.bundle(lifted)?;
            api.service.admit(&bundle)?;
            Ok(Side::Given {
                bundle,
                release: judged(release)?.release,
                title: side.title.unwrap_or_else(|| name.to_owned()),
            })
        }
        (None, Some(project), Some(revision)) => {
            access.expect(Action::Read, &project)?;
            let resolved = api.service.resolve(&project, &revision, release).await?;
            Ok(Side::Stored(Box::new(read(api, resolved).await?)))
        }
        _ => {
            let detail = format!("`{name}` must have either `files`, or `project` and `revision`");
            Err(Problem::new(Kind::MalformedBody, detail).about(name))
        }
    }
}

/// Where both sides are of one project: the page of their comparison, by digest.
pub(super) fn permalink(api: &Api, base: &Resolved, head: &Resolved) -> Option<String> {
    let root = api.config.public_url.as_deref().unwrap_or_default();
    (base.project == head.project).then(|| {
        format!(
            "{}/p/{}/compare/sha256:{}...sha256:{}",
            root.trim_end_matches('/'),
            head.project,
            base.digest,
            head.digest
        )
    })
}
