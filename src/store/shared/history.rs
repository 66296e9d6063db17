//! The timeline: commits in their order, and what each step of it did.

use super::ingest::{self, Seen};
use super::projects;
use super::rows::{self, BATCH};
use crate::store::chunks::Plan;
use crate::store::database::{Connection, Statement, among, query, query_scalar};
use crate::store::error::StoreError;
use crate::store::history::{CommitPlace, CommitRecord, Stamp, StepKey, StepRecord};
use crate::store::names::ProjectName;
use crate::store::records::IngestOutcome;
use crate::store::sql;

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

/// What a change does to a timeline besides making it longer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rearranged {
    /// No change: the previous state is still a prefix of the current one.
    Nothing,
    /// It moves commits, or puts one among them.
    Commits,
    /// It changes revisions or their labels.
    Revisions,
    /// Both, or what was computed of them.
    Both,
}

/// Notes that the timeline of the project with this row id has changed.
pub(super) async fn bump(
    connection: &mut impl Connection,
    project: i64,
    rearranged: Rearranged,
) -> Result<(), StoreError> {
    use Rearranged::{Both, Commits, Revisions};
    query(sql::STAMP_BUMP)
        .bind(project)
        .bind(matches!(rearranged, Commits | Both))
        .bind(matches!(rearranged, Revisions | Both))
        .execute(connection)
        .await?;
    Ok(())
}

/// Deletes the facts of removed steps.
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

/// The commits of the revisions with these row ids, in their order.
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
    bump(connection, project, Rearranged::Commits).await
}

pub(super) async fn ingest_commit(
    connection: &mut impl Connection,
    project: &ProjectName,
    (plan, commit, position): &(Plan, CommitRecord, i64),
    seen: &mut Seen,
    now: i64,
) -> Result<IngestOutcome, StoreError> {
    let outcome = ingest::ingest(connection, project, plan, seen, None, now).await?;
    let project = projects::id(connection, project).await?;
    let last: Option<i64> = query_scalar(sql::COMMIT_LAST_POSITION)
        .bind(project)
        .fetch_one(&mut *connection)
        .await?;
    let inserted = query(sql::COMMIT_INSERT)
        .bind(project)
        .bind(&commit.id)
        .bind(position)
        .bind(outcome.sequence)
        .bind(commit.release.as_deref())
        .bind(commit.author_date)
        .bind(&commit.subject)
        .execute(&mut *connection)
        .await?;
    if inserted > 0 {
        let rearranged = match last.is_some_and(|last| last >= *position) {
            true => Rearranged::Commits,
            false => Rearranged::Nothing,
        };
        bump(connection, project, rearranged).await?;
    }
    Ok(outcome)
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
        // Readers that know the removed steps must look them up again.
        bump(connection, project, Rearranged::Both).await?;
    }
    for step in steps {
        let key = &step.key;
        let known: Option<i64> = query_scalar(sql::STEP_FIND)
            .bind(project)
            .bind(key.head)
            .bind(key.base)
            .bind(&key.head_release)
            .bind(&key.base_release)
            .fetch_optional(&mut *connection)
            .await?;
        if known.is_some() {
            continue;
        }
        let id: i64 = query_scalar(sql::STEP_INSERT)
            .bind(project)
            .bind(key.head)
            .bind(key.base)
            .bind(&key.head_release)
            .bind(&key.base_release)
            .bind(program)
            .bind(&step.facts[..])
            .fetch_one(&mut *connection)
            .await?;
        for batch in step.operators.chunks(BATCH) {
            let rows = batch.iter().map(|(operator, says)| {
                let (operator, says) = (&**operator, &**says);
                [project.into(), operator.into(), id.into(), says.into()]
            });
            let statement = Statement::inserting(sql::STEP_OPERATORS_INSERT, rows);
            statement.execute(&mut *connection).await?;
        }
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
    // PostgreSQL refuses to compare with a text that it could not hold.
    if operator.contains('\0') {
        return Ok(Vec::new());
    }
    let id = projects::id(connection, project).await?;
    let rows = query(sql::STEPS_OF_OPERATOR)
        .bind(id)
        .bind(operator)
        .bind(first)
        .bind(last);
    Ok(rows.fetch_all(connection).await?)
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
