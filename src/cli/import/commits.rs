//! Imports the commits of a local clone that touch `native_functions.yaml`.

use std::iter;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::bail;
use rustc_hash::FxHashMap;

use crate::cli::git::log;
use crate::cli::local;
use crate::cli::memory::use_small_pages;
use crate::cli::target::{Database, Target};
use opatlas_service::history::{CommitBatch, CommitFiles, Line, StoredBatch, StoredTip};
use opatlas_service::{JudgedRelease, Service};
use opatlas_source::visible::line;
use opatlas_store::{CommitRecord, Opening};

use super::backend_history::BackendHistory;
use super::operator_files::OperatorFiles;
use super::{Import, progress};

/// The number of commits in a transaction: an interruption loses at most so many.
const AT_ONCE: usize = 12;

pub(super) type NewCommits = Vec<(CommitRecord, i64)>;

/// An iterator of commits with their files; `None` for a commit without the file.
pub(super) type WithFiles = Box<dyn Iterator<Item = anyhow::Result<Option<CommitFiles>>> + Send>;

pub(super) async fn import(import: &Import, repository: &Path) -> anyhow::Result<ExitCode> {
    let Target::Database(database) = &import.target else {
        bail!(
            "--git needs direct access to the database: run it with --database instead of --server"
        );
    };
    if import.path.contains(['\n', '\0']) {
        bail!(
            "`{}` is not a path in the repository",
            import.path.escape_debug()
        );
    }
    let release = import
        .release
        .as_deref()
        .map(JudgedRelease::parse)
        .transpose()?
        .map(|release| release.stored());
    let paths = [import.path.clone()];
    let mut commits = log::commits(import.walk(repository), &paths)?;
    for commit in &mut commits {
        commit.release.clone_from(&release);
    }
    let source = Source::Operators(import.path.clone());
    take(import, database, repository, commits, source).await
}

pub(super) enum Source {
    Operators(String),
    Backend(BackendHistory),
}

pub(super) async fn take(
    import: &Import,
    database: &Database,
    repository: &Path,
    commits: Vec<CommitRecord>,
    source: Source,
) -> anyhow::Result<ExitCode> {
    use_small_pages();
    let service = local::open(database, Opening::Make).await?;
    local::ensure_project(&service, &import.project).await?;
    let order: Vec<String> = commits.iter().map(|commit| commit.id.clone()).collect();
    let placed = service.place_commits(&import.project, &order).await?;
    if placed.known > 0 {
        eprintln!(
            "{} of {} commits already stored",
            placed.known,
            commits.len()
        );
    }
    let mut by_id: FxHashMap<String, CommitRecord> = commits
        .into_iter()
        .map(|commit| (commit.id.clone(), commit))
        .collect();
    let wanted = placed
        .new
        .iter()
        .filter_map(|(id, position)| Some((by_id.remove(id)?, *position)))
        .collect::<Vec<_>>();
    let bar = progress(wanted.len());
    let commits = match source {
        Source::Operators(path) => Box::new(OperatorFiles::open(repository, path, wanted)?),
        Source::Backend(history) => history.files(repository, wanted)?,
    };
    let reading = Arc::new(Mutex::new(CommitReader::of(commits)));
    let (mut stored, mut left_out) = (0, 0);
    let (mut last_read, mut last_stored, mut waiting) = (None, None, None);
    // A batch is stored while the next one is read.
    loop {
        let (read, taken) = tokio::join!(
            service.read_commits(handful(&reading), last_read.take()),
            store(
                &service,
                &import.project,
                waiting.take(),
                last_stored.take()
            ),
        );
        let (read, taken) = (read?, taken?);
        last_read = read.last();
        if let Some(newest) = read.newest() {
            let subject: String = newest.subject.chars().take(50).collect();
            bar.set_message(line(&subject).into_owned());
        }
        waiting = (!read.is_empty()).then_some(read);
        if let Some(taken) = taken {
            stored += taken.outcomes.len();
            left_out += taken.refused.len();
            for (id, refusal) in &taken.refused {
                bar.suspend(|| eprintln!("skipped commit {id:.12}: {refusal}"));
            }
            bar.inc((taken.outcomes.len() + taken.refused.len()) as u64);
            last_stored = taken.last;
        }
        if waiting.is_none() {
            break;
        }
    }
    let missing = {
        let mut reading = reading.lock().unwrap_or_else(PoisonError::into_inner);
        // Earlier commits are stored.
        if let Some(error) = reading.failed.take() {
            return Err(error);
        }
        reading.missing
    };
    bar.finish_and_clear();
    if stored + placed.known == 0 {
        bail!(
            "no commit has a valid file at this path; set it with --path, or with --backend for \
             the file of a backend"
        );
    }
    // The last stored commit before the new ones, also after an interrupted import.
    let timeline = service
        .timeline(&import.project, Some(Line::Commits))
        .await?;
    let (first, last) = (&timeline.items[0], &timeline.items[timeline.last()]);
    println!(
        "{}: {stored} commits stored, {} already stored, {} skipped; the timeline has {} from {} \
         to {}",
        import.project,
        placed.known,
        left_out + missing,
        timeline.items.len(),
        first.title(),
        last.title(),
    );
    service.close().await;
    Ok(ExitCode::SUCCESS)
}

