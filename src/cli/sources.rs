//! Source files of a folder, and the macros that register kernels in them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::config;
use super::read::{self, Origin};
use opatlas_sources::{
    FaultKind, File, LARGEST_FILE, Language, MOST_ROUNDS, Macros, Outline, PathKind, Related, Sieve,
};

const MOST_FILES: usize = 1_000_000;

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum SourceFilter {
    #[default]
    Registering,
    All,
}

#[derive(Debug, Default)]
pub(super) struct Sources {
    kept: SourceFilter,
    /// Paths with `/` and contents, in the order of paths.
    pub(super) files: Vec<(String, Vec<u8>)>,
    pub(super) count: usize,
    pub(super) notes: Vec<(String, String)>,
    pub(super) is_incomplete: bool,
    /// C++ files that were not kept, with their names.
    passed_over: Vec<(PathBuf, String, Outline)>,
}

#[derive(Debug)]
pub(super) struct SourceMacros {
    pub(super) macros: Macros,
    /// The project's own, as a bundle holds them ([`opatlas_sources::MACRO_FILE`]).
    pub(super) text: Option<String>,
}

impl SourceMacros {
    /// Macros of the file replace those of `[sources]` in `opatlas.toml` with the same names.
    pub(super) fn read(file: Option<&Path>) -> anyhow::Result<Self> {
        let Some(own) = config::sources()? else {
            let of_file = |file| Self::of_file(file, Origin::Given);
            return file.map_or_else(|| Ok(Self::built_in()), of_file);
        };
        let mut described = Self::built_in();
        let added = described.macros.add_table(&own);
        added.map_err(|fault| anyhow::anyhow!("[sources] of opatlas.toml is invalid: {fault}"))?;
        let mut all = own;
        if let Some(path) = file {
            let text = described.add(path, Origin::Given)?;
            for (name, value) in text.parse::<toml::Table>()? {
                match (all.get_mut(&name).and_then(|all| all.as_array_mut()), value) {
                    (Some(all), toml::Value::Array(more)) => all.extend(more),
                    (_, value) => _ = all.insert(name, value),
                }
            }
        }
        described.text = Some(toml::to_string(&all)?);
        Ok(described)
    }

    pub(super) fn of_file(file: &Path, origin: Origin) -> anyhow::Result<Self> {
        let mut described = Self::built_in();
        described.text = Some(described.add(file, origin)?);
        Ok(described)
    }

    pub(super) fn built_in() -> Self {
        Self {
            macros: Macros::built_in(),
            text: None,
        }
    }

    fn add(&mut self, file: &Path, origin: Origin) -> anyhow::Result<String> {
        let shown = file.display();
        let bytes = read::bytes(file, origin, read::LARGEST);
        let text = bytes
            .map(String::from_utf8)
            .with_context(|| format!("cannot read {shown}"))?
            .with_context(|| format!("{shown} is not UTF-8"))?;
        let added = self.macros.add_text(&text);
        added.map_err(|fault| anyhow::anyhow!("{shown} is invalid: {fault}"))?;
        Ok(text)
    }
}

impl Sources {
    pub(super) fn keeping(kept: SourceFilter) -> Self {
        Self {
            kept,
            ..Self::default()
        }
    }

