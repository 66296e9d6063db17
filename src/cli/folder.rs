//! A folder that is given as a revision: the files of a bundle, or a clone of PyTorch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{import, neighbours, read};
use opatlas_source::{Bundle, NATIVE_FUNCTIONS};

#[derive(Debug)]
pub(super) struct Folder {
    pub(super) bundle: Bundle,
    pub(super) paths: BTreeMap<Box<str>, PathBuf>,
    /// Whether the files are where PyTorch has them, so that it has all of them.
    pub(super) is_complete: bool,
}

impl Folder {
    /// Reads the files in a folder, and those around it in PyTorch's layout.
    pub(super) fn read(folder: &Path) -> anyhow::Result<Self> {
        let around = neighbours::of_revision(folder);
        let has_operators = folder.join(NATIVE_FUNCTIONS).is_file();
        let bundle = match around.is_empty() || has_operators {
            true => import::read_folder(folder)?,
            false => Bundle::default(),
        };
        let names = bundle.files().map(|(name, _)| name);
        let paths = names.map(|name| (name.into(), folder.join(name)));
        let mut read = Self {
            paths: paths.collect(),
            bundle,
            is_complete: !around.is_empty() && !has_operators,
        };
        for (name, path) in around {
            read.add(name, path)?;
        }
        Ok(read)
    }

    fn add(&mut self, name: &str, path: PathBuf) -> anyhow::Result<()> {
        if self.bundle.file(name).is_none() {
            self.bundle.insert(name, read::found(&path)?);
            self.paths.insert(name.into(), path);
        }
        Ok(())
    }

    /// Reads a file of operators, and those around it.
    pub(super) fn of_file(file: &Path, bytes: Vec<u8>) -> anyhow::Result<Self> {
        let mut read = Self {
            bundle: Bundle::default(),
            paths: BTreeMap::from([(NATIVE_FUNCTIONS.into(), file.to_owned())]),
            is_complete: false,
        };
        read.bundle.insert(NATIVE_FUNCTIONS, bytes);
        for (name, path) in neighbours::of_revision(file) {
            read.add(name, path)?;
        }
        Ok(read)
    }
}
