//! Implements [`Store`] by transactions of the right kind.

use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::mpsc::{Receiver, Sender};

use super::{
    check, collect, content, copy, exceptions, history, ingest, labels, off_reactor, projects,
    revisions, tokens,
};
use crate::chunks::Plan;
use crate::database::{Backend, query_scalar};
use crate::error::{Missing, StoreError};
use crate::history::{
    CommitOutcomes, CommitPlace, IngestPlace, NewCommit, Stamp, StepKey, StepRecord,
};
use crate::known::KnownParts;
use crate::names::{LabelName, ProjectName, RevisionKey};
use crate::records::{
    Expected, IngestOutcome, LabelOutcome, LabelRecord, LabelRequest, NewProject, Page, Project,
    ProjectChange, ProjectOutcome, RevisionRecord,
};
use crate::{
    Answer, CheckReport, Collected, ExceptionRecord, Mark, Mode, Rows, Store, TokenKey,
    TokenRecord, sql,
};
use opatlas_source::{Bundle, Digest};

impl<B: Backend> Store for B {
    fn ping(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            let _: i64 = query_scalar(sql::PING)
                .fetch_one(&mut *self.reader().await?)
                .await?;
            Ok(())
        })
    }

    fn ready(&self) -> Answer<'_, ()> {
        Box::pin(self.try_to_write())
    }

    fn watch(&self) {
        self.begin_watching();
    }

    fn mark(&self) -> Pin<Box<dyn Future<Output = Option<Mark>> + Send + '_>> {
        Box::pin(self.current_mark())
    }

    fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(async move {
            self.close_pools().await;
        })
    }

    fn create_project<'a>(
        &'a self,
        project: &'a NewProject,
        now: i64,
    ) -> Answer<'a, ProjectOutcome> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let outcome = projects::create(&mut *work, project, now).await?;
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
            let project = projects::update(&mut *work, name, change).await?;
            self.publish(work).await?;
            Ok(project)
        })
    }

    fn delete_project<'a>(&'a self, name: &'a ProjectName) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            projects::delete(&mut *work, name).await?;
            self.publish(work).await
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
            let outcome = ingest::ingest(&mut *work, project, &plan, label, now).await?;
            self.publish(work).await?;
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
            revisions::delete(&mut *work, project, digest).await?;
            self.publish(work).await
        })
    }

    fn labels<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Vec<LabelRecord>> {
        Box::pin(async move { labels::list(&mut *self.reader().await?, project).await })
    }

    fn numbered_labels<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Vec<LabelRecord>> {
        Box::pin(async move { labels::numbered(&mut *self.reader().await?, project).await })
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
            let (project, id) = revisions::id(&mut *work, project, digest).await?;
            let target = labels::Target {
                id,
                digest,
                is_new: false,
            };
            let outcome = labels::set(&mut *work, project, label, target, now).await?;
            self.publish(work).await?;
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
            let label = labels::delete(&mut *work, project, label, expected).await?;
            self.publish(work).await?;
            Ok(label)
        })
    }

    fn bundles<'a>(
        &'a self,
        project: &'a ProjectName,
        digests: &'a [Digest],
    ) -> Answer<'a, Vec<Bundle>> {
        Box::pin(async move {
            let mut snapshot = self.snapshot().await?;
            let fetched = content::of_revisions(&mut *snapshot, project, digests).await?;
            drop(snapshot);
            let bundles = off_reactor(move || fetched.assemble()).await??;
            for (bundle, digest) in bundles.iter().zip(digests) {
                if bundle.digest() != *digest {
                    return Err(StoreError::corrupt(format!(
                        "the files of revision sha256:{digest} differ from those stored"
                    )));
                }
            }
            Ok(bundles)
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
            let files = content::of_file(&mut *snapshot, project, digest, name).await?;
            drop(snapshot);
            let bundles = off_reactor(move || files.assemble()).await??;
            let missing = || Missing::File {
                digest,
                name: name.to_owned(),
            };
            let file = bundles.first().and_then(|bundle| bundle.file(name));
            Ok(Arc::clone(file.ok_or_else(missing)?))
        })
    }

    fn add_exception<'a>(
        &'a self,
        project: &'a ProjectName,
        exception: &'a ExceptionRecord,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            exceptions::insert(&mut *work, project, exception).await?;
            self.publish(work).await
        })
    }

    fn exceptions<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Vec<ExceptionRecord>> {
        Box::pin(async move { exceptions::list(&mut *self.reader().await?, project).await })
    }

    fn extend_exception<'a>(
        &'a self,
        project: &'a ProjectName,
        exception: &'a ExceptionRecord,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            exceptions::extend(&mut *work, project, exception).await?;
            self.publish(work).await
        })
    }

    fn delete_exception<'a>(&'a self, project: &'a ProjectName, id: &'a str) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            exceptions::delete(&mut *work, project, id).await?;
            self.publish(work).await
        })
    }

    fn stamp<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Stamp> {
        Box::pin(async move { history::stamp(&mut *self.reader().await?, project).await })
    }

    fn ingests<'a>(
        &'a self,
        project: &'a ProjectName,
        after: Option<i64>,
    ) -> Answer<'a, Vec<IngestPlace>> {
        Box::pin(
            async move { revisions::ingests(&mut *self.snapshot().await?, project, after).await },
        )
    }

    fn commits<'a>(
        &'a self,
        project: &'a ProjectName,
        after: Option<i64>,
    ) -> Answer<'a, Vec<CommitPlace>> {
        Box::pin(async move { history::commits(&mut *self.reader().await?, project, after).await })
    }

    fn last_commit<'a>(&'a self, project: &'a ProjectName) -> Answer<'a, Option<CommitPlace>> {
        Box::pin(async move { history::last_commit(&mut *self.reader().await?, project).await })
    }

    fn place_commits<'a>(
        &'a self,
        project: &'a ProjectName,
        places: &'a [(String, i64)],
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            history::place_commits(&mut *work, project, places).await?;
            self.publish(work).await
        })
    }

    fn ingest_commits<'a>(
        &'a self,
        project: &'a ProjectName,
        commits: &'a [NewCommit],
        parts: &'a mut KnownParts,
        now: i64,
    ) -> Answer<'a, CommitOutcomes> {
        Box::pin(async move {
            // If the transaction fails, the new parts are not stored, so the ids are dropped.
            let mut known = std::mem::take(parts);
            let mut work = self.write().await?;
            let stored = history::ingest_commits(&mut *work, project, commits, &mut known, now);
            let outcomes = stored.await?;
            self.publish(work).await?;
            *parts = known;
            Ok(outcomes)
        })
    }

    fn steps<'a>(
        &'a self,
        project: &'a ProjectName,
        program: i64,
        heads: Option<&'a [i64]>,
    ) -> Answer<'a, Vec<(i64, StepKey)>> {
        Box::pin(async move {
            history::steps(&mut *self.reader().await?, project, program, heads).await
        })
    }

    fn save_steps<'a>(
        &'a self,
        project: &'a ProjectName,
        program: i64,
        steps: &'a [StepRecord],
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            history::save_steps(&mut *work, project, program, steps).await?;
            self.publish(work).await
        })
    }

    fn step_facts<'a>(&'a self, steps: &'a [i64]) -> Answer<'a, Vec<Vec<u8>>> {
        Box::pin(async move { history::step_facts(&mut *self.snapshot().await?, steps).await })
    }

    fn steps_of_operator<'a>(
        &'a self,
        project: &'a ProjectName,
        operator: &'a str,
        among: (i64, i64),
    ) -> Answer<'a, Vec<(i64, Vec<u8>)>> {
        Box::pin(async move {
            let mut reader = self.reader().await?;
            history::steps_of_operator(&mut *reader, project, operator, among).await
        })
    }

    fn steps_said<'a>(
        &'a self,
        project: &'a ProjectName,
        within: (i64, i64),
        after: (&'a str, i64),
        limit: u32,
    ) -> Answer<'a, Vec<(String, i64, Vec<u8>)>> {
        Box::pin(async move {
            history::steps_said(&mut *self.reader().await?, project, within, after, limit).await
        })
    }

    fn add_token<'a>(&'a self, token: &'a TokenRecord) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            tokens::insert(&mut *work, token).await?;
            self.commit(work).await
        })
    }

    fn tokens(&self) -> Answer<'_, Vec<TokenRecord>> {
        Box::pin(async move { tokens::list(&mut *self.reader().await?).await })
    }

    fn token<'a>(&'a self, key: TokenKey<'a>) -> Answer<'a, Option<TokenRecord>> {
        Box::pin(async move { tokens::find(&mut *self.reader().await?, key).await })
    }

    fn revoke_token<'a>(&'a self, id: &'a str, now: i64) -> Answer<'a, TokenRecord> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let token = tokens::revoke(&mut *work, id, now).await?;
            self.commit(work).await?;
            Ok(token)
        })
    }

    fn touch_token<'a>(&'a self, id: &'a str, now: i64) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            tokens::touch(&mut *work, id, now).await?;
            self.commit(work).await
        })
    }

    fn export(&self, sink: Sender<Rows>) -> Answer<'_, ()> {
        Box::pin(async move { copy::export(&mut *self.long_snapshot().await?, sink).await })
    }

    fn import(&self, source: Receiver<Rows>) -> Answer<'_, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            copy::import(&mut *work, source).await?;
            self.publish(work).await
        })
    }

    fn check(&self) -> Answer<'_, CheckReport> {
        Box::pin(async move { check::check(&mut *self.long_snapshot().await?).await })
    }

    fn collect<'a>(
        &'a self,
        project: Option<&'a ProjectName>,
        before: i64,
        mode: Mode,
    ) -> Answer<'a, Collected> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let collected = collect::collect(&mut *work, project, before).await?;
            match mode {
                Mode::Do => self.publish(work).await?,
                Mode::Count => work.rollback().await?,
            }
            Ok(collected)
        })
    }
}
