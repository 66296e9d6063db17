//! The index of the data set.

use opatlas_verdict::Word;
use serde::Serialize;

use super::{DatasetFile, FORMAT, sha256};

/// What the data set contains.
#[derive(Debug, Serialize)]
pub(super) struct Index {
    format: u32,
    project: String,
    engine: String,
    words: Vec<WordEntry>,
    releases: Vec<ReleaseEntry>,
    files: Vec<FileEntry>,
}

#[derive(Debug, Serialize)]
pub(super) struct ReleaseEntry {
    pub(super) release: String,
    /// The release whose rules apply.
    pub(super) rules: &'static str,
    pub(super) operators: usize,
    #[serde(flatten)]
    pub(super) file: FileEntry,
}

#[derive(Debug, Serialize)]
pub(super) struct FileEntry {
    path: String,
    bytes: usize,
    sha256: String,
}

#[derive(Debug, Serialize)]
struct WordEntry {
    word: &'static str,
    meaning: String,
}

impl FileEntry {
    pub(super) fn of(file: &DatasetFile) -> Self {
        Self {
            path: file.path.clone(),
            bytes: file.bytes.len(),
            sha256: sha256(&file.bytes),
        }
    }
}

impl Index {
    pub(super) fn new(
        project: &str,
        engine: &str,
        releases: Vec<ReleaseEntry>,
        files: [&DatasetFile; 2],
    ) -> Self {
        Self {
            format: FORMAT,
            project: project.to_owned(),
            engine: engine.to_owned(),
            words: Word::ALL.map(WordEntry::of).into(),
            releases,
            files: files.map(FileEntry::of).into(),
        }
    }
}

impl WordEntry {
    fn of(word: Word) -> Self {
        let minors = Word::MINORS;
        let meaning = match word {
            Word::Widely => format!("works through at least the last {minors} minor releases"),
            Word::Newly => format!(
                "works, but is not known to have worked in the last {minors} minor releases"
            ),
            Word::Limited => "some calls fail, or only a fallback serves it".to_owned(),
            Word::None => "fails".to_owned(),
            Word::Unknown => "nobody can tell".to_owned(),
        };
        Self {
            word: word.as_str(),
            meaning,
        }
    }
}
