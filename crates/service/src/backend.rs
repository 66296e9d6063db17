//! Compares revisions together with a vendor's backend file that neither contains.

use std::sync::Arc;

use opatlas_diff::backend::{BackendImpact, impact};
use opatlas_diff::declarations::SourceFits;
use opatlas_operators::backend::BackendFile;
use opatlas_operators::backend::vendor::Profile as VendorProfile;
use opatlas_pytorch::release::Release;
use opatlas_rules::kernel_fits;
use opatlas_source::suggest::nearest_few;
use opatlas_source::{BACKENDS, Bundle, LineIndex, SOURCES, Stop, VENDOR};
use opatlas_sources::{File, Sources};
use opatlas_verdict::View;

use super::compare::Compared;
use super::dispatch::Profile;
use super::error::{Refusal, ServiceError};
use super::snapshot::Snapshot;

const OUT_OF_TREE: [&str; 3] = ["PrivateUse1", "PrivateUse2", "PrivateUse3"];

/// The files of a backend to add to revisions.
#[derive(Debug, Clone)]
pub struct Vendor {
    /// The name of its file in a bundle, `backends/NAME.yaml`, or `sources` for sources alone.
    pub file: String,
    /// The bytes of the file; empty for sources alone.
    pub bytes: Arc<[u8]>,
    /// The vendor profile for reading it. If `None`, that of the revision or a built-in one.
    pub profile: Option<Arc<[u8]>>,
    /// The name that its user gave, for messages.
    pub name: String,
    /// The backend's sources, by their names in a bundle.
    sources: Vec<(Box<str>, Arc<[u8]>)>,
}

/// Two revisions, both with a backend file.
#[derive(Debug)]
pub struct BackendCompared {
    /// The comparison.
    pub compared: Compared,
    file: BackendFile,
    fits: SourceFits,
}

impl Vendor {
    /// A backend file by its name, with or without `.yaml`. Fails with [`Refusal`] for an invalid
    /// one.
    pub fn new(name: &str, bytes: impl Into<Arc<[u8]>>) -> Result<Self, Refusal> {
        let stem = name.strip_suffix(".yaml").unwrap_or(name);
        let stem = stem.strip_suffix(".yml").unwrap_or(stem);
        let file = format!("{BACKENDS}{stem}.yaml");
        if Bundle::is_file_name(&file) {
            Ok(Self {
                file,
                name: name.to_owned(),
                bytes: bytes.into(),
                profile: None,
                sources: Vec::new(),
            })
        } else {
            Err(Refusal::of_name(name))
        }
    }

    /// Sets the vendor profile for reading it.
    #[must_use]
    pub fn with_profile(self, profile: impl Into<Arc<[u8]>>) -> Self {
        Self {
            profile: Some(profile.into()),
            ..self
        }
    }

    /// Takes the first backend file of a bundle and its sources. Returns `None` if it has neither.
    #[must_use]
    pub fn of(bundle: &Bundle) -> Option<Self> {
        let mut files = bundle.files();
        let file = files.find(|(name, _)| name.starts_with(BACKENDS));
        let sources = bundle
            .files()
            .filter(|(name, _)| name.starts_with(SOURCES))
            .map(|(name, bytes)| (name.into(), Arc::clone(bytes)))
            .collect();
        match file {
            Some((name, bytes)) => Some(Self {
                file: name.to_owned(),
                name: name.to_owned(),
                bytes: Arc::clone(bytes),
                profile: bundle.file(VENDOR).map(Arc::clone),
                sources,
            }),
            None => Self::of_sources(sources),
        }
    }

    fn of_sources(sources: Vec<(Box<str>, Arc<[u8]>)>) -> Option<Self> {
        let name = SOURCES.trim_end_matches('/');
        (!sources.is_empty()).then(|| Self {
            file: name.to_owned(),
            name: name.to_owned(),
            bytes: Arc::default(),
            profile: None,
            sources,
        })
    }

    fn is_sources_alone(&self) -> bool {
        !self.file.starts_with(BACKENDS)
    }

    /// Adds the files to a bundle, or replaces those of the same names.
    #[must_use]
    pub fn over(&self, bundle: &Bundle) -> Bundle {
        let mut bundle = bundle.clone();
        if !self.is_sources_alone() {
            bundle.insert(&self.file, Arc::clone(&self.bytes));
        }
        for (name, bytes) in &self.sources {
            bundle.insert(name, Arc::clone(bytes));
        }
        if let Some(profile) = &self.profile {
            bundle.insert(VENDOR, Arc::clone(profile));
        }
        bundle
    }

