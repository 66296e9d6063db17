//! Generated operators and the groups that they complete. Lowering reports unreadable `autogen` lists.

mod functionalize;
mod generation;
mod groups;
mod lists;
mod lone;

use opatlas_pytorch::release::Release;
use opatlas_schema::name::OperatorName;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use crate::scope::{CompleteGroup, Scope};
use crate::sink::Sink;

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
        // Groups that cannot be completed are not checked further.
        if group.members().any(|id| faulty.contains(&id)) || !group.duplicates.is_empty() {
            continue;
        }
        let complete = CompleteGroup::new(group);
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

/// Since 2.7 a name may start with a namespace (torchgen `BaseOperatorName.parse`).
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
