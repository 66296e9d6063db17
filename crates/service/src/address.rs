//! From an address (`LABEL`, a commit, `sha256:HEX`, `latest`) to a revision and the release that applies
//! (`docs/spec/registry.md`, section 1).

use std::time::{Duration, Instant};

use opatlas_pytorch::release::{Release, Version};
use opatlas_source::Digest;
use opatlas_source::suggest::nearest_few;
use opatlas_store::{
    DigestPrefix, LabelName, LabelRecord, Mark, Missing, NameError, ProjectName, RevisionKey,
    StoreError,
};

use super::Service;
use super::error::ServiceError;
use super::history::judged;
use super::named::Meant;
use super::notes::JudgedRelease;
use super::views::count_look;

/// For how long a revision that was there is taken to be there still.
pub const FRESH: Duration = Duration::from_secs(1);

/// How many near labels an error names.
const SUGGESTIONS: usize = 3;

/// The address of the last revision on the timeline.
const LATEST: &str = "latest";

/// How a revision is pointed at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// `latest`: the last on the project's timeline.
    Latest,
    /// A commit, else `LABEL`; or `sha256:HEX`.
    Key(RevisionKey),
}

/// The revision that an address means, and the release that applies to it.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The project.
    pub project: ProjectName,
    /// The revision.
    pub digest: Digest,
    /// The release, and how it was named.
    pub judged: JudgedRelease,
    /// The label that the address came by.
    pub label: Option<LabelRecord>,
    /// For how long the address means this revision.
    pub holds: Holds,
}

/// For how long something is as it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// For ever: it was addressed by its whole digest.
    Always,
    /// As long as the database has this mark.
    While(Mark),
    /// It is not known.
    Now,
}

impl From<Option<Mark>> for Holds {
    fn from(mark: Option<Mark>) -> Self {
        mark.map_or(Self::Now, Self::While)
    }
}

impl Holds {
    /// For how long both are as they were found.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Always, other) => other,
            (own, Self::Always) => own,
            (own, other) if own == other => own,
            _ => Self::Now,
        }
    }
}

impl Address {
    /// Reads an address.
    ///
    /// # Errors
    /// When it is neither `latest` nor a label nor the beginning of a digest.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        match text {
            LATEST => Ok(Self::Latest),
            _ => RevisionKey::parse(text).map(Self::Key),
        }
    }
}

impl Resolved {
    /// The release that applies.
    #[must_use]
    pub fn release(&self) -> Release {
        self.judged.release
    }

    /// The revision in words: `pytorch 2.9.0`, or `pytorch sha256:1f0c2d3e`.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.label {
            Some(label) => format!("{} {}", self.project, label.name),
            None => format!("{} sha256:{:.12}", self.project, self.digest.to_string()),
        }
    }
}

impl Service {
    /// Finds the revision that `address` means; `release` is what the caller asks to judge it as.
    ///
    /// # Errors
    /// [`ServiceError::Name`] and [`ServiceError::Release`] for malformed input,
    /// [`ServiceError::OtherRelease`] if the label belongs to another release,
    /// [`ServiceError::NoRevisions`], and errors of the store for missing data.
    pub async fn resolve(
        &self,
        project: &str,
        address: &str,
        release: Option<&str>,
    ) -> Result<Resolved, ServiceError> {
        let project = ProjectName::parse(project)?;
        let address = Address::parse(address)?;
        let asked = release.map(JudgedRelease::parse).transpose()?;
        let name = match address {
            Address::Key(RevisionKey::Digest(prefix)) => {
                let holds = match prefix.whole() {
                    Some(_) => Holds::Always,
                    None => self.mark().await.into(),
                };
                let digest = self.digest(&project, prefix).await?;
                return Ok(Resolved {
                    project,
                    digest,
                    judged: asked.unwrap_or(JudgedRelease::NEWEST),
                    label: None,
                    holds,
                });
            }
            Address::Key(RevisionKey::Label(name)) => Some(name),
            Address::Latest => None,
        };
        // Before the look, so that what it finds holds for the mark.
        let mark = self.mark().await;
        let text = name.as_ref().map_or(LATEST, LabelName::as_str);
        let known = mark.and_then(|mark| {
            let known = self.names.find(mark, &project, text);
            count_look("names", known.is_some());
            known
        });
        let meant = match (known, &name) {
            (Some(known), _) => known,
            (None, Some(name)) => self.named(&project, name).await?,
            (None, None) => self.latest(&project).await?,
        };
        if let Some(mark) = mark {
            self.names.keep(mark, &project, text, meant.clone());
        }
        resolved(project, meant, asked, mark.into())
    }

    /// The commit or label of this name. A commit comes first, so that no label answers in its place.
    async fn named(&self, project: &ProjectName, name: &LabelName) -> Result<Meant, ServiceError> {
        if let Some((digest, judged)) = self.commit(project, name.as_str()).await? {
            return Ok(Meant::Revision(digest, judged));
        }
        match self.store.label(project, name).await {
            Ok(label) => Ok(Meant::Label(label)),
            Err(error) => {
                let error = as_revision(error);
                Err(self.misspelt(project, name.as_str(), error).await)
            }
        }
    }

