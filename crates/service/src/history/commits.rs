//! Import of a history of commits: thousands of revisions, each similar to the one before.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::error::{Refusal, ServiceError};
use crate::ingest::keepable;
use crate::notes::JudgedRelease;
use crate::observed;
use crate::snapshot::Snapshot;
use crate::{Limits, Service};
use opatlas_source::{Bundle, OBSERVED, Stop, Stopped};
use opatlas_store::{
    CommitOutcomes, CommitRecord, KnownParts, NewCommit, Prepared, ProjectName, StepKey, StepRecord,
};

use super::items::judged;
use super::step;

/// A commit with its files.
#[derive(Debug, Clone)]
pub struct CommitFiles {
    /// The commit.
    pub commit: CommitRecord,
    /// Its place on the timeline.
    pub position: i64,
    /// Its files.
    pub bundle: Bundle,
}

/// The positions of commits on the timeline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommitPlaces {
    /// The number of known commits.
    pub known: usize,
    /// New commits by id, with their positions, in order.
    pub new: Vec<(String, i64)>,
}

/// A batch of parsed commits, to be stored.
#[derive(Debug, Default)]
pub struct CommitBatch {
    commits: Vec<ReadCommit>,
    refused: Vec<(String, Refusal)>,
    last: Option<ParsedTip>,
}

/// The last parsed commit, on which the next one builds.
#[derive(Debug, Clone)]
pub struct ParsedTip {
    position: i64,
    snapshot: Arc<Snapshot>,
    files: Prepared,
}

/// The last stored commit, where the next step begins.
#[derive(Debug)]
pub struct StoredTip {
    from: StepBase,
    parts: KnownParts,
}

#[derive(Debug)]
struct StepBase {
    sequence: i64,
    judged: JudgedRelease,
}

type Pair = (Arc<Snapshot>, Arc<Snapshot>);

#[derive(Debug)]
struct ReadCommit {
    new: NewCommit,
    /// Without a key yet; `None` if nothing changed or if other commits are in between.
    step: Option<StepRecord>,
}

/// The outcome of storing a batch.
#[derive(Debug)]
pub struct StoredBatch {
    /// The last commit, for the next batch.
    pub last: Option<StoredTip>,
    /// What was stored.
    pub outcomes: CommitOutcomes,
    /// Rejected commits by id, with reasons.
    pub refused: Vec<(String, Refusal)>,
}

impl CommitBatch {
    /// Whether nothing was parsed or rejected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commits.is_empty() && self.refused.is_empty()
    }

    /// The last commit of the batch.
    #[must_use]
    pub fn newest(&self) -> Option<&CommitRecord> {
        self.commits.last().map(|read| &read.new.commit)
    }

    /// The last parsed commit, for the next batch.
    #[must_use]
    pub fn last(&self) -> Option<ParsedTip> {
        self.last.clone()
    }
}

impl Service {
    /// Finds the positions of commits, given in order, among those of a project. Known commits keep
    /// their order.
    pub async fn place_commits(
        &self,
        project: &str,
        order: &[String],
    ) -> Result<CommitPlaces, ServiceError> {
        let project = ProjectName::parse(project)?;
        let stored = self.store.commits(&project, None).await?;
        let there: FxHashMap<&str, i64> = stored
            .iter()
            .map(|place| (&*place.commit.id, place.position))
            .collect();
        let stored: Vec<&str> = stored.iter().map(|place| &*place.commit.id).collect();
        let mut placed = CommitPlaces::default();
        let mut moved = Vec::new();
        for (id, position) in merged(&stored, order).into_iter().zip(1..) {
            match there.get(id) {
                None => placed.new.push((id.to_owned(), position)),
                Some(&old) if old != position => moved.push((id.to_owned(), position)),
                Some(_) => {}
            }
        }
        placed.known = order.len() - placed.new.len();
        if !moved.is_empty() {
            self.store.place_commits(&project, &moved).await?;
        }
        Ok(placed)
    }

    /// Parses commits and computes the steps between them. `last` is the end of the previous batch.
    /// Rejects commits whose files are not a bundle. Fails with [`ServiceError::Busy`].
    pub async fn read_commits<C>(
        &self,
        commits: C,
        last: Option<ParsedTip>,
    ) -> Result<CommitBatch, ServiceError>
    where
        C: Iterator<Item = CommitFiles> + Send + 'static,
    {
        let limits = self.limits.clone();
        self.workers
            .run(move |stop| read(commits, last, &limits, stop))
            .await
    }

    /// Stores parsed commits and their steps. The next batch can be parsed at the same time.
    pub async fn store_commits(
        &self,
        project: &str,
        read: CommitBatch,
        last: Option<StoredTip>,
    ) -> Result<StoredBatch, ServiceError> {
        let project = ProjectName::parse(project)?;
        let (commits, computed): (Vec<_>, Vec<_>) =
            read.commits.into_iter().map(|it| (it.new, it.step)).unzip();
        let releases: Vec<_> = commits.iter().map(|new| judged(&new.commit)).collect();
        let (from, parts) = last.map(|last| (last.from, last.parts)).unzip();
        let (mut from, mut parts): (Option<StepBase>, KnownParts) =
            (from, parts.unwrap_or_default());
        let outcomes = self
            .store
            .ingest_commits(&project, &commits, &mut parts, self.now())
            .await?;
        let mut steps: Vec<StepRecord> = Vec::new();
        let mut known: FxHashSet<StepKey> = FxHashSet::default();
        for ((judged, step), outcome) in releases.into_iter().zip(computed).zip(&outcomes) {
            if let (Some(from), Some(mut step)) = (&from, step) {
                step.key = StepKey {
                    base: from.sequence,
                    head: outcome.sequence,
                    base_release: from.judged.stored(),
                    head_release: judged.stored(),
                };
                // The same two revisions may follow each other again on another branch.
                if known.insert(step.key.clone()) {
                    steps.push(step);
                }
            }
            from = Some(StepBase {
                sequence: outcome.sequence,
                judged,
            });
        }
        self.save_steps(&project, &mut steps).await?;
        Ok(StoredBatch {
            last: from.map(|from| StoredTip { from, parts }),
            outcomes,
            refused: read.refused,
        })
    }
}

