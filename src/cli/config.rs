//! `opatlas.toml`: a repository's policy and exceptions, the places of its files, and its macros.
//!
//! It is the nearest one in the folder of the checked files, or the current folder without files, or above,
//! up to the root of the git repository.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use serde::Deserialize;

use super::over::{Pin, VendorText};
use super::paths::without_dots;
use super::read;
use opatlas_diff::policy::{Exception, Policy};
use opatlas_service::policy::{ExceptionText, PolicyText, expect_few};
use opatlas_source::{DEPRECATED, DERIVATIVES, NATIVE_FUNCTIONS, TAGS};

const FILE: &str = "opatlas.toml";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    policy: Option<PolicyText>,
    #[serde(default, rename = "exception")]
    exceptions: Vec<ExceptionText>,
    vendor: Option<VendorText>,
    files: Option<FilesText>,
    /// Descriptions of macros, see [`super::sources::SourceMacros`].
    sources: Option<toml::Table>,
}

/// `[files]`: the places of files that are not found by name, relative to the folder of `opatlas.toml`.
#[derive(Debug, Default, Clone, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FilesText {
    pub(super) native_functions: Option<PathBuf>,
    pub(super) tags: Option<PathBuf>,
    pub(super) derivatives: Option<PathBuf>,
    pub(super) deprecated: Option<PathBuf>,
    pub(super) backends: Vec<PathBuf>,
    pub(super) release: Option<String>,
    /// The branch that changes are merged into, as git names it.
    pub(super) branch: Option<String>,
}

#[derive(Debug, Default, Clone)]
pub(super) struct Files {
    pub(super) bundle: Vec<(&'static str, PathBuf)>,
    pub(super) backends: Vec<PathBuf>,
    pub(super) release: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) vendor: Option<String>,
}

impl Files {
    /// The configuration of the first path, which is a file or a folder; without one, of the current
    /// folder.
    pub(super) fn of(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
        match (first.is_dir(), first.parent()) {
            (false, Some(folder)) => Self::above(folder),
            _ => Self::above(first),
        }
    }

    /// The configuration of a folder.
    pub(super) fn above(folder: &Path) -> anyhow::Result<Self> {
        let Some(found) = Found::nearest(folder)? else {
            return Ok(Self::default());
        };
        let config = found.config()?;
        let folder = found.folder;
        let files = config.files.unwrap_or_default();
        let named = [
            (NATIVE_FUNCTIONS, files.native_functions),
            (TAGS, files.tags),
            (DERIVATIVES, files.derivatives),
            (DEPRECATED, files.deprecated),
        ]
        .into_iter();
        Ok(Self {
            bundle: named
                .filter_map(|(name, path)| Some((name, folder.join(path?))))
                .collect(),
            backends: files
                .backends
                .iter()
                .map(|path| folder.join(path))
                .collect(),
            release: files.release,
            branch: files.branch,
            vendor: config.vendor.map(|vendor| vendor.yaml()),
        })
    }
}

/// The text of an `opatlas.toml`.
struct Found {
    folder: PathBuf,
    text: String,
}

impl Found {
    fn nearest(folder: &Path) -> anyhow::Result<Option<Self>> {
        let folder = without_dots(&std::path::absolute(Path::new(".").join(folder))?);
        for folder in folder.ancestors() {
            let path = folder.join(FILE);
            if path.try_exists().unwrap_or(false)
                && let Some(text) = read::text_if_found(&path)?
            {
                let folder = folder.to_owned();
                return Ok(Some(Self { folder, text }));
            }
            if folder.join(".git").exists() {
                break;
            }
        }
        Ok(None)
    }

    fn config(&self) -> anyhow::Result<Config> {
        let path = self.folder.join(FILE);
        toml::from_str(&self.text).with_context(|| format!("{} is invalid", path.display()))
    }
}

#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) policy: Option<Policy>,
    pub(super) exceptions: Vec<Exception>,
}

/// Whether an exception comes from the file, and not from the store.
pub(super) fn is_checked_in(exception: &Exception) -> bool {
    exception.id.starts_with(FILE)
}

pub(super) fn vendor() -> anyhow::Result<Option<String>> {
    Ok(vendor_text()?.map(|vendor| vendor.yaml()))
}

/// The place of the pinned PyTorch release in a vendor's repository.
pub(super) fn pin() -> anyhow::Result<Option<Pin>> {
    match vendor_text()? {
        Some(vendor) => vendor.pin(),
        None => Ok(None),
    }
}

pub(super) fn sources() -> anyhow::Result<Option<toml::Table>> {
    Ok(whole()?.sources)
}

fn vendor_text() -> anyhow::Result<Option<VendorText>> {
    Ok(whole()?.vendor)
}

fn whole() -> anyhow::Result<Config> {
    match Found::nearest(Path::new("."))? {
        Some(found) => found.config(),
        None => Ok(Config::default()),
    }
}

/// Reads the named file, or the `opatlas.toml` of the current folder. An invalid file is an error, because
/// a comparison by another policy would be meaningless.
pub(super) fn read(named: Option<&Path>) -> anyhow::Result<Checked> {
    let shown = named.unwrap_or(Path::new(FILE)).display();
    let config = match named {
        None => whole()?,
        Some(path) => {
            let text = read::given_text(path)?;
            toml::from_str(&text).with_context(|| format!("{shown} is invalid"))?
        }
    };
    let policy = match config.policy {
        None => None,
        Some(policy) => match policy.policy() {
            Ok(policy) => Some(policy),
            Err(fault) => bail!("{shown}: [policy] {fault}"),
        },
    };
    let mut exceptions = Vec::with_capacity(config.exceptions.len());
    for (i, text) in config.exceptions.iter().enumerate() {
        let id = format!("{FILE}#{}", i + 1);
        match text.added(id) {
            Ok(exception) => exceptions.push(exception),
            Err(fault) => bail!("{shown}: [[exception]] number {}, {fault}", i + 1),
        }
    }
    if let Err(fault) = expect_few(&exceptions) {
        bail!("{shown}: {fault}");
    }
    Ok(Checked { policy, exceptions })
}
