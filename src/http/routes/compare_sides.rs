//! The two sides of a comparison: stored revisions, or files in the request.

use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, Stop};

use crate::http::Api;
use crate::http::middleware::access::Access;
use crate::http::routes::stateless::judged;
use opatlas_service::access::Action;
use opatlas_service::companions;
use opatlas_service::{Reader, Resolved, ServiceError};
use opatlas_wire::compare::CompareQuery;
use opatlas_wire::compare_sides::SideBody;
use opatlas_wire::judged_comparison::{ComparedSide, note_of_release};
use opatlas_wire::problem::{Kind, Problem};

pub(crate) async fn read(api: &Api, resolved: Resolved) -> Result<ComparedSide, Problem> {
    let snapshot = api.service.snapshot(&resolved).await?;
    Ok(ComparedSide::stored(resolved, snapshot))
}

pub(crate) enum Side {
    Stored(Box<ComparedSide>),
    /// Files in a request, not parsed yet.
    Given {
        bundle: Bundle,
        /// `None` for that of the other side, else the newest.
        release: Option<Release>,
        title: String,
        is_complete: bool,
        notes: Vec<String>,
    },
}

impl Side {
    fn release(&self) -> Option<Release> {
        match self {
            Self::Stored(side) => Some(side.snapshot.release()),
            Self::Given { release, .. } => *release,
        }
    }

    /// Gives the release of one side to the other, if that has none. The head notes it.
    pub(crate) fn share_release(base: &mut Self, head: &mut Self) {
        let own = (base.release(), head.release());
        let note = match (&mut *base, &mut *head, own) {
            (Self::Given { release, title, .. }, _, (None, Some(other)))
            | (_, Self::Given { release, title, .. }, (Some(other), None)) => {
                *release = Some(other);
                note_of_release(title, other)
            }
            _ => None,
        };
        match head {
            Self::Stored(side) => side.notes.extend(note),
            Self::Given { notes, .. } => notes.extend(note),
        }
    }

    pub(crate) fn resolved(&self) -> Option<&Resolved> {
        match self {
            Self::Stored(side) => side.resolved.as_ref(),
            Self::Given { .. } => None,
        }
    }

    pub(crate) fn read(self, reader: &Reader, stop: &Stop) -> Result<ComparedSide, ServiceError> {
        match self {
            Self::Stored(side) => Ok(*side),
            Self::Given {
                bundle,
                release,
                title,
                is_complete,
                mut notes,
            } => {
                let release = release.unwrap_or(Release::LATEST);
                let side = ComparedSide::files(reader.judge(bundle, release, stop)?, title);
                notes.extend(companions::unread_lists(&side.snapshot.catalogue));
                Ok(ComparedSide {
                    notes,
                    is_complete,
                    ..side
                })
            }
        }
    }

    /// Files that the head lacks come from the base, unless the head is complete.
    pub(crate) fn read_with_base(
        mut self,
        base: &ComparedSide,
        reader: &Reader,
        stop: &Stop,
    ) -> Result<ComparedSide, ServiceError> {
        let lent = match &mut self {
            Self::Given {
                bundle,
                is_complete: false,
                ..
            } => companions::complete(&base.snapshot.bundle, bundle),
            Self::Given { .. } | Self::Stored(_) => Vec::new(),
        };
        let mut head = self.read(reader, stop)?;
        head.notes.extend(lent);
        head.compare_files(base);
        Ok(head)
    }
}

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
                release: match release {
                    Some(_) => Some(judged(release)?.release),
                    None => None,
                },
                title: side.title.unwrap_or_else(|| name.to_owned()),
                is_complete: side.complete,
                notes: Vec::new(),
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

/// The address of the comparison's page by digest, with the options of `query`, if both sides
/// belong to one project.
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
