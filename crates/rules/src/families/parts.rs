//! The checks that look at one entry at a time, or at one operator.
//!
//! A release has several megabytes of entries, more than the caches next to a processor hold. So no check
//! goes through all of them by itself: all checks go over a few entries before the next few, which stay in
//! those caches meanwhile.

use std::ops::Range;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId, PlacedEntry};
use opatlas_source::{READ_AHEAD, Stop, Stopped, read_ahead};

use super::scope::{BrokenSiblings, Scope};
use super::subject::Subject;
use super::{
    annotations, arguments, conventions, defaults, dispatch, fields, grammar, out_naming, returns,
    structured, tags, types, variants,
};
use crate::sink::Sink;

/// How many entries all checks go over before the next ones: of a release, they read about 80 KB of them.
const LENGTH: usize = READ_AHEAD;

/// A few entries that stand together, and the operators that they declare; or a few generated operators.
pub(super) struct Part<'c> {
    catalogue: &'c Catalogue,
    pub(super) entries: &'c [PlacedEntry],
    operators: Range<usize>,
}

impl<'c> Part<'c> {
    /// All parts of a catalogue, in the order of its entries. Vendors' operators are in none.
    fn all(catalogue: &'c Catalogue) -> impl Iterator<Item = Self> {
        // In the order of entries; those that cannot be read have no operator.
        let entry_of = &catalogue.entry_of;
        let mut declared = 0;
        let chunks = catalogue.native_functions.entries.chunks(LENGTH);
        let written = chunks.zip(1..).map(move |(entries, number)| {
            let from = declared;
            let is_within = |&entry: &u32| (entry as usize) < number * LENGTH;
            declared += entry_of[from..].partition_point(is_within);
            Self {
                catalogue,
                entries,
                operators: from..declared,
            }
        });
        let all = catalogue.native().len();
        let generated = (entry_of.len()..all).step_by(LENGTH);
        let generated = generated.map(move |from| Self {
            catalogue,
            entries: &[],
            operators: from..all.min(from + LENGTH),
        });
        written.chain(generated)
    }

    /// The entries that have a schema.
    pub(super) fn subjects(&self) -> impl Iterator<Item = Subject<'c>> + use<'c> {
        let text = &self.catalogue.native_functions.text;
        let entries = self.entries.iter();
        entries.filter_map(move |placed| Subject::of(placed, text))
    }

    /// The operators, with their ids.
    pub(super) fn operators(&self) -> impl Iterator<Item = (OperatorId, &'c Operator)> + use<'c> {
        let ids = self.operators.clone().map(OperatorId::of_index);
        let catalogue = self.catalogue;
        ids.map(move |id| (id, catalogue.operator(id)))
    }
}

/// Checks all entries, few by few. What is found in one part is the same whatever the others are.
///
/// # Errors
/// [`Stopped`].
pub(crate) fn check(scope: &Scope<'_>, stop: &Stop, sink: &mut Sink) -> Result<(), Stopped> {
    let catalogue = scope.catalogue;
    let dispatch = dispatch::OfEntries::new(scope);
    let mut broken = BrokenSiblings::default();
    for part in Part::all(catalogue) {
        stop.check()?;
        read_ahead(part.entries.iter().map(|placed| placed.entry.glimpse()));
        of_reading(&part, sink);
        broken.add(part.entries, catalogue.release);
        grammar::entries(scope, &part, sink);
        fields::entries(&part, sink);
        annotations::entries(scope, &part, sink);
        arguments::entries(scope, &part, sink);
        types::entries(scope, &part, sink);
        out_naming::entries(scope, &part, sink);
        defaults::entries(scope, &part, sink);
        returns::entries(scope, &part, sink);
        variants::entries(&part, sink);
        tags::entries(scope, &part, sink);
        dispatch.check(&part, sink);
        structured::entries(scope, &part, sink);
        conventions::entries(&part, sink);
    }
    scope.know_broken(broken);
    Ok(())
}

/// What was found when entries were read.
fn of_reading(part: &Part<'_>, sink: &mut Sink) {
    for placed in part.entries {
        for diagnostic in &placed.entry.diagnostics {
            sink.entry(placed, diagnostic.clone());
        }
        sink.more(&placed.entry.diagnostics);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use opatlas_pytorch::release::Release;
    use opatlas_source::Bundle;

    use super::*;

    #[test]
    fn each_operator_is_in_the_part_of_its_entry_and_generated_ones_come_last() {
        let entry = |number: usize| match number % 7 {
            // It cannot be read, so it is an entry without an operator.
            3 => format!("- func: broken{number}(Tensor self\n"),
            _ => format!(
                "- func: scale{number}(Tensor self) -> Tensor\n  dispatch:\n    CPU: scale\n  \
                 autogen: scale{number}.out\n"
            ),
        };
        let count = 3 * LENGTH + 5;
        let text: String = (0..count).map(entry).collect();
        let bundle = Bundle::of_native_functions(text.into_bytes());
        let catalogue = Catalogue::read(&bundle, Release::LATEST, None);
        let parts: Vec<Part<'_>> = Part::all(&catalogue).collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.entries.len()).collect();
        assert_eq!(lengths, [32, 32, 32, 5, 0, 0, 0]);
        let ids = parts.iter().flat_map(Part::operators).map(|(id, _)| id);
        let native = catalogue.native().map(|(id, _)| id);
        assert!(ids.eq(native));
        for part in &parts {
            for (_, operator) in part.operators() {
                let is_there = operator.declared().map(|placed| {
                    let mut entries = part.entries.iter();
                    entries.any(|there| Arc::ptr_eq(&there.entry, &placed.entry))
                });
                assert_eq!(is_there, (!part.entries.is_empty()).then_some(true));
            }
        }
    }
}
