//! The timeline: commits in order, and the changes of each step.

use rustc_hash::{FxHashMap, FxHashSet};

use super::rows::{self, BATCH};
use super::{ingest, projects};
use crate::chunks::Plan;
use crate::database::{Connection, Statement, among, query, query_scalar};
use crate::error::StoreError;
use crate::history::{CommitPlace, CommitRecord, NewCommit, Stamp, StepKey, StepRecord};
use crate::known::{KnownParts, StoredAt};
use crate::names::ProjectName;
use crate::records::IngestOutcome;
use crate::sql;

record! {
    struct CommitRow {
        id: String,
        position: i64,
        revision: i64,
        release: Option<String>,
        author_date: i64,
        subject: String,
        digest: Vec<u8>,
    }
}

record! {
    struct StampRow {
        project: i64,
        born: i64,
        now: i64,
        commits: i64,
        revisions: i64,
    }
}

record! {
    struct StepRow {
        id: i64,
        base: i64,
        head: i64,
        base_release: String,
        head_release: String,
        program: i64,
    }
}

impl StepRow {
    fn step(self) -> (i64, StepKey) {
        let key = StepKey {
            base: self.base,
            head: self.head,
            base_release: self.base_release,
            head_release: self.head_release,
        };
        (self.id, key)
    }
}

impl CommitRow {
    fn place(self) -> Result<CommitPlace, StoreError> {
        Ok(CommitPlace {
            position: self.position,
            digest: rows::digest(&self.digest)?,
            sequence: self.revision,
            commit: CommitRecord {
                id: self.id,
                release: rows::release(self.release)?,
                author_date: self.author_date,
                subject: self.subject,
            },
        })
    }
}

/// How a change affects a timeline, besides appending to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimelineChange {
    /// The previous state is a prefix of the new one.
    Nothing,
    /// Commits were moved or inserted.
    Commits,
    /// Revisions or labels were changed.
    Revisions,
    /// Both, or the steps were.
    Both,
}

pub(super) async fn bump(
    connection: &mut impl Connection,
    project: i64,
    rearranged: TimelineChange,
) -> Result<(), StoreError> {
    use TimelineChange::{Both, Commits, Revisions};
    query(sql::STAMP_BUMP)
        .bind(project)
        .bind(matches!(rearranged, Commits | Both))
        .bind(matches!(rearranged, Revisions | Both))
        .execute(connection)
        .await?;
    Ok(())
}

pub(super) async fn sweep(connection: &mut impl Connection) -> Result<(), StoreError> {
    let unneeded = query(sql::STEP_OPERATORS_UNNEEDED_DELETE);
    unneeded.execute(connection).await?;
    Ok(())
}

pub(super) async fn stamp(
    connection: &mut impl Connection,
    project: &ProjectName,
) -> Result<Stamp, StoreError> {
    let id = projects::id(connection, project).await?;
    let row: StampRow = query(sql::STAMP).bind(id).fetch_one(connection).await?;
    Ok(Stamp {
        of: (row.project, row.born),
        now: row.now,
        commits: row.commits,
        revisions: row.revisions,
    })
}

pub(super) async fn commits(
    connection: &mut impl Connection,
    project: &ProjectName,
    after: Option<i64>,
) -> Result<Vec<CommitPlace>, StoreError> {
    let id = projects::id(connection, project).await?;
    let rows: Vec<CommitRow> = query(sql::COMMITS_AFTER)
        .bind(id)
        .bind(after.unwrap_or(i64::MIN))
        .fetch_all(connection)
        .await?;
    rows.into_iter().map(CommitRow::place).collect()
}

pub(super) async fn of_revisions(
    connection: &mut impl Connection,
    revisions: &[i64],
) -> Result<Vec<CommitPlace>, StoreError> {
    let mut commits = Vec::new();
    for batch in revisions.chunks(BATCH) {
        let statement = among(sql::COMMITS_OF_REVISIONS, batch.iter().copied());
        let rows: Vec<CommitRow> = statement.fetch_all(&mut *connection).await?;
        for row in rows {
            commits.push(row.place()?);
        }
    }
    commits.sort_by_key(|commit| commit.position);
    Ok(commits)
}

