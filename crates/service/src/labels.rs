//! Labels: read, set conditionally, delete.

use opatlas_pytorch::release::Version;
use opatlas_store::{
    Expected, LabelName, LabelOutcome, LabelRecord, LabelRequest, Missing, OnOtherRelease,
    ProjectName, StoreError,
};

use super::Service;
use super::error::ServiceError;
use super::ingest::of_label;
use super::notes::JudgedRelease;

/// Whether a protected label may be moved or deleted. Labels that look like versions are protected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Protection {
    /// No.
    #[default]
    Kept,
    /// Yes.
    Forced,
}

/// The caller's condition on a label.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Precondition {
    /// None.
    #[default]
    None,
    /// The label does not exist.
    Absent,
    /// The label equals this record.
    Same(LabelRecord),
    /// The condition does not hold.
    Failed,
}

/// A request to set a label.
#[derive(Debug, Clone)]
pub struct LabelMove<'a> {
    /// The project.
    pub project: &'a str,
    /// The label.
    pub label: &'a str,
    /// The address of the revision.
    pub revision: &'a str,
    /// The new release of the label.
    pub release: Option<&'a str>,
    /// The condition on the current label.
    pub precondition: Precondition,
    /// Whether a protected label may be moved.
    pub protection: Protection,
    /// The id of the token that sets it.
    pub caller: Option<&'a str>,
}

/// How long the token that created a label may correct it, in microseconds: an hour.
const CORRECTABLE: i64 = 3_600_000_000;

impl Protection {
    pub(super) fn expected(self, label: &LabelName, otherwise: Expected) -> Expected {
        match self {
            Self::Kept if is_version(label) => Expected::Unmoved,
            _ => otherwise,
        }
    }
}

/// The state of a label that a request without a condition expects.
pub(super) fn expected(
    protection: Protection,
    label: &LabelName,
    correction: Option<&LabelRecord>,
) -> Expected {
    match correction {
        // As it was when its creator was found to be allowed to move it.
        Some(record) if is_version(label) => Expected::Revision(record.digest),
        _ => protection.expected(label, Expected::Anything),
    }
}

pub(super) fn is_version(label: &LabelName) -> bool {
    is_version_text(label.as_str())
}

/// Whether a text would be a version label.
#[must_use]
pub fn is_version_text(text: &str) -> bool {
    Version::parse(text).is_some()
}

/// Of the labels that are versions of a release, the highest.
#[must_use]
pub fn highest_of<'a>(labels: &'a [LabelRecord], release: &JudgedRelease) -> Option<&'a LabelName> {
    let wanted = release.stored();
    let of_release = labels.iter().filter_map(|label| {
        let version = Version::parse(label.name.as_str())?;
        let own = JudgedRelease::parse(label.name.as_str()).ok()?;
        (own.stored() == wanted).then_some((version, &label.name))
    });
    let highest = of_release.max_by(|(a, _), (b, _)| a.cmp(b));
    highest.map(|(_, name)| name)
}

impl Service {
    /// All labels of a project, by name.
    pub async fn labels(&self, project: &str) -> Result<Vec<LabelRecord>, ServiceError> {
        Ok(self.store.labels(&ProjectName::parse(project)?).await?)
    }

    /// A label.
    pub async fn label(&self, project: &str, label: &str) -> Result<LabelRecord, ServiceError> {
        let project = ProjectName::parse(project)?;
        let label = LabelName::parse(label)?;
        match self.label_of(&project, &label).await {
            Ok(found) => Ok(found),
            Err(error) => Err(self.misspelt(&project, label.as_str(), error).await),
        }
    }

