//! Entries of dispatch tables, assembled on demand.

use std::borrow::Cow;

use super::explain::{Explanation, explain};
use super::known::Provenance;
use super::origin::{Cause, Origin, Source};
use super::registrations::{Inputs, Registration, assemble, kernel};
use super::resolve::{Precedence, Reason, resolve};
use super::revision_tables::{Pattern, RevisionTables};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_source::Span;

/// What happens when an operator is called on a runtime key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The runtime key.
    pub slot: Slot,
    /// Its name.
    pub key: &'static str,
    /// `Sparse` of `SparseCPU`.
    pub functionality: &'static str,
    /// `CPU` of `SparseCPU`.
    pub backend: Option<&'static str>,
    /// The kernel's C++ name; `None` without a kernel, or if only its file is known.
    pub kernel: Option<Cow<'a, str>>,
    /// The registered key of the kernel; `None` for fallbacks and missing kernels.
    pub source_key: Option<Key>,
    /// The rule that serves the key.
    pub rule: Precedence,
    /// The runtime's reason.
    pub reason: Reason,
    /// The origin of the registration; `None` without one, and for hypothetical kernels.
    pub origin: Option<Origin>,
    /// Whether the kernel is a fallthrough.
    pub fallthrough: bool,
    /// Whether the files alone decide the entry.
    pub derivable: bool,
    /// Why they do not, if they do not.
    pub cause: Option<Cause>,
    /// The file that declares the registration: one of the bundle, or a PyTorch source file.
    pub file: Option<&'a str>,
    /// The position, if the file is in the bundle.
    pub span: Option<Span>,
}

impl Entry<'_> {
    /// The name of [`Entry::source_key`].
    #[must_use]
    pub fn source_name(&self, keys: &Keys) -> Option<&'static str> {
        self.source_key.map(|key| keys.name(key))
    }
}

/// An entry, why it has its kernel, and the registrations involved.
#[derive(Debug, Clone)]
pub struct ExplainedEntry<'a> {
    /// The entry.
    pub entry: Entry<'a>,
    /// Why it has its kernel.
    pub explanation: Explanation,
    /// The operator's registrations that reach the key, the deciding one first.
    pub registrations: Vec<Registration<'a>>,
}

/// A revision with its tables.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// The revision.
    pub inputs: Inputs<'a>,
    /// The tables.
    pub tables: &'a RevisionTables,
}

impl<'a> View<'a> {
    /// `inputs` must be those that the tables were computed from.
    #[must_use]
    pub fn new(inputs: Inputs<'a>, tables: &'a RevisionTables) -> Self {
        Self { inputs, tables }
    }

