//! Copies of views (torchgen `NativeFunctionsViewGroup.__post_init__`, `gets_generated_view_copy`).

use std::fmt::Write as _;

use opatlas_operators::entry::Field;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_operators::view_group::ViewGroup;
use opatlas_pytorch::release::Release;
use opatlas_schema::function::{FunctionSchema, SchemaKind};
use opatlas_schema::print::write_type;
use opatlas_schema::signature::{ViewCopyNames, view_signature};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use crate::scope::field_edit::{adding, entry_after};
use crate::scope::{Elsewhere, IMPLICIT, Scope};
use crate::sink::Sink;

/// Checks a view group. Returns whether it is complete.
pub(super) fn check(scope: &Scope<'_>, group: &ViewGroup, sink: &mut Sink) -> bool {
    let view = scope.operator(group.view);
    let Some(copy) = group.copy else {
        if is_required(view, scope.catalogue.release) {
            required(scope, group.view, sink);
            return false;
        }
        return same_signatures(scope, group, sink);
    };
    named_and_tagged(scope, group.view, copy, sink) && same_signatures(scope, group, sink)
}

fn is_required(view: &Operator, release: Release) -> bool {
    let exempt = release.data().name_lists.view_without_copy_base_suffixes;
    !view.has_kernel(IMPLICIT)
        && !view.has_tag("inplace_view")
        && !exempt
            .iter()
            .any(|suffix| view.name().stem().ends_with(suffix))
}

fn copy_name(view: &Operator) -> String {
    let name = view.name();
    let dunder = if name.is_dunder() { "__" } else { "" };
    let mut text = format!("{dunder}{}_copy{dunder}", name.stem());
    if !name.overload().is_empty() {
        text.push('.');
        text.push_str(name.overload());
    }
    text
}

pub(super) fn required(scope: &Scope<'_>, id: OperatorId, sink: &mut Sink) {
    let view = scope.operator(id);
    let name = copy_name(view);
    let message = message!("view `{}` has no copy operator `{}`", view.name(), name);
    let diagnostic = Diagnostic::new(RuleId::ViewCopyRequired, scope.name_at(id), message);
    if let Some(near) = scope.catalogue.find(&name) {
        let help = message!("give `{}` the arguments and returns of the view", name);
        let elsewhere: [Elsewhere; 1] = [(
            "this operator has a different signature, or is itself a view",
            near,
            scope.name_at(near),
        )];
        scope.report_with(sink, id, diagnostic.with_help(help), &elsewhere);
        return;
    }
    let help = message!(
        "declare `{}` with the same arguments, the tag `view_copy` and a kernel on \
         CompositeExplicitAutogradNonFunctional",
        name
    );
    let diagnostic = diagnostic.with_help(help);
    let written = view
        .declared()
        .filter(|_| view.kind == SchemaKind::Functional);
    let diagnostic = match written {
        Some(placed) => entry_after(
            diagnostic,
            scope.text(placed),
            &placed.entry,
            &copy_entry(view, &name),
        ),
        None => diagnostic,
    };
    scope.report(sink, id, diagnostic);
}

/// The entry of a copy, as the lines after `- `.
fn copy_entry(view: &Operator, name: &str) -> String {
    let schema = view.schema();
    let symint = if schema.has_symint() { "_symint" } else { "" };
    let (base, overload) = name.split_once('.').unwrap_or((name, ""));
    let out = if overload.is_empty() {
        "out".to_owned()
    } else {
        format!("{overload}_out")
    };
    let namespace = match view.namespace() {
        "aten" => String::new(),
        namespace => format!("{namespace}::"),
    };
    format!(
        "func: {namespace}{name}{}\nvariants: function\ndispatch:\n  CompositeExplicitAutogradNonFunctional: {base}{symint}\ntags: view_copy\nautogen: {base}.{out}",
        plain_schema(schema)
    )
}

fn plain_schema(schema: &FunctionSchema) -> String {
    let mut text = String::from("(");
    let arguments = &schema.arguments;
    for (i, argument) in arguments.non_out().iter().enumerate() {
        let star = arguments.is_keyword_only(i) && (i == 0 || !arguments.is_keyword_only(i - 1));
        text.push_str(if i == 0 { "" } else { ", " });
        text.push_str(if star { "*, " } else { "" });
        // Writing to a string does not fail.
        let _ = write_type(&mut text, &argument.ty);
        let _ = write!(text, " {}", argument.name);
        if let Some(default) = &argument.default {
            let _ = write!(text, "={default}");
        }
    }
    text.push_str(") -> ");
    let several = schema.returns.len() != 1;
    text.push_str(if several { "(" } else { "" });
    for (i, ret) in schema.returns.iter().enumerate() {
        text.push_str(if i == 0 { "" } else { ", " });
        let _ = write_type(&mut text, &ret.ty);
    }
    text.push_str(if several { ")" } else { "" });
    text
}

fn named_and_tagged(scope: &Scope<'_>, view: OperatorId, id: OperatorId, sink: &mut Sink) -> bool {
    let copy = scope.operator(id);
    let suffixes = scope
        .catalogue
        .release
        .data()
        .name_lists
        .view_copy_base_suffixes;
    let at = scope.name_at(id);
    let elsewhere: [Elsewhere; 1] = [("the view is here", view, scope.name_at(view))];
    let of = scope.operator(view).name();
    let named = suffixes
        .iter()
        .any(|suffix| copy.name().stem().ends_with(suffix));
    if !named {
        let message = message!(
            "`{}` has the signature of the copy of `{}`, but not its name",
            copy.name(),
            of
        );
        let diagnostic = Diagnostic::new(RuleId::ViewCopyTag, at, message)
            .with_help("rename it to `..._copy`, or rename the view");
        scope.report_with(sink, id, diagnostic, &elsewhere);
        return false;
    }
    if copy.has_tag("view_copy") {
        return true;
    }
    let message = message!(
        "`{}` is the copy of view `{}`, but is not tagged `view_copy`",
        copy.name(),
        of
    );
    let diagnostic =
        Diagnostic::new(RuleId::ViewCopyTag, at, message).with_help("add the tag `view_copy`");
    let diagnostic = match copy.declared() {
        Some(placed) if placed.entry.field(Field::Tags).is_none() => adding(
            diagnostic,
            scope.text(placed),
            &placed.entry,
            "tags: view_copy",
        ),
        _ => diagnostic,
    };
    scope.report_with(sink, id, diagnostic, &elsewhere);
    false
}

/// Reports a view whose name makes torchgen take it for a copy.
fn same_signatures(scope: &Scope<'_>, group: &ViewGroup, sink: &mut Sink) -> bool {
    let names = if scope.catalogue.release >= Release::V2_3 {
        ViewCopyNames::CopyAndScatter
    } else {
        ViewCopyNames::Copy
    };
    let view = scope.operator(group.view);
    let copies =
        |id: &OperatorId| view_signature(scope.operator(*id).schema(), names) != view.signature();
    let forms = |id: &OperatorId| scope.operator(*id).signature() != view.signature();
    let other = group.copy.filter(copies).or(group.inplace.filter(forms));
    let Some(other) = other else { return true };
    let message = message!(
        "view `{}` has a name like a copy of a view, which conflicts with the copy of `{}`",
        view.name(),
        scope.operator(other).name()
    );
    let diagnostic = Diagnostic::new(RuleId::ViewNamedCopy, scope.name_at(group.view), message)
        .with_help("give the view a base name that does not end in `_copy` or `_scatter`");
    let elsewhere = [("the other operator is here", other, scope.name_at(other))];
    scope.report_with(sink, group.view, diagnostic, &elsewhere);
    false
}