pub(super) async fn last_commit(
    connection: &mut impl Connection,
    project: &ProjectName,
) -> Result<Option<CommitPlace>, StoreError> {
    let id = projects::id(connection, project).await?;
    let row: Option<CommitRow> = query(sql::COMMIT_LAST)
        .bind(id)
        .fetch_optional(connection)
        .await?;
    row.map(CommitRow::place).transpose()
}

pub(super) async fn place_commits(
    connection: &mut impl Connection,
    project: &ProjectName,
    places: &[(String, i64)],
) -> Result<(), StoreError> {
    let project = projects::id(connection, project).await?;
    for (id, position) in places {
        query(sql::COMMIT_PLACE)
            .bind(project)
            .bind(id)
            .bind(position)
            .execute(&mut *connection)
            .await?;
    }
    bump(connection, project, TimelineChange::Commits).await
}

pub(super) async fn ingest_commits(
    connection: &mut impl Connection,
    project: &ProjectName,
    commits: &[NewCommit],
    parts: &mut KnownParts,
    now: i64,
) -> Result<Vec<IngestOutcome>, StoreError> {
    let project = projects::id(connection, project).await?;
    let plans: Vec<&Plan> = commits.iter().map(|new| new.files.plan()).collect();
    let stored = ingest::store(connection, project, &plans, parts, now).await?;
    // The ingest time is only known for a new revision.
    match plans.last().zip(stored.last()) {
        Some((plan, stored)) if stored.is_new => {
            let last = StoredAt {
                digest: plan.digest,
                id: stored.id,
                ingested_at: now,
            };
            parts.keep(plan, last);
        }
        _ => *parts = KnownParts::default(),
    }
    let last: Option<i64> = query_scalar(sql::COMMIT_LAST_POSITION)
        .bind(project)
        .fetch_one(&mut *connection)
        .await?;
    let mut new: FxHashSet<String> = FxHashSet::default();
    let both: Vec<_> = commits.iter().zip(&stored).collect();
    for batch in both.chunks(BATCH) {
        let rows = batch.iter().map(|(new, stored)| {
            let commit = &new.commit;
            [
                project.into(),
                (&commit.id).into(),
                new.position.into(),
                stored.id.into(),
                commit.release.as_deref().into(),
                commit.author_date.into(),
                (&commit.subject).into(),
            ]
        });
        let mut statement = Statement::inserting(sql::COMMITS_INSERT, rows);
        statement.push(sql::COMMITS_NEW);
        let inserted: Vec<(String,)> = statement.fetch_all(&mut *connection).await?;
        new.extend(inserted.into_iter().map(|(id,)| id));
    }
    if !new.is_empty() {
        let places = commits.iter().filter(|it| new.contains(&it.commit.id));
        let places = places.map(|it| it.position);
        // New commits are appended if their positions increase and follow all existing ones.
        let is_behind = last.into_iter().chain(places).is_sorted_by(|a, b| a < b);
        let rearranged = if is_behind {
            TimelineChange::Nothing
        } else {
            TimelineChange::Commits
        };
        bump(connection, project, rearranged).await?;
    }
    let outcomes = plans
        .iter()
        .zip(stored)
        .map(|(plan, stored)| IngestOutcome {
            digest: plan.digest,
            sequence: stored.id,
            created: stored.is_new,
            label: None,
        });
    Ok(outcomes.collect())
}

pub(super) async fn steps(
    connection: &mut impl Connection,
    project: &ProjectName,
    program: i64,
    heads: Option<&[i64]>,
) -> Result<Vec<(i64, StepKey)>, StoreError> {
    let Some(heads) = heads else {
        let id = projects::id(connection, project).await?;
        let rows: Vec<StepRow> = query(sql::STEPS)
            .bind(id)
            .bind(program)
            .fetch_all(connection)
            .await?;
        return Ok(rows.into_iter().map(StepRow::step).collect());
    };
    let mut steps = Vec::new();
    for batch in heads.chunks(BATCH) {
        let statement = among(sql::STEPS_OF_HEADS, batch.iter().copied());
        let rows: Vec<StepRow> = statement.fetch_all(&mut *connection).await?;
        let rows = rows.into_iter().filter(|row| row.program == program);
        steps.extend(rows.map(StepRow::step));
    }
    Ok(steps)
}

