//! The effect of a new revision on one out-of-tree backend, for its vendor to check before an upgrade.
//! The declarations of a kernel decide whether it must change ([`Declarations`]); the changes of its
//! operator are listed with it.
//!
//! The bundles of both sides must include the backend file, so that its kernels are in the tables.

use std::collections::BTreeSet;

use super::change::{Change, Subject};
use super::declarations::{self, Declarations, KernelChange, SourceFits};
use super::history::{EventKind, by_operator};
use super::near::Names;
use super::revision::Comparison;
use super::rules::{Audience, Level};
use opatlas_dispatch::Reason;
use opatlas_operators::backend::BackendFile;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::keys::Keys;
use opatlas_rules::KernelFit;
use opatlas_verdict::{Standing, Verdict, View};

/// The most similar names listed for an unknown one.
const NEAR: usize = 3;

/// The effect of a new revision on a backend.
#[derive(Debug, Clone)]
pub struct BackendImpact<'a> {
    /// The dispatch key of its kernels.
    pub key: &'static str,
    /// The number of distinct operators that it lists.
    pub listed: usize,
    /// Listed operators that the head does not have.
    pub unknown: Vec<UnknownOperator>,
    /// Kernels whose declarations differ.
    pub declarations: Declarations,
    /// Listed operators with changes that affect backends.
    pub changed: Vec<ChangedOperator<'a>>,
    /// New operators of the head, with their support on the backend.
    pub added: Vec<Cell>,
    /// Operators that it does not list and that worked before but fail now. Each has the base's kernel
    /// and the head's verdict and needs.
    pub lost: Vec<Cell>,
    /// Other unlisted operators whose kernel changed.
    pub reassigned: Vec<Reassigned>,
}

/// An inherited operator whose entry at the backend's key changed: another kernel serves it, or no
/// kernel does. Operators that already failed do not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reassigned {
    /// The entry that the backend inherited.
    pub old: Cell,
    /// The entry that it inherits now.
    pub new: Cell,
}

/// A listed operator that the head does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownOperator {
    /// The listed name.
    pub name: String,
    /// Whether the base has it.
    pub vanished: bool,
    /// Similar names in the head.
    pub near: Vec<String>,
}

/// A listed operator that changed.
#[derive(Debug, Clone)]
pub struct ChangedOperator<'a> {
    /// The operator.
    pub operator: String,
    /// Whether its kernel's declaration changed, so that kernels written for the base no longer compile.
    pub breaks: bool,
    /// The changes.
    pub changes: Vec<&'a Change>,
}

/// The kernel that serves an operator on the backend, and whether a call works
/// ([docs/spec/support.md](../../../docs/spec/support.md)).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// The operator.
    pub operator: String,
    /// Why it serves.
    pub reason: Reason,
    /// The registered key that serves; `None` if nothing does.
    pub source_key: Option<&'static str>,
    /// Whether a call works.
    pub verdict: Verdict,
    /// The operators that it needs and that have no working kernel.
    pub needs: Vec<String>,
    /// Whether it is tagged `core`.
    pub is_core: bool,
    /// Whether it fails because only other backends have it.
    pub is_of_others: bool,
}

impl Cell {
    /// How the operator stands on the backend.
    #[must_use]
    pub fn standing(&self) -> Standing {
        Standing::of(Some(self.verdict), self.reason)
    }

    /// `true` if an implicit composite serves it. Such a kernel decomposes for autograd too.
    #[must_use]
    pub fn decomposes(&self) -> bool {
        self.source_key == Some(Alias::CompositeImplicitAutograd.name())
    }

    /// `true` if a kernel that the backend does not register serves it.
    fn is_inherited(&self) -> bool {
        self.source_key.is_some() && !self.verdict.fails()
    }

    fn is_served_like(&self, other: &Self) -> bool {
        (self.reason, self.source_key) == (other.reason, other.source_key)
    }
}

