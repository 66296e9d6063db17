//! Stored revisions: records and files.

use std::sync::Arc;

use opatlas_store::{Page, ProjectName, RevisionKey, RevisionRecord};

use super::Service;
use super::address::Resolved;
use super::error::ServiceError;

impl Service {
    /// At most `limit` revisions before `before` in ingest order, newest first.
    pub async fn revisions(
        &self,
        project: &str,
        before: Option<i64>,
        limit: u32,
    ) -> Result<Page<RevisionRecord, i64>, ServiceError> {
        let project = ProjectName::parse(project)?;
        Ok(self.store.revisions(&project, before, limit).await?)
    }

    /// The record of a revision.
    pub async fn revision(&self, revision: &Resolved) -> Result<RevisionRecord, ServiceError> {
        let key = RevisionKey::from(revision.digest);
        Ok(self.store.revision(&revision.project, &key).await?)
    }

    /// Deletes a revision. Fails with the store's conflict while labels name it.
    pub async fn delete_revision(&self, revision: &Resolved) -> Result<(), ServiceError> {
        let Resolved {
            project, digest, ..
        } = revision;
        self.store.delete_revision(project, *digest).await?;
        self.known.invalidate(&(project.clone(), *digest)).await;
        Ok(())
    }

    /// One file of a revision, byte for byte.
    pub async fn file(&self, revision: &Resolved, name: &str) -> Result<Arc<[u8]>, ServiceError> {
        let Resolved {
            project, digest, ..
        } = revision;
        Ok(self.store.file(project, *digest, name).await?)
    }
}