/// Parses commits. The step to a commit is computed while the next one is parsed.
fn read(
    mut commits: impl Iterator<Item = CommitFiles> + Send,
    last: Option<ParsedTip>,
    limits: &Limits,
    stop: &Stop,
) -> Result<CommitBatch, Stopped> {
    let mut done = CommitBatch {
        last,
        ..CommitBatch::default()
    };
    let mut pair: Option<Pair> = None;
    loop {
        let at = done.commits.len();
        let compare = || match &pair {
            Some((base, head)) => step::record(no_key(), Some(base), head, stop).map(Some),
            None => Ok(None),
        };
        let (step, read) = rayon::join(compare, || done.read_next(&mut commits, limits, stop));
        if let Some(commit) = at.checked_sub(1).and_then(|at| done.commits.get_mut(at)) {
            commit.step = step?;
        }
        match read? {
            Some(next) => pair = next,
            None => return Ok(done),
        }
    }
}

impl CommitBatch {
    fn read_next(
        &mut self,
        commits: &mut impl Iterator<Item = CommitFiles>,
        limits: &Limits,
        stop: &Stop,
    ) -> Result<Option<Option<Pair>>, Stopped> {
        let Some(commit) = commits.next() else {
            return Ok(None);
        };
        if let Err(refusal) = limits.admit(&commit.bundle) {
            self.refused.push((commit.commit.id, refusal));
            return Ok(Some(None));
        }
        self.read(commit, limits.operators, stop).map(Some)
    }

    fn read(
        &mut self,
        files: CommitFiles,
        most_operators: usize,
        stop: &Stop,
    ) -> Result<Option<Pair>, Stopped> {
        let CommitFiles {
            commit,
            position,
            bundle,
        } = files;
        let release = judged(&commit).release;
        let observed = bundle.file(OBSERVED).map(|bytes| observed::read(bytes));
        let observed = match observed.transpose() {
            Ok(observed) => observed.unwrap_or_default(),
            Err(why) => {
                self.refused.push((commit.id, Refusal::Observed(why)));
                return Ok(None);
            }
        };
        let previous = self.last.as_ref().map(|last| &*last.snapshot);
        let digest = bundle.digest();
        let snapshot = Arc::new(Snapshot::of(digest, bundle, release, previous, stop)?);
        snapshot.dispatch.remember(observed);
        let snapshot = match keepable(snapshot, most_operators) {
            Ok(snapshot) => snapshot,
            Err(refusal) => {
                self.refused.push((commit.id, refusal));
                return Ok(None);
            }
        };
        let files = match &self.last {
            Some(last) => last.files.next(&snapshot.bundle),
            None => Prepared::of(&snapshot.bundle),
        };
        self.commits.push(ReadCommit {
            new: NewCommit {
                commit,
                position,
                files: files.clone(),
            },
            step: None,
        });
        let last = self.last.replace(ParsedTip {
            position,
            snapshot: Arc::clone(&snapshot),
            files,
        });
        let Some(last) = last else {
            return Ok(None);
        };
        let base = last.snapshot;
        let is_same = base.digest == snapshot.digest && base.release() == release;
        if last.position + 1 != position || is_same {
            return Ok(None);
        }
        snapshot.tabulate(stop)?;
        Ok(Some((base, snapshot)))
    }
}

fn no_key() -> StepKey {
    StepKey {
        base: 0,
        head: 0,
        base_release: String::new(),
        head_release: String::new(),
    }
}

/// Merges commits into the known ones. A new commit is inserted before its successor.
fn merged<'a>(stored: &[&'a str], order: &'a [String]) -> Vec<&'a str> {
    let known: FxHashSet<&str> = stored.iter().copied().collect();
    let at: FxHashMap<&str, usize> = order.iter().enumerate().map(|(i, id)| (&**id, i)).collect();
    let mut merged = Vec::with_capacity(stored.len() + order.len());
    let mut next = 0;
    let mut add = |until: usize, merged: &mut Vec<&'a str>| {
        while next < until {
            let id = &*order[next];
            if !known.contains(id) {
                merged.push(id);
            }
            next += 1;
        }
    };
    for id in stored {
        if let Some(&at) = at.get(id) {
            add(at, &mut merged);
        }
        merged.push(id);
    }
    add(order.len(), &mut merged);
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_find_their_places() {
        let check = |stored: &str, order: &str, expected: &str| {
            let stored: Vec<&str> = stored.split_whitespace().collect();
            let order: Vec<String> = order.split_whitespace().map(Into::into).collect();
            assert_eq!(merged(&stored, &order).join(" "), expected);
        };
        check("", "a b c", "a b c");
        check("a b", "a b c d", "a b c d");
        check("c d", "a b c d", "a b c d");
        check("a d", "b c d e", "a b c d e");
        check("a b x", "a c x y", "a b c x y");
        // If the history was rewritten, known commits keep their order.
        check("b a", "a z b", "z b a");
    }
}