async fn store(
    service: &Service,
    project: &str,
    read: Option<CommitBatch>,
    last: Option<StoredTip>,
) -> anyhow::Result<Option<StoredBatch>> {
    Ok(match read {
        Some(read) => Some(service.store_commits(project, read, last).await?),
        None => None,
    })
}

struct CommitReader {
    commits: WithFiles,
    missing: usize,
    failed: Option<anyhow::Error>,
}

impl CommitReader {
    fn of(commits: WithFiles) -> Self {
        Self {
            commits,
            missing: 0,
            failed: None,
        }
    }

    fn next(&mut self) -> Option<CommitFiles> {
        while self.failed.is_none() {
            match self.commits.next()? {
                Ok(Some(commit)) => return Some(commit),
                Ok(None) => self.missing += 1,
                Err(error) => self.failed = Some(error),
            }
        }
        None
    }
}

fn handful(
    reading: &Arc<Mutex<CommitReader>>,
) -> impl Iterator<Item = CommitFiles> + Send + 'static {
    let reading = Arc::clone(reading);
    let next = move || {
        let mut reading = reading.lock().unwrap_or_else(PoisonError::into_inner);
        reading.next()
    };
    iter::from_fn(next).take(AT_ONCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_source::Bundle;

    fn commit(number: usize) -> CommitFiles {
        CommitFiles {
            commit: CommitRecord {
                id: format!("{number:040x}"),
                release: None,
                author_date: 0,
                subject: String::new(),
            },
            position: 0,
            bundle: Bundle::default(),
        }
    }

    #[test]
    fn every_handful_goes_on_where_the_last_one_ended() {
        let commits = (0..2 * AT_ONCE + 1).map(|number| Ok(Some(commit(number))));
        let reading = Arc::new(Mutex::new(CommitReader::of(Box::new(commits))));
        let handfuls = iter::from_fn(|| {
            let ids: Vec<_> = handful(&reading).map(|commit| commit.commit.id).collect();
            (!ids.is_empty()).then_some(ids)
        });
        let handfuls: Vec<_> = handfuls.collect();
        let sizes: Vec<_> = handfuls.iter().map(Vec::len).collect();
        assert_eq!(sizes, [AT_ONCE, AT_ONCE, 1]);
        assert!(handfuls.concat().is_sorted());
    }

    #[test]
    fn what_is_before_a_fault_of_git_is_read_and_nothing_after_it() {
        let commits = vec![
            Ok(None),
            Ok(Some(commit(1))),
            Ok(None),
            Err(anyhow::anyhow!("git ended early")),
            Ok(Some(commit(2))),
        ];
        let reading = Arc::new(Mutex::new(CommitReader::of(Box::new(commits.into_iter()))));
        assert_eq!(handful(&reading).count(), 1);
        assert_eq!(handful(&reading).count(), 0);
        let reading = reading.lock().unwrap();
        let failed = reading.failed.as_ref().map(ToString::to_string);
        assert_eq!(failed.as_deref(), Some("git ended early"));
        assert_eq!(reading.missing, 2);
    }
}
