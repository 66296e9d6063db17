//! Views, their in-place forms and their copies (torchgen `NativeFunctionsViewGroup`,
//! `get_grouped_by_view_native_functions`).

mod copies;
mod functionalize;

use opatlas_operators::entry::Field;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_operators::view_group::ViewGroup;
use opatlas_pytorch::release::Release;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use crate::scope::field_edit::adding;
use crate::scope::places::tag_at;
use crate::scope::{CompleteGroup, IMPLICIT, Scope};
use crate::sink::Sink;

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    for (id, operator) in catalogue.native().filter(|(_, operator)| operator.is_view) {
        if operator.name().is_inplace() && !operator.has_tag("inplace_view") {
            untagged(scope, id, operator, sink);
        }
        if !operator.is_generated() {
            annotations(scope, id, operator, sink);
        }
        if catalogue.release == Release::V2_0 {
            alone(scope, id, operator, sink);
        }
    }
    let views = catalogue.view_groups();
    for &(first, second) in &views.clashes {
        clash(scope, first, second, sink);
    }
    for group in &views.groups {
        if scope.has_broken_relative(scope.operator(group.view).name()) {
            continue;
        }
        let sound = copies::check(scope, group, sink) & same_composites(scope, group, sink);
        if sound {
            functionalize::check(scope, group, sink);
        }
    }
}

fn untagged(scope: &Scope<'_>, id: OperatorId, operator: &Operator, sink: &mut Sink) {
    let name = operator.name();
    let message = message!(
        "`{}` is an in-place view, but is not tagged `inplace_view`",
        name
    );
    let diagnostic = Diagnostic::new(RuleId::ViewInplaceTag, scope.name_at(id), message)
        .with_help("add the tag `inplace_view`");
    let diagnostic = match operator.declared() {
        Some(placed) if placed.entry.field(Field::Tags).is_none() => adding(
            diagnostic,
            scope.text(placed),
            &placed.entry,
            "tags: inplace_view",
        ),
        _ => diagnostic,
    };
    scope.report(sink, id, diagnostic);
}

fn annotations(scope: &Scope<'_>, id: OperatorId, operator: &Operator, sink: &mut Sink) {
    let schema = operator.schema();
    for ret in &schema.returns {
        let Some(annotation) = ret.annotation.as_ref().filter(|a| !a.write) else {
            continue;
        };
        let letters = || {
            let arguments = schema.arguments.all().iter();
            arguments
                .filter_map(|a| a.annotation.as_ref())
                .flat_map(|a| a.before.iter())
        };
        if annotation
            .before
            .iter()
            .any(|letter| letters().any(|l| l == letter))
        {
            continue;
        }
        let diagnostic = Diagnostic::new(
            RuleId::ViewAnnotations,
            ret.at.0,
            "this return is a view, but no argument is annotated with its alias letter",
        )
        .with_help("annotate the viewed argument, for example `Tensor(a) self`");
        scope.report(sink, id, diagnostic);
    }
}

/// In 2.0 an in-place view needs its view even if it decomposes.
fn alone(scope: &Scope<'_>, id: OperatorId, operator: &Operator, sink: &mut Sink) {
    let name = operator.name_text();
    let lists = &scope.catalogue.release.data().name_lists;
    let grouped = CompleteGroup::new(scope.catalogue.groups.of(id)).is_some();
    let exempt = matches!(name, "lift" | "resize_")
        || lists.mutable_ops_not_using_functionalization.contains(name);
    if grouped
        || exempt
        || scope.catalogue.view_groups().contains(id)
        || !operator.has_kernel(IMPLICIT)
        || scope.has_broken_relative(operator.name())
    {
        return;
    }
    let message = message!("in-place view `{}` has no corresponding view", name);
    let at = tag_at(operator, "inplace_view");
    let diagnostic = Diagnostic::new(RuleId::ViewInplaceAlone, at, message)
        .with_help("declare the view with the same arguments");
    scope.report(sink, id, diagnostic);
}

fn clash(scope: &Scope<'_>, first: OperatorId, second: OperatorId, sink: &mut Sink) {
    let (a, b) = (scope.operator(first), scope.operator(second));
    // Equal signatures of one kind are duplicates anyway.
    let duplicates = a.kind == b.kind && a.signature() == b.signature();
    if duplicates || scope.has_broken_relative(a.name()) {
        return;
    }
    let message = message!(
        "`{}` and `{}` compete for one place among a view, its in-place form and its copy",
        b.name(),
        a.name()
    );
    let diagnostic = Diagnostic::new(RuleId::ViewGroupDuplicate, scope.name_at(second), message)
        .with_help(
            "give one of them a different base name: a trailing `_copy` does not count as a \
             difference",
        );
    let elsewhere = [("the other operator is here", first, scope.name_at(first))];
    scope.report_with(sink, second, diagnostic, &elsewhere);
}

fn same_composites(scope: &Scope<'_>, group: &ViewGroup, sink: &mut Sink) -> bool {
    let Some(inplace) = group.inplace else {
        return true;
    };
    let (view, operator) = (scope.operator(group.view), scope.operator(inplace));
    let differs = [IMPLICIT, "CompositeImplicitAutogradNestedTensor"]
        .into_iter()
        .find(|key| view.has_kernel(key) && !operator.has_kernel(key));
    let Some(key) = differs else { return true };
    let message = message!(
        "`{}` has a kernel for {}, but its in-place form `{}` has none",
        view.name(),
        key,
        operator.name()
    );
    let diagnostic = Diagnostic::new(RuleId::ViewCompositeAgree, scope.name_at(inplace), message)
        .with_help("make both composite, or neither");
    let elsewhere = [("the view is here", group.view, scope.name_at(group.view))];
    scope.report_with(sink, inplace, diagnostic, &elsewhere);
    false
}
