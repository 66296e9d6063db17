//! `opatlas check --sources`: source files beside the files that are checked.

use std::path::PathBuf;

use clap::Args;

use super::check::Input;
use super::over::tree;
use super::sources::{SourceFilter, SourceMacros, Sources};
use opatlas_rules::SourceCheck;
use opatlas_service::Snapshot;
use opatlas_source::{SOURCES, visible};
use opatlas_sources::{File, MACRO_FILE};

/// The sources to check.
#[derive(Debug, Default, Args)]
pub(super) struct SourceOptions {
    /// Also check the C++ and Python sources in this folder
    ///
    /// It finds registrations and kernels that disagree with the files or do not load, and composite
    /// functions that break the rules for them.
    #[arg(long, value_name = "DIR")]
    sources: Option<PathBuf>,

    /// Describe the project's own registration macros with this TOML file, beside those of [sources]
    /// in opatlas.toml
    #[arg(long, value_name = "FILE", requires = "sources")]
    macros: Option<PathBuf>,
}

#[derive(Debug)]
pub(super) struct SourceFile {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) bytes: Vec<u8>,
}

impl SourceOptions {
    /// The backend file among the sources, if there is one.
    pub(super) fn backend_file(&self) -> Option<PathBuf> {
        tree::backend_file(self.sources.as_deref()?)
    }

    pub(super) fn files(&self) -> anyhow::Result<Vec<SourceFile>> {
        let Some(folder) = &self.sources else {
            return Ok(Vec::new());
        };
        let described = SourceMacros::read(self.macros.as_deref())?;
        let mut sources = Sources::keeping(SourceFilter::All);
        sources.add(folder, &described.macros)?;
        for (path, why) in &sources.notes {
            eprintln!("{}: {}", visible::line(path), visible::line(why));
        }
        let macros = described
            .text
            .map(|text| (MACRO_FILE.to_owned(), text.into_bytes()));
        let files = sources.files.into_iter().chain(macros);
        let named = files.map(|(path, bytes)| SourceFile {
            name: format!("{SOURCES}{path}"),
            path,
            bytes,
        });
        Ok(named.collect())
    }

    pub(super) fn add_to(&self, inputs: &mut [Input]) -> anyhow::Result<()> {
        let files = self.files()?;
        for input in inputs {
            for file in &files {
                input.bundle.insert(&file.name, file.bytes.as_slice());
                let path = (&*file.path).into();
                input.paths.insert((&*file.name).into(), path);
            }
        }
        Ok(())
    }

    pub(super) fn check(&self, snapshot: &Snapshot) -> SourceCheck {
        if self.sources.is_none() {
            return SourceCheck::default();
        }
        let files: Vec<_> = snapshot
            .bundle
            .files()
            .filter(|(name, _)| name.starts_with(SOURCES))
            .map(|(path, bytes)| File { path, bytes })
            .collect();
        opatlas_rules::check_sources(snapshot.inputs(), &files)
    }
}
