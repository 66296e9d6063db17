//! The two sides of a comparison: stored revisions, or files that a request brings.

use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, Stop};

use crate::http::Api;
use crate::http::middleware::access::Access;
use crate::http::routes::compare_report::Read;
use crate::http::routes::stateless::judged;
use opatlas_service::access::Action;
use opatlas_service::companions;
use opatlas_service::{Reader, Resolved, ServiceError};
use opatlas_wire::compare::CompareQuery;
use opatlas_wire::compare_sides::SideBody;
use opatlas_wire::comparison::SideView;
use opatlas_wire::problem::{Kind, Problem};

/// Reads a stored revision. The comparison runs the rules.
pub(crate) async fn read(api: &Api, resolved: Resolved) -> Result<Read, Problem> {
    let snapshot = api.service.snapshot(&resolved).await?;
    Ok(Read::of(resolved, snapshot))
}

/// Reads both sides.
pub(crate) async fn read_both(
    api: &Api,
    base: Resolved,
    head: Resolved,
) -> Result<(Read, Read), Problem> {
    Ok((read(api, base).await?, read(api, head).await?))
}

/// A side of a comparison.
pub(crate) enum Side {
    /// A stored revision.
    Stored(Box<Read>),
    /// Files in a request, not parsed yet.
    Given {
        bundle: Bundle,
        release: Release,
        title: String,
    },
}

impl Side {
    /// Its stored revision.
    pub(crate) fn resolved(&self) -> Option<&Resolved> {
        match self {
            Self::Stored(read) => read.resolved.as_ref(),
            Self::Given { .. } => None,
        }
    }

    /// The side as the head of a comparison: files of the base that it was given without are those
    /// of the base. Returns notes about files that one side lacks.
    pub(crate) fn completed(mut self, base: &Bundle) -> (Self, Vec<String>) {
        let mut notes = Vec::new();
        if let Self::Given { bundle, .. } = &mut self {
            notes = companions::complete(base, bundle);
        }
        let own = match &self {
            Self::Stored(read) => &read.snapshot.bundle,
            Self::Given { bundle, .. } => bundle,
        };
        notes.extend(companions::missing(base, own));
        (self, notes)
    }

    /// The side, parsed on first use.
    pub(crate) fn read(self, reader: &Reader, stop: &Stop) -> Result<Read, ServiceError> {
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

/// Resolves a side of a request, and reads it if it is stored.
pub(crate) async fn side(
    api: &Api,
    access: &Access,
    side: SideBody,
    name: &'static str,
    release: Option<&str>,
) -> Result<Side, Problem> {
    let release = side.release.as_deref().or(release);
    match (side.files, side.project, side.revision) {
        (Some(files), None, None) => {
            let bundle = files.bundle()?;
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

/// The page of their comparison by digest, if both sides belong to one project. It shows the verdict
/// that `query` asks for.
pub(crate) fn permalink(
    api: &Api,
    (base, head): (&Resolved, &Resolved),
    query: &CompareQuery,
) -> Option<String> {
    let root = api.config.public_url.as_deref().unwrap_or_default();
    (base.project == head.project).then(|| {
        format!(
            "{}/p/{}/compare/sha256:{}...sha256:{}{}",
            root.trim_end_matches('/'),
            head.project,
            base.digest,
            head.digest,
            query.judging(),
        )
    })
}