    /// The mark of what is committed, see [`opatlas_store::Store::mark`].
    pub async fn mark(&self) -> Option<Mark> {
        self.store.mark().await
    }

    /// Begins to watch what other processes commit, so that answers may be kept.
    pub fn watch(&self) {
        self.store.watch();
    }

    /// The error of a missing revision or label, with the labels of the project that are near.
    pub(super) async fn misspelt(
        &self,
        project: &ProjectName,
        name: &str,
        error: StoreError,
    ) -> ServiceError {
        let missing = match error {
            StoreError::NotFound(missing @ (Missing::Revision { .. } | Missing::Label { .. })) => {
                missing
            }
            other => return other.into(),
        };
        // Without the labels, the error is the same without suggestions.
        let labels = self.store.labels(project).await.unwrap_or_default();
        let labels = labels.iter().map(|label| label.name.as_str());
        let latest = matches!(missing, Missing::Revision { .. }).then_some(LATEST);
        let near = nearest_few(name, labels.chain(latest), SUGGESTIONS);
        ServiceError::Misspelt {
            suggestions: near.into_iter().map(str::to_owned).collect(),
            missing,
        }
    }

    /// The digest that begins so. That a project has a revision is remembered, so that a revision
    /// addressed by its whole digest is served from memory: for a moment without asking the
    /// database, and while the database is away. Deleted by another process, it may be served for
    /// that moment.
    async fn digest(
        &self,
        project: &ProjectName,
        prefix: DigestPrefix,
    ) -> Result<Digest, ServiceError> {
        let seen = match prefix.whole() {
            Some(digest) => {
                let seen = self.known.get(&(project.clone(), digest)).await;
                seen.map(|at| (digest, at))
            }
            None => None,
        };
        if let Some((digest, at)) = seen
            && at.elapsed() < FRESH
        {
            return Ok(digest);
        }
        let key = RevisionKey::Digest(prefix);
        match (self.store.resolve(project, &key).await, seen) {
            (Ok(digest), _) => {
                let key = (project.clone(), digest);
                self.known.insert(key, Instant::now()).await;
                Ok(digest)
            }
            (Err(StoreError::Unavailable { .. }), Some((digest, _))) => Ok(digest),
            (Err(error), _) => Err(error.into()),
        }
    }

    /// The last on the timeline: the highest version among labels, else the last commit, else the
    /// last ingested.
    async fn latest(&self, project: &ProjectName) -> Result<Meant, ServiceError> {
        let labels = self.store.labels(project).await?;
        let versions = labels.into_iter().filter_map(|label| {
            let version = Version::parse(label.name.as_str())?;
            Some((version, label))
        });
        let highest = versions.max_by(|(a, x), (b, y)| {
            a.cmp(b)
                .then(x.sequence.cmp(&y.sequence))
                .then_with(|| y.name.cmp(&x.name))
        });
        if let Some((_, label)) = highest {
            return Ok(Meant::Label(label));
        }
        if let Some(last) = self.store.last_commit(project).await? {
            return Ok(Meant::Revision(last.digest, judged(&last.commit)));
        }
        let last = self.store.revisions(project, None, 1).await?.items.pop();
        let Some(last) = last else {
            return Err(ServiceError::NoRevisions(project.clone()));
        };
        // A label with a release determines how to judge its revision; any label points to a
        // revision.
        let labels = last.labels.into_iter();
        Ok(
            match labels.max_by_key(|label| (label.release.is_some(), label.moved_at)) {
                Some(label) => Meant::Label(label),
                None => Meant::Revision(last.digest, JudgedRelease::NEWEST),
            },
        )
    }
}

/// For a label in place of a revision, the revision is missing.
fn as_revision(error: StoreError) -> StoreError {
    match error {
        StoreError::NotFound(Missing::Label { project, label }) => Missing::Revision {
            project,
            key: RevisionKey::Label(label),
        }
        .into(),
        other => other,
    }
}

/// The release belongs to the label; only a revision without one leaves it to the caller.
fn resolved(
    project: ProjectName,
    meant: Meant,
    asked: Option<JudgedRelease>,
    holds: Holds,
) -> Result<Resolved, ServiceError> {
    let label = match meant {
        Meant::Label(label) => label,
        Meant::Revision(digest, judged) => {
            return Ok(Resolved {
                project,
                digest,
                judged: asked.unwrap_or(judged),
                label: None,
                holds,
            });
        }
    };
    let own = release_of(&label);
    let judged = match (own, asked) {
        (Some(own), Some(asked)) if own.stored() != asked.stored() => {
            return Err(ServiceError::OtherRelease {
                label: label.name,
                stored: own.stored(),
                given: asked.stored(),
            });
        }
        (Some(own), _) => own,
        (None, asked) => asked.unwrap_or(JudgedRelease::NEWEST),
    };
    Ok(Resolved {
        project,
        digest: label.digest,
        judged,
        label: Some(label),
        holds,
    })
}

/// The release of a label: the stored one, else the one that the label looks like.
pub(super) fn release_of(label: &LabelRecord) -> Option<JudgedRelease> {
    let text = label.release.as_deref().unwrap_or(label.name.as_str());
    JudgedRelease::parse(text).ok()
}
