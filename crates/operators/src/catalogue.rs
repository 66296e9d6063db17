//! A revision under the rules of one release.

mod beside;
mod reading;

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::Complaints;
use opatlas_source::{Bundle, Content, Stop, Stopped, TAGS};
use opatlas_sources::{File, Language, Sources};

use super::backend::BackendFile;
use super::deprecated::Deprecated;
use super::deprecated::matching::DeprecatedMatches;
use super::derivative_match::DerivativeMatches;
use super::derivatives::Derivatives;
use super::face_index::FaceIndex;
use super::operator::OperatorId;
use super::table::OperatorTable;
use super::tags::DeclaredTags;

/// A revision under the rules of one release; dereferences to its operators.
#[derive(Debug)]
pub struct Catalogue {
    table: OperatorTable,
    /// The declared tags.
    pub tags: DeclaredTags,
    /// Diagnostics about `tags.yaml`.
    pub tags_diagnostics: Complaints,
    /// Derivative formulas; `None` without the file.
    pub derivatives: Option<Arc<Derivatives>>,
    /// The formulas of each operator.
    pub derivative_matches: DerivativeMatches,
    /// Deprecated Python signatures; `None` without the file.
    pub deprecated: Option<Arc<Deprecated>>,
    /// The lists of the C shim (`fallback_ops.py`), which torchgen of a release reads; `None` without the
    /// file.
    pub fallback_ops: Option<Content>,
    /// Out-of-tree backend files by name, sorted.
    pub backends: Vec<(Box<str>, Arc<BackendFile>)>,
    /// Diagnostics about the vendor profile.
    pub vendor_diagnostics: Complaints,
    /// Registrations in C++ and Python sources.
    pub sources: Arc<Sources>,
    source_files: Vec<(Box<str>, Content)>,
    face_index: OnceLock<FaceIndex>,
}

impl Deref for Catalogue {
    type Target = OperatorTable;

    fn deref(&self) -> &OperatorTable {
        &self.table
    }
}

impl Catalogue {
    fn of_table(table: OperatorTable, tags: DeclaredTags, tags_diagnostics: Complaints) -> Self {
        Self {
            table,
            tags,
            tags_diagnostics,
            derivatives: None,
            derivative_matches: DerivativeMatches::default(),
            deprecated: None,
            fallback_ops: None,
            backends: Vec::new(),
            vendor_diagnostics: Complaints::default(),
            sources: Arc::default(),
            source_files: Vec::new(),
            face_index: OnceLock::new(),
        }
    }

    fn add_backend(&mut self, name: &str, file: Arc<BackendFile>) {
        let file = match file.vendor {
            Some(_) => Arc::new(file.under(self.release, name)),
            None => file,
        };
        for vendor in &file.custom {
            self.table.add_vendor(vendor);
        }
        self.backends.push((name.into(), file));
    }

    /// The revision under another release's rules; shares what has been read.
    pub fn under(&self, bundle: &Bundle, release: Release, stop: &Stop) -> Result<Self, Stopped> {
        let tags = match bundle.file(TAGS) {
            Some(_) => self.tags.clone(),
            None => DeclaredTags::of_release(release),
        };
        let native = Arc::clone(&self.native_functions);
        let table = OperatorTable::new(native, &tags, release, stop)?;
        let mut catalogue = Self::of_table(table, tags, self.tags_diagnostics.clone());
        catalogue.derivatives.clone_from(&self.derivatives);
        catalogue.sources = Arc::clone(&self.sources);
        catalogue.source_files.clone_from(&self.source_files);
        catalogue.deprecated.clone_from(&self.deprecated);
        catalogue.fallback_ops.clone_from(&self.fallback_ops);
        catalogue.match_derivatives(stop)?;
        catalogue
            .vendor_diagnostics
            .clone_from(&self.vendor_diagnostics);
        for (name, file) in &self.backends {
            catalogue.add_backend(name, Arc::clone(file));
        }
        Ok(catalogue)
    }

    fn match_derivatives(&mut self, stop: &Stop) -> Result<(), Stopped> {
        let file = self.derivatives.as_deref();
        self.derivative_matches = DerivativeMatches::new_until(self, file, stop)?;
        Ok(())
    }

    pub(super) fn face_index(&self) -> &FaceIndex {
        self.face_index
            .get_or_init(|| FaceIndex::new(self, self.deprecated.as_deref()))
    }

    /// The C++ sources of the revision.
    #[must_use]
    pub fn cpp_files(&self) -> Vec<File<'_>> {
        let files = self.source_files.iter();
        let files = files.filter(|(path, _)| Language::of(path) == Some(Language::Cpp));
        let files = files.map(|(path, content)| File {
            path,
            bytes: content.bytes(),
        });
        files.collect()
    }

    /// The operators that deprecated Python signatures call.
    #[must_use]
    pub fn deprecated_matches(&self) -> &DeprecatedMatches {
        self.face_index().deprecated()
    }

    /// Whether a Python binding takes this overload.
    #[must_use]
    pub fn is_bound(&self, id: OperatorId) -> bool {
        self.face_index().is_bound(self, id)
    }
}
