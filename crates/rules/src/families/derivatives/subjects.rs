//! An entry with the operators that it is for.

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::Target;
use opatlas_operators::derivatives::expand::{Expansion, Subject, expand};
use opatlas_operators::derivatives::{DerivativeEntry, Derivatives, FormulaSet};
use opatlas_source::diagnostic::Diagnostic;

use crate::scope::places::about;
use crate::sink::Sink;

#[derive(Clone, Copy)]
pub(super) struct Subjects<'a> {
    pub(super) catalogue: &'a Catalogue,
    pub(super) file: &'a Derivatives,
    pub(super) entry: &'a DerivativeEntry,
    pub(super) target: Target,
    pub(super) subject: Subject<'a>,
}

impl<'a> Subjects<'a> {
    pub(super) fn new(
        catalogue: &'a Catalogue,
        file: &'a Derivatives,
        index: usize,
        target: Target,
    ) -> Self {
        let entry = &file.entries[index];
        let name = file.value(entry.name);
        let canonical = catalogue.operator(target.canonical);
        Self {
            catalogue,
            file,
            entry,
            target,
            subject: Subject {
                name: name.split(['.', '(']).next().unwrap_or(name),
                schema: canonical.schema(),
                variants: canonical.variants(),
                release: catalogue.release,
            },
        }
    }

    pub(super) fn expand(&self, set: &'a FormulaSet) -> Expansion<'a> {
        expand(self.file, set, self.subject)
    }

    pub(super) fn report(&self, sink: &mut Sink, diagnostic: Diagnostic) {
        about(self.catalogue, self.target.named, sink, diagnostic);
    }
}
