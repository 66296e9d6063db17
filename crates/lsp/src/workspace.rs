//! Open files and their bundles.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use lsp_types::Uri;

use super::before::Breaks;
use super::text::Text;
use super::uri::uri_of;
use opatlas_pytorch::release::Release;
use opatlas_rules::{Findings, Shown};
use opatlas_service::{Snapshot, companions};
use opatlas_source::diagnostic::Finding;
use opatlas_source::{BACKENDS, Bundle, DEPRECATED, DERIVATIVES, NATIVE_FUNCTIONS, TAGS, VENDOR};

/// The server's access to files.
pub trait Disk {
    /// The bundle of a file with this text; `None` if the file declares no operators.
    fn place(&self, path: &Path, text: &str) -> Option<Place>;

    /// The bytes of a file.
    fn read(&self, path: &Path) -> Option<Vec<u8>>;

    /// The bytes of files before the uncommitted change, in the order of the paths; with git, at the merge
    /// base. `None` if that state is unknown.
    fn before(&self, paths: &[&Path]) -> Option<Vec<Option<Vec<u8>>>>;
}

/// A file's place in a bundle.
#[derive(Debug, Clone)]
pub struct Place {
    /// Its name in the bundle.
    pub name: String,
    /// All files of the bundle, including this one. The first one identifies the bundle.
    pub files: Vec<(String, PathBuf)>,
    /// The vendor profile of the bundle.
    pub vendor: Option<String>,
    /// The release whose rules apply; by default the newest known.
    pub release: Option<Release>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Native,
    Tags,
    Derivatives,
    Deprecated,
    Backend,
}

impl Role {
    fn parse(name: &str) -> Option<Self> {
        match name {
            NATIVE_FUNCTIONS => Some(Self::Native),
            TAGS => Some(Self::Tags),
            DERIVATIVES => Some(Self::Derivatives),
            DEPRECATED => Some(Self::Deprecated),
            _ => name.starts_with(BACKENDS).then_some(Self::Backend),
        }
    }
}

#[derive(Debug)]
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) text: Text,
    pub(super) name: Box<str>,
    pub(super) role: Role,
    project: PathBuf,
}

#[derive(Debug)]
pub(super) struct Project {
    paths: BTreeMap<Box<str>, PathBuf>,
    bundle: Bundle,
    release: Release,
    snapshot: Option<Snapshot>,
    /// The bundle before the uncommitted change, read on demand.
    before: OnceCell<Option<Snapshot>>,
    /// The audiences that the change breaks, computed on demand.
    breaks: OnceCell<Breaks>,
    /// The findings to show, computed on demand.
    listed: OnceCell<Vec<Finding>>,
    is_stale: bool,
    pub(super) is_unsent: bool,
}

impl Project {
    /// The current snapshot. Unchanged entries come from the previous one.
    pub(super) fn snapshot(&mut self) -> &Snapshot {
        if self.is_stale {
            let bundle = self.bundle.clone();
            let read = Snapshot::read(bundle, self.release, self.snapshot.as_ref());
            self.snapshot = Some(read);
            self.is_stale = false;
            self.breaks.take();
            self.listed.take();
        }
        let (bundle, release) = (&self.bundle, self.release);
        self.snapshot
            .get_or_insert_with(|| Snapshot::read(bundle.clone(), release, None))
    }

    fn read_before(&self, disk: &impl Disk) {
        self.before.get_or_init(|| {
            let paths: Vec<&Path> = self.paths.values().map(PathBuf::as_path).collect();
            let names = self.paths.keys().map(|name| &**name);
            let bundle = companions::before(names.zip(disk.before(&paths)?), &self.bundle)?;
            Some(Snapshot::read(bundle, self.release, self.snapshot.as_ref()))
        });
    }

    fn forget_before(&mut self) {
        self.before.take();
        self.breaks.take();
        self.listed.take();
    }

