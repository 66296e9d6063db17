//! What is stored, wherever that is: in a database that this process opens, or at a server. What
//! commands ask for is the same, and so is what they make of the answers.

use std::sync::Arc;

use crate::service::compare::{Rulebook, labelled};
use crate::service::history::Line;
use crate::service::policy::ExceptionText;
use crate::service::{Ingest, Ingested, Protection, Resolved, Service, Snapshot, Summary};
use crate::store::{ExceptionRecord, LabelRecord, Opening, ProjectName};
use crate::wire;
use crate::wire::history::History;
use opatlas_source::Bundle;

use super::remote::Remote;
use super::target::Target;
use super::{local, suggesting};

/// Opened, to be asked.
pub(super) enum Stored {
    /// A database, by the service.
    Database(Arc<Service>),
    /// A server, by its API.
    Server(Box<Remote>),
}

/// What came of taking a bundle in.
pub(super) struct Taken {
    /// The revision's digest, in hexadecimal digits.
    pub(super) digest: String,
    /// Whether it is new.
    pub(super) is_new: bool,
    /// The release that it was judged as.
    pub(super) release: String,
    /// What was found.
    pub(super) summary: Summary,
}

/// What is asked of an operator's history.
pub(super) struct Asked<'a> {
    pub(super) project: &'a str,
    pub(super) operator: &'a str,
    pub(super) line: Option<Line>,
    pub(super) from: Option<&'a str>,
    pub(super) to: Option<&'a str>,
    pub(super) key: Option<&'a str>,
}

impl From<Ingested> for Taken {
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
    /// Opens the database to do no more with it than is said, or finds the server.
    ///
    /// # Errors
    /// When it cannot be opened or reached.
    pub(super) async fn open(target: &Target, opening: Opening) -> anyhow::Result<Self> {
        Ok(match target {
            Target::Database(database) => Self::Database(local::open(database, opening).await?),
            Target::Server(server) => Self::Server(Box::new(Remote::open(server).await?)),
        })
    }

    /// Waits for work in progress.
    pub(super) async fn close(&self) {
        if let Self::Database(service) = self {
            service.close().await;
        }
    }

    /// The revision that an address means, as [`Service::resolve`] finds it.
    ///
    /// # Errors
    /// As there.
    pub(super) async fn resolve(
        &self,
        project: &str,
        address: &str,
        release: Option<&str>,
    ) -> anyhow::Result<Resolved> {
        match self {
            Self::Database(service) => Ok(service.resolve(project, address, release).await?),
            Self::Server(remote) => remote.resolve(project, address, release).await,
        }
    }

    /// A revision, read.
    ///
    /// # Errors
    /// When it is not there any more.
    pub(super) async fn snapshot(&self, revision: &Resolved) -> anyhow::Result<Arc<Snapshot>> {
        Ok(match self {
            Self::Database(service) => service.snapshot(revision).await?,
            Self::Server(remote) => remote.snapshot(revision).await?,
        })
    }

    /// The files of a revision, byte for byte.
    ///
    /// # Errors
    /// When it is not there any more.
    pub(super) async fn bundle(&self, revision: &Resolved) -> anyhow::Result<Bundle> {
        Ok(match self {
            Self::Database(service) => service.snapshot(revision).await?.bundle.clone(),
            Self::Server(remote) => remote.bundle(revision).await?,
        })
    }

    /// The digest and the text of a dump of a revision, as [`Service::dump`] finds it.
    ///
    /// # Errors
    /// As there.
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

    /// The labels of a project, by name.
    ///
    /// # Errors
    /// If the project does not exist.
    pub(super) async fn labels(&self, project: &str) -> anyhow::Result<Vec<LabelRecord>> {
        Ok(match self {
            Self::Database(service) => service.labels(project).await?,
            Self::Server(remote) => remote.labels(project).await?,
        })
    }

    /// What comparisons of a project are judged by.
    ///
    /// # Errors
    /// If the project does not exist.
    pub(super) async fn rulebook(&self, project: &ProjectName) -> anyhow::Result<Rulebook> {
        Ok(match self {
            Self::Database(service) => Rulebook::clone(&*service.rulebook(project).await?),
            Self::Server(remote) => remote.rulebook(project).await?,
        })
    }

    /// The revisions to hold a head against, as [`Service::against`] finds them.
    ///
    /// # Errors
    /// As there.
    pub(super) async fn against(
        &self,
        project: &ProjectName,
        against: &str,
        head: Option<&Resolved>,
    ) -> anyhow::Result<Vec<Resolved>> {
        let digest = head.map(|head| head.digest);
        let remote = match self {
            Self::Database(service) => {
                return Ok(service.against(project, against, digest, head).await?);
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

    /// An operator's history.
    ///
    /// # Errors
    /// If the operator, key or revision does not exist; the error has similar names.
    pub(super) async fn history(&self, asked: &Asked<'_>) -> anyhow::Result<History> {
        let Asked {
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
                return Ok(remote.history(project, operator, line, within, key).await?);
            }
        };
        let timeline = service.timeline(project, line).await?;
        let range = timeline.range(from, to).map_err(suggesting)?;
        let history = service.history(&timeline, operator, range, key).await;
        Ok(wire::history::view(&history.map_err(suggesting)?))
    }

    /// Makes the project if it is not there.
    ///
    /// # Errors
    /// When its name is none.
    pub(super) async fn ensure_project(&self, project: &str) -> anyhow::Result<()> {
        ProjectName::parse(project)?;
        match self {
            Self::Database(service) => local::ensure_project(service, project).await,
            Self::Server(remote) => Ok(remote.ensure_project(project).await?),
        }
    }

    /// Finds out whether bundles may be taken in, before they are fetched at some cost.
    ///
    /// # Errors
    /// When a server says that they may not.
    pub(super) async fn expect_ingest(
        &self,
        project: &str,
        protection: Protection,
    ) -> anyhow::Result<()> {
        match self {
            Self::Database(_) => Ok(()),
            Self::Server(remote) => Ok(remote.expect_ingest(project, protection).await?),
        }
    }

    /// Takes a bundle in, as [`Service::ingest`] does.
    ///
    /// # Errors
    /// As there.
    pub(super) async fn ingest(&self, ingest: Ingest<'_>) -> anyhow::Result<Taken> {
        Ok(match self {
            Self::Database(service) => service.ingest(ingest).await?.into(),
            Self::Server(remote) => remote.ingest(ingest).await?,
        })
    }

    /// Accepts a change in a project.
    ///
    /// # Errors
    /// If it is empty or invalid.
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

    /// The exceptions of a project, oldest first.
    ///
    /// # Errors
    /// If the project does not exist.
    pub(super) async fn exceptions(&self, project: &str) -> anyhow::Result<Vec<ExceptionRecord>> {
        ProjectName::parse(project)?;
        Ok(match self {
            Self::Database(service) => service.exceptions(project).await?,
            Self::Server(remote) => remote.exceptions(project).await?,
        })
    }

    /// Changes when an exception ends: on a day, or with a release.
    ///
    /// # Errors
    /// `until` is neither a day nor a release, or lies in the past; or the project has no exception
    /// with this id.
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

    /// Takes an exception away.
    ///
    /// # Errors
    /// When there is none of this id.
    pub(super) async fn delete_exception(&self, project: &str, id: &str) -> anyhow::Result<()> {
        ProjectName::parse(project)?;
        match self {
            Self::Database(service) => service.delete_exception(project, id).await?,
            Self::Server(remote) => remote.delete_exception(project, id).await?,
        }
        Ok(())
    }
}
