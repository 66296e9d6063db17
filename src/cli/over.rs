//! Files of a backend over a revision of PyTorch: `opatlas check --over` and `opatlas import --backend`.

pub(super) mod tree;
mod vendor_text;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::Args;

use opatlas_operators::backend::BackendFile;
use opatlas_operators::backend::vendor::Profile;
use opatlas_pytorch::release::Release;
use opatlas_report::findings::SourceText;
use opatlas_service::Snapshot;
use opatlas_service::backend::Vendor;
use opatlas_source::diagnostic::{Finding, Severity};
use opatlas_source::visible::line;
use opatlas_source::{Bundle, VENDOR};

use super::check::Base;
use super::check::Input;
use super::check_sources::SourceFile;
use super::compare::backend::{vendor, vendor_of};
use super::kernel_sources::KernelSources;
use super::side::{NATIVE_FUNCTIONS_PATH, Operand, Places};
use super::{Target, config, merge_base, read};
pub(super) use vendor_text::{Pin, VendorText};

/// The revision to check files of a backend over.
#[derive(Debug, Args)]
pub(super) struct Over {
    /// Check files of a backend over this revision of PyTorch
    #[arg(long, value_name = "SPEC")]
    over: Option<String>,

    /// The project of that revision
    #[arg(
        long,
        value_name = "PROJECT",
        requires = "over",
        default_value = "pytorch"
    )]
    base_project: String,
}

pub(super) struct BackendBundle {
    pub(super) snapshot: Snapshot,
    pub(super) told: String,
    vendors: Vendors,
    sources: BTreeMap<Box<str>, String>,
}

impl Over {
    pub(super) fn is_given(&self) -> bool {
        self.over.is_some()
    }

    pub(super) async fn lay(
        &self,
        files: &[PathBuf],
        sources: Vec<SourceFile>,
        release: Option<&str>,
        target: &Target,
    ) -> anyhow::Result<BackendBundle> {
        let vendors = Vendors::read(files)?;
        let places = Places {
            project: &self.base_project,
            release,
            path: NATIVE_FUNCTIONS_PATH,
            repository: Path::new("."),
            sources: &KernelSources::default(),
        };
        let operand = Operand::parse(self.over.as_deref().unwrap_or_default(), &places);
        let base = operand.read_alone(&places, target).await?;
        let judged = match release {
            Some(release) => Release::parse(release)?.release,
            None => base.snapshot.release(),
        };
        let mut bundle = vendors.over(&base.snapshot.bundle);
        let mut shown = BTreeMap::new();
        for file in sources {
            bundle.insert(&file.name, file.bytes);
            shown.insert(file.name.into(), file.path);
        }
        let snapshot = Snapshot::read(bundle, judged, Some(&base.snapshot));
        Ok(BackendBundle {
            told: vendors.told(&snapshot),
            vendors,
            sources: shown,
            snapshot,
        })
    }
}

impl BackendBundle {
    /// Whether a finding is about the backend rather than about PyTorch's files.
    pub(super) fn reports(&self, finding: &Finding) -> bool {
        self.sources.contains_key(&finding.file) || self.vendors.is_own(&finding.file)
    }

    /// The base: PyTorch's files with those of the backend before the change, if git knows them.
    pub(super) fn before(&self, branch: Option<&str>) -> Option<Base> {
        let files = self.vendors.files.iter();
        let paths = files.map(|(path, _)| std::path::absolute(path));
        let paths: Vec<PathBuf> = paths.collect::<Result<_, _>>().ok()?;
        let paths: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let before = merge_base::files(branch, &paths)?;
        let mut bundle = Bundle::default();
        let others = self.snapshot.bundle.files();
        for (name, bytes) in
            others.filter(|(name, _)| !self.vendors.is_own(name) || *name == VENDOR)
        {
            bundle.insert(name, bytes.clone());
        }
        for ((_, vendor), bytes) in self.vendors.files.iter().zip(before.files) {
            if let Some(bytes) = bytes {
                bundle.insert(&vendor.file, bytes);
            }
        }
        let release = self.snapshot.release();
        let snapshot = Snapshot::read(bundle, release, Some(&self.snapshot));
        Some(Base::at_commit(&before.commit, snapshot))
    }

    pub(super) fn sources(&self) -> BTreeMap<Box<str>, SourceText> {
        let files = self.snapshot.bundle.files().map(|(name, _)| {
            let source = self.sources.get(name).cloned();
            let shown = source.unwrap_or_else(|| self.vendors.shown(name));
            let text = self
                .snapshot
                .source(name)
                .map_or("", |source| &*source.text);
            (name.into(), SourceText::new(shown, text.into()))
        });
        files.collect()
    }
}

pub(super) struct Vendors {
    files: Vec<(PathBuf, Vendor)>,
    profile: Option<String>,
}

