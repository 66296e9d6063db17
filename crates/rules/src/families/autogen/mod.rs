//! Generated operators and the groups that they complete. `autogen` lists that cannot be read are
//! reported by `model::lower`.

use opatlas_source::diagnostic::RuleId;
use opatlas_source::message;
mod docs;
mod functionalize;
mod generation;
mod groups;
mod lists;
mod lone;

use rustc_hash::FxHashSet;

use opatlas_operators::entry::Field;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::release::Release;
use opatlas_schema::name::OperatorName;
use opatlas_source::Span;
use opatlas_source::diagnostic::Diagnostic;

use super::Sink;
use super::scope::{CompleteGroup, Scope};

pub(crate) use docs::RULES;

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    qualified_names(scope, sink);
    let in_error = sink.operators_in_error();
    let mut faulty = generation::faults(scope, sink);
    generation::strays(scope, &mut faulty, sink);
    for group in sink.while_wanted(catalogue.groups.all()) {
        let Some(first) = group.members().next() else {
            continue;
        };
        // What cannot be completed is not judged any further.
        if group.members().any(|id| faulty.contains(&id)) || !group.duplicates.is_empty() {
            continue;
        }
        let complete = CompleteGroup::of(group);
        if complete.is_none() && group.members().count() == 1 {
            lone::single(scope, first, &in_error, sink);
        } else if groups::check(scope, group, sink) {
            match complete {
                Some(complete) => functionalize::check(scope, complete, sink),
                None => lone::several(scope, group, sink),
            }
        }
    }
}

/// Groups that are not judged, by their members.
type Faulty = FxHashSet<OperatorId>;

/// Since 2.7 a name may begin with a namespace, and what follows is a name of its own (torchgen
/// `BaseOperatorName.parse`).
fn qualified_names(scope: &Scope<'_>, sink: &mut Sink) {
    if scope.catalogue.release < Release::V2_7 {
        return;
    }
    for placed in &scope.catalogue.native_functions.entries {
        for name in &placed.entry.autogen {
            let Some((namespace, bare)) = name.value.base().rsplit_once("::") else {
                continue;
            };
            let why = if namespace.is_empty() {
                "the namespace before `::` is empty"
            } else if OperatorName::parse(bare).is_err() {
                "the part after the namespace is malformed"
            } else {
                continue;
            };
            let message = message!("`{}` is not an operator name: {}", name.value, why);
            sink.entry(
                placed,
                Diagnostic::new(RuleId::AutogenMalformed, name.at, message)
                    .with_help("write names such as `add.out`, without a namespace"),
            );
        }
    }
}

/// Whether an operator counts as generated: tagged so, which hand-written ones should not be.
fn is_tagged_generated(operator: &Operator) -> bool {
    operator.has_tag("generated")
}

/// The position of an operator's `autogen`, or of its name if it has none.
fn autogen_at(operator: &Operator) -> Span {
    let written = operator
        .declared()
        .and_then(|placed| placed.entry.field(Field::Autogen));
    match written {
        Some(place) if !place.value.is_empty() => place.value,
        Some(place) => place.key,
        None => operator.schema().name_at.0,
    }
}

/// Names as `autogen` lists them.
fn join<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    names.join(", ")
}
