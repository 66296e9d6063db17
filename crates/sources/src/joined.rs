//! The registrations of a revision's sources for its dispatch tables.

use opatlas_pytorch::Release;
use opatlas_source::{Stop, Stopped};
use rustc_hash::FxHashMap;

use crate::parse::Budget;
use crate::{Fault, File, Language, Macros, Registration, RegistrationKind, scan_within};

/// The macro description file.
pub const MACRO_FILE: &str = "macros.toml";

/// The registrations of a revision's sources.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sources {
    files: Vec<Box<str>>,
    rows: Vec<Registration>,
    /// By operator name with its namespace, except `aten`; the last registration for a key wins.
    of: FxHashMap<Box<str>, Vec<u32>>,
    fallbacks: Vec<u32>,
    faults: Vec<Fault>,
}

impl Sources {
    /// Reads source files for a release of PyTorch, whose lists of operators count. Files whose names end in [`MACRO_FILE`] describe macros; errors in them
    /// are ignored.
    #[must_use]
    pub fn read(files: &[File<'_>], release: Release) -> Self {
        Stop::unstopped(|stop| Self::read_until(files, release, stop))
    }

    /// Like [`Sources::read`], but cancellable.
    pub fn read_until(files: &[File<'_>], release: Release, stop: &Stop) -> Result<Self, Stopped> {
        let mut macros = Macros::of_release(release);
        let described = files.iter().find(|file| {
            let name = file.path.rsplit('/').next();
            name == Some(MACRO_FILE)
        });
        if let Some(text) = described.and_then(|file| str::from_utf8(file.bytes).ok()) {
            // An import rejects invalid descriptions.
            let _ = macros.add_text(text);
        }
        let names = files.iter().map(|file| file.path.into()).collect();
        let scan = scan_within(files, &macros, Budget::Limited, stop)?;
        let mut sources = Self::of_registrations(names, scan.registrations);
        sources.faults = scan.faults;
        Ok(sources)
    }

    /// From existing registrations. Rows of Python come last, because a process loads its C++
    /// libraries first.
    #[must_use]
    pub fn of_registrations(files: Vec<Box<str>>, mut rows: Vec<Registration>) -> Self {
        let is_python = |row: &Registration| {
            let path = files.get(row.file as usize).map_or("", |path| path);
            Language::of(path) == Some(Language::Python)
        };
        rows.sort_by_key(is_python);
        let mut of: FxHashMap<Box<str>, Vec<u32>> = FxHashMap::default();
        let mut fallbacks = Vec::new();
        for (index, row) in (0..).zip(&rows) {
            if !row.is_dispatched() {
                continue;
            }
            if row.kind == RegistrationKind::Fallback {
                fallbacks.extend((row.namespace.as_deref() == Some("_")).then_some(index));
            } else if let Some(name) = row.qualified_name() {
                of.entry(name.into()).or_default().push(index);
            }
        }
        Self {
            files,
            rows,
            of,
            fallbacks,
            faults: Vec::new(),
        }
    }

    /// Whether there are no registrations.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All registrations, Python's last.
    #[must_use]
    pub fn rows(&self) -> &[Registration] {
        &self.rows
    }

    /// The path of a file.
    #[must_use]
    pub fn file(&self, index: u32) -> &str {
        self.files.get(index as usize).map_or("", |path| path)
    }

    /// Problems in the files.
    #[must_use]
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }

    /// The registrations of an operator with their indices; its name has a namespace unless it is
    /// `aten`.
    pub fn of(&self, operator: &str) -> impl Iterator<Item = (u32, &Registration)> {
        let indices = self.of.get(operator).into_iter().flatten();
        indices.filter_map(|&index| Some((index, self.rows.get(index as usize)?)))
    }

    /// The fallbacks for all operators with their indices, in order; the last one for a key wins.
    pub fn fallbacks(&self) -> impl Iterator<Item = (u32, &Registration)> {
        let indices = self.fallbacks.iter();
        indices.filter_map(|&index| Some((index, self.rows.get(index as usize)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPP: &[u8] = b"TORCH_LIBRARY_IMPL(_, XPU, m) { m.fallback(f); }\n\
        TORCH_LIBRARY_IMPL(aten, XPU, m) { m.impl(\"add\", a); ACME(mul) }\n\
        TORCH_LIBRARY(acme, m) { m.def(\"f() -> ()\", f); }\n";

    #[test]
    fn registrations_are_found_by_operator() {
        let python = b"lib = Library(\"aten\", \"IMPL\")\nlib.impl(\"add\", b, \"XPU\")\n\
                       @torch.ops.aten.add.default.py_impl(DispatchKey.XPU)\ndef c(): ...\n";
        let files = [("sources/a.py", &python[..]), ("sources/z.cpp", CPP)];
        let files = files.map(|(path, bytes)| File { path, bytes });
        let sources = Sources::read(&files, Release::V2_15);
        let kernels: Vec<_> = sources
            .of("add")
            .map(|(_, row)| row.kernel.as_deref())
            .collect();
        assert_eq!(kernels, [Some("a"), Some("b")]);
        assert_eq!(sources.of("acme::f").count(), 1);
        assert_eq!(sources.fallbacks().count(), 1);
        let unresolved = sources.rows().iter().filter(|row| row.unresolved.is_some());
        assert_eq!(unresolved.count(), 1);
    }

    #[test]
    fn macros_come_with_the_sources() {
        let macros = b"[[macro]]\nname = \"ACME\"\nparameters = [\"op\"]\nimpl = \"{op}\"\n";
        let files = [("sources/macros.toml", &macros[..]), ("sources/z.cpp", CPP)];
        let files = files.map(|(path, bytes)| File { path, bytes });
        assert_eq!(Sources::read(&files, Release::V2_15).of("mul").count(), 1);
    }
}
