//! Groups whose out variant is structured (torchgen `NativeFunctionsGroup.__post_init__`,
//! `StructuredRegisterDispatchKey`).

use opatlas_operators::entry::Field;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::function::Argument;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use super::arguments::can_pass;
use super::precomputed::is_writable;
use super::ufunc;
use crate::scope::field_edit::adding;
use crate::scope::places::{field_at, is_unread};
use crate::scope::subject::parameters;
use crate::scope::{CompleteGroup, OutOfStep, Scope};
use crate::sink::Sink;

/// Keys whose kernels follow from the structured ones.
const WRITTEN_BY_ITSELF: [&str; 2] = ["Meta", "CompositeExplicitAutogradNonFunctional"];

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let mut ufuncs = ufunc::Files::default();
    let served = WRITTEN_BY_ITSELF.map(|key| is_served(scope, key));
    let any_served = served.contains(&true);
    for group in sink.while_wanted(scope.catalogue.groups.all()) {
        let Some(complete) = CompleteGroup::new(group).filter(|_| group.duplicates.is_empty())
        else {
            continue;
        };
        let structured = scope.operator(complete.out).is_structured();
        let touched = structured
            || complete
                .members()
                .any(|id| scope.operator(id).is_part_of_structured_group());
        if !touched || scope.has_broken_sibling(complete.out) {
            continue;
        }
        let consistent = consistent(scope, complete, sink);
        if structured && consistent {
            delegates_home(scope, complete, sink);
            composite_delegates(scope, complete, sink);
            out_kernels(scope, complete, sink);
            signatures(scope, complete, sink);
            if any_served || has_structured_kernel(scope, complete.out) {
                classes(scope, complete, sink);
            }
            ufuncs.group(scope, complete, sink);
        }
    }
}

/// Whether any operator has a kernel on a key; otherwise the generator writes nothing for it.
fn is_served(scope: &Scope<'_>, key: &str) -> bool {
    let mut operators = scope.catalogue.operators.iter();
    operators.any(|operator| operator.has_kernel(key))
}

fn has_structured_kernel(scope: &Scope<'_>, out: OperatorId) -> bool {
    let keys = scope.catalogue.release.data().structured_keys;
    let mut kernels = scope.catalogue.kernels(out).iter();
    kernels.any(|kernel| keys.contains(kernel.key.as_str()))
}

fn consistent(scope: &Scope<'_>, group: CompleteGroup, sink: &mut Sink) -> bool {
    let out = scope.operator(group.out);
    let mut consistent = true;
    for id in group.members().filter(|&id| id != group.out) {
        let operator = scope.operator(id);
        if operator.is_part_of_structured_group() == out.is_structured() {
            continue;
        }
        consistent = false;
        if out.is_structured() {
            does_not_delegate(scope, group, id, sink);
        } else {
            delegates_past_group(scope, group, id, sink);
        }
    }
    consistent
}

fn does_not_delegate(scope: &Scope<'_>, group: CompleteGroup, id: OperatorId, sink: &mut Sink) {
    let operator = scope.operator(id);
    let out = scope.operator(group.out);
    let out_at = scope.name_at(group.out);
    let Some(placed) = operator.declared() else {
        is_generated(scope, group, operator, sink);
        return;
    };
    let entry = &placed.entry;
    let message = message!(
        "`{}` is a variant of the structured `{}`, but does not delegate to it",
        operator.name(),
        out.name()
    );
    let help = message!("add `structured_delegate: {}`", out.name());
    let mut diagnostic = Diagnostic::new(
        RuleId::StructuredGroupConsistent,
        scope.name_at(id),
        message,
    );
    if entry.dispatch.is_none() {
        let line = format!("structured_delegate: {}", out.name());
        diagnostic = adding(diagnostic, scope.text(placed), entry, &line).with_help(help);
    } else {
        diagnostic = diagnostic.with_help(message!(
            "{}, and remove the kernels that this replaces",
            help
        ));
    }
    scope.report_with(
        sink,
        id,
        diagnostic,
        &[("the structured operator is here", group.out, out_at)],
    );
}

