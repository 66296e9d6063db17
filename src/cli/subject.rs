//! The revision that a command reads: a stored one, or files.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::Args;

use opatlas_pytorch::release::Release;
use opatlas_service::{JudgedRelease, Resolved, Snapshot, highest_of};
use opatlas_source::VENDOR;
use opatlas_store::Opening;

use super::kernel_sources::KernelSources;
use super::{Stored, Target, check};

/// Options that select the revision.
#[derive(Debug, Args)]
pub(super) struct Chosen {
    /// The PyTorch release: with --file the one whose rules apply, otherwise the stored release itself
    #[arg(long)]
    release: Option<String>,

    /// The stored revision: a label, sha256:DIGITS, or latest
    #[arg(long, conflicts_with = "file")]
    revision: Option<String>,

    /// The project
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    /// Files or a folder to read instead of a stored revision, as `opatlas check` reads them
    #[arg(long, num_args = 1.., value_name = "FILE")]
    file: Vec<PathBuf>,

    #[command(flatten)]
    sources: KernelSources,

    #[command(flatten)]
    target: Target,
}

pub(super) struct Subject {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) title: String,
    /// The stored revision; `None` for files.
    pub(super) revision: Option<Resolved>,
}

impl Chosen {
    pub(super) async fn read(&self) -> anyhow::Result<Subject> {
        if self.file.is_empty() && self.sources.is_given() {
            bail!("--sources needs --file: a stored revision has its own sources");
        }
        if self.file.is_empty() {
            self.stored().await
        } else {
            self.files()
        }
    }

    async fn stored(&self) -> anyhow::Result<Subject> {
        let stored = Stored::open(&self.target, Opening::Read).await?;
        let (revision, release) = match (&self.revision, &self.release) {
            (Some(revision), release) => (revision.clone(), release.clone()),
            (None, Some(release)) => (self.label_of(&stored, release).await?, None),
            (None, None) => ("latest".to_owned(), None),
        };
        let resolved = stored
            .resolve(&self.project, &revision, release.as_deref())
            .await?;
        let snapshot = stored.snapshot(&resolved).await?;
        stored.close().await;
        Ok(Subject {
            snapshot,
            title: resolved.title(),
            revision: Some(resolved),
        })
    }

    async fn label_of(&self, stored: &Stored, release: &str) -> anyhow::Result<String> {
        let release = JudgedRelease::parse(release)?;
        let labels = stored.labels(&self.project).await?;
        let highest = highest_of(&labels, &release).map(|name| name.to_string());
        highest.ok_or_else(|| {
            let wanted = release.stored();
            anyhow!(
                "no stored label of {} is a version of {wanted}; import one with `opatlas import torch=={wanted}.0`, or select a revision with --revision",
                self.project
            )
        })
    }

    fn files(&self) -> anyhow::Result<Subject> {
        let release = match &self.release {
            None => Release::LATEST,
            Some(text) => JudgedRelease::parse(text)?.release,
        };
        let mut inputs = check::inputs(&self.file)?;
        let (Some(input), true) = (inputs.pop(), inputs.is_empty()) else {
            bail!("these files form several bundles; use the files of one");
        };
        let snapshot = Snapshot::read(input.bundle, release, None);
        expect_readable(&snapshot)?;
        let named: Vec<_> = self.file.iter().map(|p| p.display().to_string()).collect();
        Ok(Subject {
            snapshot: Arc::new(self.sources.add_to(snapshot)?),
            title: format!("{} as {release}", named.join(" ")),
            revision: None,
        })
    }
}

/// Fails if a backend file or the vendor profile could not be read, so that it would count as empty.
fn expect_readable(snapshot: &Snapshot) -> anyhow::Result<()> {
    let catalogue = &snapshot.catalogue;
    let profile = catalogue.vendor_diagnostics.iter().next();
    let files = catalogue.backends.iter().filter(|(_, file)| {
        let is_library = file.vendor.is_some();
        file.backend.is_none() && !is_library
    });
    let unread = files.filter_map(|(name, file)| Some((&**name, file.diagnostics.iter().next()?)));
    let first = profile
        .map(|fault| (VENDOR, fault))
        .into_iter()
        .chain(unread)
        .next();
    let Some((name, fault)) = first else {
        return Ok(());
    };
    let help = fault.help.as_deref();
    let help = help.map_or_else(String::new, |help| format!("; {help}"));
    bail!("{name}: {}{help}", &*fault.message)
}
