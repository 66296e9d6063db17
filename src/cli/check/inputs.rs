//! The files to check, sorted into bundles.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::base::Base;
use crate::cli::compare::backend::vendor;
use crate::cli::config::Files;
use crate::cli::folder::Folder;
use crate::cli::neighbours::{around, fixed_name};
use crate::cli::paths::written_like;
use crate::cli::{over, read};
use opatlas_operators::backend::BackendFile;
use opatlas_operators::backend::vendor::Profile;
use opatlas_pytorch::release::Release;
use opatlas_rules::Findings;
use opatlas_source::diagnostic::{Diagnostic, Finding, RuleId};
use opatlas_source::{BACKENDS, Bundle, NATIVE_FUNCTIONS, SOURCES, VENDOR};
use opatlas_wire::judged_comparison::ComparedSide;

#[derive(Debug, Default)]
pub(in crate::cli) struct Input {
    pub(in crate::cli) bundle: Bundle,
    pub(in crate::cli) paths: BTreeMap<Box<str>, PathBuf>,
    /// The release whose rules apply.
    pub(in crate::cli) release: Release,
    /// The state before the change, whose findings are not new.
    pub(in crate::cli) base: Option<Base>,
    /// The title of a stored revision or a commit.
    pub(super) revision: Option<String>,
    named: Option<BTreeSet<Box<str>>>,
}

impl Input {
    pub(super) fn of_revision(side: ComparedSide) -> Self {
        let paths = side.paths.into_iter();
        let paths = paths.map(|(name, path)| (name.into_boxed_str(), path.into()));
        Self {
            bundle: side.snapshot.bundle.clone(),
            release: side.snapshot.release(),
            paths: paths.collect(),
            revision: Some(side.view.title),
            ..Self::default()
        }
    }

    pub(in crate::cli) fn add(&mut self, name: &str, path: &Path, bytes: Vec<u8>) {
        self.bundle.insert(name, bytes);
        self.paths.insert(name.into(), path.into());
    }

    /// Adds files that several bundles share, and the vendor profile.
    fn share(&mut self, shared: &Self, vendor: Option<&str>) {
        for (name, bytes) in shared.bundle.files() {
            self.add(name, &shared.paths[name], bytes.to_vec());
        }
        if let Some(vendor) = vendor {
            self.bundle.insert(VENDOR, vendor.as_bytes());
        }
    }

    pub(in crate::cli) fn known_findings(&self) -> Option<&Findings> {
        Some(self.base.as_ref()?.snapshot.findings())
    }

    /// The files of the bundle that edits may change.
    pub(in crate::cli) fn editable(&self) -> impl Iterator<Item = &Box<str>> {
        self.paths.keys().filter(|name| self.is_named(name))
    }

    /// The revision to name in the error of an edit, which only files may have.
    pub(in crate::cli) fn revision(&self) -> Option<&str> {
        self.revision.as_deref()
    }

    /// How findings name a file.
    pub(super) fn shown(&self, name: &str) -> String {
        let path = self.paths.get(name);
        path.map_or_else(|| name.to_owned(), |path| path.display().to_string())
    }

    fn is_named(&self, name: &str) -> bool {
        self.named.as_ref().is_none_or(|named| named.contains(name))
    }

    /// Whether to report a finding.
    pub(super) fn reports(&self, finding: &Finding) -> bool {
        self.reports_on(&finding.file)
    }

    /// Whether to report findings on a file. Those on sources are always reported.
    pub(super) fn reports_on(&self, name: &str) -> bool {
        self.is_named(name) || name.starts_with(SOURCES)
    }
}

/// Groups files and their neighbors into bundles. Neighbors are in PyTorch's or torchgen's layout,
/// in the same folder, or named in `opatlas.toml`. Only the given files are reported on. Fails if a
/// file cannot be read, or has no `native_functions.yaml`.
pub(super) fn with_neighbours(paths: &[PathBuf], config: &Files) -> anyhow::Result<Vec<Input>> {
    let mut bundles: BTreeMap<PathBuf, Input> = BTreeMap::new();
    for path in paths {
        if path.is_dir() {
            bail!(
                "--neighbours takes files, but {} is a folder",
                path.display()
            );
        }
        let full = std::path::absolute(path)?;
        let files = members(&full, config)?;
        let key = files[0].1.clone();
        let input = match bundles.remove(&key) {
            Some(input) => input,
            None => neighbours(path, &files, config)?,
        };
        bundles.insert(key, name_file(input, path, &full, &files)?);
    }
    Ok(bundles.into_values().collect())
}