    /// The keys of the release.
    #[must_use]
    pub fn keys(self) -> &'static Keys {
        self.tables.keys()
    }

    /// The entry of an operator for a runtime key; `None` for an operator of another catalogue.
    #[must_use]
    pub fn entry(self, id: OperatorId, slot: Slot) -> Option<Entry<'a>> {
        let pattern = self.tables.pattern(id)?;
        let rule = pattern.rule(slot);
        Some(self.of_rule(id, pattern, slot, rule))
    }

    /// Whether an operator has a kernel registered on a key itself.
    #[must_use]
    pub fn has_kernel(self, id: OperatorId, slot: Slot) -> bool {
        let pattern = self.tables.pattern(id);
        pattern.is_some_and(|pattern| pattern.rule(slot) == Precedence::Direct)
    }

    /// [`Entry::kernel`] of the operator on a key that this rule serves. Comparisons need tens of thousands,
    /// so this skips the rest of the entry.
    #[must_use]
    pub fn kernel(self, id: OperatorId, slot: Slot, rule: Precedence) -> Option<Cow<'a, str>> {
        if let Some(key) = rule.source(slot) {
            let row = self.tables.row(id, key, self.tables.source())?;
            return kernel(self.inputs, id, row);
        }
        let is_known = rule == Precedence::Fallback && self.tables.source() == Source::Everything;
        let found = is_known.then(|| self.tables.source_fallbacks().of(self.inputs, slot));
        found??.kernel.as_deref().map(Cow::Borrowed)
    }

    /// The table of an operator in table order, including `Undefined` and missing kernels.
    pub fn table(self, id: OperatorId) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let pattern = self.tables.pattern(id);
        let cells = pattern.map(|pattern| (pattern, pattern.table.cells(self.keys())));
        cells.into_iter().flat_map(move |(pattern, rules)| {
            // An alias serves many keys, so its registration is assembled once.
            let mut of_alias: Vec<(Key, Option<Registration<'a>>)> = Vec::new();
            self.keys().slots().zip(rules).map(move |(slot, rule)| {
                let made = match rule.source(slot) {
                    None => None,
                    Some(key @ Key::Runtime(_)) => self.registration(id, key),
                    Some(key) => match of_alias.iter().find(|(known, _)| *known == key) {
                        Some((_, made)) => made.clone(),
                        None => {
                            let made = self.registration(id, key);
                            of_alias.push((key, made.clone()));
                            made
                        }
                    },
                };
                self.assemble(id, pattern, slot, rule, made)
            })
        })
    }

    /// The registrations of an operator in the build, including overridden ones.
    pub fn registrations(self, id: OperatorId) -> impl Iterator<Item = Registration<'a>> + use<'a> {
        self.tables.registrations(self.inputs, id)
    }

    /// Explains the entry of an operator on a key.
    #[must_use]
    pub fn explain(self, id: OperatorId, slot: Slot) -> Option<ExplainedEntry<'a>> {
        let pattern = self.tables.pattern(id)?;
        let keys = self.keys();
        let explanation = explain(keys, &pattern.registered, self.tables.fallbacks(), slot);
        let entry = self.entry(id, slot)?;
        let reaching = entry
            .source_key
            .into_iter()
            .chain(explanation.shadowed.iter().copied());
        let source = self.tables.source();
        let rows = reaching.filter_map(|key| self.tables.row(id, key, source));
        let registrations = rows.map(|row| assemble(self.inputs, id, row)).collect();
        Some(ExplainedEntry {
            entry,
            explanation,
            registrations,
        })
    }

    pub(super) fn served_by(
        self,
        id: OperatorId,
        slot: Slot,
        rule: Precedence,
    ) -> Option<Entry<'a>> {
        Some(self.of_rule(id, self.tables.pattern(id)?, slot, rule))
    }

    fn of_rule(self, id: OperatorId, pattern: &Pattern, slot: Slot, rule: Precedence) -> Entry<'a> {
        let made = rule.source(slot).and_then(|key| self.registration(id, key));
        self.assemble(id, pattern, slot, rule, made)
    }

    /// The effective registration on a key.
    fn registration(self, id: OperatorId, key: Key) -> Option<Registration<'a>> {
        let row = self.tables.row(id, key, self.tables.source())?;
        Some(assemble(self.inputs, id, row))
    }

    fn assemble(
        self,
        id: OperatorId,
        pattern: &Pattern,
        slot: Slot,
        rule: Precedence,
        made: Option<Registration<'a>>,
    ) -> Entry<'a> {
        let cause = self.cause(id, pattern, slot);
        let mut entry = bare(self.keys(), slot, rule);
        entry.derivable = cause.is_none();
        entry.cause = cause;
        if rule == Precedence::Fallback && self.tables.source() == Source::Everything {
            self.fill_fallback(&mut entry);
        }
        if let Some(made) = made {
            entry.kernel = made.kernel;
            entry.origin = Some(made.origin);
            entry.fallthrough = made.fallthrough;
            entry.file = made.file;
            entry.span = made.span;
        }
        entry
    }

    /// Completes the entry of a key whose fallback is registered in sources.
    fn fill_fallback(self, entry: &mut Entry<'a>) {
        let Some(found) = self.tables.source_fallbacks().of(self.inputs, entry.slot) else {
            return;
        };
        entry.origin = Some(Origin::Source);
        entry.kernel = found.kernel.as_deref().map(Cow::Borrowed);
        entry.fallthrough = found.fallthrough;
        entry.file = Some(self.inputs.catalogue.sources.file(found.file));
        entry.span = Some(found.at);
    }

    /// Why the files do not determine a cell.
    fn cause(self, id: OperatorId, pattern: &Pattern, slot: Slot) -> Option<Cause> {
        if !pattern.decided_outside.contains(slot) {
            let may = self.tables.may_be_handwritten().contains(slot);
            return may.then_some(Cause::MayBeHandWritten);
        }
        let keys = self.keys();
        let by_sources = self.tables.source_fallbacks().keys;
        let complete = resolve(keys, &pattern.everything, keys.fallbacks() | by_sources);
        if complete.rule(slot) == Precedence::Fallback && by_sources.contains(slot) {
            return Some(Cause::Sources);
        }
        let source = complete.source(slot);
        let deciding = source
            .and_then(|key| self.tables.row(id, key, Source::Everything))
            .filter(|row| row.origin.is_outside_files())
            .or_else(|| self.tables.outside_rows(id).next())?;
        Some(match (deciding.origin, self.tables.provenance()) {
            (Origin::Observed, _) => Cause::Observed,
            (Origin::Source, _) => Cause::Sources,
            (_, Provenance::Recorded) => Cause::HandWritten {
                file: deciding.source_file(),
            },
            (_, Provenance::Assumed) => Cause::HandWrittenInRelease {
                file: deciding.source_file(),
            },
        })
    }
}

/// An entry with everything that follows from its key and rule alone.
pub(super) fn bare<'a>(keys: &'static Keys, slot: Slot, rule: Precedence) -> Entry<'a> {
    let is_fallback = rule == Precedence::Fallback;
    Entry {
        slot,
        key: keys.name(Key::Runtime(slot)),
        functionality: keys.functionality(slot),
        backend: keys.backend(slot),
        kernel: None,
        source_key: rule.source(slot),
        rule,
        reason: rule.reason(),
        origin: is_fallback.then_some(Origin::Fallback),
        fallthrough: is_fallback && keys.fallthrough_fallbacks().contains(slot),
        derivable: true,
        cause: None,
        file: if is_fallback {
            keys.fallback_file(slot)
        } else {
            None
        },
        span: None,
    }
}