impl Vendors {
    /// Reads files, and the files of a backend in folders, with the profile of `opatlas.toml`.
    pub(super) fn read(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let profile = config::vendor()?;
        let mut files = Vec::new();
        for path in paths {
            if path.is_dir() {
                let found = in_folder(path, profile.as_deref())?;
                if found.is_empty() {
                    bail!("{} has no file of a backend", path.display());
                }
                files.extend(found);
            } else {
                files.push((path.clone(), vendor(path)?));
            }
        }
        for (i, (path, file)) in files.iter().enumerate() {
            if files[..i].iter().any(|(_, other)| other.file == file.file) {
                bail!("two files are named like {}; rename one", path.display());
            }
        }
        Ok(Self { files, profile })
    }

    pub(super) fn over(&self, bundle: &Bundle) -> Bundle {
        let mut bundle = bundle.clone();
        for (_, file) in &self.files {
            bundle = file.over(&bundle);
        }
        if let Some(profile) = &self.profile {
            bundle.insert(VENDOR, profile.as_bytes());
        }
        bundle
    }

    fn shown(&self, name: &str) -> String {
        let own = self.files.iter().find(|(_, file)| file.file == name);
        own.map_or_else(|| name.to_owned(), |(path, _)| path.display().to_string())
    }

    fn is_own(&self, file: &str) -> bool {
        file == VENDOR || self.files.iter().any(|(_, own)| own.file == file)
    }

    pub(super) fn report(&self, laid: &Snapshot) -> usize {
        let mut errors = 0;
        for finding in laid.listed().filter(|found| self.is_own(&found.file)) {
            let (shown, message) = (self.shown(&finding.file), line(&finding.message));
            let place = laid
                .source(&finding.file)
                .map(|text| text.lines(finding.span).start);
            let place = place.map_or_else(String::new, |at| format!(":{}:{}", at.line, at.column));
            eprintln!("{}{place}: {}: {message}", line(&shown), finding.rule);
            errors += usize::from(finding.severity == Severity::Error);
        }
        errors
    }

    pub(super) fn told(&self, laid: &Snapshot) -> String {
        let mut out = String::new();
        for (path, file) in &self.files {
            let backends = &laid.catalogue.backends;
            let Some((_, read)) = backends.iter().find(|(name, _)| **name == *file.file) else {
                continue;
            };
            let kernels: Vec<String> = read
                .kernels(&laid.catalogue)
                .iter()
                .fold(BTreeMap::<&str, usize>::new(), |mut counts, on_key| {
                    *counts.entry(on_key.key).or_default() += on_key.kernels.len();
                    counts
                })
                .into_iter()
                .map(|(key, count)| format!("{key} {count}"))
                .collect();
            let listed = match &read.vendor {
                Some(vendor) if vendor.is_overlay => vendor.entries.len(),
                _ => read.on_backend_key().count() + read.autograd.len(),
            };
            let own = read
                .custom
                .iter()
                .filter(|own| {
                    let found = laid
                        .catalogue
                        .find_in(&own.namespace, own.schema.name.as_str());
                    found.is_some_and(|id| laid.catalogue.operator(id).vendor().is_some())
                })
                .count();
            let _ = writeln!(
                out,
                "{}: {listed} operators listed, {own} of its own; kernels: {}",
                path.display(),
                if kernels.is_empty() {
                    "none".to_owned()
                } else {
                    kernels.join(", ")
                }
            );
        }
        out
    }
}

fn in_folder(folder: &Path, profile: Option<&str>) -> anyhow::Result<Vec<(PathBuf, Vendor)>> {
    vendors(yaml_files(folder)?, profile)
}

fn yaml_files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    let files =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    for file in files {
        let path = file
            .with_context(|| format!("cannot read {}", folder.display()))?
            .path();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if matches!(extension, Some("yaml" | "yml")) && path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Those of the files that describe a backend.
fn vendors(paths: Vec<PathBuf>, profile: Option<&str>) -> anyhow::Result<Vec<(PathBuf, Vendor)>> {
    let profile = profile.and_then(|text| Profile::read(text.as_bytes()).ok());
    let mut found = Vec::new();
    for path in paths {
        let bytes = read::found(&path)?;
        let file = BackendFile::read_with(&bytes, profile.as_ref());
        let is_backend = file.vendor.is_some() || file.backend.is_some();
        if is_backend {
            let vendor = vendor_of(&path, bytes)?;
            found.push((path, vendor));
        }
    }
    Ok(found)
}

pub(super) fn add_vendors(folder: &Path, input: &mut Input) -> anyhow::Result<()> {
    let profile = config::vendor()?;
    let mut paths = yaml_files(folder)?;
    paths.retain(|path| {
        let name = path.file_name().and_then(|name| name.to_str());
        !name.is_some_and(Bundle::is_file_name)
    });
    for (path, file) in vendors(paths, profile.as_deref())? {
        if input.bundle.file(&file.file).is_some() {
            continue;
        }
        input.add(&file.file, &path, file.bytes.to_vec());
    }
    if let Some(profile) = profile {
        input.bundle.insert(VENDOR, profile.as_bytes());
    }
    Ok(())
}