pub(super) async fn save_steps(
    connection: &mut impl Connection,
    project: &ProjectName,
    program: i64,
    steps: &[StepRecord],
) -> Result<(), StoreError> {
    let project = projects::id(connection, project).await?;
    let stale: i64 = query_scalar(sql::STEPS_STALE)
        .bind(project)
        .bind(program)
        .fetch_one(&mut *connection)
        .await?;
    if stale > 0 {
        for statement in sql::STEPS_STALE_DELETE {
            let delete = query(statement).bind(project).bind(program);
            delete.execute(&mut *connection).await?;
        }
        // Readers that know the deleted steps must look them up again.
        bump(connection, project, TimelineChange::Both).await?;
    }
    let heads: Vec<i64> = steps.iter().map(|step| step.key.head).collect();
    let mut known: FxHashSet<StepKey> = FxHashSet::default();
    for batch in heads.chunks(BATCH) {
        let statement = among(sql::STEPS_OF_HEADS, batch.iter().copied());
        let rows: Vec<StepRow> = statement.fetch_all(&mut *connection).await?;
        known.extend(rows.into_iter().map(|row| row.step().1));
    }
    let new = steps.iter().filter(|step| known.insert(step.key.clone()));
    let new: Vec<&StepRecord> = new.collect();
    let mut ids: FxHashMap<StepKey, i64> = FxHashMap::default();
    for batch in new.chunks(BATCH) {
        let rows = batch.iter().map(|step| {
            let key = &step.key;
            [
                project.into(),
                key.head.into(),
                key.base.into(),
                (&key.head_release).into(),
                (&key.base_release).into(),
                program.into(),
                (&step.facts[..]).into(),
            ]
        });
        let mut statement = Statement::inserting(sql::STEPS_INSERT, rows);
        statement.push(sql::STEPS_NEW);
        let rows: Vec<StepRow> = statement.fetch_all(&mut *connection).await?;
        ids.extend(rows.into_iter().map(|row| {
            let (id, key) = row.step();
            (key, id)
        }));
    }
    let said = new.iter().flat_map(|step| {
        let id = ids.get(&step.key).copied();
        let operators = step.operators.iter();
        operators.filter_map(move |(operator, says)| Some((&**operator, id?, &**says)))
    });
    let said: Vec<(&str, i64, &[u8])> = said.collect();
    for batch in said.chunks(BATCH) {
        let rows = batch
            .iter()
            .map(|&(operator, id, says)| [project.into(), operator.into(), id.into(), says.into()]);
        let statement = Statement::inserting(sql::STEP_OPERATORS_INSERT, rows);
        statement.execute(&mut *connection).await?;
    }
    Ok(())
}

pub(super) async fn step_facts(
    connection: &mut impl Connection,
    steps: &[i64],
) -> Result<Vec<Vec<u8>>, StoreError> {
    let mut facts = Vec::with_capacity(steps.len());
    for step in steps {
        let found: Option<Vec<u8>> = query_scalar(sql::STEP_FACTS)
            .bind(step)
            .fetch_optional(&mut *connection)
            .await?;
        facts.push(found.unwrap_or_default());
    }
    Ok(facts)
}

pub(super) async fn steps_of_operator(
    connection: &mut impl Connection,
    project: &ProjectName,
    operator: &str,
    (first, last): (i64, i64),
) -> Result<Vec<(i64, Vec<u8>)>, StoreError> {
    // PostgreSQL rejects text with a null byte.
    if operator.contains('\0') {
        return Ok(Vec::new());
    }
    let rows = query(sql::STEPS_OF_OPERATOR)
        .bind(project.as_str())
        .bind(operator)
        .bind(first)
        .bind(last);
    let rows: Vec<_> = rows.fetch_all(&mut *connection).await?;
    if rows.is_empty() {
        // Tell an unknown project from an operator without steps.
        projects::id(connection, project).await?;
    }
    Ok(rows)
}

pub(super) async fn steps_said(
    connection: &mut impl Connection,
    project: &ProjectName,
    (before, last): (i64, i64),
    (operator, step): (&str, i64),
    limit: u32,
) -> Result<Vec<(String, i64, Vec<u8>)>, StoreError> {
    let id = projects::id(connection, project).await?;
    let rows = query(sql::STEPS_SAID)
        .bind(id)
        .bind(operator)
        .bind(step)
        .bind(before)
        .bind(last)
        .bind(i64::from(limit));
    Ok(rows.fetch_all(connection).await?)
}