impl BackendImpact<'_> {
    /// Whether the vendor must act before the upgrade.
    #[must_use]
    pub fn breaks(&self) -> bool {
        !self.unknown.is_empty()
            || self.must_change().next().is_some()
            || self.may_change().next().is_some()
    }

    /// Kernels that do not compile or load unchanged.
    pub fn must_change(&self) -> impl Iterator<Item = &KernelChange> {
        let kernels = self.declarations.kernels.iter();
        kernels.filter(|kernel| matches!(kernel.fit, KernelFit::Refused(_)))
    }

    /// Kernels with a new declaration that may not fit anymore, because the sources do not show their types.
    pub fn may_change(&self) -> impl Iterator<Item = &KernelChange> {
        let kernels = self.declarations.kernels.iter();
        kernels.filter(|kernel| matches!(kernel.fit, KernelFit::Unknown(_)))
    }

    /// Kernels that compile unchanged under a new declaration.
    pub fn unchanged(&self) -> impl Iterator<Item = &KernelChange> {
        let kernels = self.declarations.kernels.iter();
        kernels.filter(|kernel| kernel.fit == KernelFit::Fits)
    }

    /// The changes of an operator.
    #[must_use]
    pub fn changes_of(&self, operator: &str) -> &[&Change] {
        let found = self.changed.iter().find(|of| of.operator == operator);
        found.map_or(&[], |of| &of.changes)
    }

    /// New operators that fail on the backend: nothing serves them, or the kernel that does calls an
    /// operator that fails.
    pub fn lacking(&self) -> impl Iterator<Item = &Cell> {
        let added = self.added.iter();
        added.filter(|cell| cell.standing() == Standing::Fails && !cell.is_of_others)
    }

    /// New operators that belong to other backends.
    pub fn of_others(&self) -> impl Iterator<Item = &Cell> {
        self.added.iter().filter(|cell| cell.is_of_others)
    }

    /// New operators that work without a kernel of the backend.
    pub fn inherited(&self) -> impl Iterator<Item = &Cell> {
        let added = self.added.iter();
        added.filter(|cell| cell.standing() == Standing::Inherited)
    }

    /// New operators that work partly, or whose support is unknown.
    pub fn uncertain(&self) -> impl Iterator<Item = &Cell> {
        let added = self.added.iter();
        added.filter(|cell| matches!(cell.standing(), Standing::Partly | Standing::Unknown))
    }
}

/// The effect of a comparison on a backend; `None` unless both releases have its key.
#[must_use]
pub fn impact<'a>(
    file: &BackendFile,
    fits: &SourceFits,
    comparison: &'a Comparison,
    base: View<'_>,
    head: View<'_>,
) -> Option<BackendImpact<'a>> {
    let key = file.backend_key(head.inputs.catalogue.release)?;
    file.backend_key(base.inputs.catalogue.release)?;
    let listed = listed_operators(file);
    let (old, new) = (base.inputs.catalogue, head.inputs.catalogue);
    let declarations = declarations::compare(file, fits, old, new);
    let (lost, reassigned) = cells_of_unlisted(key, &listed, base, head);
    Some(BackendImpact {
        key,
        unknown: unknown_operators(&listed, old, new),
        changed: changed(key, &listed, comparison, &declarations),
        declarations,
        added: added(key, comparison, old, head),
        lost,
        reassigned,
        listed: listed.len(),
    })
}

/// The operators with a kernel at the key of the backend or at its autograd key.
#[must_use]
pub fn listed_operators(file: &BackendFile) -> BTreeSet<&str> {
    let listed = file.on_backend_key().map(|(_, listed)| listed);
    listed
        .chain(&file.autograd)
        .map(|one| &*one.value)
        .collect()
}

pub(crate) fn unknown_operators(
    listed: &BTreeSet<&str>,
    base: &Catalogue,
    head: &Catalogue,
) -> Vec<UnknownOperator> {
    let missing = listed.iter().filter(|name| head.find(name).is_none());
    let missing: Vec<&&str> = missing.collect();
    if missing.is_empty() {
        return Vec::new();
    }
    let names = head.operators.iter();
    let names = names.map(|operator| operator.qualified_name().to_owned());
    let mut names: Names = names.collect();
    let unknown = missing.into_iter().map(|name| UnknownOperator {
        name: (*name).to_owned(),
        vanished: base.find(name).is_some(),
        near: names.near(name, NEAR).into_iter().map(Into::into).collect(),
    });
    unknown.collect()
}

