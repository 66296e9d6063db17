//! Resolves names of operators in the files of a bundle.

use super::cursor::{Cursor, Part};
use super::workspace::{OpenFile, Role};
use opatlas_operators::backend::BackendFile;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivatives::{DerivativeEntry, Derivatives};
use opatlas_operators::operator::OperatorId;

impl<'w> OpenFile<'w> {
    pub(super) fn backend(&self) -> Option<&'w BackendFile> {
        let mut files = self.snapshot.catalogue.backends.iter();
        let found = files.find(|(name, _)| *name == self.document.name);
        found.map(|(_, file)| &**file)
    }

    pub(super) fn operator_at(&self, cursor: &Cursor<'_>) -> Option<OperatorId> {
        if cursor.comment().is_some() {
            return None;
        }
        let names = match (self.document.role, cursor.part()) {
            (Role::Native, Part::Value("func")) => is_name_of_schema(cursor),
            (Role::Native, Part::Value("structured_delegate" | "autogen")) => true,
            (Role::Derivatives | Role::Deprecated, Part::Value("name")) => {
                is_name_of_schema(cursor)
            }
            (Role::Backend, Part::InnerKey(_)) => true,
            _ => false,
        };
        names.then(|| self.named(cursor.word_text())).flatten()
    }

    fn named(&self, name: &str) -> Option<OperatorId> {
        let catalogue = &self.snapshot.catalogue;
        match self.backend() {
            Some(file) => file.listed(catalogue, name),
            None => catalogue
                .find_qualified(name)
                .or_else(|| catalogue.find(name)),
        }
    }
}

fn is_name_of_schema(cursor: &Cursor<'_>) -> bool {
    !cursor.before().contains('(')
}

pub(super) fn derivative_name<'d>(
    derivatives: &'d Derivatives,
    entry: &DerivativeEntry,
) -> &'d str {
    let schema = derivatives.value(entry.name);
    schema.split('(').next().unwrap_or(schema).trim()
}

pub(super) fn of_derivative(
    catalogue: &Catalogue,
    derivatives: &Derivatives,
    entry: &DerivativeEntry,
) -> Option<OperatorId> {
    let name = derivative_name(derivatives, entry);
    catalogue
        .find_qualified(name)
        .or_else(|| catalogue.find(name))
}
