//! The revision that a command reads: a stored one, or files.

use std::path::{Path, PathBuf};
use std::slice;
use std::sync::Arc;

use anyhow::{anyhow, bail};
use clap::Args;

use opatlas_pytorch::release::Release;
use opatlas_service::{JudgedRelease, Snapshot, highest_of};
use opatlas_source::{NATIVE_FUNCTIONS, VENDOR};
use opatlas_store::Opening;
use opatlas_wire::comparison::SideView;

use super::kernel_sources::KernelSources;
use super::side::{NATIVE_FUNCTIONS_PATH, Operand, Places};
use super::{Stored, Target, check, neighbours};

/// Options that select the revision.
#[derive(Debug, Args)]
pub(super) struct Chosen {
    /// The revision to read; by default the latest stored one
    #[arg(long, value_name = "SPEC", conflicts_with = "file")]
    revision: Option<String>,

    /// The PyTorch release whose rules apply
    ///
    /// For files and commits, the default is the newest known release. Without a revision, it selects the
    /// highest stored patch release of it.
    #[arg(long, value_name = "VERSION")]
    release: Option<String>,

    /// The project
    #[arg(long, env = "OPATLAS_PROJECT", default_value = "pytorch")]
    project: String,

    /// The files of a bundle, as `opatlas check` reads them
    #[arg(long, num_args = 1.., value_name = "FILE", hide = true)]
    file: Vec<PathBuf>,

    #[command(flatten)]
    sources: KernelSources,

    #[command(flatten)]
    target: Target,
}

pub(super) struct Subject {
    pub(super) snapshot: Arc<Snapshot>,
    pub(super) title: String,
    /// The names of the revision.
    pub(super) side: SideView,
    /// Whether the revision is a stored one.
    is_stored: bool,
}

impl Chosen {
    pub(super) async fn read(&self) -> anyhow::Result<Subject> {
        let subject = match (&*self.file, &self.revision) {
            ([], Some(spec)) => self.revision(spec).await?,
            ([], None) => self.stored(None).await?,
            (files, _) => self.files(files, Vec::new())?,
        };
        if subject.is_stored && self.sources.is_given() {
            bail!(
                "--sources needs --revision FILE or git:REV: a stored revision has its own sources"
            );
        }
        Ok(subject)
    }

    /// Reads another revision with the same options.
    pub(super) async fn revision(&self, spec: &str) -> anyhow::Result<Subject> {
        let places = Places {
            project: &self.project,
            release: self.release.as_deref(),
            path: NATIVE_FUNCTIONS_PATH,
            repository: Path::new("."),
            sources: &self.sources,
        };
        let operand = Operand::parse(spec, &places);
        match &operand {
            Operand::Path(path) if path.is_dir() => self.files(slice::from_ref(path), Vec::new()),
            Operand::Path(path) => {
                let mut beside = neighbours::of_revision(path);
                beside.retain(|(name, _)| *name != NATIVE_FUNCTIONS);
                let beside = beside.into_iter().map(|(_, path)| path);
                self.files(slice::from_ref(path), beside.collect())
            }
            Operand::Stored(address) => self.stored(Some(address)).await,
            Operand::Commit(..) => {
                let read = operand.read_alone(&places, &self.target).await?;
                Ok(Subject {
                    title: read.view.title.clone(),
                    side: read.view,
                    snapshot: read.snapshot,
                    is_stored: false,
                })
            }
        }
    }

    async fn stored(&self, address: Option<&str>) -> anyhow::Result<Subject> {
        let stored = Stored::open(&self.target, Opening::Read).await?;
        let (address, release) = match (address, &self.release) {
            (Some(address), release) => (address.to_owned(), release.as_deref()),
            (None, Some(release)) => (self.label_of(&stored, release).await?, None),
            (None, None) => ("latest".to_owned(), None),
        };
        let resolved = stored.resolve(&self.project, &address, release).await?;
        let snapshot = stored.snapshot(&resolved).await?;
        stored.close().await;
        Ok(Subject {
            snapshot,
            title: resolved.title(),
            side: SideView::of_revision(&resolved),
            is_stored: true,
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

    /// Reads files, and those that belong with them.
    fn files(&self, files: &[PathBuf], beside: Vec<PathBuf>) -> anyhow::Result<Subject> {
        let release = match &self.release {
            None => Release::LATEST,
            Some(text) => JudgedRelease::parse(text)?.release,
        };
        let mut inputs = check::inputs(&[files, &beside].concat())?;
        let (Some(input), true) = (inputs.pop(), inputs.is_empty()) else {
            bail!("these files form several bundles; use the files of one");
        };
        let snapshot = Snapshot::read(input.bundle, release, None);
        expect_readable(&snapshot)?;
        let named: Vec<_> = files.iter().map(|p| p.display().to_string()).collect();
        let snapshot = Arc::new(self.sources.add_to(snapshot)?);
        let title = format!("{} as {release}", named.join(" "));
        Ok(Subject {
            side: SideView::of_files(title.clone(), &snapshot),
            snapshot,
            title,
            is_stored: false,
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
