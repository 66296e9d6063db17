//! The calls of [`Store`]: which kind of transaction each is. Work for the processor alone (digests
//! of whole bundles) is done outside of it and off the threads that serve requests.

use std::pin::Pin;
use std::sync::Arc;

use sqlx::query_scalar;

use super::{SqliteStore, content, ingest, labels, projects, revisions};
use crate::source::{Bundle, Digest};
use crate::store::error::{Missing, StoreError};
use crate::store::names::{LabelName, ProjectName, RevisionKey};
use crate::store::pieces::Plan;
use crate::store::records::{
    Expected, IngestOutcome, LabelOutcome, LabelRecord, LabelRequest, NewProject, Page, Project,
    ProjectChange, ProjectOutcome, RevisionRecord,
};
use crate::store::{Answer, Store, sql};

impl Store for SqliteStore {
    fn ping(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            let _: i64 = query_scalar(sql::PING)
                .fetch_one(&mut *self.reader().await?)
                .await?;
            Ok(())
        })
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            self.readers.close().await;
            self.writer.close().await;
        })
    }

    fn create_project<'a>(
        &'a self,
        project: &'a NewProject,
        now: i64,
    ) -> Answer<'a, ProjectOutcome> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let outcome = projects::create(&mut work, project, now).await?;
            self.commit(work).await?;
            Ok(outcome)
        })
    }

    fn project<'a>(&'a self, name: &'a ProjectName) -> Answer<'a, Project> {
        Box::pin(async move { projects::find(&mut *self.reader().await?, name).await })
    }

    fn projects<'a>(
        &'a self,
        after: Option<&'a ProjectName>,
        limit: u32,
    ) -> Answer<'a, Page<Project, ProjectName>> {
        Box::pin(async move { projects::list(&mut *self.reader().await?, after, limit).await })
    }

    fn update_project<'a>(
        &'a self,
        name: &'a ProjectName,
        change: ProjectChange,
    ) -> Answer<'a, Project> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let project = projects::update(&mut work, name, change).await?;
            self.commit(work).await?;
            Ok(project)
        })
    }

    fn delete_project<'a>(&'a self, name: &'a ProjectName) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            projects::delete(&mut work, name).await?;
            self.commit(work).await
        })
    }

    fn ingest<'a>(
        &'a self,
        project: &'a ProjectName,
        bundle: &'a Bundle,
        label: Option<&'a LabelRequest>,
        now: i64,
    ) -> Answer<'a, IngestOutcome> {
        let bundle = bundle.clone();
        Box::pin(async move {
            let plan = off_reactor(move || Plan::of(&bundle)).await?;
            let mut work = self.write().await?;
            let outcome = ingest::ingest(&mut work, project, &plan, label, now).await?;
            self.commit(work).await?;
            Ok(outcome)
        })
    }

    fn resolve<'a>(&'a self, project: &'a ProjectName, key: &'a RevisionKey) -> Answer<'a, Digest> {
        Box::pin(async move { revisions::resolve(&mut *self.reader().await?, project, key).await })
    }

    fn revision<'a>(
        &'a self,
        project: &'a ProjectName,
        key: &'a RevisionKey,
    ) -> Answer<'a, RevisionRecord> {
        Box::pin(async move { revisions::find(&mut *self.snapshot().await?, project, key).await })
    }

    fn revisions<'a>(
        &'a self,
        project: &'a ProjectName,
        before: Option<i64>,
        limit: u32,
    ) -> Answer<'a, Page<RevisionRecord, i64>> {
        Box::pin(async move {
            revisions::list(&mut *self.snapshot().await?, project, before, limit).await
        })
    }

    fn delete_revision<'a>(&'a self, project: &'a ProjectName, digest: Digest) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            revisions::delete(&mut work, project, digest).await?;
            self.commit(work).await
        })
    }

    fn labels<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Vec<LabelRecord>> {
        Box::pin(async move { labels::list(&mut *self.reader().await?, project).await })
    }

    fn label<'a>(
        &'a self,
        project: &'a ProjectName,
        label: &'a LabelName,
    ) -> Answer<'a, LabelRecord> {
        Box::pin(async move { labels::find(&mut *self.reader().await?, project, label).await })
    }

    fn set_label<'a>(
        &'a self,
        project: &'a ProjectName,
        label: &'a LabelRequest,
        digest: Digest,
        now: i64,
    ) -> Answer<'a, LabelOutcome> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let (project, id) = revisions::id(&mut work, project, digest).await?;
            let target = labels::Target { id, digest };
            let outcome = labels::set(&mut work, project, label, target, now).await?;
            self.commit(work).await?;
            Ok(outcome)
        })
    }

    fn delete_label<'a>(
        &'a self,
        project: &'a ProjectName,
        label: &'a LabelName,
        expected: Expected,
    ) -> Answer<'a, LabelRecord> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let label = labels::delete(&mut work, project, label, expected).await?;
            self.commit(work).await?;
            Ok(label)
        })
    }

    fn bundle<'a>(&'a self, project: &'a ProjectName, digest: Digest) -> Answer<'a, Bundle> {
        Box::pin(async move {
            let mut snapshot = self.snapshot().await?;
            let parts = content::of_revision(&mut snapshot, project, digest).await?;
            drop(snapshot);
            off_reactor(move || {
                let bundle = parts.assemble()?;
                if bundle.digest() == digest {
                    return Ok(bundle);
                }
                let what = format!("revision sha256:{digest} has other files than were stored");
                Err(StoreError::corrupt(what))
            })
            .await?
        })
    }

    fn file<'a>(
        &'a self,
        project: &'a ProjectName,
        digest: Digest,
        name: &'a str,
    ) -> Answer<'a, Arc<[u8]>> {
        Box::pin(async move {
            let mut snapshot = self.snapshot().await?;
            let parts = content::of_file(&mut snapshot, project, digest, name).await?;
            drop(snapshot);
            let bundle = off_reactor(move || parts.assemble()).await??;
            let missing = || Missing::File {
                digest,
                name: name.to_owned(),
            };
            Ok(Arc::clone(bundle.file(name).ok_or_else(missing)?))
        })
    }
}

async fn off_reactor<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StoreError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|error| StoreError::Unavailable {
            what: format!("its work was given up: {error}"),
            source: None,
        })
}
