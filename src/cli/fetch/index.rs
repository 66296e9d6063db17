//! The releases of torch in the user's package indexes.

use std::fs::{self, File};
use std::path::Path;

use opatlas_pytorch::release::Version;
use opatlas_source::Stop;
use url::Url;

use super::FetchError;
use super::candidate::{Candidate, Place, choose};
use super::client::{Client, Failure, shown};
use super::page::Link;
use super::settings::Settings;
use crate::cli::read::{self, Origin};

const NAME: &str = "torch";
/// The number of versions that an error lists.
const LISTED: usize = 8;

/// The wheels of torch that the user's indexes have.
#[derive(Debug)]
pub(super) struct Index {
    client: Client,
    candidates: Vec<Candidate>,
    /// Why an index could not be read.
    unread: Option<String>,
}

impl Index {
    /// Reads the pages of torch. Fails if no index can be read.
    pub(super) fn read(settings: Settings, stop: Stop) -> Result<Self, FetchError> {
        let client = Client::new(settings, stop);
        let mut index = Self {
            candidates: Vec::new(),
            unread: None,
            client,
        };
        for url in index.client.settings.indexes.clone() {
            index.add_page(&page_of_project(&url))?;
        }
        for link in index.client.settings.links.clone() {
            match Url::parse(&link) {
                Ok(url) if url.scheme().starts_with("http") => index.add_page(&url)?,
                Ok(url) if url.scheme() == "file" => {
                    if let Ok(path) = url.to_file_path() {
                        index.add_folder(&path);
                    }
                }
                _ => index.add_folder(Path::new(&link)),
            }
        }
        match &index.unread {
            Some(reason) if index.candidates.is_empty() => Err(FetchError::Index {
                reason: reason.clone(),
            }),
            _ => Ok(index),
        }
    }

    fn add_page(&mut self, url: &Url) -> Result<(), FetchError> {
        match self.client.links(url) {
            Ok(links) => self.add(links),
            // An index need not have every project.
            Err(Failure::Absent) => {}
            Err(Failure::Stopped) => return Err(FetchError::Interrupted),
            Err(Failure::Passing(reason) | Failure::Other(reason)) => {
                self.unread = Some(format!("{}: {reason}", shown(url)));
            }
        }
        Ok(())
    }

    fn add(&mut self, links: Vec<Link>) {
        let found = links.into_iter().filter_map(Candidate::of_link);
        self.candidates.extend(found);
    }

    /// Adds the wheels of a folder, or a single wheel. pip, too, ignores a path without files.
    fn add_folder(&mut self, path: &Path) {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let paths = entries.map(|entry| entry.path());
        let found = paths.chain([path.to_owned()]);
        let found = found.filter_map(|path| Candidate::of_file(&path));
        self.candidates.extend(found);
    }

    /// The versions, oldest first, without pre-releases.
    pub(super) fn versions(&self) -> Vec<String> {
        let mut versions: Vec<&str> = self.candidates.iter().map(|c| &*c.version).collect();
        let is_release = |version: &str| version.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        versions.retain(|version| is_release(version) && Version::parse(version).is_some());
        versions.sort_by_key(|version| Version::parse(version));
        versions.dedup();
        versions.into_iter().map(Into::into).collect()
    }

    /// Opens the best wheel of a version; downloads it if necessary.
    pub(super) fn open(&self, version: &str) -> Result<File, FetchError> {
        let Some(found) = choose(&self.candidates, version) else {
            return Err(self.absent(version));
        };
        let download = |reason: String| FetchError::Download {
            version: version.into(),
            reason,
        };
        match &found.place {
            Place::Disk(path) => {
                read::open(path, Origin::Found).map_err(|source| FetchError::File {
                    path: path.clone(),
                    source,
                })
            }
            Place::Index(link) => self.client.download(link).map_err(|failure| match failure {
                Failure::Stopped => FetchError::Interrupted,
                Failure::Absent => download(format!("{}: not found", shown(&link.url))),
                Failure::Passing(reason) | Failure::Other(reason) => {
                    download(format!("{}: {reason}", shown(&link.url)))
                }
            }),
        }
    }

    fn absent(&self, version: &str) -> FetchError {
        let mut known = self.versions();
        known.reverse();
        let more = if known.len() > LISTED { ", ..." } else { "" };
        known.truncate(LISTED);
        let known = match known.is_empty() {
            true => "no wheel of torch".to_owned(),
            false => format!("{}{more}", known.join(", ")),
        };
        let unread = self.unread.iter().map(|reason| format!("; {reason}"));
        FetchError::NoRelease {
            version: version.into(),
            known: known + &unread.collect::<String>(),
        }
    }
}

fn page_of_project(index: &Url) -> Url {
    let mut url = index.clone();
    let path = format!("{}/{NAME}/", index.path().trim_end_matches('/'));
    url.set_path(&path);
    url
}