/// Reports a generated variant, or the declared one that has its name and another signature.
fn is_generated(scope: &Scope<'_>, group: CompleteGroup, generated: &Operator, sink: &mut Sink) {
    let out = scope.operator(group.out);
    let at = scope.name_at(group.out);
    let diagnostic = |message| Diagnostic::new(RuleId::StructuredGroupConsistent, at, message);
    if let Some(apart) = OutOfStep::find(scope, scope.catalogue.groups.of(group.out)) {
        let diagnostic = apart.explain(diagnostic(apart.message()), group.out);
        scope.report_with(sink, group.out, diagnostic, &apart.elsewhere());
        return;
    }
    let message = message!(
        "the structured operator `{}` needs a declaration of `{}`, not a generated one",
        out.name(),
        generated.name()
    );
    let help = message!(
        "declare `{}` with `structured_delegate: {}`",
        generated.name(),
        out.name()
    );
    scope.report(sink, group.out, diagnostic(message).with_help(help));
}

fn delegates_past_group(scope: &Scope<'_>, group: CompleteGroup, id: OperatorId, sink: &mut Sink) {
    let operator = scope.operator(id);
    let out = scope.operator(group.out);
    let Some(placed) = operator.declared() else {
        return;
    };
    // Missing and unstructured targets are reported elsewhere.
    let target = operator
        .structured_delegate()
        .and_then(|name| scope.catalogue.find(name.as_str()));
    if target.is_none_or(|id| !scope.operator(id).is_structured())
        || is_unread(&placed.entry, Field::StructuredDelegate)
    {
        return;
    }
    let message = message!(
        "`{}` delegates, but the out variant of its group, `{}`, is not structured",
        operator.name(),
        out.name()
    );
    let at = field_at(&placed.entry, Field::StructuredDelegate);
    let diagnostic =
        Diagnostic::new(RuleId::StructuredGroupConsistent, at, message).with_help(message!(
            "mark `{}` as `structured: True` and delegate to it, or remove the field",
            out.name()
        ));
    let elsewhere = [(
        "the out variant is here",
        group.out,
        scope.name_at(group.out),
    )];
    scope.report_with(sink, id, diagnostic, &elsewhere);
}

/// The functional and in-place variants delegate to the out variant of their own group.
fn delegates_home(scope: &Scope<'_>, group: CompleteGroup, sink: &mut Sink) {
    let out = scope.operator(group.out);
    for id in [Some(group.functional), group.inplace]
        .into_iter()
        .flatten()
    {
        let operator = scope.operator(id);
        let (Some(placed), Some(delegate)) = (operator.declared(), operator.structured_delegate())
        else {
            continue;
        };
        if delegate == out.name() {
            continue;
        }
        let at = field_at(&placed.entry, Field::StructuredDelegate);
        let message = message!(
            "`{}` delegates to `{}`, but the out variant of its group is `{}`",
            operator.name(),
            delegate,
            out.name()
        );
        let diagnostic = Diagnostic::new(RuleId::StructuredDelegateMismatch, at, message)
            .with_help(message!("write `structured_delegate: {}`", out.name()))
            .with_fix(at, out.name_text());
        let elsewhere = [(
            "the out variant is here",
            group.out,
            scope.name_at(group.out),
        )];
        scope.report_with(sink, id, diagnostic, &elsewhere);
    }
}

/// Kernels of delegating operators on keys whose kernels come from the out variant. An out variant
/// with a kernel on the same key has one for every variant by hand.
fn composite_delegates(scope: &Scope<'_>, group: CompleteGroup, sink: &mut Sink) {
    let out = scope.operator(group.out);
    for id in [Some(group.functional), group.inplace]
        .into_iter()
        .flatten()
    {
        let operator = scope.operator(id);
        for kernel in operator.kernels() {
            let key = kernel.key.as_str();
            if !key.starts_with("CompositeExplicit") || out.has_kernel(key) {
                continue;
            }
            let message = message!(
                "`{}` gets its kernels from the structured `{}`, but has one for {} too",
                operator.name(),
                out.name(),
                key
            );
            let help = message!(
                "remove it: the kernels of `{}` serve all backends",
                out.name()
            );
            let diagnostic =
                Diagnostic::new(RuleId::StructuredDelegateComposite, kernel.key_at, message)
                    .with_help(help);
            let elsewhere = [(
                "the structured operator is here",
                group.out,
                scope.name_at(group.out),
            )];
            scope.report_with(sink, id, diagnostic, &elsewhere);
        }
    }
}

