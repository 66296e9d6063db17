//! Implements [`ProbeStore`]: runs, shards and dumps.

mod dumps;
mod leases;
mod runs;

pub(super) use dumps::check;

use super::projects;
use crate::Answer;
use crate::database::{Backend, Connection, query};
use crate::error::StoreError;
use crate::names::ProjectName;
use crate::probe::{
    DumpRecord, LeaseHolder, Leased, ListedRun, NewDump, NewProbeRun, ProbeDuration, ProbeItem,
    ProbeProgress, ProbeRun, ProbeStore, Renewal, ShardRecord, ShardResult,
};
use crate::records::Page;
use opatlas_source::Digest;

impl<B: Backend> ProbeStore for B {
    fn probe_run<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
    ) -> Answer<'a, Option<ProbeRun>> {
        Box::pin(async move {
            let mut snapshot = self.snapshot().await?;
            let project = projects::id(&mut *snapshot, project).await?;
            let run = runs::find(&mut *snapshot, project, name).await?;
            Ok(run.map(|(_, run)| run))
        })
    }

    fn probe_runs<'a>(
        &'a self,
        project: &'a ProjectName,
        before: Option<i64>,
        limit: u32,
    ) -> Answer<'a, Page<ListedRun, i64>> {
        Box::pin(
            async move { runs::list(&mut *self.snapshot().await?, project, before, limit).await },
        )
    }

    fn open_probe_run<'a>(
        &'a self,
        project: &'a ProjectName,
        run: &'a NewProbeRun,
        now: i64,
    ) -> Answer<'a, ProbeRun> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let run = runs::open(&mut *work, project, run, now).await?;
            self.commit(work).await?;
            Ok(run)
        })
    }

    fn probe_durations<'a>(
        &'a self,
        project: &'a ProjectName,
        device: &'a str,
    ) -> Answer<'a, Vec<ProbeDuration>> {
        Box::pin(
            async move { runs::durations(&mut *self.snapshot().await?, project, device).await },
        )
    }

    fn lease_shard<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        holder: &'a LeaseHolder,
        worker: &'a str,
        now: i64,
    ) -> Answer<'a, (Leased, Vec<ProbeItem>)> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let leased = leases::lease(&mut *work, (project, name), holder, worker, now).await?;
            self.commit(work).await?;
            Ok(leased)
        })
    }

    fn probe_shard<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        number: i64,
    ) -> Answer<'a, ShardRecord> {
        Box::pin(async move {
            let mut snapshot = self.snapshot().await?;
            let (run, _) = runs::named(&mut *snapshot, project, name).await?;
            runs::shard(&mut *snapshot, (run, name), number).await
        })
    }

    fn renew_lease<'a>(
        &'a self,
        project: &'a ProjectName,
        shard: (&'a str, i64),
        holder: &'a LeaseHolder,
        renewal: Renewal<'a>,
        now: i64,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            leases::renew(&mut *work, (project, shard), holder, renewal, now).await?;
            self.commit(work).await
        })
    }

    fn release_lease<'a>(
        &'a self,
        project: &'a ProjectName,
        shard: (&'a str, i64),
        holder: &'a LeaseHolder,
        now: i64,
    ) -> Answer<'a, ()> {
        Box::pin(async move {
            let mut work = self.write().await?;
            leases::release(&mut *work, (project, shard), holder, now).await?;
            self.commit(work).await
        })
    }

    fn finish_shard<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        holder: &'a LeaseHolder,
        result: &'a ShardResult,
        now: i64,
    ) -> Answer<'a, bool> {
        Box::pin(async move {
            let mut work = self.write().await?;
            let is_new = leases::finish(&mut *work, (project, name), holder, result, now).await?;
            self.commit(work).await?;
            Ok(is_new)
        })
    }

    fn probe_progress<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        now: i64,
    ) -> Answer<'a, ProbeProgress> {
        Box::pin(async move {
            let mut snapshot = self.snapshot().await?;
            leases::progress(&mut *snapshot, project, name, now).await
        })
    }

    fn probe_results<'a>(
        &'a self,
        project: &'a ProjectName,
        name: &'a str,
        most: usize,
    ) -> Answer<'a, Option<Vec<(String, String)>>> {
        Box::pin(async move {
            let mut snapshot = self.snapshot().await?;
            runs::results(&mut *snapshot, project, name, most).await
        })
    }

    fn add_dump<'a>(
        &'a self,
        project: &'a ProjectName,
        dump: &'a NewDump,
        now: i64,
    ) -> Answer<'a, bool> {
        Box::pin(async move {
            let packed = dumps::packed(&dump.text).await?;
            let mut work = self.write().await?;
            let is_new = dumps::add(&mut *work, project, dump, &packed, now).await?;
            self.commit(work).await?;
            Ok(is_new)
        })
    }

    fn dumps<'a>(
        &'a self,
        project: &'a ProjectName,
        revision: Digest,
    ) -> Answer<'a, Vec<DumpRecord>> {
        Box::pin(async move { dumps::list(&mut *self.snapshot().await?, project, revision).await })
    }

    fn dump<'a>(
        &'a self,
        project: &'a ProjectName,
        revision: Digest,
        digest: Digest,
    ) -> Answer<'a, String> {
        Box::pin(async move {
            let mut snapshot = self.snapshot().await?;
            let packed = dumps::content(&mut *snapshot, project, revision, digest).await?;
            drop(snapshot);
            dumps::text(packed, digest).await
        })
    }
}

pub(super) async fn forget(
    connection: &mut impl Connection,
    revision: i64,
) -> Result<(), StoreError> {
    for statement in crate::sql::probe::REVISION_DELETE {
        let delete = query(statement).bind(revision);
        delete.execute(&mut *connection).await?;
    }
    Ok(())
}

pub(super) async fn sweep(connection: &mut impl Connection) -> Result<u64, StoreError> {
    let gone = query(crate::sql::probe::DUMPS_UNNEEDED_DELETE);
    Ok(gone.execute(connection).await?)
}
