//! The dispatch tables of a revision in one build, and the cells that the files alone determine. Operators
//! with equal registered keys share a table.

use rustc_hash::FxHashMap;

use super::build::Build;
use super::known::Provenance;
use super::origin::{Origin, Source};
use super::registrations::{
    Inputs, Registration, Registrations, Row, SourceFallbacks, assemble, last_to_key,
};
use super::resolve::{Precedence, Registered, Table, resolve};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::handwritten;
use opatlas_pytorch::handwritten::FROM_SOURCES;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;
use opatlas_source::{Stop, Stopped};

/// The tables of all operators in one build.
#[derive(Debug, Clone)]
pub struct RevisionTables {
    pub(super) keys: &'static Keys,
    source: Source,
    provenance: Provenance,
    build: Build,
    left_out: LeftOut,
    may_be_handwritten: KeySet,
    source_fallbacks: SourceFallbacks,
    registrations: Registrations,
    patterns: Vec<Pattern>,
    of_operator: Vec<u32>,
}

/// A table that operators share.
#[derive(Debug, Clone)]
pub struct Pattern {
    /// The registered keys.
    pub registered: Registered,
    /// The table.
    pub table: Table,
    /// The runtime keys whose entry differs from what the files alone determine.
    pub decided_outside: KeySet,
    /// The number of operators with this table.
    pub operators: usize,
    /// The number of declared operators among them.
    pub declared: u32,
    /// The rule of each slot. Comparisons and verdicts read hundreds of thousands.
    cells: Box<[Precedence]>,
    /// All known registered keys, including those outside the files.
    pub everything: Registered,
}

impl Pattern {
    /// The rule that serves a key.
    #[must_use]
    pub fn rule(&self, slot: Slot) -> Precedence {
        let known = self.cells.get(slot.index());
        known.copied().unwrap_or(Precedence::Missing)
    }
}

/// The keys without kernels in a build, by where they would be registered.
#[derive(Debug, Clone, Copy)]
struct LeftOut {
    generated: KeySet,
    /// Most handwritten registrations were recorded in a Linux CUDA build, so backends that it leaves out
    /// are missing anyway.
    handwritten: KeySet,
}

impl LeftOut {
    fn of(build: &Build, keys: &Keys) -> Self {
        let generated = build.dropped(keys);
        let recorded = Build::parse("linux-cuda", keys.release()).unwrap_or_default();
        let from_sources = FROM_SOURCES.iter().filter_map(|name| keys.slot(name));
        let recorded = recorded.dropped(keys) - from_sources.collect();
        Self {
            generated,
            handwritten: generated - recorded,
        }
    }

    fn is_counted(self, row: &Row) -> bool {
        let dropped = match row.origin {
            Origin::Source | Origin::Observed => return true,
            Origin::HandWritten => self.handwritten,
            _ => self.generated,
        };
        !matches!(row.key, Key::Runtime(slot) if dropped.contains(slot))
    }
}

impl RevisionTables {
    /// Computes all registrations and tables (about 2 ms for a release).
    #[must_use]
    pub fn new(inputs: Inputs<'_>, build: &Build, source: Source) -> Self {
        Stop::unstopped(|stop| Self::new_until(inputs, build, source, stop))
    }

