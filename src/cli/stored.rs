//! Access to stored data for commands: in a database that this process opens, or on a server.

use std::sync::Arc;

use opatlas_service::compare::{Rulebook, labelled};
use opatlas_service::history::Line;
use opatlas_service::policy::ExceptionText;
use opatlas_service::{
    Ingest, Ingested, Protection, Resolved, Service, ServiceError, Snapshot, Summary,
};
use opatlas_source::Bundle;
use opatlas_source::suggest::nearest;
use opatlas_store::{ExceptionRecord, LabelRecord, Missing, Opening, ProjectName, StoreError};
use opatlas_wire::history::History;
use opatlas_wire::problem::Kind;

use super::remote::{self, Remote};
use super::target::Target;
use super::{local, suggesting};

const MANY_PROJECTS: u32 = 1000;

pub(super) enum Stored {
    Database(Arc<Service>),
    Server(Box<Remote>),
}

pub(super) struct IngestOutcome {
    pub(super) digest: String,
    pub(super) is_new: bool,
    pub(super) release: String,
    pub(super) summary: Summary,
}

pub(super) struct HistoryRequest<'a> {
    pub(super) project: &'a str,
    pub(super) operator: &'a str,
    pub(super) line: Option<Line>,
    pub(super) from: Option<&'a str>,
    pub(super) to: Option<&'a str>,
    pub(super) key: Option<&'a str>,
}

impl From<Ingested> for IngestOutcome {
    fn from(ingested: Ingested) -> Self {
        Self {
            digest: ingested.outcome.digest.to_string(),
            is_new: ingested.outcome.created,
            release: ingested.judged.release.to_string(),
            summary: ingested.snapshot.summary(),
        }
    }
}

impl Stored {
    pub(super) async fn open(target: &Target, opening: Opening) -> anyhow::Result<Self> {
        Ok(match target {
            Target::Database(database) => Self::Database(local::open(database, opening).await?),
            Target::Server(server) => Self::Server(Box::new(Remote::open(server).await?)),
        })
    }

    pub(super) async fn close(&self) {
        if let Self::Database(service) = self {
            service.close().await;
        }
    }

    pub(super) async fn resolve(
        &self,
        project: &str,
        address: &str,
        release: Option<&str>,
    ) -> anyhow::Result<Resolved> {
        let resolved = match self {
            Self::Database(service) => {
                let resolved = service.resolve(project, address, release).await;
                resolved.map_err(suggesting)
            }
            Self::Server(remote) => remote.resolve(project, address, release).await,
        };
        self.of_project(project, resolved).await
    }

    pub(super) async fn snapshot(&self, revision: &Resolved) -> anyhow::Result<Arc<Snapshot>> {
        Ok(match self {
            Self::Database(service) => service.snapshot(revision).await?,
            Self::Server(remote) => remote.snapshot(revision).await?,
        })
    }

    pub(super) async fn bundle(&self, revision: &Resolved) -> anyhow::Result<Bundle> {
        Ok(match self {
            Self::Database(service) => service.snapshot(revision).await?.bundle.clone(),
            Self::Server(remote) => remote.bundle(revision).await?,
        })
    }

    pub(super) async fn dump(
        &self,
        revision: &Resolved,
        digest: Option<&str>,
    ) -> anyhow::Result<(Option<String>, String)> {
        let (digest, text) = match self {
            Self::Database(service) => {
                let (record, text) = service.dump(revision, digest).await?;
                (record.digest.to_string(), text)
            }
            Self::Server(remote) => remote.dump(revision, digest).await?,
        };
        Ok((Some(digest), text))
    }

    pub(super) async fn labels(&self, project: &str) -> anyhow::Result<Vec<LabelRecord>> {
        let labels = match self {
            Self::Database(service) => service.labels(project).await.map_err(Into::into),
            Self::Server(remote) => remote.labels(project).await.map_err(Into::into),
        };
        self.of_project(project, labels).await
    }

    pub(super) async fn rulebook(&self, project: &ProjectName) -> anyhow::Result<Rulebook> {
        let rulebook = match self {
            Self::Database(service) => {
                let rulebook = service.rulebook(project).await;
                rulebook.map(|it| Rulebook::clone(&it)).map_err(Into::into)
            }
            Self::Server(remote) => remote.rulebook(project).await.map_err(Into::into),
        };
        self.of_project(project.as_str(), rulebook).await
    }

    pub(super) async fn against(
        &self,
        project: &ProjectName,
        against: &str,
        head: Option<&Resolved>,
    ) -> anyhow::Result<Vec<Resolved>> {
        let digest = head.map(|head| head.digest);
        let remote = match self {
            Self::Database(service) => {
                let against = service.against(project, against, digest, head).await;
                return against.map_err(suggesting);
            }
            Self::Server(remote) => remote,
        };
        if against != "all" && against != "latest" {
            return Ok(vec![remote.resolve(project.as_str(), against, None).await?]);
        }
        let labels = remote.labels(project.as_str()).await?;
        let mut found = labelled(project, labels, digest, head);
        if against == "latest" {
            found.truncate(1);
        }
        Ok(found)
    }

