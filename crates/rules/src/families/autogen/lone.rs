//! Operators outside complete groups.

use opatlas_operators::entry::{Field, TagName};
use opatlas_operators::generate;
use opatlas_operators::generate::LeftAlone;
use opatlas_operators::group::Group;
use opatlas_operators::operator::{Operator, OperatorId, PlacedEntry};
use opatlas_pytorch::release::Release;
use opatlas_schema::function::{Argument, SchemaKind};
use opatlas_schema::name::OperatorName;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};
use rustc_hash::FxHashSet;

use crate::scope::field_edit::{adding, removing};
use crate::scope::places::autogen_at;
use crate::scope::{MOST_OVERLOADS, OutOfStep, Scope};
use crate::sink::Sink;

pub(super) fn single(
    scope: &Scope<'_>,
    id: OperatorId,
    in_error: &FxHashSet<Box<str>>,
    sink: &mut Sink,
) {
    let operator = scope.operator(id);
    if operator.has_tag("generated") {
        reserved(scope, id, sink);
        return;
    }
    let group = scope.catalogue.groups.of(id);
    if !ungrouped(scope, id, group, sink) {
        list_without_effect(scope, id, group, sink);
        if in_error.is_empty() || !in_error.contains(operator.qualified_name()) {
            out_variant_missing(scope, id, group, sink);
        }
    }
}

pub(super) fn several(scope: &Scope<'_>, group: &Group, sink: &mut Sink) {
    let refused = group.members().fold(false, |refused, id| {
        ungrouped(scope, id, group, sink) | refused
    });
    if !refused {
        for id in group.members() {
            list_without_effect(scope, id, group, sink);
        }
    }
}

pub(super) fn reserved(scope: &Scope<'_>, id: OperatorId, sink: &mut Sink) {
    let operator = scope.operator(id);
    let message = message!(
        "`{}` is tagged `generated`, which is reserved for generated operators",
        operator.name()
    );
    let diagnostic = Diagnostic::new(RuleId::TagsGeneratedReserved, tags_at(operator), message)
        .with_help("remove the tag");
    scope.report(sink, id, diagnostic);
}

fn tags_at(operator: &Operator) -> Span {
    let tags = operator
        .declared()
        .into_iter()
        .flat_map(|placed| &placed.entry.tags);
    tags.into_iter()
        .find(|tag| matches!(&tag.value, TagName::Text(name) if &**name == "generated"))
        .map_or(operator.schema().name_at.0, |tag| tag.at)
}

/// Functionalization needs the functional variant of an operator that writes (torchgen
/// `gen_functionalization_definition`). Returns whether it reports one.
fn ungrouped(scope: &Scope<'_>, id: OperatorId, group: &Group, sink: &mut Sink) -> bool {
    let operator = scope.operator(id);
    let writes = operator
        .schema()
        .arguments
        .all()
        .iter()
        .any(Argument::is_write);
    if !writes
        || operator.has_kernel("CompositeImplicitAutograd")
        || is_exempt(operator, scope.catalogue.release)
        || is_in_view_group(scope, id)
        || is_grouped_by_name(scope, id)
    {
        return false;
    }
    if !scope.has_broken_relative(operator.name()) {
        report_ungrouped(scope, id, group, sink);
    }
    true
}

fn is_exempt(operator: &Operator, release: Release) -> bool {
    let names = release
        .data()
        .name_lists
        .mutable_ops_not_using_functionalization;
    let name = operator.name();
    if names.contains(name.as_str()) {
        return true;
    }
    // An exempt base name does not help a view: its registration is refused.
    release >= Release::V2_3 && names.contains(name.base()) && !operator.is_view
}

fn is_in_view_group(scope: &Scope<'_>, id: OperatorId) -> bool {
    scope.operator(id).kind != SchemaKind::Out && scope.catalogue.view_groups().contains(id)
}

/// torchgen identifies groups by name, so another operator of the same name can replace one.
fn is_grouped_by_name(scope: &Scope<'_>, id: OperatorId) -> bool {
    let others = scope.grouped_namesakes(scope.operator(id).name_text());
    others > usize::from(scope.is_grouped(id))
}

fn report_ungrouped(scope: &Scope<'_>, id: OperatorId, group: &Group, sink: &mut Sink) {
    let operator = scope.operator(id);
    let mut message = message!(
        "`{}` mutates its arguments, but has no functional and out variants for functionalization",
        operator.name()
    );
    let apart = OutOfStep::find(scope, group);
    if let Some(apart) = &apart {
        message.push_str(": ");
        message.push(&apart.message());
    }
    let at = operator.schema().name_at.0;
    let diagnostic = Diagnostic::new(RuleId::MutableOpMustBeGrouped, at, message);
    if let Some(apart) = apart {
        let diagnostic = apart.explain(diagnostic, id);
        scope.report_with(sink, id, diagnostic, &apart.elsewhere());
    } else {
        advise_autogen(scope, id, group, diagnostic, sink);
    }
}