fn changed<'a>(
    key: &str,
    listed: &BTreeSet<&str>,
    comparison: &'a Comparison,
    declarations: &Declarations,
) -> Vec<ChangedOperator<'a>> {
    let must_change = declarations
        .kernels
        .iter()
        .filter(|kernel| kernel.fit != KernelFit::Fits);
    let must_change: BTreeSet<&str> = must_change.map(|kernel| &*kernel.operator).collect();
    let mut changed = Vec::new();
    for (operator, step) in by_operator(comparison) {
        if !listed.contains(operator) {
            continue;
        }
        let is_about_it = |change: &Change| {
            let impacts = change.impacts;
            let hurt = impacts.breaks.contains(Audience::Backend)
                || impacts.risks.contains(Audience::Backend);
            let is_elsewhere = match &change.subject {
                Subject::Keys(keys) => keys.iter().all(|other| other.as_str() != key),
                _ => false,
            };
            hurt && !is_elsewhere && change.level > Level::None
        };
        let events = step.events.iter();
        let events = events.filter(|event| {
            event.kind != EventKind::Introduced && event.kind != EventKind::Removed
        });
        let changes: Vec<&Change> = events
            .map(|event| event.change)
            .filter(|change| is_about_it(change))
            .collect();
        if !changes.is_empty() {
            changed.push(ChangedOperator {
                operator: operator.to_owned(),
                breaks: must_change.contains(operator),
                changes,
            });
        }
    }
    changed
}

/// Renamed operators are new to a backend too, because kernels are registered by name.
fn added(key: &str, comparison: &Comparison, base: &Catalogue, head: View<'_>) -> Vec<Cell> {
    let ids = comparison.pairs.iter().filter_map(|pair| pair.head);
    let ids = ids.filter(|id| {
        let name = head.inputs.catalogue.operator(*id).qualified_name();
        base.find_qualified(name).is_none()
    });
    let mut added: Vec<Cell> = ids.filter_map(|id| cell(key, head, id)).collect();
    sort(&mut added, |cell| cell);
    added
}

/// Compares the operators that the backend does not list. Returns the operators that worked and
/// fail now, and the other operators whose kernel changed.
pub(crate) fn cells_of_unlisted(
    key: &str,
    listed: &BTreeSet<&str>,
    base: View<'_>,
    head: View<'_>,
) -> (Vec<Cell>, Vec<Reassigned>) {
    let (mut lost, mut reassigned) = (Vec::new(), Vec::new());
    let operators = base.inputs.catalogue.iter();
    let unlisted = operators
        .map(|(id, operator)| (id, operator.qualified_name()))
        .filter(|(_, name)| !listed.contains(name));
    for (old, name) in unlisted {
        let new = head.inputs.catalogue.find_qualified(name);
        let cells = new.and_then(|new| cell(key, base, old).zip(cell(key, head, new)));
        let Some((old, new)) = cells else {
            continue;
        };
        if old.verdict.works() && new.verdict.fails() {
            lost.push(Cell {
                verdict: new.verdict,
                needs: new.needs,
                ..old
            });
        } else if old.is_inherited() && !old.is_served_like(&new) {
            reassigned.push(Reassigned { old, new });
        }
    }
    sort(&mut lost, |cell| cell);
    sort(&mut reassigned, |one| &one.old);
    (lost, reassigned)
}

fn cell(key: &str, view: View<'_>, id: OperatorId) -> Option<Cell> {
    let keys: &Keys = view.keys();
    let slot = keys.slot(key)?;
    let entry = view.entry(id, slot)?;
    let catalogue = view.inputs.catalogue;
    let operator = catalogue.operator(id);
    let support = view.support_of(id, &entry);
    Some(Cell {
        operator: operator.qualified_name().to_owned(),
        reason: entry.reason,
        source_key: entry.source_name(keys),
        verdict: support.verdict,
        needs: view.needed(&support).map(str::to_owned).collect(),
        is_core: operator.has_tag(super::revision::CORE),
        is_of_others: !view.applicability(id, slot).is_applicable(),
    })
}

/// Core operators first.
fn sort<T>(items: &mut [T], cell: impl Fn(&T) -> &Cell) {
    items.sort_by(|a, b| {
        let (a, b) = (cell(a), cell(b));
        b.is_core
            .cmp(&a.is_core)
            .then_with(|| a.operator.cmp(&b.operator))
    });
}