    fn insert(&mut self, name: &str, bytes: &[u8]) {
        if self.bundle.file(name).is_none_or(|known| **known != *bytes) {
            self.bundle.insert(name, bytes);
            self.is_stale = true;
            self.is_unsent = true;
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub(super) shown: Shown,
    documents: BTreeMap<String, Document>,
    projects: BTreeMap<PathBuf, Project>,
}

impl Workspace {
    /// Opens a file. Files that declare no operators are ignored.
    pub(super) fn open(
        &mut self,
        disk: &impl Disk,
        uri: Uri,
        path: &Path,
        version: i32,
        text: Text,
    ) {
        let Some(place) = disk.place(path, text.as_str()) else {
            return;
        };
        let (Some(role), Some((_, key))) = (Role::parse(&place.name), place.files.first()) else {
            return;
        };
        let key = key.clone();
        let project = self.projects.entry(key.clone()).or_insert_with(|| Project {
            paths: BTreeMap::new(),
            bundle: Bundle::default(),
            release: place.release.unwrap_or(Release::LATEST),
            snapshot: None,
            before: OnceCell::new(),
            breaks: OnceCell::new(),
            listed: OnceCell::new(),
            is_stale: true,
            is_unsent: true,
        });
        if let Some(vendor) = &place.vendor {
            project.insert(VENDOR, vendor.as_bytes());
        }
        for (name, path) in place.files {
            if !project.paths.contains_key(&*name)
                && let Some(bytes) = disk.read(&path)
            {
                project.insert(&name, &bytes);
            }
            project.paths.insert(name.into(), path);
        }
        project
            .paths
            .insert(place.name.clone().into(), path.to_owned());
        project.insert(&place.name, text.as_str().as_bytes());
        project.is_unsent = true;
        project.forget_before();
        let document = Document {
            uri: uri.clone(),
            version,
            text,
            name: place.name.into(),
            role,
            project: key,
        };
        self.documents.insert(uri.as_str().to_owned(), document);
    }

    pub(super) fn edit(&mut self, uri: &Uri, version: i32, edit: impl FnOnce(&mut Text)) {
        let Some(document) = self.documents.get_mut(uri.as_str()) else {
            return;
        };
        edit(&mut document.text);
        document.version = version;
        if let Some(project) = self.projects.get_mut(&document.project) {
            project.insert(&document.name, document.text.as_str().as_bytes());
            project.is_unsent = true;
        }
    }

    /// Closes a file, so that its bundle has the disk's content again. A bundle without open files is
    /// dropped.
    pub(super) fn close(&mut self, disk: &impl Disk, uri: &Uri) {
        let Some(document) = self.documents.remove(uri.as_str()) else {
            return;
        };
        let key = document.project;
        if !self.documents.values().any(|open| open.project == key) {
            self.projects.remove(&key);
        } else if let Some(project) = self.projects.get_mut(&key)
            && let Some(path) = project.paths.get(&document.name).cloned()
        {
            let bytes = disk.read(&path).unwrap_or_default();
            project.insert(&document.name, &bytes);
        }
    }

    /// Rereads a file that changed on disk, unless it is open.
    pub(super) fn reread(&mut self, disk: &impl Disk, changed: &Path) {
        for (key, project) in &mut self.projects {
            let open = |name: &str| {
                let mut documents = self.documents.values();
                documents.any(|document| document.project == *key && *document.name == *name)
            };
            let named = project.paths.iter().find(|(_, path)| *path == changed);
            let Some(name) = named.map(|(name, _)| name.clone()) else {
                continue;
            };
            // Another commit may have been checked out.
            project.forget_before();
            if !open(&name)
                && let Some(bytes) = disk.read(changed)
            {
                project.insert(&name, &bytes);
            }
        }
    }

    pub(super) fn take_unsent(&mut self) -> Vec<PathBuf> {
        let unsent = self
            .projects
            .iter_mut()
            .filter(|(_, project)| project.is_unsent);
        unsent
            .map(|(key, project)| {
                project.is_unsent = false;
                key.clone()
            })
            .collect()
    }

    pub(super) fn opened(&mut self, disk: &impl Disk, uri: &Uri) -> Option<OpenFile<'_>> {
        let document = self.documents.get(uri.as_str())?;
        let project = self.projects.get_mut(&document.project)?;
        project.snapshot();
        let project = &*project;
        project.read_before(disk);
        Some(OpenFile {
            shown: self.shown,
            document,
            snapshot: project.snapshot.as_ref()?,
            project,
            documents: &self.documents,
        })
    }

    pub(super) fn documents_of(&self, key: &Path) -> Vec<Uri> {
        let documents = self.documents.values();
        let documents = documents.filter(|document| document.project == key);
        documents.map(|document| document.uri.clone()).collect()
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct OpenFile<'w> {
    pub(super) document: &'w Document,
    pub(super) snapshot: &'w Snapshot,
    pub(super) shown: Shown,
    project: &'w Project,
    documents: &'w BTreeMap<String, Document>,
}

impl<'w> OpenFile<'w> {
    /// The bundle before the change, if it is known.
    pub(super) fn before(&self) -> Option<&'w Snapshot> {
        self.project.before.get()?.as_ref()
    }

    /// The findings of the bundle before the change, if it is known.
    pub(super) fn known(&self) -> Option<&'w Findings> {
        self.before().map(Snapshot::findings)
    }

    /// The findings to show.
    pub(super) fn listed(&self) -> &'w [Finding] {
        let list = || {
            let listed = self.shown.list(self.snapshot.findings(), self.known());
            listed.findings
        };
        self.project.listed.get_or_init(list)
    }

    /// The audiences that the uncommitted change breaks; `None` if the state before it is unknown.
    pub(super) fn breaks(&self) -> Option<&'w Breaks> {
        let before = self.before()?;
        Some(
            self.project
                .breaks
                .get_or_init(|| Breaks::new(before, self.snapshot)),
        )
    }

    /// The location of a span in a file of the bundle; `None` if the file has no path.
    pub(super) fn location(
        &self,
        name: &str,
        span: opatlas_source::Span,
    ) -> Option<lsp_types::Location> {
        let mut open = self.documents.values();
        let open =
            open.find(|other| *other.name == *name && other.project == self.document.project);
        if let Some(document) = open {
            return Some(lsp_types::Location {
                uri: document.uri.clone(),
                range: document.text.range(span),
            });
        }
        let source = self.snapshot.source(name)?;
        let encoding = self.document.text.encoding();
        let at = |at: opatlas_source::LineColumn| {
            let line = source.line(at.line).slice(&source.text);
            let before: String = line.chars().take(at.column as usize - 1).collect();
            lsp_types::Position::new(at.line - 1, encoding.length(&before))
        };
        let lines = source.lines(span);
        Some(lsp_types::Location {
            uri: uri_of(self.project.paths.get(name)?)?,
            range: lsp_types::Range::new(at(lines.start), at(lines.end)),
        })
    }
}