    /// A label, or `None` if the project has none of this name.
    pub async fn find_label(
        &self,
        project: &str,
        label: &str,
    ) -> Result<Option<LabelRecord>, ServiceError> {
        let project = ProjectName::parse(project)?;
        let label = LabelName::parse(label)?;
        match self.store.label(&project, &label).await {
            Ok(label) => Ok(Some(label)),
            Err(StoreError::NotFound(Missing::Label { .. })) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Points a label to a revision. Fails with [`ServiceError::Precondition`],
    /// [`ServiceError::Protected`], [`ServiceError::SameVersion`], [`ServiceError::KeepsRelease`], and with
    /// errors of the store.
    pub async fn set_label(&self, change: LabelMove<'_>) -> Result<LabelOutcome, ServiceError> {
        let project = ProjectName::parse(change.project)?;
        let name = LabelName::parse_new(change.label)?;
        let given = change.release.map(JudgedRelease::parse).transpose()?;
        self.expect_own_version(&project, &name, change.protection)
            .await?;
        let target = self.resolve(change.project, change.revision, None).await?;
        let digest = target.digest;
        let correction = self.correction(&project, &name, change.caller).await?;
        let protection = match correction {
            Some(_) => Protection::Forced,
            None => change.protection,
        };
        let expected = match (change.precondition, correction) {
            (Precondition::None, correction) => expected(protection, &name, correction.as_ref()),
            (Precondition::Failed, _) => return Err(ServiceError::Precondition(name)),
            (Precondition::Absent, _) => Expected::Nothing,
            (Precondition::Same(record), _) => {
                if protection == Protection::Kept && is_version(&name) && record.digest != digest {
                    return Err(ServiceError::Protected(name));
                }
                Expected::Revision(record.digest)
            }
        };
        let label_release = self.label_release(&project, &name, given).await?;
        let request = LabelRequest {
            release: label_release.stored,
            on_other_release: match protection {
                Protection::Kept => OnOtherRelease::Refuse,
                Protection::Forced => OnOtherRelease::Replace,
            },
            expected,
            creator: change.caller.map(str::to_owned),
            name,
        };
        let set = self
            .store
            .set_label(&project, &request, digest, self.now())
            .await;
        set.map_err(of_label)
    }

    /// Checks that a new label is not another spelling of a label, unless it is forced. Fails with
    /// [`ServiceError::SameVersion`].
    pub(super) async fn expect_own_version(
        &self,
        project: &ProjectName,
        label: &LabelName,
        protection: Protection,
    ) -> Result<(), ServiceError> {
        if protection == Protection::Forced || !is_version(label) {
            return Ok(());
        }
        match self.label_of(project, label).await {
            Ok(found) if found.name != *label => Err(ServiceError::SameVersion {
                label: label.clone(),
                existing: found.name,
            }),
            // What else is wrong is found when the label is set.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// The label, if the caller created it within the last hour and so may still correct it: move
    /// it, or give it another release, as if forced. Without a token nobody is its creator.
    pub(super) async fn correction(
        &self,
        project: &ProjectName,
        label: &LabelName,
        caller: Option<&str>,
    ) -> Result<Option<LabelRecord>, ServiceError> {
        let Some(caller) = caller else {
            return Ok(None);
        };
        let record = self.find_label(project.as_str(), label.as_str()).await?;
        let since = self.now().saturating_sub(CORRECTABLE);
        Ok(record.filter(|record| {
            record.creator.as_deref() == Some(caller)
                && record.created_at.is_some_and(|created| created >= since)
        }))
    }

    /// Returns true if a caller may still correct a label, and false for an unknown project or label.
    pub async fn may_correct(
        &self,
        project: &ProjectName,
        label: &str,
        caller: &str,
    ) -> Result<bool, ServiceError> {
        let Ok(label) = LabelName::parse(label) else {
            return Ok(false);
        };
        match self.correction(project, &label, Some(caller)).await {
            Ok(correction) => Ok(correction.is_some()),
            Err(ServiceError::Store(StoreError::NotFound(_))) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Deletes a label and returns it. Fails with [`ServiceError::Precondition`] and
    /// [`ServiceError::Protected`].
    pub async fn delete_label(
        &self,
        project: &str,
        label: &str,
        precondition: Precondition,
        protection: Protection,
    ) -> Result<LabelRecord, ServiceError> {
        let project = ProjectName::parse(project)?;
        let name = LabelName::parse(label)?;
        let expected = match precondition {
            Precondition::None => Expected::Anything,
            Precondition::Absent | Precondition::Failed => {
                return Err(ServiceError::Precondition(name));
            }
            Precondition::Same(record) => Expected::Revision(record.digest),
        };
        if protection == Protection::Kept && is_version(&name) {
            // Report an unknown label as such.
            self.store.label(&project, &name).await?;
            return Err(ServiceError::Protected(name));
        }
        let deleted = self.store.delete_label(&project, &name, expected).await;
        deleted.map_err(of_label)
    }
}
