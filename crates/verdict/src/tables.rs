//! The dispatch tables of a revision with the verdicts that follow from them.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use opatlas_dispatch::registrations::Inputs;
use opatlas_dispatch::{Build, RevisionTables, Source};
use opatlas_pytorch::key_set::Slot;
use opatlas_source::{Stop, Stopped};

use crate::applicability::Foreign;
use crate::calls::Calls;
use crate::column::Column;

/// The dispatch tables of a revision, and the verdicts on each key, found when they are first
/// asked for.
#[derive(Debug, Clone)]
pub struct Tables {
    dispatch: RevisionTables,
    pub(crate) calls: OnceLock<Arc<Calls>>,
    columns: Box<[OnceLock<Arc<Column>>]>,
    /// By key, the operators that its backend does without.
    foreign: Box<[OnceLock<Arc<Foreign>>]>,
    /// The verdicts on a device that has only the kernels that every device must have.
    pub(crate) bare: OnceLock<Arc<Column>>,
}

impl Tables {
    /// Computes the tables ([`RevisionTables::new`]).
    #[must_use]
    pub fn new(inputs: Inputs<'_>, build: &Build, source: Source) -> Self {
        RevisionTables::new(inputs, build, source).into()
    }

    /// Computes the tables until they are no longer wanted.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn new_until(
        inputs: Inputs<'_>,
        build: &Build,
        source: Source,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        RevisionTables::new_until(inputs, build, source, stop).map(Self::from)
    }

    pub(crate) fn column(&self, slot: Slot) -> Option<&OnceLock<Arc<Column>>> {
        self.columns.get(slot.index())
    }

    pub(crate) fn foreign(&self, slot: Slot) -> Option<&OnceLock<Arc<Foreign>>> {
        self.foreign.get(slot.index())
    }

    /// The columns that have been found so far.
    pub(crate) fn found(&self) -> impl Iterator<Item = &Arc<Column>> {
        self.columns.iter().filter_map(OnceLock::get)
    }
}

impl From<RevisionTables> for Tables {
    fn from(dispatch: RevisionTables) -> Self {
        let keys = dispatch.keys().count();
        Self {
            dispatch,
            calls: OnceLock::new(),
            columns: (0..keys).map(|_| OnceLock::new()).collect(),
            foreign: (0..keys).map(|_| OnceLock::new()).collect(),
            bare: OnceLock::new(),
        }
    }
}

impl Deref for Tables {
    type Target = RevisionTables;

    fn deref(&self) -> &RevisionTables {
        &self.dispatch
    }
}

/// A view of a revision's tables that also says what works.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    entries: opatlas_dispatch::View<'a>,
    pub(crate) verdicts: &'a Tables,
}

impl<'a> View<'a> {
    /// `inputs` are those that the tables were made from.
    #[must_use]
    pub fn new(inputs: Inputs<'a>, tables: &'a Tables) -> Self {
        Self {
            entries: opatlas_dispatch::View::new(inputs, tables),
            verdicts: tables,
        }
    }
}

impl<'a> Deref for View<'a> {
    type Target = opatlas_dispatch::View<'a>;

    fn deref(&self) -> &opatlas_dispatch::View<'a> {
        &self.entries
    }
}
