//! Operators that a backend does without: only a library of other backends has them, or they take
//! another kind of tensor (`docs/spec/support.md`, section 10).

use std::sync::Arc;

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::Library;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use rustc_hash::FxHashMap;

use crate::backends::is_description;
use crate::calls::{Calls, default_alias};
use crate::column::Column;
use crate::leads::{below, serving};
use crate::{Verdict, View};

/// Whether a backend is expected to have an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applicability {
    /// It is: the operator works, is not known to fail, or its failing is a gap.
    Applicable,
    /// It is not: the operator fails there and belongs to other backends.
    BelongsTo(&'static Library),
}

impl Applicability {
    /// Whether it is applicable.
    #[must_use]
    pub fn is_applicable(self) -> bool {
        self == Self::Applicable
    }

    /// What the operator belongs to, if it is not applicable.
    #[must_use]
    pub fn library(self) -> Option<&'static Library> {
        match self {
            Self::Applicable => None,
            Self::BelongsTo(library) => Some(library),
        }
    }
}

/// The operators that the backend of a key does without.
#[derive(Debug)]
pub struct Foreign(FxHashMap<OperatorId, &'static Library>);

impl Foreign {
    /// Whether the backend is expected to have an operator.
    #[must_use]
    pub fn of(&self, id: OperatorId) -> Applicability {
        let library = self.0.get(&id);
        library.map_or(Applicability::Applicable, |library| {
            Applicability::BelongsTo(library)
        })
    }

    pub(crate) fn ids(&self) -> impl Iterator<Item = OperatorId> {
        self.0.keys().copied()
    }
}

impl View<'_> {
    /// Whether the backend of a key is expected to have an operator. An operator that works there or
    /// whose support is unknown always is.
    #[must_use]
    pub fn applicability(self, id: OperatorId, slot: Slot) -> Applicability {
        let backend = below(self.keys(), slot).unwrap_or(slot);
        if !self.calls().backends.contains(backend) {
            return Applicability::Applicable;
        }
        match self.verdict(id, slot) {
            Verdict::Fails => self.foreign(backend).of(id),
            _ => Applicability::Applicable,
        }
    }

    /// The operators that the backend of a key does without, found once.
    #[must_use]
    pub fn foreign(self, slot: Slot) -> Arc<Foreign> {
        let slot = serving(self.keys(), slot);
        let make = || Arc::new(foreign(self, &self.calls(), &self.column_of(slot), slot));
        match self.verdicts.foreign(slot) {
            Some(kept) => Arc::clone(kept.get_or_init(make)),
            None => make(),
        }
    }
}

/// The operators of a column that its backend does without: those of foreign libraries, and those
/// that always call one of them.
pub(crate) fn foreign(view: View<'_>, calls: &Calls, column: &Column, slot: Slot) -> Foreign {
    let key = view.keys().name(Key::Runtime(slot));
    let fails = |id| column.verdict(id) == Verdict::Fails;
    let libraries = calls.libraries.iter().copied();
    let mut found: FxHashMap<_, _> = libraries
        .filter(|&(id, library)| fails(id) && library.is_foreign_to(key))
        .collect();
    let mut open: Vec<_> = found.iter().map(|(&id, &library)| (id, library)).collect();
    // In the order of the file, so that the result does not depend on that of the map.
    open.sort_by_key(|(id, _)| std::cmp::Reverse(*id));
    while let Some((id, library)) = open.pop() {
        for edge in column.callers(calls, id) {
            if edge.always && fails(edge.id) && !found.contains_key(&edge.id) {
                found.insert(edge.id, library);
                open.push((edge.id, library));
            }
        }
    }
    Foreign(found)
}

/// The operators that belong to libraries, by their names and where PyTorch has kernels of them.
pub(crate) fn libraries(view: View<'_>) -> Vec<(OperatorId, &'static Library)> {
    let operators = view.inputs.catalogue.iter();
    let found = operators.filter_map(|(id, operator)| Some((id, library(view, id, operator)?)));
    found.collect()
}

fn library(view: View<'_>, id: OperatorId, operator: &Operator) -> Option<&'static Library> {
    if operator.namespace() != "aten" {
        return None;
    }
    let mut kernels: Option<Vec<&str>> = None;
    let mut belongs = |library: &&Library| {
        let has_tag = |tag: &str| operator.has_tag(tag);
        if !library.has(operator.base_name(), has_tag) {
            return false;
        }
        let kernels = kernels.get_or_insert_with(|| kernels_of(view, id));
        !(library.is_of_kernels() && (kernels.is_empty() || has_default(view, id)))
            && kernels.iter().all(|key| library.may_serve(key))
    };
    Library::all().iter().find(|library| belongs(library))
}

/// Whether a composite kernel serves every backend.
fn has_default(view: View<'_>, id: OperatorId) -> bool {
    let pattern = view.tables.pattern(id);
    pattern.is_some_and(|pattern| default_alias(&pattern.everything).is_some())
}

/// The backend keys with a kernel in PyTorch. The kernels on Meta only compute shapes, so every library
/// may have them.
fn kernels_of(view: View<'_>, id: OperatorId) -> Vec<&'static str> {
    let keys = view.keys();
    let rows = view.tables.all_rows(id).iter();
    let rows = rows.filter(|row| !is_description(row.origin));
    let slots = rows.filter_map(|row| match row.key {
        Key::Runtime(slot) if is_kernel_key(view, slot) => Some(slot),
        _ => None,
    });
    slots.map(|slot| keys.name(Key::Runtime(slot))).collect()
}

fn is_kernel_key(view: View<'_>, slot: Slot) -> bool {
    let keys = view.keys();
    opatlas_dispatch::autograd_key(keys, slot).is_some() && keys.backend(slot) != Some("Meta")
}