fn members(full: &Path, config: &Files) -> anyhow::Result<Vec<(&'static str, PathBuf)>> {
    let mut configured = Vec::new();
    for (name, path) in &config.bundle {
        configured.push((*name, std::path::absolute(path)?));
    }
    let declares = configured
        .first()
        .is_some_and(|(name, _)| *name == NATIVE_FUNCTIONS);
    if declares && configured.iter().any(|(_, path)| path == full) {
        return Ok(configured);
    }
    match around(full, Path::is_file) {
        Some(found) => Ok(found),
        None if declares => Ok(configured),
        None => bail!(
            "{} has no {NATIVE_FUNCTIONS} in the same folder or in PyTorch's layout; name one as \
             `native_functions` in [files] of opatlas.toml, or use --over",
            full.display()
        ),
    }
}

fn neighbours(
    given: &Path,
    files: &[(&'static str, PathBuf)],
    config: &Files,
) -> anyhow::Result<Input> {
    let mut input = Input {
        named: Some(BTreeSet::new()),
        ..Input::default()
    };
    for (name, path) in files {
        input.add(name, &written_like(given, path), read::found(path)?);
    }
    if let Some(profile) = &config.vendor {
        input.bundle.insert(VENDOR, profile.as_bytes());
    }
    Ok(input)
}

fn name_file(
    mut input: Input,
    path: &Path,
    full: &Path,
    files: &[(&'static str, PathBuf)],
) -> anyhow::Result<Input> {
    let member = files.iter().find(|(_, member)| member == full);
    let (name, bytes) = match member.map(|(name, _)| *name).or_else(|| fixed_name(full)) {
        Some(name) => (name.to_owned(), read_given(path)?),
        None => {
            let vendor = vendor(path)?;
            (vendor.file, vendor.bytes.to_vec())
        }
    };
    input.add(&name, path, bytes);
    input.named.get_or_insert_default().insert(name.into());
    Ok(input)
}

pub(in crate::cli) fn inputs(paths: &[PathBuf]) -> anyhow::Result<Vec<Input>> {
    let vendor = Files::of(paths)?.vendor;
    let profile = vendor
        .as_ref()
        .and_then(|text| Profile::read(text.as_bytes()).ok());
    let mut shared = Input::default();
    let mut operators = Vec::new();
    for path in paths {
        if path.is_dir() {
            let folder = Folder::read(path)?;
            let mut input = Input {
                bundle: folder.bundle,
                paths: folder.paths,
                ..Input::default()
            };
            over::add_vendors(path, &mut input)?;
            operators.push(input);
            continue;
        }
        let bytes = read_given(path)?;
        match role(path, &bytes, profile.as_ref()) {
            Some(name) => shared.add(&name, path, bytes),
            None => {
                let mut input = Input::default();
                input.add(NATIVE_FUNCTIONS, path, bytes);
                operators.push(input);
            }
        }
    }
    if operators.is_empty() {
        bail!(
            "none of these files declares operators; add a native_functions.yaml, or name the \
             revision that they belong to with --over, such as --over 2.9.0"
        );
    }
    for input in &mut operators {
        input.share(&shared, vendor.as_deref());
    }
    Ok(operators)
}

fn read_given(path: &Path) -> anyhow::Result<Vec<u8>> {
    if path.as_os_str() == "-" {
        read::standard_input()
    } else {
        read::given(path)
    }
}

/// The name of a file in a bundle; `None` for a file that declares operators.
fn role(path: &Path, bytes: &[u8], profile: Option<&Profile>) -> Option<String> {
    let name = path.file_name()?.to_string_lossy();
    if name == NATIVE_FUNCTIONS {
        return None;
    }
    if Bundle::is_file_name(&name) {
        return Some(name.into_owned());
    }
    let file = BackendFile::read_with(bytes, profile);
    let needs_profile = |fault: &Diagnostic| fault.rule == RuleId::BackendSuperset;
    let is_backend = match &file.vendor {
        Some(vendor) => !vendor.is_overlay,
        None => {
            file.is_mapping
                && (file.backend.is_some() || file.diagnostics.iter().any(needs_profile))
        }
    };
    let own = format!("{BACKENDS}{}.yaml", path.file_stem()?.to_string_lossy());
    (is_backend && Bundle::is_file_name(&own)).then_some(own)
}