    pub(super) fn scanned(&self) -> Vec<File<'_>> {
        let files = self.files.iter();
        files.map(|(path, bytes)| File { path, bytes }).collect()
    }

    /// Reads the source files of a folder, or one file. A file whose name says nothing counts if its
    /// contents register something. Skips hidden folders, and links within the
    /// folder, whose targets are read anyway. Lists links out of the folder as omitted.
    pub(super) fn add(&mut self, folder: &Path, macros: &Macros) -> anyhow::Result<()> {
        let shown = || format!("cannot read {}", folder.display());
        let root = fs::canonicalize(folder).with_context(shown)?;
        let sieve = Sieve::new(macros);
        if root.is_file() {
            self.read(&root, &shown_path(folder), &sieve);
            return Ok(());
        }
        fs::read_dir(&root).with_context(shown)?;
        let (before, notes) = (self.files.len(), self.notes.len());
        let mut folders = vec![root.clone()];
        while let Some(path) = folders.pop() {
            self.folder(&path, &root, &sieve, &mut folders);
        }
        self.add_related(before, macros);
        for (path, _) in self.files.iter_mut().skip(before) {
            *path = shown_path(&folder.join(&*path));
        }
        for (path, _) in self.notes.iter_mut().skip(notes) {
            *path = shown_path(&folder.join(&*path));
        }
        self.files[before..].sort();
        Ok(())
    }

    /// Adds files that define or use macros of those that register something.
    fn add_related(&mut self, before: usize, macros: &Macros) {
        let mut others = std::mem::take(&mut self.passed_over);
        let mut related = Related::new(macros);
        let mut known = before;
        for _ in 0..MOST_ROUNDS {
            let new = (0..).zip(&self.files).skip(known);
            for (index, (path, bytes)) in new.filter(|(_, (path, _))| is_cpp(path)) {
                related.add(index, File { path, bytes });
            }
            known = self.files.len();
            related.update();
            let wanted = others.extract_if(.., |(_, _, outline)| related.wants(outline));
            let wanted: Vec<_> = wanted.map(|(path, name, _)| (path, name)).collect();
            for (path, name) in wanted {
                match read::bytes(&path, Origin::Found, LARGEST_FILE as u64) {
                    Ok(bytes) => self.files.push((name, bytes)),
                    Err(error) => self.unread(name, &error),
                }
            }
            if self.files.len() == known {
                break;
            }
        }
    }

    fn folder(&mut self, path: &Path, root: &Path, sieve: &Sieve<'_>, folders: &mut Vec<PathBuf>) {
        let name = |path: &Path| shown_path(path.strip_prefix(root).unwrap_or(path));
        let entries = match fs::read_dir(path) {
            Ok(entries) => entries,
            Err(error) => return self.unread(name(path), &error),
        };
        for entry in entries.filter_map(Result::ok) {
            let path = entry.path();
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if kind.is_symlink() {
                self.link(&path, root, name(&path));
            } else if kind.is_dir() && !hidden {
                folders.push(path);
            } else if kind.is_file() && PathKind::of(&name(&path)) != PathKind::Other {
                self.read(&path, &name(&path), sieve);
            }
        }
    }

    fn link(&mut self, path: &Path, root: &Path, name: String) {
        let Ok(target) = fs::canonicalize(path) else {
            return;
        };
        if !target.starts_with(root) {
            let why = "the link leads out of the folder and was not followed";
            self.notes.push((name, why.to_owned()));
        }
    }

    fn read(&mut self, path: &Path, name: &str, sieve: &Sieve<'_>) {
        if self.count == MOST_FILES {
            return;
        }
        let is_source = matches!(PathKind::of(name), PathKind::Source(_));
        self.count += usize::from(is_source);
        let size = fs::metadata(path).map_or(0, |metadata| metadata.len());
        if size > LARGEST_FILE as u64 {
            if !is_source {
                return;
            }
            let why = FaultKind::TooLarge.as_str();
            return self.notes.push((name.to_owned(), why.to_owned()));
        }
        // Many small files are kept, so each takes only the memory that it needs.
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
        match read::copy(path, Origin::Found, LARGEST_FILE as u64, &mut bytes) {
            Ok(()) => {
                bytes.shrink_to_fit();
                let file = File {
                    path: name,
                    bytes: &bytes,
                };
                let is_wanted = self.kept == SourceFilter::All && is_source;
                if is_wanted || sieve.keeps(file) {
                    self.count += usize::from(PathKind::of(name) == PathKind::Unknown);
                    self.files.push((name.to_owned(), bytes));
                } else if is_cpp(name) {
                    let outline = Outline::of(&bytes);
                    self.passed_over
                        .push((path.to_owned(), name.to_owned(), outline));
                }
            }
            Err(error) => self.unread(name.to_owned(), &error),
        }
    }

    fn unread(&mut self, name: String, error: &std::io::Error) {
        self.is_incomplete = true;
        self.notes.push((name, format!("cannot be read: {error}")));
    }
}

fn is_cpp(path: &str) -> bool {
    Language::of(path) == Some(Language::Cpp)
}

pub(super) fn shown_path(path: &Path) -> String {
    let parts = path.components().filter_map(|part| match part {
        std::path::Component::CurDir => None,
        std::path::Component::RootDir => Some(String::new()),
        part => Some(part.as_os_str().to_string_lossy().into_owned()),
    });
    parts.collect::<Vec<_>>().join("/")
}