    /// Like [`RevisionTables::new`], but can be stopped.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn new_until(
        inputs: Inputs<'_>,
        build: &Build,
        source: Source,
        stop: &Stop,
    ) -> Result<Self, Stopped> {
        stop.check()?;
        let keys = Keys::of(inputs.catalogue.release);
        let mut tables = Self {
            keys,
            source,
            provenance: inputs.provenance,
            build: build.clone(),
            left_out: LeftOut::of(build, keys),
            may_be_handwritten: match inputs.provenance {
                Provenance::Assumed if inputs.observed.is_empty() => many_by_hand(keys.release()),
                _ => KeySet::EMPTY,
            },
            source_fallbacks: SourceFallbacks::new(inputs, keys),
            registrations: Registrations::new(inputs),
            patterns: Vec::new(),
            of_operator: Vec::with_capacity(inputs.catalogue.operators.len()),
        };
        let mut known = FxHashMap::default();
        for (id, operator) in inputs.catalogue.iter() {
            stop.check()?;
            let (files, outside) = tables.registered(id);
            let pattern = *known.entry((files, outside)).or_insert_with(|| {
                tables.patterns.push(tables.make_pattern(&files, &outside));
                u32::try_from(tables.patterns.len() - 1).unwrap_or(u32::MAX)
            });
            if let Some(pattern) = tables.patterns.get_mut(pattern as usize) {
                pattern.operators += 1;
                pattern.declared += u32::from(!operator.is_generated());
            }
            tables.of_operator.push(pattern);
        }
        Ok(tables)
    }

    /// The registered keys that follow from the files, and those outside them.
    fn registered(&self, id: OperatorId) -> (Registered, Registered) {
        let (mut files, mut outside) = (Registered::default(), Registered::default());
        for row in self.registrations.rows_of(id) {
            if self.left_out.is_counted(row) {
                match row.origin.is_outside_files() {
                    true => outside.insert(row.key),
                    false => files.insert(row.key),
                }
            }
        }
        (files, outside)
    }

    fn make_pattern(&self, files: &Registered, outside: &Registered) -> Pattern {
        let of_files = resolve(self.keys, files, self.keys.fallbacks());
        let everything = files.iter().chain(outside.iter()).collect();
        let all = self.keys.fallbacks() | self.source_fallbacks.keys;
        let complete = resolve(self.keys, &everything, all);
        let (registered, table) = match self.source {
            Source::Everything => (everything, complete),
            Source::Files => (*files, of_files),
        };
        Pattern {
            cells: table.cells(self.keys).into(),
            registered,
            table,
            decided_outside: decided_outside(&of_files, &complete, outside),
            operators: 0,
            declared: 0,
            everything,
        }
    }

    /// The keys of the release.
    #[must_use]
    pub fn keys(&self) -> &'static Keys {
        self.keys
    }

    /// The keys with a fallback for all operators.
    #[must_use]
    pub fn fallbacks(&self) -> KeySet {
        match self.source {
            Source::Everything => self.keys.fallbacks() | self.source_fallbacks.keys,
            Source::Files => self.keys.fallbacks(),
        }
    }

    /// The keys in [`Self::fallbacks`] whose fallback is a fallthrough.
    #[must_use]
    pub fn fallthrough_fallbacks(&self) -> KeySet {
        let own = self.keys.fallthrough_fallbacks();
        match self.source {
            Source::Everything => {
                (own - self.source_fallbacks.keys) | self.source_fallbacks.passing
            }
            Source::Files => own,
        }
    }

    /// The fallback that sources register at a key for every operator.
    #[must_use]
    pub fn source_fallback<'a>(
        &self,
        inputs: Inputs<'a>,
        slot: Slot,
    ) -> Option<&'a opatlas_sources::Registration> {
        self.source_fallbacks.of(inputs, slot)
    }

    /// The fallbacks of sources, whatever the tables are made of.
    pub(super) fn source_fallbacks(&self) -> &SourceFallbacks {
        &self.source_fallbacks
    }

    /// Which registrations the tables include.
    #[must_use]
    pub fn source(&self) -> Source {
        self.source
    }

    /// The build.
    #[must_use]
    pub fn build(&self) -> &Build {
        &self.build
    }

    /// Whether the release's handwritten registrations were recorded from this revision.
    #[must_use]
    pub fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// The table of an operator, which other operators may share.
    #[must_use]
    pub fn pattern(&self, id: OperatorId) -> Option<&Pattern> {
        self.patterns.get(self.pattern_index(id)?)
    }

    /// The index of an operator's table in [`RevisionTables::patterns`].
    #[must_use]
    pub fn pattern_index(&self, id: OperatorId) -> Option<usize> {
        Some(*self.of_operator.get(id.index())? as usize)
    }

    /// The index of each operator's table.
    pub fn pattern_indices(&self) -> &[u32] {
        &self.of_operator
    }

    /// The distinct tables, in order of first use.
    #[must_use]
    pub fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The keys that may have unknown handwritten registrations of any operator; empty for recorded releases.
    #[must_use]
    pub fn may_be_handwritten(&self) -> KeySet {
        self.may_be_handwritten
    }

    /// The registrations of an operator in this build, in registration order, including overridden ones.
    /// `inputs` must be those that the tables were computed from.
    pub fn registrations<'a>(
        &'a self,
        inputs: Inputs<'a>,
        id: OperatorId,
    ) -> impl Iterator<Item = Registration<'a>> + use<'a> {
        let rows = self.registrations.rows_of(id);
        let counted = move || {
            let rows = rows.iter().enumerate();
            rows.filter(move |(_, row)| self.is_used(row))
        };
        let last = last_to_key(counted());
        counted().map(move |(at, row)| Registration {
            overridden: last.get(&row.key) != Some(&at),
            ..assemble(inputs, id, row)
        })
    }

    /// The effective registration on a key, among those of `source`.
    pub fn row(&self, id: OperatorId, key: Key, source: Source) -> Option<&Row> {
        let rows = self.registrations.rows_of(id).iter();
        rows.rev().find(|row| {
            row.key == key
                && self.left_out.is_counted(row)
                && (source == Source::Everything || !row.origin.is_outside_files())
        })
    }

    pub(super) fn outside_rows(&self, id: OperatorId) -> impl Iterator<Item = &Row> {
        let rows = self.registrations.rows_of(id).iter();
        rows.filter(|row| row.origin.is_outside_files() && self.left_out.is_counted(row))
    }

    /// All registrations of an operator, including unused ones.
    pub fn all_rows(&self, id: OperatorId) -> &[Row] {
        self.registrations.rows_of(id)
    }

    /// The registrations of an operator that the tables include, in registration order.
    pub fn used_rows(&self, id: OperatorId) -> impl Iterator<Item = &Row> {
        let rows = self.registrations.rows_of(id).iter();
        rows.filter(|row| self.is_used(row))
    }

    fn is_used(&self, row: &Row) -> bool {
        self.left_out.is_counted(row)
            && (self.source == Source::Everything || !row.origin.is_outside_files())
    }
}