fn advise_autogen(
    scope: &Scope<'_>,
    id: OperatorId,
    group: &Group,
    diagnostic: Diagnostic,
    sink: &mut Sink,
) {
    let catalogue = scope.catalogue;
    let base = generate::base(group, catalogue.release);
    let alone = generate::left_alone(&catalogue.operators, group, catalogue.release);
    let names = generate::lacking(&catalogue.operators, group, catalogue.release);
    let names: Vec<&str> = names.iter().map(OperatorName::as_str).collect();
    if let Some(name) = names.iter().find(|name| catalogue.find(name).is_some()) {
        let help = message!(
            "`{}` is declared: give it the same arguments, defaults and returns, or make `{}` \
             composite",
            name,
            scope.operator(id).name()
        );
        scope.report(sink, id, diagnostic.with_help(help));
        return;
    }
    let names = names.join(", ");
    let (Some(base), None) = (base, alone) else {
        let help = "declare the functional and the out variant by hand, or make it composite";
        scope.report(sink, id, diagnostic.with_help(help));
        return;
    };
    let first = scope.operator(base);
    let Some(placed) = first.declared().filter(|_| generate::can_have_out(first)) else {
        let help = "declare the functional and the out variant by hand";
        scope.report(sink, id, diagnostic.with_help(help));
        return;
    };
    if base == id {
        let help = message!("add `autogen: {}`, or declare them by hand", names);
        let diagnostic = generate_here(scope, placed, diagnostic.with_help(help), &names);
        scope.report(sink, id, diagnostic);
    } else {
        let help = message!("add `autogen: {}` to `{}`", names, first.name());
        let elsewhere = [("the list belongs here", base, first.schema().name_at.0)];
        scope.report_with(sink, id, diagnostic.with_help(help), &elsewhere);
    }
}

fn generate_here(
    scope: &Scope<'_>,
    placed: &PlacedEntry,
    diagnostic: Diagnostic,
    names: &str,
) -> Diagnostic {
    match placed.entry.field(Field::Autogen) {
        Some(place) if !place.value.is_empty() => diagnostic.with_fix(place.value, names),
        Some(_) => diagnostic,
        None => adding(
            diagnostic,
            scope.text(placed),
            &placed.entry,
            &format!("autogen: {names}"),
        ),
    }
}

fn list_without_effect(scope: &Scope<'_>, id: OperatorId, group: &Group, sink: &mut Sink) {
    let operator = scope.operator(id);
    let Some(placed) = operator
        .declared()
        .filter(|placed| !placed.entry.autogen.is_empty())
    else {
        return;
    };
    let catalogue = scope.catalogue;
    let why = match generate::left_alone(&catalogue.operators, group, catalogue.release) {
        Some(LeftAlone::Manual) => "operators with `manual_cpp_binding` bypass the dispatcher",
        Some(LeftAlone::View) => "views have no out variants",
        Some(LeftAlone::Composite) => "a composite operator needs no variants",
        None if generate::base(group, catalogue.release) != Some(id) => {
            "PyTorch reads the list of another variant"
        }
        None => "no name in the list is that of an out variant",
    };
    let message = message!(
        "PyTorch generates nothing for `{}`: {}",
        operator.name(),
        why
    );
    let diagnostic = Diagnostic::new(RuleId::AutogenUnsupported, autogen_at(operator), message)
        .with_help("remove `autogen`");
    let text = scope.text(placed);
    let diagnostic = removing(diagnostic, text, &placed.entry, Field::Autogen);
    scope.report(sink, id, diagnostic);
}

/// Whether an out variant is declared that belongs to the operator, but has another signature.
fn has_out_apart(scope: &Scope<'_>, id: OperatorId) -> bool {
    let catalogue = scope.catalogue;
    let overloads = catalogue.overloads(scope.operator(id).base_name());
    if overloads.len() > MOST_OVERLOADS {
        return false;
    }
    let mut outs = overloads
        .iter()
        .filter(|id| scope.operator(**id).kind == SchemaKind::Out);
    outs.any(|out| {
        let group = catalogue.groups.of(*out);
        let apart = (group.functional.is_none()).then(|| OutOfStep::find(scope, group));
        apart.flatten().is_some_and(|apart| apart.reference() == id)
    })
}

fn out_variant_missing(scope: &Scope<'_>, id: OperatorId, group: &Group, sink: &mut Sink) {
    let operator = scope.operator(id);
    let catalogue = scope.catalogue;
    let Some(placed) = operator.declared() else {
        return;
    };
    let wanted = operator.kind == SchemaKind::Functional
        && !operator.is_part_of_structured_group()
        && placed.entry.autogen.is_empty()
        && generate::can_have_out(operator)
        && operator.schema().returns.iter().all(|r| r.ty.is_tensor())
        && generate::left_alone(&catalogue.operators, group, catalogue.release).is_none();
    if !wanted {
        return;
    }
    let names = generate::lacking(&catalogue.operators, group, catalogue.release);
    let names: Vec<&str> = names.iter().map(OperatorName::as_str).collect();
    // A declared operator with the name is a variant whose signature differs.
    if names.iter().any(|name| catalogue.find(name).is_some())
        || has_out_apart(scope, id)
        || scope.has_broken_sibling(id)
    {
        return;
    }
    let names = names.join(", ");
    let message = message!("`{}` has no out variant", operator.name());
    let diagnostic = Diagnostic::new(RuleId::AutogenMissing, operator.schema().name_at.0, message)
        .with_help(message!("add `autogen: {}`", names));
    scope.report(sink, id, generate_here(scope, placed, diagnostic, &names));
}
