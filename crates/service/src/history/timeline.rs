//! The order of a project's revisions.

use std::ops::RangeInclusive;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::address::{Holds, Resolved};
use crate::error::ServiceError;
use crate::notes::JudgedRelease;
use opatlas_pytorch::release::Version;
use opatlas_source::Digest;
use opatlas_store::{
    CommitRecord, DIGEST_SCHEME, LabelRecord, MIN_PREFIX, ProjectName, Stamp, StepKey, Store,
    is_commit_prefix,
};

use super::{STEP_FORMAT, items};

/// Up to this many revisions, steps are queried by head.
const FEW: usize = 512;

/// The kind of a timeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    /// Version labels, by version.
    Releases,
    /// Commits, in topological order.
    Commits,
    /// Revisions, in ingest order.
    Ingests,
}

impl Line {
    /// The word used in the API and on the command line.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Releases => "releases",
            Self::Commits => "commits",
            Self::Ingests => "ingests",
        }
    }
}

/// A place on a timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The revision.
    pub digest: Digest,
    /// Its place in ingest order.
    pub sequence: i64,
    /// The release whose rules apply.
    pub judged: JudgedRelease,
    /// The version label, on a line of releases.
    pub label: Option<LabelRecord>,
    /// The commit, on a line of commits.
    pub commit: Option<CommitRecord>,
    /// When the project first had it, in microseconds since 1970-01-01 UTC; for ingests.
    pub ingested_at: Option<i64>,
}

impl Item {
    /// A name for people: the label, or the abbreviated commit id or digest.
    #[must_use]
    pub fn title(&self) -> String {
        match (&self.label, &self.commit) {
            (Some(label), _) => label.name.to_string(),
            (None, Some(commit)) => commit.id.chars().take(12).collect(),
            (None, None) => format!("sha256:{:.12}", self.digest.to_string()),
        }
    }

    /// The author date of a commit or the time of ingest, in microseconds since 1970-01-01 UTC.
    #[must_use]
    pub fn date(&self) -> Option<i64> {
        self.commit
            .as_ref()
            .map(|commit| commit.author_date)
            .or(self.ingested_at)
    }
}

/// A range of places, including both ends.
pub type Range = RangeInclusive<usize>;

/// A project's revisions in order, and the steps between them.
#[derive(Debug)]
pub struct Timeline {
    /// The project.
    pub project: ProjectName,
    /// The kind of timeline.
    pub line: Line,
    /// The revisions, oldest first. The same files can occur at several positions.
    pub items: Vec<Arc<Item>>,
    pub(super) stamp: Stamp,
    pub(super) end: Option<i64>,
    /// The step to each place; 0 if nothing can have changed.
    step_of: Vec<i64>,
    /// The step with the counts of each place: its own or the last one before.
    facts_of: Vec<i64>,
    /// Steps with the places that they lead to, sorted.
    places_of: Vec<(i64, usize)>,
    pub(super) steps_within: (i64, i64),
}

impl Timeline {
    #[cfg(test)]
    pub(super) fn of_steps(count: usize) -> Self {
        let item = |sequence| Item {
            digest: Digest::of(b""),
            sequence,
            judged: JudgedRelease::NEWEST,
            label: None,
            commit: None,
            ingested_at: None,
        };
        let steps = 1..=i64::try_from(count).unwrap();
        Self {
            project: ProjectName::parse("p").unwrap(),
            line: Line::Ingests,
            items: steps.clone().map(item).map(Arc::new).collect(),
            stamp: Stamp::default(),
            end: None,
            step_of: steps.clone().collect(),
            facts_of: steps.clone().collect(),
            places_of: steps.clone().zip(0..).collect(),
            steps_within: (1, *steps.end()),
        }
    }

    /// Reuses the valid parts of `previous`, so that updating costs time only for new items.
    pub(super) async fn load(
        store: &dyn Store,
        project: ProjectName,
        line: Option<Line>,
        stamp: Stamp,
        previous: Option<&Self>,
    ) -> Result<Self, ServiceError> {
        let read = items::read(store, &project, line, stamp, previous).await?;
        let known = read.known;
        let step_of = previous.map_or(&[][..], |previous| &previous.step_of[..known]);
        let mut timeline = Self {
            project,
            line: read.line,
            stamp,
            end: read.end,
            step_of: step_of.to_vec(),
            facts_of: Vec::new(),
            places_of: Vec::new(),
            steps_within: (0, 0),
            items: read.items,
        };
        timeline.step_of.resize(timeline.items.len(), 0);
        let new: Vec<usize> = (known..timeline.items.len()).collect();
        timeline.find_steps(store, &new).await?;
        Ok(timeline)
    }

    pub(super) async fn find_steps(
        &mut self,
        store: &dyn Store,
        places: &[usize],
    ) -> Result<(), ServiceError> {
        let mut heads: Vec<i64> = places.iter().map(|&at| self.items[at].sequence).collect();
        heads.sort_unstable();
        heads.dedup();
        // It is faster to read all steps than many by head.
        let heads = Some(&heads[..]).filter(|heads| heads.len() <= FEW);
        let stored = store.steps(&self.project, STEP_FORMAT, heads).await?;
        let ids: FxHashMap<StepKey, i64> = stored.into_iter().map(|(id, key)| (key, id)).collect();
        for &place in places {
            let id = self.step_key(place).and_then(|key| ids.get(&key).copied());
            self.step_of[place] = id.unwrap_or(0);
        }
        let mut last = 0;
        self.facts_of = self.step_of.clone();
        for step in &mut self.facts_of {
            match step {
                0 => *step = last,
                step => last = *step,
            }
        }
        let steps = self.step_of.iter().copied().zip(0..);
        self.places_of = steps.filter(|(step, _)| *step != 0).collect();
        self.places_of.sort_unstable();
        let end = |step: Option<&(i64, usize)>| step.map_or(0, |step| step.0);
        self.steps_within = (end(self.places_of.first()), end(self.places_of.last()));
        Ok(())
    }

