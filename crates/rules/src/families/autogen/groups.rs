//! Groups with several members (torchgen `NativeFunctionsGroup`, `get_grouped_native_functions`).

use opatlas_operators::group::Group;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::name::NameForm;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use super::lists;
use crate::scope::{CompleteGroup, Elsewhere, OutOfStep, Scope};
use crate::sink::Sink;

/// Checks a group of several members. Returns whether it is correct.
pub(super) fn check(scope: &Scope<'_>, group: &Group, sink: &mut Sink) -> bool {
    let Some(first) = group.members().next() else {
        return true;
    };
    // torchgen checks the scratch and functional variants first.
    if let Some(scratch) = group.scratch {
        return refuse(scope, first, sink, |sink| {
            scratch_beside(scope, group, scratch, sink)
        });
    }
    let Some(functional) = group.functional else {
        return refuse(scope, first, sink, |sink| no_functional(scope, group, sink));
    };
    let Some(complete) = CompleteGroup::new(group) else {
        return ungrouped(scope, group, sink);
    };
    if !(same_namespace(scope, complete, sink)
        & named_functional(scope, functional, complete, sink))
    {
        return false;
    }
    // Rules about structured groups come first.
    lists::check(scope, group, sink) && is_evenly_structured(scope, complete)
}

fn is_evenly_structured(scope: &Scope<'_>, group: CompleteGroup) -> bool {
    let structured = scope.operator(group.out).is_structured();
    group
        .members()
        .all(|id| scope.operator(id).is_part_of_structured_group() == structured)
}

/// Reports, unless the entry of a member is broken.
fn refuse(
    scope: &Scope<'_>,
    id: OperatorId,
    sink: &mut Sink,
    report: impl FnOnce(&mut Sink),
) -> bool {
    if !scope.has_broken_sibling(id) {
        report(sink);
    }
    false
}

fn scratch_beside(scope: &Scope<'_>, group: &Group, scratch: OperatorId, sink: &mut Sink) {
    let other = group.members().find(|&id| id != scratch);
    let Some(other) = other else { return };
    let message = message!(
        "`{}` has scratch arguments, so it cannot be a variant of `{}`",
        scope.operator(scratch).name(),
        scope.operator(other).name()
    );
    let diagnostic = Diagnostic::new(RuleId::GroupScratch, scope.name_at(scratch), message)
        .with_help("give it a different base name");
    let elsewhere = [("the other variant is here", other, scope.name_at(other))];
    scope.report_with(sink, scratch, diagnostic, &elsewhere);
}

fn no_functional(scope: &Scope<'_>, group: &Group, sink: &mut Sink) {
    let mut members = group.members();
    let (Some(first), Some(second)) = (members.next(), members.next()) else {
        return;
    };
    if let Some(apart) = OutOfStep::find(scope, group) {
        let at = scope.name_at(first);
        let diagnostic = Diagnostic::new(RuleId::GroupFunctionalRequired, at, apart.message());
        let diagnostic = apart.explain(diagnostic, first);
        scope.report_with(sink, first, diagnostic, &apart.elsewhere());
        return;
    }
    let (a, b) = (scope.operator(first), scope.operator(second));
    let message = message!(
        "`{}` and `{}` are variants of an operator that has no functional variant",
        a.name(),
        b.name()
    );
    let stem = a.name().stem();
    let diagnostic = Diagnostic::new(
        RuleId::GroupFunctionalRequired,
        scope.name_at(first),
        message,
    )
    .with_help(message!(
        "declare `{}(...)` without mutable arguments",
        stem
    ));
    let elsewhere = [("the other variant is here", second, scope.name_at(second))];
    scope.report_with(sink, first, diagnostic, &elsewhere);
}

/// torchgen splits a group without an out variant, so nothing generated may be in it.
fn ungrouped(scope: &Scope<'_>, group: &Group, sink: &mut Sink) -> bool {
    let tagged = group
        .members()
        .find(|&id| scope.operator(id).has_tag("generated"));
    let Some(id) = tagged else { return true };
    refuse(scope, id, sink, |sink| {
        super::lone::reserved(scope, id, sink)
    })
}

fn same_namespace(scope: &Scope<'_>, group: CompleteGroup, sink: &mut Sink) -> bool {
    let functional = scope.operator(group.functional);
    let mut same = true;
    for id in group.writing() {
        let operator = scope.operator(id);
        if operator.namespace() == functional.namespace() {
            continue;
        }
        same = false;
        if scope.has_broken_sibling(id) {
            continue;
        }
        let message = message!(
            "`{}` is in namespace `{}`, but `{}`, which it is a variant of, is in `{}`",
            operator.name(),
            operator.namespace(),
            functional.name(),
            functional.namespace()
        );
        let diagnostic = Diagnostic::new(RuleId::GroupNamespace, scope.name_at(id), message)
            .with_help("move all variants of the operator into one namespace");
        let elsewhere: [Elsewhere; 1] = [(
            "the functional variant is here",
            group.functional,
            scope.name_at(group.functional),
        )];
        scope.report_with(sink, id, diagnostic, &elsewhere);
    }
    same
}

fn named_functional(
    scope: &Scope<'_>,
    functional: OperatorId,
    group: CompleteGroup,
    sink: &mut Sink,
) -> bool {
    let Some(mutable) = group.mutable else {
        return true;
    };
    let operator = scope.operator(functional);
    let name = operator.name();
    if name.form() == NameForm::Functional {
        return true;
    }
    refuse(scope, functional, sink, |sink| {
        let stem = name.stem();
        let message = message!(
            "calls are ambiguous: `{}` is the functional variant of the mutable `{}`",
            name,
            scope.operator(mutable).name()
        );
        let at = scope.name_at(functional);
        let diagnostic = Diagnostic::new(RuleId::GroupMutableFunctionalName, at, message)
            .with_help(message!("rename it to `{}_functional`", stem));
        let elsewhere = [(
            "the mutable variant is here",
            mutable,
            scope.name_at(mutable),
        )];
        scope.report_with(sink, functional, diagnostic, &elsewhere);
    })
}
