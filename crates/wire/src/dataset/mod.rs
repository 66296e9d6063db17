//! The data set of a project: for each release what works where, and what changed
//! (`docs/dataset.md`). `schema.json` describes the files.

mod changes;
mod index;
mod release;

use std::collections::HashMap;

use opatlas_pytorch::release::Version;
use opatlas_source::Digest;
use opatlas_verdict::View;
use rustc_hash::FxHashMap;
use serde::Serialize;

use changes::ReleaseChanges;
use index::{FileEntry, Index, ReleaseEntry};
use release::{Columns, ReleaseFile};

/// The number of the form of the files.
pub const FORMAT: u32 = 1;

/// The schema of all files (JSON Schema 2020-12).
pub const SCHEMA: &str = include_str!("schema.json");

/// A file of the data set.
#[derive(Debug)]
pub struct DatasetFile {
    /// Its path in the folder, with slashes.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Makes the files from the releases of a project, added one after the other, the oldest first.
#[derive(Debug)]
pub struct Dataset {
    project: String,
    /// The minor releases so far.
    minors: Vec<(u32, u32)>,
    /// By key, the place in `minors` since which anything is known about it.
    known: FxHashMap<&'static str, usize>,
    /// By operator and key, the place in `minors` since which it has worked in full.
    since: Since,
    previous: Option<ReleaseFile>,
    changes: Vec<ReleaseChanges>,
    releases: Vec<ReleaseEntry>,
}

type Since = FxHashMap<String, HashMap<&'static str, usize>>;

impl Dataset {
    /// A data set without releases.
    #[must_use]
    pub fn new(project: &str) -> Self {
        Self {
            project: project.to_owned(),
            minors: Vec::new(),
            known: FxHashMap::default(),
            since: Since::default(),
            previous: None,
            changes: Vec::new(),
            releases: Vec::new(),
        }
    }

    /// Adds the release of a label, and makes its file. Fails if the label is not a version.
    pub fn add(&mut self, label: &str, view: View<'_>) -> Option<DatasetFile> {
        let version = Version::parse(label)?;
        let minor = (version.major, version.minor);
        if self.minors.last() != Some(&minor) {
            self.minors.push(minor);
        }
        let now = self.minors.len() - 1;
        let columns = Columns::of(view, &mut self.known, now);
        let file = ReleaseFile::of(label, view, columns, &mut self.since, now);
        if let Some(previous) = &self.previous {
            self.changes.push(ReleaseChanges::between(previous, &file));
        }
        let made = DatasetFile {
            path: format!("releases/{label}.json"),
            bytes: file.to_json(),
        };
        self.releases.push(ReleaseEntry {
            release: label.to_owned(),
            rules: view.keys().release().as_str(),
            operators: file.operators.len(),
            file: FileEntry::of(&made),
        });
        self.previous = Some(file);
        Some(made)
    }

    /// The files about all releases. `engine` identifies the program.
    #[must_use]
    pub fn finish(self, engine: &str) -> Vec<DatasetFile> {
        let changes = DatasetFile {
            path: "changes.json".to_owned(),
            bytes: changes::to_json(&self.changes),
        };
        let schema = DatasetFile {
            path: "schema.json".to_owned(),
            bytes: SCHEMA.as_bytes().to_vec(),
        };
        let index = Index::new(&self.project, engine, self.releases, [&changes, &schema]);
        let index = DatasetFile {
            path: "index.json".to_owned(),
            bytes: json(&index),
        };
        vec![changes, schema, index]
    }
}

/// The SHA-256 of a file.
fn sha256(bytes: &[u8]) -> String {
    Digest::of(bytes).to_string()
}

fn json(value: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

/// The JSON of an object, with the items of one more field on a line each.
fn lines(head: &impl Serialize, field: &str, items: &[impl Serialize]) -> Vec<u8> {
    let mut text = serde_json::to_string_pretty(head).unwrap_or_default();
    text.truncate(text.trim_end_matches("\n}").len());
    text.push_str(&format!(",\n  \"{field}\": [\n"));
    for (place, item) in items.iter().enumerate() {
        let end = if place + 1 < items.len() { ",\n" } else { "\n" };
        text.push_str(&serde_json::to_string(item).unwrap_or_default());
        text.push_str(end);
    }
    text.push_str("  ]\n}\n");
    text.into_bytes()
}
