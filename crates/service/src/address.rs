//! Resolves an address (`LABEL`, a commit, `sha256:HEX`, `latest`) to a revision and the release
//! whose rules apply (`docs/spec/registry.md`, section 1).

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
use super::named::NameTarget;
use super::notes::JudgedRelease;
use super::views::count_look;

/// How long a revision that was found is assumed to exist.
pub const FRESH: Duration = Duration::from_secs(1);

const SUGGESTIONS: usize = 3;

const LATEST: &str = "latest";

/// A parsed address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// `latest`: the last revision on the project's timeline.
    Latest,
    /// A commit, a label, or `sha256:HEX`.
    Key(RevisionKey),
}

/// A resolved address.
#[derive(Debug, Clone)]
pub struct Resolved {
    /// The project.
    pub project: ProjectName,
    /// The revision.
    pub digest: Digest,
    /// The release whose rules apply.
    pub judged: JudgedRelease,
    /// The label that was resolved, if any.
    pub label: Option<LabelRecord>,
    /// How long the address refers to this revision.
    pub holds: Holds,
    /// Whether the address is the id of a commit.
    pub is_commit: bool,
}

/// How long a result stays valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// Forever: it was addressed by its whole digest.
    Always,
    /// As long as the database has this mark.
    While(Mark),
    /// Unknown.
    Now,
}

impl From<Option<Mark>> for Holds {
    fn from(mark: Option<Mark>) -> Self {
        mark.map_or(Self::Now, Self::While)
    }
}

impl Holds {
    /// The shorter of both.
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
    /// Parses an address. Fails if it is neither `latest` nor a label nor an abbreviated digest.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        match text {
            LATEST => Ok(Self::Latest),
            _ => RevisionKey::parse(text).map(Self::Key),
        }
    }
}

impl Resolved {
    /// The release whose rules apply.
    #[must_use]
    pub fn release(&self) -> Release {
        self.judged.release
    }

    /// A title for people: `pytorch 2.9.0`, or `pytorch sha256:1f0c2d3e`.
    #[must_use]
    pub fn title(&self) -> String {
        match &self.label {
            Some(label) => format!("{} {}", self.project, label.name),
            None => format!("{} sha256:{:.12}", self.project, self.digest.to_string()),
        }
    }
}

impl Service {
    /// Resolves an address. `release` overrides the release whose rules apply. Fails with
    /// [`ServiceError::Name`], [`ServiceError::Release`], [`ServiceError::OtherRelease`],
    /// [`ServiceError::NoRevisions`], and with errors of the store for missing data.
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
                    is_commit: false,
                });
            }
            Address::Key(RevisionKey::Label(name)) => Some(name),
            Address::Latest => None,
        };
        // Taken before reading, so that the result is valid for it.
        let mark = self.mark().await;
        let text = name.as_ref().map_or(LATEST, LabelName::as_str);
        let known = mark.and_then(|mark| {
            let known = self.names.find(mark, &project, text);
            count_look("names", known.is_some());
            known
        });
        let target = match (known, &name) {
            (Some(known), _) => known,
            (None, Some(name)) => self.named(&project, name).await?,
            (None, None) => self.latest(&project).await?,
        };
        if let Some(mark) = mark {
            self.names.keep(mark, &project, text, target.clone());
        }
        resolved(project, (target, name.is_some()), asked, mark.into())
    }

    /// The commit or label of this name. Commits take precedence, so that no label can shadow one.
    async fn named(
        &self,
        project: &ProjectName,
        name: &LabelName,
    ) -> Result<NameTarget, ServiceError> {
        if let Some((digest, judged)) = self.commit(project, name.as_str()).await? {
            return Ok(NameTarget::Revision(digest, judged));
        }
        match self.label_of(project, name).await {
            Ok(label) => Ok(NameTarget::Label(label)),
            Err(error) => {
                let error = as_revision(error);
                Err(self.misspelt(project, name.as_str(), error).await)
            }
        }
    }

    /// The label of this name, or one that is the same version: `v2.15.0` and `2.15` find `2.15.0`.
    pub(super) async fn label_of(
        &self,
        project: &ProjectName,
        name: &LabelName,
    ) -> Result<LabelRecord, StoreError> {
        let error = match self.store.label(project, name).await {
            Err(error @ StoreError::NotFound(Missing::Label { .. })) => error,
            other => return other,
        };
        let Some(version) = Version::parse(name.as_str()) else {
            return Err(error);
        };
        let labels = self.store.labels(project).await?;
        let is_same = |label: &LabelRecord| Version::parse(label.name.as_str()) == Some(version);
        labels.into_iter().find(is_same).ok_or(error)
    }

    /// The mark of the current state; see [`opatlas_store::Store::mark`].
    pub async fn mark(&self) -> Option<Mark> {
        self.store.mark().await
    }

    /// Starts to detect commits of other processes, so that answers can be cached.
    pub fn watch(&self) {
        self.store.watch();
    }

    /// Adds similar labels to the error about a missing revision or label.
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
        // If the labels cannot be read, there are no suggestions.
        let labels = self.store.labels(project).await.unwrap_or_default();
        let labels = labels.iter().map(|label| label.name.as_str());
        let latest = matches!(missing, Missing::Revision { .. }).then_some(LATEST);
        let near = nearest_few(name, labels.chain(latest), SUGGESTIONS);
        ServiceError::Misspelt {
            suggestions: near.into_iter().map(str::to_owned).collect(),
            missing,
        }
    }

    /// Remembers found revisions for a moment, also while the database is down.
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

    /// The highest version among the labels, else the last commit, else the last ingested revision.
    async fn latest(&self, project: &ProjectName) -> Result<NameTarget, ServiceError> {
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
            return Ok(NameTarget::Label(label));
        }
        if let Some(last) = self.store.last_commit(project).await? {
            return Ok(NameTarget::Revision(last.digest, judged(&last.commit)));
        }
        let last = self.store.revisions(project, None, 1).await?.items.pop();
        let Some(last) = last else {
            return Err(ServiceError::NoRevisions(project.clone()));
        };
        // Prefer a label with a release, which determines the rules.
        let labels = last.labels.into_iter();
        Ok(
            match labels.max_by_key(|label| (label.release.is_some(), label.moved_at)) {
                Some(label) => NameTarget::Label(label),
                None => NameTarget::Revision(last.digest, JudgedRelease::NEWEST),
            },
        )
    }
}

/// An unknown label is reported as an unknown revision.
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

/// A label's release cannot be overridden by another one.
/// Without a label, a name is that of a commit.
fn resolved(
    project: ProjectName,
    (target, is_named): (NameTarget, bool),
    asked: Option<JudgedRelease>,
    holds: Holds,
) -> Result<Resolved, ServiceError> {
    let label = match target {
        NameTarget::Label(label) => label,
        NameTarget::Revision(digest, judged) => {
            return Ok(Resolved {
                project,
                digest,
                judged: asked.unwrap_or(judged),
                label: None,
                holds,
                is_commit: is_named,
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
        is_commit: false,
    })
}

/// The stored release of a label, else the one that its name says.
pub(super) fn release_of(label: &LabelRecord) -> Option<JudgedRelease> {
    let text = label.release.as_deref().unwrap_or(label.name.as_str());
    JudgedRelease::parse(text).ok()
}
