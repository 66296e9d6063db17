//! The revisions of a project by name, in the order in which people look for them.

use std::sync::Arc;

use jiff::Timestamp;
use rustc_hash::FxHashMap;

use crate::Service;
use crate::error::ServiceError;
use crate::notes::JudgedRelease;
use opatlas_pytorch::release::Version;
use opatlas_source::Digest;
use opatlas_store::{ProjectName, Stamp, Store, is_commit_prefix};

use super::items;
use super::timeline::{Item, Line};

const DIGEST_DIGITS: usize = 4;

/// The kind of a revision's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NamedBy {
    /// A version label.
    Version,
    /// Another label.
    Label,
    /// A commit.
    Commit,
    /// The digest alone.
    Digest,
}

impl NamedBy {
    /// The word used in the API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Version => "version",
            Self::Label => "label",
            Self::Commit => "commit",
            Self::Digest => "digest",
        }
    }
}

/// A name of a revision. A revision can have several, each with its own release.
#[derive(Debug)]
pub struct RevisionName {
    /// The kind of name.
    pub by: NamedBy,
    /// The revision, its name, and the release whose rules apply.
    pub item: Arc<Item>,
    /// All labels of the revision.
    pub labels: Arc<[Box<str>]>,
    /// The searched text in lower case.
    text: Box<str>,
}

impl RevisionName {
    /// Identifies the name among all names of the project.
    #[must_use]
    pub fn id(&self) -> String {
        match (&self.item.label, &self.item.commit) {
            (Some(label), _) => format!("{} {}", self.by.as_str(), label.name),
            (None, Some(commit)) => format!("{} {}", self.by.as_str(), commit.id),
            (None, None) => format!("{} {}", self.by.as_str(), self.item.digest),
        }
    }

    /// Whether each word occurs in the label, subject or date, or begins the commit id or digest.
    fn has(&self, words: &[String]) -> bool {
        words.iter().all(|word| {
            let commit = self.item.commit.as_ref();
            self.text.contains(word.as_str())
                || commit.is_some_and(|commit| commit.id.starts_with(word.as_str()))
                || self.has_digest(word)
        })
    }

    fn has_digest(&self, word: &str) -> bool {
        let hex = word.strip_prefix("sha256:").unwrap_or(word);
        hex.len() >= DIGEST_DIGITS && self.item.digest.to_string().starts_with(hex)
    }
}

/// All names of a project's revisions: versions, newest first; other labels, last moved first;
/// commits, last first; then revisions with neither, last ingested first.
#[derive(Debug)]
pub struct Listing {
    /// The names, in order.
    pub names: Vec<RevisionName>,
    stamp: Stamp,
}

impl Listing {
    async fn load(
        store: &dyn Store,
        project: &ProjectName,
        stamp: Stamp,
    ) -> Result<Self, ServiceError> {
        let line = |line| items::read(store, project, Some(line), stamp, None);
        let releases = line(Line::Releases).await?.items;
        let commits = line(Line::Commits).await?.items;
        let ingests = line(Line::Ingests).await?.items;
        let mut labels = store.labels(project).await?;
        labels.sort_by(|a, b| b.moved_at.cmp(&a.moved_at).then(a.name.cmp(&b.name)));
        let mut names_of: FxHashMap<Digest, Vec<Box<str>>> = FxHashMap::default();
        for label in &labels {
            names_of
                .entry(label.digest)
                .or_default()
                .push(label.name.as_str().into());
        }
        let committed: FxHashMap<Digest, ()> =
            commits.iter().map(|item| (item.digest, ())).collect();
        let others = labels
            .into_iter()
            .filter(|label| Version::parse(label.name.as_str()).is_none())
            .map(|label| Arc::new(items::labelled(label)));
        let bare = ingests
            .into_iter()
            .rev()
            .filter(|item| item.label.is_none() && !committed.contains_key(&item.digest));
        let names = (releases
            .into_iter()
            .rev()
            .map(|item| (NamedBy::Version, item)))
        .chain(others.map(|item| (NamedBy::Label, item)))
        .chain(
            commits
                .into_iter()
                .rev()
                .map(|item| (NamedBy::Commit, item)),
        )
        .chain(bare.map(|item| (NamedBy::Digest, item)))
        .map(|(by, item)| {
            let labels = names_of.get(&item.digest).map_or(&[][..], Vec::as_slice);
            named(by, item, labels)
        });
        Ok(Self {
            names: names.collect(),
            stamp,
        })
    }

