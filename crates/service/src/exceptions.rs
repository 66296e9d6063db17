//! Validation of new exceptions.
//!
//! A project rejects an exception that has expired or whose operator the project never had.
//! `opatlas.toml` and requests may have such exceptions, because files outlive their purpose;
//! comparisons report them as `allow-list-expired` and `allow-list-unused`.

use std::sync::Arc;

use opatlas_diff::policy::{Line, Until, is_subject};
use opatlas_diff::tag_of_member;
use opatlas_store::{ExceptionRecord, ProjectName};

use super::Service;
use super::address::Resolved;
use super::error::ServiceError;
use super::policy::{self, ExceptionText, PolicyFault};
use super::snapshot::Snapshot;

impl Service {
    pub(super) async fn expect_meant(
        &self,
        project: &ProjectName,
        record: &ExceptionRecord,
    ) -> Result<(), ServiceError> {
        let exception = ExceptionText::of_record(record).exception(&*record.id)?;
        let stored = self.store.exceptions(project).await?;
        policy::expect_room(&stored, exception.is_pattern())?;
        let latest = self.expect_to_come(project, record).await?;
        match latest.filter(|_| !exception.is_pattern()) {
            // A pattern, or the project has no revisions yet.
            None => Ok(()),
            Some(latest) => {
                self.expect_operator(project, &latest, &record.operator)
                    .await
            }
        }
    }

    pub(super) async fn expect_to_come(
        &self,
        project: &ProjectName,
        record: &ExceptionRecord,
    ) -> Result<Option<Resolved>, ServiceError> {
        let exception = ExceptionText::of_record(record).exception(&*record.id)?;
        if let Some(Until::Date(end)) = exception.until
            && end < self.today()
        {
            let why = format!("{end} is in the past; use today or a later day");
            return Err(PolicyFault::new("until", why).into());
        }
        let latest = match self.resolve(project.as_str(), "latest", None).await {
            Ok(latest) => latest,
            Err(ServiceError::NoRevisions(_)) => return Ok(None),
            Err(error) => return Err(error),
        };
        if let Some(Until::Release(end)) = &exception.until
            && Line::parse(&latest.judged.stored()).is_ok_and(|newest| end.line() < newest)
        {
            let why = format!(
                "release {} is in the past: the latest revision of the project belongs to {}; use \
                 that or a later release",
                end.as_str(),
                latest.judged.stored()
            );
            return Err(PolicyFault::new("until", why).into());
        }
        Ok(Some(latest))
    }

    async fn expect_operator(
        &self,
        project: &ProjectName,
        latest: &Resolved,
        name: &str,
    ) -> Result<(), ServiceError> {
        let snapshot: Arc<Snapshot> = self.snapshot(latest).await?;
        if is_subject(&snapshot.catalogue, name) {
            return Ok(());
        }
        if let Some(tag) = tag_of_member(name) {
            let why = format!("`tags.yaml` of the latest revision declares no tag `{tag}`");
            return Err(PolicyFault::new("operator", why).into());
        }
        let timeline = self.timeline(project.as_str(), None).await?;
        let bare = name.strip_prefix("aten::").unwrap_or(name);
        match self.expect_ever(&timeline, bare).await {
            Ok(()) => Ok(()),
            Err(ServiceError::UnknownOperator { suggestions, .. }) => {
                let near = match suggestions.first() {
                    Some(near) => format!("; did you mean `{near}`?"),
                    None => String::new(),
                };
                let why = format!("no revision of the project has an operator `{name}`{near}");
                Err(PolicyFault::new("operator", why).into())
            }
            Err(error) => Err(error),
        }
    }
}
