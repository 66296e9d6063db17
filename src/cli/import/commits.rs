//! The commits of a local clone that touch `native_functions.yaml`.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context as _, bail};
use rustc_hash::FxHashMap;
use tokio::sync::mpsc;

use crate::cli::local;
use crate::cli::memory::use_small_pages;
use crate::cli::side::companions;
use crate::cli::target::{Database, Target};
use crate::service::history::{CommitFiles, LastStored, Line, ReadCommits, Taken};
use crate::service::{JudgedRelease, Service, Threads};
use crate::store::{CommitRecord, Opening};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

use super::backend_history::BackendHistory;
use super::git::{self, Files, Mode};
use super::{Import, progress};

/// How many commits are stored at once, and so how many are lost if the import is interrupted.
const AT_ONCE: usize = 12;
/// How many commits may wait to be stored.
const WAITING: usize = 3;

/// Stores the commits that are not there yet.
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
    let release = import.release.as_deref().map(JudgedRelease::parse);
    let release = release.transpose()?.map(|release| release.stored());
    let paths = [import.path.clone()];
    let mut commits = git::commits(repository, &import.range, &paths, import.first_parent)?;
    for commit in &mut commits {
        commit.release.clone_from(&release);
    }
    let source = Source::Operators(import.path.clone());
    take(import, database, repository, commits, source).await
}

/// What the bundle of a commit is made of.
pub(super) enum Source {
    /// The operators at this path, and their companions.
    Operators(String),
    /// A file of a backend over another revision.
    Backend(BackendHistory),
}

/// Stores the commits that are not there yet, with the bundles that a source makes of them.
pub(super) async fn take(
    import: &Import,
    database: &Database,
    repository: &Path,
    commits: Vec<CommitRecord>,
    source: Source,
) -> anyhow::Result<ExitCode> {
    use_small_pages();
    Threads::all_in_turn();
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
    let (sender, mut receiver) = mpsc::channel(WAITING);
    let place = repository.to_owned();
    let reading = tokio::task::spawn_blocking(move || match source {
        Source::Operators(path) => read(&place, &path, wanted, &sender),
        Source::Backend(history) => history.read(&place, wanted, &sender),
    });
    let (mut stored, mut left_out) = (0, 0);
    let (mut last_read, mut last_stored, mut waiting) = (None, None, None);
    let mut handful = Vec::with_capacity(AT_ONCE);
    // One handful is stored while the next one is read.
    loop {
        receiver.recv_many(&mut handful, AT_ONCE).await;
        let commits: Vec<CommitFiles> = std::mem::take(&mut handful);
        if commits.is_empty() && waiting.is_none() {
            break;
        }
        let message = commits.last().map(|last| last.commit.subject.clone());
        let (read, taken) = tokio::join!(
            service.read_commits(commits, last_read.take()),
            store(
                &service,
                &import.project,
                waiting.take(),
                last_stored.take()
            ),
        );
        let (read, taken) = (read?, taken?);
        last_read = read.last();
        waiting = (!read.is_empty()).then_some(read);
        if let Some(message) = message {
            bar.set_message(message.chars().take(50).collect::<String>());
        }
        let Some(taken) = taken else { continue };
        stored += taken.outcomes.len();
        left_out += taken.refused.len();
        for (id, refusal) in &taken.refused {
            bar.suspend(|| eprintln!("skipped commit {id:.12}: {refusal}"));
        }
        bar.inc((taken.outcomes.len() + taken.refused.len()) as u64);
        last_stored = taken.last;
    }
    let missing = reading.await.context("cannot read the repository")??;
    bar.finish_and_clear();
    if stored + placed.known == 0 {
        bail!(
            "no commit has a valid file at this path; set it with --path, or with --backend for \
             the file of a backend"
        );
    }
    // Where old and new commits meet, and after an import that was stopped.
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

/// Stores a handful, where there is one.
async fn store(
    service: &Service,
    project: &str,
    read: Option<ReadCommits>,
    last: Option<LastStored>,
) -> anyhow::Result<Option<Taken>> {
    Ok(match read {
        Some(read) => Some(service.store_commits(project, read, last).await?),
        None => None,
    })
}

/// Reads the files of commits and sends them on. Gives how many commits do not have the file.
fn read(
    repository: &Path,
    path: &str,
    commits: Vec<(CommitRecord, i64)>,
    sender: &mpsc::Sender<CommitFiles>,
) -> anyhow::Result<usize> {
    let mut ids = Files::open(repository, Mode::Ids)?;
    let mut files = Files::open(repository, Mode::Bytes)?;
    // What is beside the operators changes rarely, and is not asked for ahead.
    let mut beside = Files::open(repository, Mode::Bytes)?;
    let companions = companions(path);
    let mut known: [Option<(String, Arc<[u8]>)>; 2] = [None, None];
    let mut missing = 0;
    let mut commits = commits.into_iter().peekable();
    let ask = |files: &mut Files, ids: &mut Files, commit: &CommitRecord| {
        files.ask(&commit.id, path)?;
        let mut companions = companions.iter();
        companions.try_for_each(|(_, path)| ids.ask(&commit.id, path))
    };
    if let Some((first, _)) = commits.peek() {
        ask(&mut files, &mut ids, first)?;
    }
    while let Some((commit, position)) = commits.next() {
        // Git has the next one ready when this one has been sent on.
        if let Some((next, _)) = commits.peek() {
            ask(&mut files, &mut ids, next)?;
        }
        let native = files.bytes(&commit.id, path)?;
        let of_companions = companions.iter().map(|(_, path)| ids.id(&commit.id, path));
        let of_companions: Vec<_> = of_companions.collect::<Result<_, _>>()?;
        let Some(native) = native else {
            missing += 1;
            continue;
        };
        let mut bundle = Bundle::default();
        bundle.insert(NATIVE_FUNCTIONS, native);
        let companions = companions.iter().zip(of_companions);
        for (((name, path), id), known) in companions.zip(&mut known) {
            let Some(id) = id else {
                continue;
            };
            let is_known = known.as_ref().is_some_and(|(known, _)| *known == id);
            if !is_known {
                let bytes = beside.bytes(&commit.id, path)?;
                *known = bytes.map(|bytes| (id, bytes));
            }
            if let Some((_, bytes)) = known {
                bundle.insert(name, Arc::clone(bytes));
            }
        }
        let commit = CommitFiles {
            commit,
            position,
            bundle,
        };
        if sender.blocking_send(commit).is_err() {
            // The import failed with its own error.
            break;
        }
    }
    Ok(missing)
}
