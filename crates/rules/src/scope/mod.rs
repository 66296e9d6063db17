//! Shared by checks across entries: operators, broken siblings, and reports.

pub(crate) mod field_edit;
mod group;
mod out_of_step;
pub(crate) mod places;
pub(crate) mod subject;
pub(crate) mod types;

use std::sync::OnceLock;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId, PlacedEntry};
use opatlas_pytorch::release::Release;
use opatlas_schema::invariants::broken_invariants;
use opatlas_schema::name::OperatorName;
use opatlas_source::Span;
use opatlas_source::diagnostic::{Diagnostic, Related, Severity};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::registry;
use crate::sink::Sink;

pub(crate) use group::CompleteGroup;
pub(crate) use out_of_step::{MOST_OVERLOADS, OutOfStep, written};
pub(crate) use subject::Subject;

/// The dispatch key of kernels that decompose into other operators.
pub(crate) const IMPLICIT: &str = "CompositeImplicitAutograd";

pub(crate) struct Scope<'c> {
    pub(crate) catalogue: &'c Catalogue,
    broken: OnceLock<BrokenSiblings<'c>>,
    grouped: OnceLock<FxHashMap<&'c str, usize>>,
}

/// Entries with errors. Rules about groups skip the siblings of these entries, since their findings
/// would change once the error is fixed.
#[derive(Default)]
pub(crate) struct BrokenSiblings<'c> {
    /// Base names of entries without a readable schema, whose group is unknown.
    schemas: FxHashSet<&'c str>,
    /// Signatures of entries with other broken fields.
    signatures: FxHashSet<&'c str>,
    /// Base names of all entries with errors.
    related: FxHashSet<&'c str>,
}

/// A label, an operator, and a position in its entry.
pub(crate) type Elsewhere = (&'static str, OperatorId, Span);

impl<'c> Scope<'c> {
    pub(crate) fn new(catalogue: &'c Catalogue) -> Self {
        Self {
            catalogue,
            broken: OnceLock::new(),
            grouped: OnceLock::new(),
        }
    }

    /// All entries, in file order.
    pub(crate) fn entries(&self) -> &'c [PlacedEntry] {
        &self.catalogue.native_functions.entries
    }

    pub(crate) fn subjects(&self) -> impl Iterator<Item = Subject<'c>> + use<'c> {
        let text = &self.catalogue.native_functions.text;
        let entries = self.entries().iter();
        entries.filter_map(move |placed| Subject::new(placed, text))
    }

    /// The operators of `native_functions.yaml`: declared ones, then generated ones.
    pub(crate) fn operators(&self) -> impl Iterator<Item = (OperatorId, &'c Operator)> + use<'c> {
        self.catalogue.native()
    }

    pub(crate) fn is_grouped(&self, id: OperatorId) -> bool {
        CompleteGroup::new(self.catalogue.groups.of(id)).is_some()
            || self.catalogue.view_groups().contains(id)
    }

    pub(crate) fn grouped_namesakes(&self, name: &str) -> usize {
        let grouped = self.grouped.get_or_init(|| {
            let shared = self.catalogue.shared_names();
            let count = |ids: &[OperatorId]| ids.iter().filter(|id| self.is_grouped(**id)).count();
            shared.map(|(name, ids)| (name, count(ids))).collect()
        });
        match grouped.get(name) {
            Some(&count) => count,
            None => self
                .catalogue
                .find(name)
                .map_or(0, |id| usize::from(self.is_grouped(id))),
        }
    }

    pub(crate) fn operator(&self, id: OperatorId) -> &'c Operator {
        self.catalogue.operator(id)
    }

    pub(crate) fn source(&self, id: OperatorId) -> Option<(&'c PlacedEntry, OperatorId)> {
        let mut id = id;
        // Generated operators come from declared ones.
        for _ in 0..2 {
            let operator = self.operator(id);
            if let Some(placed) = operator.declared() {
                return Some((placed, id));
            }
            id = operator.generated_from()?;
        }
        None
    }

    pub(crate) fn name_at(&self, id: OperatorId) -> Span {
        match self.source(id) {
            Some((_, source)) => self.operator(source).schema().name_at.0,
            None => Span::default(),
        }
    }

    pub(crate) fn has_broken_sibling(&self, id: OperatorId) -> bool {
        let operator = self.operator(id);
        let broken = self.broken();
        broken.schemas.contains(shared_stem(operator.name().stem()))
            || broken.signatures.contains(operator.signature())
    }

    /// Whether a related entry has an error.
    pub(crate) fn has_broken_relative(&self, name: &OperatorName) -> bool {
        self.broken().related.contains(shared_stem(name.stem()))
    }

    fn broken(&self) -> &BrokenSiblings<'c> {
        self.broken
            .get_or_init(|| BrokenSiblings::new(self.catalogue))
    }

    pub(crate) fn report(&self, sink: &mut Sink, id: OperatorId, diagnostic: Diagnostic) {
        self.report_with(sink, id, diagnostic, &[]);
    }

    pub(crate) fn report_with(
        &self,
        sink: &mut Sink,
        id: OperatorId,
        diagnostic: Diagnostic,
        elsewhere: &[Elsewhere],
    ) {
        let Some((placed, _)) = self.source(id) else {
            return;
        };
        let before = sink.count();
        sink.entry(placed, diagnostic);
        if sink.count() == before {
            return; // no rule of this release
        }
        for &(message, other, span) in elsewhere {
            if let Some((other, _)) = self.source(other) {
                sink.relate(Related {
                    message: message.into(),
                    file: None,
                    span: other.place(span),
                });
            }
        }
    }

    pub(crate) fn text(&self, placed: &PlacedEntry) -> &'c str {
        let text = &self.catalogue.native_functions.text;
        text.get(placed.base as usize..).unwrap_or("")
    }
}

/// The base name without the affixes of variants, so that related entries share it.
fn shared_stem(stem: &str) -> &str {
    ["_copy", "_scatter", "_inverse"]
        .into_iter()
        .find_map(|suffix| stem.strip_suffix(suffix))
        .unwrap_or(stem)
}

impl<'c> BrokenSiblings<'c> {
    fn new(catalogue: &'c Catalogue) -> Self {
        let (mut found, release) = (Self::default(), catalogue.release);
        for name in &catalogue.native_functions.unread {
            found.related.insert(shared_stem(name.stem()));
            found.schemas.insert(shared_stem(name.stem()));
        }
        for placed in &catalogue.native_functions.entries {
            let entry = &placed.entry;
            let sound = entry
                .schema
                .as_ref()
                .filter(|schema| broken_invariants(schema).is_empty());
            let is_broken =
                sound.is_none() || entry.diagnostics.iter().any(|d| is_error(d, release));
            let Some(name) = entry.name.as_ref().filter(|_| is_broken) else {
                continue;
            };
            found.related.insert(shared_stem(name.stem()));
            if sound.is_some() {
                found.signatures.insert(&entry.signature);
            } else {
                found.schemas.insert(shared_stem(name.stem()));
            }
        }
        found
    }
}

fn is_error(diagnostic: &Diagnostic, release: Release) -> bool {
    let rule = registry::of(diagnostic.rule);
    rule.severity == Severity::Error && rule.applies_to(release)
}