/// Keys that a structured operator may not list.
fn out_kernels(scope: &Scope<'_>, group: CompleteGroup, sink: &mut Sink) {
    for kernel in scope.operator(group.out).kernels() {
        let key = kernel.key.as_str();
        let diagnostic = if key.starts_with("CompositeImplicitAutograd") {
            Diagnostic::new(
                RuleId::StructuredComposite,
                kernel.key_at,
                message!("a structured operator cannot have a kernel for {}", key),
            )
            .with_help("remove the line; CompositeExplicitAutograd is allowed")
        } else if WRITTEN_BY_ITSELF.contains(&key) {
            Diagnostic::new(
                RuleId::StructuredNoMeta,
                kernel.key_at,
                message!(
                    "PyTorch generates the kernel for {} from the structured kernel",
                    key
                ),
            )
            .with_help("remove the line")
        } else {
            continue;
        };
        scope.report(sink, group.out, diagnostic);
    }
}

fn signatures(scope: &Scope<'_>, group: CompleteGroup, sink: &mut Sink) {
    let functional = scope.operator(group.functional);
    if let Some(options) = functional.schema().arguments.tensor_options() {
        let diagnostic = Diagnostic::new(
            RuleId::StructuredNoTensorOptions,
            options[0].at.0.to(options[3].at.0),
            message!(
                "`{}` is structured, but takes TensorOptions",
                functional.name()
            ),
        )
        .with_help("declare the arguments under other names, or make the group unstructured");
        scope.report(sink, group.functional, diagnostic);
    }
    precomputed(scope, group.out, sink);
}

fn classes(scope: &Scope<'_>, group: CompleteGroup, sink: &mut Sink) {
    let functional = scope.operator(group.functional);
    let out = scope.operator(group.out);
    for argument in out
        .schema()
        .arguments
        .out()
        .iter()
        .filter(|a| !a.ty.is_tensor())
    {
        let message = message!(
            "a structured kernel writes only to plain tensors, not to `{}`",
            argument.ty
        );
        let diagnostic = Diagnostic::new(RuleId::StructuredOutTensors, argument.at.0, message)
            .with_help("make the group unstructured");
        scope.report(sink, group.out, diagnostic);
    }
    for (id, argument) in unpassable(functional, group.functional) {
        let message = message!(
            "a structured kernel cannot take `{}` of type `{}`",
            argument.name,
            argument.ty
        );
        let diagnostic = Diagnostic::new(RuleId::StructuredArgumentType, argument.at.0, message)
            .with_help("use another type, or make the group unstructured");
        scope.report(sink, id, diagnostic);
    }
    for id in group.members() {
        by_hand(scope, id, sink);
    }
    if let Some(mutable) = group.mutable {
        let message = message!(
            "`{}` is mutable, but only functional, in-place and out variants can be structured",
            scope.operator(mutable).name()
        );
        let diagnostic =
            Diagnostic::new(RuleId::StructuredMutable, scope.name_at(mutable), message)
                .with_help("make the group unstructured");
        scope.report(sink, mutable, diagnostic);
    }
}

fn unpassable(
    operator: &Operator,
    id: OperatorId,
) -> impl Iterator<Item = (OperatorId, &Argument)> {
    let arguments = operator.schema().arguments.non_out().iter();
    arguments.filter(|a| !can_pass(&a.ty)).map(move |a| (id, a))
}

fn by_hand(scope: &Scope<'_>, id: OperatorId, sink: &mut Sink) {
    let Some(placed) = scope.operator(id).declared() else {
        return;
    };
    let entry = &placed.entry;
    if !entry.manual_kernel_registration {
        return;
    }
    let diagnostic = Diagnostic::new(
        RuleId::StructuredManualRegistration,
        field_at(entry, Field::ManualKernelRegistration),
        "PyTorch generates the registrations of structured kernels",
    )
    .with_help("remove `manual_kernel_registration`");
    scope.report(sink, id, diagnostic);
}

fn precomputed(scope: &Scope<'_>, out: OperatorId, sink: &mut Sink) {
    let Some(placed) = scope.operator(out).declared() else {
        return;
    };
    let release = scope.catalogue.release;
    let Some(precompute) = &placed.entry.precomputed else {
        return;
    };
    for argument in parameters(precompute).filter(|a| !is_writable(&a.ty, release)) {
        let message = message!("type `{}` has no C++ parameter type", argument.ty);
        let diagnostic = Diagnostic::new(RuleId::Precomputed, argument.type_at.0, message)
            .with_help("use another type");
        scope.report(sink, out, diagnostic);
    }
}