    pub(super) fn source_files(&self) -> Vec<File<'_>> {
        let files = self.sources.iter();
        files.map(|(path, bytes)| File { path, bytes }).collect()
    }

    fn read_sources(&self, release: Release) -> Result<BackendFile, ServiceError> {
        let sources = Sources::read(&self.source_files(), release);
        let found = BackendFile::of_sources(&sources, release);
        found.ok_or_else(|| ServiceError::UnusableBackend {
            file: self.name.clone(),
            why: format!("they register no kernel at the key of a backend of PyTorch {release}"),
        })
    }

    /// Fails with [`ServiceError::UnusableBackend`] or [`ServiceError::UnknownKey`].
    pub(super) fn read(&self, release: Release) -> Result<BackendFile, ServiceError> {
        if self.is_sources_alone() {
            return self.read_sources(release);
        }
        let unusable = |why: &str| ServiceError::UnusableBackend {
            file: self.name.clone(),
            why: why.to_owned(),
        };
        let profile = self.profile.as_deref().map(VendorProfile::read).transpose();
        let profile = profile.map_err(|fault| unusable(&fault.message))?;
        let file = BackendFile::read_with(&self.bytes, profile.as_ref());
        let file = file.under(release, &self.file);
        let Some(backend) = &file.backend else {
            return Err(unusable(&why_unread(&file)));
        };
        if file.backend_key(release).is_none() {
            let known = release.data().dispatch_keys_known;
            let near = nearest_few(&backend.value, known.iter(), 3);
            let near = if near.is_empty() {
                OUT_OF_TREE.to_vec()
            } else {
                near
            };
            return Err(ServiceError::UnknownKey {
                release,
                name: backend.value.chars().take(128).collect(),
                suggestions: near.into_iter().map(Into::into).collect(),
            });
        }
        Ok(match self.read_sources(release) {
            Ok(registered) => file.joined_with(registered),
            Err(_) => file,
        })
    }
}

/// The first error of a file without a key: where it is, what it is, and what to do.
fn why_unread(file: &BackendFile) -> String {
    let mut errors = file.diagnostics.iter();
    let Some(first) = errors.next() else {
        return "it has no `backend` (the dispatch key of its kernels)".to_owned();
    };
    let place = LineIndex::new(&file.text).line_column(&file.text, first.span.start);
    let help = first.help.as_deref();
    let help = help.map_or_else(String::new, |help| format!("; {help}"));
    let (line, column) = (place.line, place.column);
    format!("line {line}, column {column}: {}{help}", &*first.message)
}

impl BackendCompared {
    /// Adds a backend file to two snapshots and compares them. Fails as [`Compared::new`] does, or
    /// with [`ServiceError::UnusableBackend`] or [`ServiceError::UnknownKey`].
    pub fn new(
        base: &Snapshot,
        head: &Snapshot,
        vendor: &Vendor,
        stop: &Stop,
    ) -> Result<Self, ServiceError> {
        vendor.read(base.release())?;
        let file = vendor.read(head.release())?;
        let over = |snapshot: &Snapshot| {
            let bundle = vendor.over(&snapshot.bundle);
            let (digest, release) = (bundle.digest(), snapshot.release());
            Snapshot::of(digest, bundle, release, Some(snapshot), stop).map(Arc::new)
        };
        let (base, head) = (over(base)?, over(head)?);
        let files = vendor.source_files();
        let fits = |snapshot: &Snapshot| kernel_fits(&snapshot.catalogue, &files);
        let fits = SourceFits {
            base: fits(&base),
            head: fits(&head),
        };
        Ok(Self {
            compared: Compared::new(base, head, stop)?,
            file,
            fits,
        })
    }

    /// The changes that concern the backend; `None` if either release lacks its key.
    #[must_use]
    pub fn impact(&self) -> Option<BackendImpact<'_>> {
        let profile = Profile {
            source: self.compared.source,
            ..Profile::default()
        };
        let (base, head) = (&self.compared.base, &self.compared.head);
        let (old, new) = (base.tables(&profile), head.tables(&profile));
        impact(
            &self.file,
            &self.fits,
            &self.compared.comparison,
            View::new(base.inputs(), &old),
            View::new(head.inputs(), &new),
        )
    }
}
