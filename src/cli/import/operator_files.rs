//! Reads the operators of commits.

use std::iter::Peekable;
use std::path::Path;
use std::vec;

use crate::cli::git::{Mode, Objects};
use crate::cli::side::companions;
use opatlas_service::history::CommitFiles;
use opatlas_source::{Bundle, Content, NATIVE_FUNCTIONS};
use opatlas_store::CommitRecord;

use super::commits::NewCommits;

/// Commits with the file of the operators and its companions.
pub(in crate::cli) struct OperatorFiles {
    path: String,
    companions: [(&'static str, String); 2],
    wanted: Peekable<vec::IntoIter<(CommitRecord, i64)>>,
    ids: Objects,
    files: Objects,
    beside: Objects,
    known: [Option<(String, Content)>; 2],
}

impl OperatorFiles {
    pub(in crate::cli) fn open(
        repository: &Path,
        path: String,
        wanted: NewCommits,
    ) -> anyhow::Result<Self> {
        let mut all = Self {
            companions: companions(&path),
            path,
            wanted: wanted.into_iter().peekable(),
            ids: Objects::open(repository, Mode::Ids)?,
            files: Objects::open(repository, Mode::Bytes)?,
            beside: Objects::open(repository, Mode::Bytes)?,
            known: [None, None],
        };
        all.ask()?;
        Ok(all)
    }

    /// Requests the file of the next commit, so that git reads it while this one is parsed.
    fn ask(&mut self) -> anyhow::Result<()> {
        let Some((next, _)) = self.wanted.peek() else {
            return Ok(());
        };
        self.files.ask(&next.id, &self.path)?;
        let mut companions = self.companions.iter();
        companions.try_for_each(|(_, path)| self.ids.ask(&next.id, path))
    }

    fn read(&mut self, commit: CommitRecord, position: i64) -> anyhow::Result<Option<CommitFiles>> {
        self.ask()?;
        let native = self.files.content(&commit.id, &self.path)?;
        let companions = self.companions.iter();
        let of_companions: Vec<_> = companions
            .map(|(_, path)| self.ids.id(&commit.id, path))
            .collect::<Result<_, _>>()?;
        let Some(native) = native else {
            return Ok(None);
        };
        let mut bundle = Bundle::default();
        bundle.insert(NATIVE_FUNCTIONS, native);
        let companions = self.companions.iter().zip(of_companions);
        for (((name, path), id), known) in companions.zip(&mut self.known) {
            let Some(id) = id else {
                continue;
            };
            let is_known = known.as_ref().is_some_and(|(known, _)| *known == id);
            if !is_known {
                let content = self.beside.content(&commit.id, path)?;
                *known = content.map(|content| (id, content));
            }
            if let Some((_, content)) = known {
                bundle.insert(name, content.clone());
            }
        }
        Ok(Some(CommitFiles {
            commit,
            position,
            bundle,
        }))
    }
}

impl Iterator for OperatorFiles {
    type Item = anyhow::Result<Option<CommitFiles>>;

    fn next(&mut self) -> Option<Self::Item> {
        let (commit, position) = self.wanted.next()?;
        Some(self.read(commit, position))
    }
}