    /// Errors about unknown names have similar names.
    pub(super) async fn history(&self, asked: &HistoryRequest<'_>) -> anyhow::Result<History> {
        let HistoryRequest {
            project,
            operator,
            line,
            from,
            to,
            key,
        } = *asked;
        let service = match self {
            Self::Database(service) => service,
            Self::Server(remote) => {
                ProjectName::parse(project)?;
                let within = (from, to);
                let history = remote.history(project, operator, line, within, key).await;
                return self.of_project(project, history.map_err(Into::into)).await;
            }
        };
        let timeline = service.timeline(project, line).await;
        let timeline = self
            .of_project(project, timeline.map_err(Into::into))
            .await?;
        let range = timeline.range(from, to).map_err(suggesting)?;
        let history = service.history(&timeline, operator, range, key).await;
        Ok(opatlas_wire::history::view(&history.map_err(suggesting)?))
    }

    pub(super) async fn of_project<T>(
        &self,
        project: &str,
        result: anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let error = match result {
            Err(error) if is_unknown_project(&error) => error,
            other => return other,
        };
        // Without the list of names, there are no suggestions.
        let names = match self {
            Self::Database(service) => {
                let projects = service
                    .projects(None, MANY_PROJECTS)
                    .await
                    .map(|page| page.items)
                    .unwrap_or_default();
                projects.into_iter().map(|it| it.name.to_string()).collect()
            }
            Self::Server(remote) => remote.project_names().await.unwrap_or_default(),
        };
        let near = nearest(project, names.iter().map(|name| &**name));
        Err(match near {
            Some(near) => anyhow::anyhow!("{error}. Did you mean `{near}`?"),
            None => error,
        })
    }

    pub(super) async fn ensure_project(&self, project: &str) -> anyhow::Result<()> {
        ProjectName::parse(project)?;
        match self {
            Self::Database(service) => local::ensure_project(service, project).await,
            Self::Server(remote) => Ok(remote.ensure_project(project).await?),
        }
    }

    /// Checks whether bundles may be stored under a label, before they are fetched.
    pub(super) async fn expect_ingest(
        &self,
        project: &str,
        label: Option<&str>,
        protection: Protection,
    ) -> anyhow::Result<()> {
        match self {
            Self::Database(_) => Ok(()),
            Self::Server(remote) => Ok(remote.expect_ingest(project, label, protection).await?),
        }
    }

    pub(super) async fn ingest(&self, ingest: Ingest<'_>) -> anyhow::Result<IngestOutcome> {
        Ok(match self {
            Self::Database(service) => service.ingest(ingest).await?.into(),
            Self::Server(remote) => remote.ingest(ingest).await?,
        })
    }

    pub(super) async fn add_exception(
        &self,
        project: &str,
        exception: &ExceptionText,
    ) -> anyhow::Result<ExceptionRecord> {
        match self {
            Self::Database(service) => Ok(service.add_exception(project, exception).await?),
            Self::Server(remote) => {
                let record = exception.record(String::new(), local::now())?;
                Ok(remote.add_exception(project, record).await?)
            }
        }
    }

    pub(super) async fn exceptions(&self, project: &str) -> anyhow::Result<Vec<ExceptionRecord>> {
        ProjectName::parse(project)?;
        let exceptions = match self {
            Self::Database(service) => service.exceptions(project).await.map_err(Into::into),
            Self::Server(remote) => remote.exceptions(project).await.map_err(Into::into),
        };
        self.of_project(project, exceptions).await
    }

    /// Fails if `until` is neither a day nor a release, or lies in the past.
    pub(super) async fn extend_exception(
        &self,
        project: &str,
        id: &str,
        until: &str,
    ) -> anyhow::Result<ExceptionRecord> {
        ProjectName::parse(project)?;
        Ok(match self {
            Self::Database(service) => service.extend_exception(project, id, until).await?,
            Self::Server(remote) => remote.extend_exception(project, id, until).await?,
        })
    }

    pub(super) async fn delete_exception(&self, project: &str, id: &str) -> anyhow::Result<()> {
        ProjectName::parse(project)?;
        match self {
            Self::Database(service) => service.delete_exception(project, id).await?,
            Self::Server(remote) => remote.delete_exception(project, id).await?,
        }
        Ok(())
    }
}

fn is_unknown_project(error: &anyhow::Error) -> bool {
    let of_service = error.downcast_ref::<ServiceError>().map(ServiceError::root);
    let of_server = error.downcast_ref::<remote::Error>();
    matches!(
        of_service,
        Some(ServiceError::Store(StoreError::NotFound(Missing::Project(
            _
        ))))
    ) || of_server.is_some_and(|error| error.is(Kind::UnknownProject))
}