    /// The names that match all words, optionally only of one kind.
    pub fn find(&self, words: &str, by: Option<NamedBy>) -> impl Iterator<Item = &RevisionName> {
        let words = words.to_lowercase();
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        self.names
            .iter()
            .filter(move |name| by.is_none_or(|by| by == name.by) && name.has(&words))
    }

    fn commits(&self, text: &str, most: usize) -> Vec<&Arc<Item>> {
        if !is_commit_prefix(text) {
            return Vec::new();
        }
        let text = text.to_ascii_lowercase();
        let is_it = |item: &&Arc<Item>| {
            let commit = item.commit.as_ref();
            commit.is_some_and(|commit| commit.id.starts_with(&text))
        };
        let items = self.names.iter().map(|name| &name.item);
        items.filter(is_it).take(most).collect()
    }
}

fn named(by: NamedBy, item: Arc<Item>, labels: &[Box<str>]) -> RevisionName {
    let subject = item.commit.as_ref().map_or("", |commit| &commit.subject);
    let date = item
        .date()
        .and_then(|micros| Timestamp::from_microsecond(micros).ok())
        .map(|date| date.strftime("%Y-%m-%d").to_string());
    let own = item.label.as_ref().map_or("", |label| label.name.as_str());
    // A version is found only by its own label, because another version may have the same files.
    let others = match by {
        NamedBy::Commit => labels.join(" "),
        _ => String::new(),
    };
    let text = format!("{own} {others} {subject} {}", date.unwrap_or_default());
    RevisionName {
        by,
        labels: labels.into(),
        text: text.to_lowercase().into(),
        item,
    }
}

impl Service {
    /// All names of a project's revisions.
    pub async fn listing(&self, project: &str) -> Result<Arc<Listing>, ServiceError> {
        self.listing_of(ProjectName::parse(project)?).await
    }

    async fn listing_of(&self, project: ProjectName) -> Result<Arc<Listing>, ServiceError> {
        let stamp = self.store.stamp(&project).await?;
        let known = self.histories.listings.get(&project).await;
        if let Some(known) = known.filter(|known| known.stamp == stamp) {
            return Ok(known);
        }
        let listing = Arc::new(Listing::load(&*self.store, &project, stamp).await?);
        let kept = Arc::clone(&listing);
        self.histories.listings.insert(project, kept).await;
        Ok(listing)
    }

    /// The revision of the commit whose id starts with `text`, and the release whose rules apply.
    /// Fails with [`ServiceError::AmbiguousCommit`].
    pub(crate) async fn commit(
        &self,
        project: &ProjectName,
        text: &str,
    ) -> Result<Option<(Digest, JudgedRelease)>, ServiceError> {
        if !is_commit_prefix(text) {
            return Ok(None);
        }
        let listing = self.listing_of(project.clone()).await?;
        match listing.commits(text, 3)[..] {
            [] => Ok(None),
            [item] => Ok(Some((item.digest, item.judged.clone()))),
            ref several => Err(ServiceError::AmbiguousCommit {
                text: text.to_owned(),
                matches: several.iter().map(|item| item.title()).collect(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_store::CommitRecord;

    fn commit(id: &str, subject: &str) -> RevisionName {
        let item = Item {
            digest: Digest::of(id.as_bytes()),
            sequence: 1,
            judged: JudgedRelease::NEWEST,
            label: None,
            commit: Some(CommitRecord {
                id: id.to_owned(),
                release: None,
                author_date: 1_700_000_000_000_000,
                subject: subject.to_owned(),
            }),
            ingested_at: None,
        };
        named(NamedBy::Commit, Arc::new(item), &["nightly".into()])
    }

    fn has(name: &RevisionName, words: &str) -> bool {
        let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
        name.has(&words)
    }

    #[test]
    fn a_commit_is_found_by_subject_date_label_and_the_beginnings_of_its_ids() {
        let name = commit("0123abcd99", "Add Foo kernels (#123)");
        let digest = name.item.digest.to_string();
        for words in [
            "foo",
            "kernels add",
            "#123",
            "2023-11",
            "nightly foo",
            "0123ab",
        ] {
            assert!(has(&name, words), "{words}");
        }
        assert!(has(&name, &digest[..6]) && has(&name, &format!("sha256:{digest}")));
        // Only prefixes of an id match, because any few digits occur somewhere in it.
        assert!(!has(&name, "abcd99") && !has(&name, &digest[..3]) && !has(&name, "bar"));
    }
}
