//! `opatlas import --sources`: adds the source files of a backend to its revision.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use crate::cli::over::tree;
use crate::cli::read::Origin;
use crate::cli::sources::{SourceMacros, Sources, shown_path};
use opatlas_pytorch::release::Release;
use opatlas_source::{Bundle, SOURCES, visible};
use opatlas_sources::{MACRO_FILE, PathKind, scan};

/// The sources to add to a revision.
#[derive(Debug, Default, Args)]
pub(super) struct SourceOptions {
    /// Add what the C++ and Python sources of this folder register; only files that register
    /// something, and those that define their macros, are stored. A backend without a file is its sources alone
    #[arg(long, value_name = "DIR", requires = "over", conflicts_with = "git")]
    sources: Option<PathBuf>,

    /// Describe the project's own registration macros with this TOML file, beside those of [sources]
    /// in opatlas.toml
    #[arg(long, value_name = "FILE", requires = "sources")]
    macros: Option<PathBuf>,
}

impl SourceOptions {
    /// The backend file among the sources, if there is one.
    pub(super) fn backend_file(&self) -> Option<PathBuf> {
        tree::backend_file(self.sources.as_deref()?)
    }

    /// Adds the files to a bundle, and reports on standard error what they register with a release.
    pub(super) fn add_to(&self, bundle: &mut Bundle, release: Release) -> anyhow::Result<()> {
        let Some(folder) = &self.sources else {
            return Ok(());
        };
        let mut described = SourceMacros::read(self.macros.as_deref())?;
        described.macros.use_lists_of(release);
        add(bundle, folder, described)
    }
}

/// Adds the folder `sources/` of a bundle on disk, if it exists.
pub(in crate::cli) fn of_folder(bundle_folder: &Path, bundle: &mut Bundle) -> anyhow::Result<()> {
    let folder = bundle_folder.join(SOURCES.trim_end_matches('/'));
    if !folder.is_dir() {
        return Ok(());
    }
    let file = folder.join(MACRO_FILE);
    let described = if file.is_file() {
        SourceMacros::of_file(&file, Origin::Found)?
    } else {
        SourceMacros::built_in()
    };
    add(bundle, &folder, described)
}

/// Adds the files of a folder that register something, and reports on standard error what they register.
pub(in crate::cli) fn add(
    bundle: &mut Bundle,
    folder: &Path,
    described: SourceMacros,
) -> anyhow::Result<()> {
    let SourceMacros { macros, text } = described;
    if let Some(text) = text {
        bundle.insert(&format!("{SOURCES}{MACRO_FILE}"), text.into_bytes());
    }
    let mut sources = Sources::default();
    sources.add(folder, &macros)?;
    let found = scan(&sources.scanned(), &macros);
    for (path, why) in &sources.notes {
        eprintln!("{}: {}", visible::line(path), visible::line(why));
    }
    for fault in &found.faults {
        let file = sources.files.get(fault.file as usize);
        eprintln!(
            "{}: {}",
            visible::line(file.map_or("", |(path, _)| path)),
            fault.kind.as_str()
        );
    }
    let mut kept = 0;
    let files = sources.files.into_iter().zip(&found.texts).zip(0..);
    for (((path, bytes), text), index) in files {
        let is_used = text.is_some() || found.needed.binary_search(&index).is_ok();
        if !is_used || PathKind::of(&path) == PathKind::Patch {
            continue;
        }
        let name = name_in_bundle(folder, &path);
        if !Bundle::is_file_name(&name) {
            bail!(
                "{path}: the path has characters other than letters, digits, `.`, `_`, `+` and `-`"
            );
        }
        bundle.insert(&name, bytes);
        kept += 1;
    }
    let unresolved = found
        .registrations
        .iter()
        .filter(|row| row.unresolved.is_some());
    eprintln!(
        "{}: {} registrations in {kept} {}, {} unresolved (`opatlas scan` lists them)",
        folder.display(),
        found.registrations.len(),
        if kept == 1 { "file" } else { "files" },
        unresolved.count(),
    );
    Ok(())
}

/// The name of a source file in a bundle: its path, starting with the name of the folder.
pub(in crate::cli) fn name_in_bundle(folder: &Path, path: &str) -> String {
    let folder = shown_path(folder);
    let relative = path
        .strip_prefix(&*folder)
        .unwrap_or(path)
        .trim_start_matches('/');
    let own = folder.rsplit('/').next().unwrap_or_default();
    // `sources/` of a bundle on disk is `sources/` of the bundle.
    let is_named = !matches!(own, "" | ".." | "sources");
    let parts: Vec<&str> = [is_named.then_some(own), Some(relative)]
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect();
    format!("{SOURCES}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_begin_with_the_folders_own_name() {
        for (folder, path, name) in [
            (
                "torch_xla",
                "torch_xla/csrc/a.cpp",
                "sources/torch_xla/csrc/a.cpp",
            ),
            ("./torch_xla/", "torch_xla/a.py", "sources/torch_xla/a.py"),
            ("/src/csrc", "/src/csrc/a.cpp", "sources/csrc/a.cpp"),
            (".", "csrc/a.cpp", "sources/csrc/a.cpp"),
            ("..", "../csrc/a.cpp", "sources/csrc/a.cpp"),
            ("a.cpp", "a.cpp", "sources/a.cpp"),
            (
                "bundle/sources",
                "bundle/sources/x/a.cpp",
                "sources/x/a.cpp",
            ),
        ] {
            assert_eq!(name_in_bundle(Path::new(folder), path), name, "{folder}");
        }
    }
}
