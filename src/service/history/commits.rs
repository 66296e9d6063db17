//! Taking in a history of commits: thousands of revisions, each much like the one before.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::service::Service;
use crate::service::error::{Refusal, ServiceError};
use crate::service::notes::JudgedRelease;
use crate::service::snapshot::Snapshot;
use crate::source::Bundle;
use crate::store::{CommitOutcomes, CommitRecord, NewCommit, ProjectName, StepKey, StepRecord};

use super::step;
use super::timeline::judged;

/// A commit with the files that it has.
#[derive(Debug, Clone)]
pub struct CommitFiles {
    /// The commit.
    pub commit: CommitRecord,
    /// Its place on the timeline.
    pub position: i64,
    /// Its files.
    pub bundle: Bundle,
}

/// Where commits come to stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Placed {
    /// Commits that are there already.
    pub known: usize,
    /// Those that are not, by id, with their places; in order.
    pub new: Vec<(String, i64)>,
}

/// The commit before, from which the next one is read and compared.
#[derive(Debug, Clone)]
pub struct Before {
    position: i64,
    sequence: i64,
    judged: JudgedRelease,
    snapshot: Arc<Snapshot>,
}

/// What came of a handful of commits.
#[derive(Debug)]
pub struct Taken {
    /// The last of them that was stored, for the next handful.
    pub before: Option<Before>,
    /// What was stored.
    pub outcomes: CommitOutcomes,
    /// What was not: the commit's id, and why.
    pub refused: Vec<(String, Refusal)>,
}

impl Service {
    /// Finds the places of commits, given in their order, among those that a project has. Those
    /// that are there move where the new ones need it; their own order stays.
    ///
    /// # Errors
    /// What the store says.
    pub async fn place_commits(
        &self,
        project: &str,
        order: &[String],
    ) -> Result<Placed, ServiceError> {
        let project = ProjectName::parse(project)?;
        let stored = self.store.commits(&project).await?;
        let there: FxHashMap<&str, i64> = stored
            .iter()
            .map(|place| (&*place.commit.id, place.position))
            .collect();
        let stored: Vec<&str> = stored.iter().map(|place| &*place.commit.id).collect();
        let mut placed = Placed::default();
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

    /// Stores commits, given in their order, and computes the steps between them. A commit whose
    /// files make no bundle is left out.
    ///
    /// # Errors
    /// What the store says.
    pub async fn take_commits(
        &self,
        project: &str,
        commits: Vec<CommitFiles>,
        before: Option<Before>,
    ) -> Result<Taken, ServiceError> {
        let project = ProjectName::parse(project)?;
        let (mut refused, mut admitted) = (Vec::new(), Vec::with_capacity(commits.len()));
        for commit in commits {
            match self.admit(&commit.bundle) {
                Ok(()) => admitted.push(commit),
                Err(refusal) => refused.push((commit.commit.id, refusal)),
            }
        }
        let read = self.workers.run(move || read(admitted, before)).await?;
        refused.extend(read.refused);
        let ingest = read.commits.iter().map(|read| read.new.clone()).collect();
        let outcomes = self.store.ingest_commits(&project, ingest, self.now());
        let outcomes = outcomes.await?;
        let (mut before, last) = (read.before, read.last);
        let mut steps: Vec<StepRecord> = Vec::new();
        for (read, outcome) in read.commits.into_iter().zip(&outcomes) {
            let judged = judged(&read.new.commit);
            let head_release = judged.stored();
            if let (Some(before), Some(mut step)) = (&before, read.step) {
                step.key = StepKey {
                    base: before.sequence,
                    head: outcome.sequence,
                    base_release: before.judged.stored(),
                    head_release,
                };
                // The same files may follow each other on another branch as well.
                if steps.iter().all(|other| other.key != step.key) {
                    steps.push(step);
                }
            }
            let snapshot = last.as_ref().or(before.as_ref().map(|b| &b.snapshot));
            before = snapshot.cloned().map(|snapshot| Before {
                position: read.new.position,
                sequence: outcome.sequence,
                judged,
                snapshot,
            });
        }
        self.save_steps(&project, &mut steps).await?;
        Ok(Taken {
            before,
            outcomes,
            refused,
        })
    }
}

/// Commits, read and compared.
struct ReadCommits {
    before: Option<Before>,
    commits: Vec<ReadCommit>,
    /// The last of them; the others are not kept, so that memory holds one or two.
    last: Option<Arc<Snapshot>>,
    refused: Vec<(String, Refusal)>,
}

struct ReadCommit {
    new: NewCommit,
    /// The step from the commit before, still without a key; `None` where nothing changed, or
    /// other commits stand between.
    step: Option<StepRecord>,
}

fn read(commits: Vec<CommitFiles>, before: Option<Before>) -> ReadCommits {
    let mut last = before
        .as_ref()
        .map(|before| (before.position, Arc::clone(&before.snapshot)));
    let mut done = ReadCommits {
        before,
        commits: Vec::with_capacity(commits.len()),
        last: None,
        refused: Vec::new(),
    };
    for CommitFiles {
        commit,
        position,
        bundle,
    } in commits
    {
        let release = judged(&commit).release;
        let previous = last.as_ref().map(|(_, snapshot)| &**snapshot);
        let snapshot = Arc::new(Snapshot::read(bundle, release, previous));
        if !snapshot.catalogue.native_functions.is_list {
            done.refused.push((commit.id, Refusal::NoList(snapshot)));
            continue;
        }
        let base = last.as_ref().filter(|(at, base)| {
            let is_same = base.digest == snapshot.digest && base.release() == release;
            at + 1 == position && !is_same
        });
        let step = base.map(|(_, base)| step::record(no_key(), Some(base), &snapshot));
        last = Some((position, Arc::clone(&snapshot)));
        done.commits.push(ReadCommit {
            new: NewCommit {
                commit,
                position,
                bundle: snapshot.bundle.clone(),
            },
            step,
        });
    }
    done.last = last.map(|(_, snapshot)| snapshot);
    done
}

/// The place of a key that is not known before the revisions are stored.
fn no_key() -> StepKey {
    StepKey {
        base: 0,
        head: 0,
        base_release: String::new(),
        head_release: String::new(),
    }
}

/// Puts commits in their order among those that are there, whose own order stays: new ones stand
/// before the known one that they come before.
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
        // A rewritten history: what is there keeps its order.
        check("b a", "a z b", "z b a");
    }
}
