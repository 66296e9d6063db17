//! `opatlas check --fix`: applies the edits of findings to the user's files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use similar::TextDiff;

use super::check::Input;
use super::read;
use opatlas_operators::catalogue::Catalogue;
use opatlas_report::findings::EditedFile;
use opatlas_rules::Shown;
use opatlas_rules::fix::{Fixed, Reading, Wanted, mend};
use opatlas_source::Bundle;
use opatlas_source::diagnostic::RuleId;
use opatlas_yaml as yaml;

/// The edits to apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Edits {
    /// Edits for errors and warnings that do not change the meaning
    Safe,
    /// All edits that a finding offers
    Suggested,
}

impl Edits {
    fn wanted(self) -> Wanted {
        match self {
            Self::Safe => Wanted::Safe,
            Self::Suggested => Wanted::Suggested,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct FixOptions {
    pub(super) edits: Edits,
    pub(super) shown: Shown,
}

#[derive(Debug)]
struct FileFix {
    path: PathBuf,
    before: String,
    fixed: Fixed,
}

#[derive(Debug, Default)]
pub(super) struct Fixes {
    files: Vec<FileFix>,
    left: usize,
}

impl FixOptions {
    /// Fixes each file once, in memory, and leaves what the base has. Fails for standard input, stored
    /// revisions, and files that are not UTF-8.
    pub(super) fn run(self, inputs: &mut [Input]) -> anyhow::Result<Fixes> {
        let mut all = Fixes::default();
        let mut done: BTreeMap<PathBuf, Vec<u8>> = BTreeMap::new();
        for input in inputs {
            if let Some(revision) = input.revision() {
                bail!("--fix edits files, but {revision} is a revision");
            }
            let names: Vec<Box<str>> = input.editable().cloned().collect();
            for name in names {
                let path = input.paths[&name].clone();
                if let Some(bytes) = done.get(&path) {
                    input.bundle.insert(&name, bytes.clone());
                    continue;
                }
                let mended = self.file(input, &name, &path)?;
                let bytes = mended.fixed.text.clone().into_bytes();
                input.bundle.insert(&name, bytes.clone());
                done.insert(path, bytes);
                all.files.push(mended);
            }
            let read = self.read(input, &input.bundle);
            let left = read.findings.iter();
            all.left += left.filter(|it| Wanted::Suggested.takes(it)).count();
        }
        Ok(all)
    }

    /// A file with its edits applied; `None` if there are none.
    pub(super) fn edited(self, input: &Input, name: &str) -> anyhow::Result<Option<EditedFile>> {
        let mended = self.file(input, name, &input.paths[name])?;
        Ok((mended.fixed.text != mended.before).then(|| EditedFile {
            file: name.into(),
            edits: mended.fixed.applied(),
            before: mended.before,
            after: mended.fixed.text,
        }))
    }

    fn file(self, input: &Input, name: &str, path: &Path) -> anyhow::Result<FileFix> {
        let bytes = input.bundle.file(name).map_or(&[][..], |bytes| &bytes[..]);
        let (before, unreadable) = yaml::decode(bytes);
        if let Some(first) = unreadable.first() {
            let shown = path.display();
            bail!("{shown}: {}; no file was written", &*first.message);
        }
        let before = before.into_owned();
        let mut bundle = input.bundle.clone();
        let fixed = mend(name, &before, self.edits.wanted(), |text| {
            bundle.insert(name, text.as_bytes());
            self.read(input, &bundle)
        });
        if fixed.text != before && path.as_os_str() == "-" {
            bail!("--fix cannot edit standard input in place; use a file");
        }
        let path = path.to_owned();
        Ok(FileFix {
            path,
            before,
            fixed,
        })
    }

    fn read(self, input: &Input, bundle: &Bundle) -> Reading {
        let catalogue = Catalogue::read(bundle, input.release, None);
        Reading::shown(&catalogue, self.shown, input.known_findings())
    }
}

impl Fixes {
    fn changed(&self) -> impl Iterator<Item = &FileFix> {
        let files = self.files.iter();
        files.filter(|file| file.fixed.text != file.before)
    }

    pub(super) fn diff(&self) -> String {
        let mut out = String::new();
        for file in self.changed() {
            let path = file.path.display().to_string();
            let diff = TextDiff::from_lines(&file.before, &file.fixed.text);
            let _ = write!(out, "{}", diff.unified_diff().header(&path, &path));
        }
        out
    }

    /// Writes each file completely or not at all. Fails if a file changed since it was read.
    pub(super) fn write(&self) -> anyhow::Result<()> {
        self.changed().try_for_each(|file| {
            replace(
                &file.path,
                file.before.as_bytes(),
                file.fixed.text.as_bytes(),
            )
            .with_context(|| format!("cannot write {}", file.path.display()))
        })
    }

    /// What was done, or would be.
    pub(super) fn report(&self, edits: Edits, is_written: bool) -> String {
        let done = if is_written { "applied" } else { "to apply" };
        let mut out = String::new();
        let mut total = 0;
        for file in &self.files {
            let path = file.path.display();
            let applied = file.fixed.applied();
            total += applied;
            if applied > 0 {
                let made = by_rule(&file.fixed.made);
                let _ = writeln!(out, "{path}: {} {done} ({made})", count(applied));
            }
            let refused: usize = file.fixed.refused.values().sum();
            if refused > 0 {
                let rules = by_rule(&file.fixed.refused);
                let _ = writeln!(
                    out,
                    "{path}: {} not applied, because it would cause other findings ({rules})",
                    count(refused),
                );
            }
        }
        let _ = writeln!(out, "{} {done}", count(total));
        if self.left > 0 && edits == Edits::Safe {
            let offered = count(self.left);
            let _ = writeln!(
                out,
                "{offered} not applied; review with --fix=suggested --diff, apply with \
                 --fix=suggested"
            );
        }
        out
    }
}

fn count(edits: usize) -> String {
    match edits {
        1 => "1 edit".to_owned(),
        _ => format!("{edits} edits"),
    }
}

fn by_rule(rules: &BTreeMap<RuleId, usize>) -> String {
    let each: Vec<String> = rules
        .iter()
        .map(|(rule, count)| format!("{rule}: {count}"))
        .collect();
    each.join(", ")
}

/// Writes a new file next to the old one and renames it, with the same permissions. Follows a
/// symbolic link and replaces its target.
fn replace(path: &Path, before: &[u8], after: &[u8]) -> anyhow::Result<()> {
    let path = fs::canonicalize(path)?;
    let folder = path.parent().context("it has no parent folder")?;
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(after)?;
    new.as_file()
        .set_permissions(fs::metadata(&path)?.permissions())?;
    new.as_file().sync_all()?;
    if read::found(&path)? != before {
        bail!("it changed since it was read; run the command again");
    }
    new.persist(&path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::replace;

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("native_functions.yaml");
        std::fs::write(&path, "theirs").unwrap();
        assert!(replace(&path, b"mine", b"mended").is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"theirs");
        replace(&path, b"theirs", b"mended").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"mended");
        // No temporary file is left.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