/// The cells that differ between the two tables, in the rule or in the kernel.
fn decided_outside(of_files: &Table, complete: &Table, outside: &Registered) -> KeySet {
    let mut decided = KeySet::EMPTY;
    for rule in Precedence::ALL {
        let served = complete.served(rule);
        decided = decided | (served - of_files.served(rule));
        match rule.alias().filter(|_| rule != Precedence::Ambiguous) {
            Some(alias) if outside.has_alias(alias) => decided = decided | served,
            None if rule == Precedence::Direct => decided = decided | (served & outside.runtime),
            _ => {}
        }
    }
    decided
}

/// A key with more handwritten registrations than this needs a list of them; other cases are handled
/// by operator (`docs/spec/dispatch.md`, section 7).
const FEW: usize = 15;

/// The runtime keys with many handwritten registrations in a release.
fn many_by_hand(release: Release) -> KeySet {
    let mut count: FxHashMap<Key, usize> = FxHashMap::default();
    for row in handwritten::all(release).filter(|row| row.declared) {
        *count.entry(row.key).or_default() += 1;
    }
    let keys = Keys::of(release);
    let many = count.into_iter().filter(|(_, count)| *count > FEW);
    many.fold(KeySet::EMPTY, |set, (key, _)| set | keys.reach_of(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_need_lists() {
        let keys = Keys::of(Release::V2_9);
        let many = many_by_hand(Release::V2_9);
        for name in [
            "Meta",
            "FuncTorchBatched",
            "Named",
            "AutocastCPU",
            "Conjugate",
            "VmapMode",
        ] {
            assert!(many.contains(keys.slot(name).unwrap()), "{name}");
        }
        for name in [
            "CPU",
            "AutogradCPU",
            "Tracer",
            "Functionalize",
            "ADInplaceOrView",
        ] {
            assert!(!many.contains(keys.slot(name).unwrap()), "{name}");
        }
    }
}
