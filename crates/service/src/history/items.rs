use std::sync::Arc;

use crate::address::release_of;
use crate::error::ServiceError;
use crate::notes::JudgedRelease;
use opatlas_pytorch::release::Version;
use opatlas_store::{
    CommitPlace, CommitRecord, IngestPlace, LabelRecord, ProjectName, Stamp, Store,
};

use super::timeline::{Item, Line, Timeline};

pub(super) struct Items {
    pub(super) line: Line,
    pub(super) items: Vec<Arc<Item>>,
    pub(super) known: usize,
    pub(super) end: Option<i64>,
}

/// Without a line, reads the first one with items: releases, commits, ingests.
pub(super) async fn read(
    store: &dyn Store,
    project: &ProjectName,
    line: Option<Line>,
    stamp: Stamp,
    previous: Option<&Timeline>,
) -> Result<Items, ServiceError> {
    let is_wanted = |each: Line| line.is_none_or(|line| line == each);
    if is_wanted(Line::Releases) {
        let found = releases(store.numbered_labels(project).await?);
        if line.is_some() || !found.items.is_empty() {
            return Ok(found);
        }
    }
    // If the timeline only grew, its previous state is a prefix of the current one.
    let known = |line: Line, rearranged: i64| {
        previous.filter(|previous| previous.line == line && rearranged <= previous.stamp.now)
    };
    if is_wanted(Line::Commits) {
        let found = commits(store, project, known(Line::Commits, stamp.commits)).await?;
        if line.is_some() || !found.items.is_empty() {
            return Ok(found);
        }
    }
    ingests(store, project, known(Line::Ingests, stamp.revisions)).await
}

pub(super) fn labelled(label: LabelRecord) -> Item {
    Item {
        digest: label.digest,
        sequence: label.sequence,
        judged: release_of(&label).unwrap_or(JudgedRelease::NEWEST),
        label: Some(label),
        commit: None,
        ingested_at: None,
    }
}

fn releases(labels: Vec<LabelRecord>) -> Items {
    let versions = labels.into_iter().filter_map(|label| {
        let version = Version::parse(label.name.as_str())?;
        Some((version, label))
    });
    let mut versions: Vec<_> = versions.collect();
    versions.sort_by(|(a, x), (b, y)| {
        a.cmp(b)
            .then(x.sequence.cmp(&y.sequence))
            .then_with(|| y.name.cmp(&x.name))
    });
    Items {
        line: Line::Releases,
        items: versions
            .into_iter()
            .map(|(_, label)| Arc::new(labelled(label)))
            .collect(),
        known: 0,
        end: None,
    }
}

async fn commits(
    store: &dyn Store,
    project: &ProjectName,
    known: Option<&Timeline>,
) -> Result<Items, ServiceError> {
    let before = known.and_then(|known| known.end);
    let places = store.commits(project, before).await?;
    let end = places.last().map(|place| place.position).or(before);
    let item = |place: CommitPlace| Item {
        digest: place.digest,
        sequence: place.sequence,
        judged: judged(&place.commit),
        label: None,
        commit: Some(place.commit),
        ingested_at: None,
    };
    let mut items = known.map_or_else(Vec::new, |known| known.items.clone());
    let known = items.len();
    items.extend(places.into_iter().map(item).map(Arc::new));
    Ok(Items {
        line: Line::Commits,
        items,
        known,
        end,
    })
}

pub(crate) fn judged(commit: &CommitRecord) -> JudgedRelease {
    let release = commit.release.as_deref();
    let parsed = release.and_then(|release| JudgedRelease::parse(release).ok());
    parsed.unwrap_or(JudgedRelease::NEWEST)
}

async fn ingests(
    store: &dyn Store,
    project: &ProjectName,
    known: Option<&Timeline>,
) -> Result<Items, ServiceError> {
    let mut items = known.map_or_else(Vec::new, |known| known.items.clone());
    let known = items.len();
    let after = items.last().map(|item| item.sequence);
    let new = store.ingests(project, after).await?;
    items.extend(new.into_iter().map(ingested).map(Arc::new));
    Ok(Items {
        line: Line::Ingests,
        items,
        known,
        end: None,
    })
}

fn ingested(revision: IngestPlace) -> Item {
    let labels = revision.labels.into_iter();
    let label = labels.max_by_key(|label| (label.release.is_some(), label.moved_at));
    let judged = label.as_ref().and_then(release_of);
    Item {
        digest: revision.digest,
        sequence: revision.sequence,
        judged: judged.unwrap_or(JudgedRelease::NEWEST),
        label,
        commit: None,
        ingested_at: Some(revision.ingested_at),
    }
}