    /// The key of the step to a place; `None` if nothing can have changed.
    pub(super) fn step_key(&self, place: usize) -> Option<StepKey> {
        let head = self.items.get(place)?;
        let Some(base) = place.checked_sub(1).and_then(|at| self.items.get(at)) else {
            return Some(key(None, head));
        };
        self.is_step(place).then(|| key(Some(base), head))
    }

    /// Whether anything can have changed since the place before.
    fn is_step(&self, place: usize) -> bool {
        let before = place.checked_sub(1).map(|at| &self.items[at]);
        let head = &self.items[place];
        before.is_none_or(|base| base.sequence != head.sequence || base.judged != head.judged)
    }

    pub(super) fn missing(&self) -> Vec<usize> {
        let is_missing = |place: &usize| self.step_of[*place] == 0 && self.is_step(*place);
        (0..self.items.len()).filter(is_missing).collect()
    }

    pub(super) fn places_of(&self, step: i64) -> impl ExactSizeIterator<Item = usize> {
        let from = self.places_of.partition_point(|(other, _)| *other < step);
        let until = self.places_of.partition_point(|(other, _)| *other <= step);
        self.places_of[from..until].iter().map(|(_, place)| *place)
    }

    pub(super) fn facts_step(&self, place: usize) -> i64 {
        self.facts_of.get(place).copied().unwrap_or(0)
    }

    /// The revision at a place.
    #[must_use]
    pub fn resolved(&self, place: usize) -> Resolved {
        let item = &self.items[place];
        Resolved {
            project: self.project.clone(),
            digest: item.digest,
            judged: item.judged.clone(),
            label: item.label.clone(),
            holds: Holds::Now,
            is_commit: item.commit.is_some(),
        }
    }

    /// The last place.
    #[must_use]
    pub fn last(&self) -> usize {
        self.items.len().saturating_sub(1)
    }

    /// The place that a text names: `latest`, an abbreviated commit id (at least 7 digits), a
    /// label, or `sha256:` with an abbreviated digest. Commits take precedence. Fails with
    /// [`ServiceError::NotOnTimeline`].
    pub fn place(&self, text: &str) -> Result<usize, ServiceError> {
        if text == "latest" {
            return Ok(self.last());
        }
        let id = is_commit_prefix(text).then(|| text.to_ascii_lowercase());
        let is_committed = |item: &Arc<Item>| {
            let (id, commit) = (id.as_deref(), item.commit.as_ref());
            id.is_some_and(|id| commit.is_some_and(|commit| commit.id.starts_with(id)))
        };
        let hex = text.strip_prefix(DIGEST_SCHEME);
        let hex = hex.filter(|hex| hex.len() >= MIN_PREFIX);
        let is_named = |item: &Arc<Item>| {
            let label = item.label.as_ref();
            label.is_some_and(|label| label.name.as_str() == text)
                || hex.is_some_and(|hex| item.digest.to_string().starts_with(hex))
        };
        // 2.9 also finds 2.9.0.
        let version = Version::parse(text);
        let is_version = |item: &Arc<Item>| {
            let label = item.label.as_ref();
            version.is_some() && label.and_then(|l| Version::parse(l.name.as_str())) == version
        };
        let found = self.items.iter().position(is_committed);
        let found = found.or_else(|| self.items.iter().position(is_named));
        let found = found.or_else(|| self.items.iter().position(is_version));
        found.ok_or_else(|| self.not_here(text))
    }

    /// The range between two places, by default the whole timeline. Fails with
    /// [`ServiceError::NotOnTimeline`], or [`ServiceError::Backwards`] if it ends before it begins.
    pub fn range(&self, from: Option<&str>, to: Option<&str>) -> Result<Range, ServiceError> {
        let start = from.map_or(Ok(0), |text| self.place(text))?;
        let end = to.map_or(Ok(self.last()), |text| self.place(text))?;
        if end < start {
            return Err(ServiceError::Backwards {
                from: self.items[start].title(),
                to: self.items[end].title(),
            });
        }
        Ok(start..=end)
    }

    fn not_here(&self, text: &str) -> ServiceError {
        let titles: Vec<String> = self.items.iter().map(|item| item.title()).collect();
        let near = opatlas_source::suggest::nearest_few(text, titles.iter().map(|t| &**t), 3);
        ServiceError::NotOnTimeline {
            project: self.project.clone(),
            text: text.chars().take(128).collect(),
            suggestions: near.into_iter().map(Into::into).collect(),
        }
    }
}

fn key(base: Option<&Item>, head: &Item) -> StepKey {
    StepKey {
        base: base.map_or(0, |base| base.sequence),
        head: head.sequence,
        base_release: base.map_or_else(String::new, |base| base.judged.stored()),
        head_release: head.judged.stored(),
    }
}
