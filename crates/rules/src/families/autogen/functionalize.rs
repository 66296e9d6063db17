//! Requirements on groups by functionalization and kernels of generated operators (torchgen
//! `gen_functionalization_type.py`, `native_function_generation.py`).

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::release::Release;
use opatlas_schema::function::{Argument, FunctionSchema};
use opatlas_schema::types::Type;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};

use crate::scope::places::autogen_at;
use crate::scope::{CompleteGroup, Scope};
use crate::sink::Sink;

pub(super) fn check(scope: &Scope<'_>, group: CompleteGroup, sink: &mut Sink) {
    let release = scope.catalogue.release;
    let functional = scope.operator(group.functional);
    if let Some((id, fault)) = view_member(scope, group, release) {
        report(scope, id, fault, sink);
    } else if !group.members().any(|id| shares_letters(scope.operator(id)))
        && let Some((fault, other)) = functional_writes(scope, group)
        && !scope.has_broken_sibling(group.functional)
    {
        let elsewhere = [(
            "the variant that it replaces is here",
            other,
            scope.name_at(other),
        )];
        scope.report_with(sink, group.functional, fault, &elsewhere);
    }
    for id in group.writing() {
        let operator = scope.operator(id);
        let fault = aliases_twice(operator)
            .or_else(|| lacks_options(operator, functional))
            .or_else(|| unwritable_out(scope, operator))
            .or_else(|| cumulative(operator, functional, release));
        if let Some(fault) = fault {
            report(scope, id, fault, sink);
        }
    }
    let fault = aliases_twice(functional).or_else(|| kernel_from_nothing(scope, group));
    if let Some(fault) = fault {
        report(scope, group.functional, fault, sink);
    }
}

fn report(scope: &Scope<'_>, id: OperatorId, fault: Diagnostic, sink: &mut Sink) {
    if !scope.has_broken_sibling(id) {
        scope.report(sink, id, fault);
    }
}

/// The number of arguments that each return may alias (torchgen
/// `FunctionSchema.aliased_return_names`).
fn aliased(schema: &FunctionSchema) -> impl Iterator<Item = usize> {
    schema.returns.iter().map(|ret| match &ret.annotation {
        None => 0,
        annotation => {
            let arguments = schema.arguments.all().iter();
            arguments.filter(|a| a.annotation == *annotation).count()
        }
    })
}

fn fresh_returns(schema: &FunctionSchema) -> usize {
    aliased(schema).filter(|&count| count == 0).count()
}

fn shares_letters(operator: &Operator) -> bool {
    aliased(operator.schema()).any(|count| count > 1)
}

fn aliases_twice(operator: &Operator) -> Option<Diagnostic> {
    let schema = operator.schema();
    let at = aliased(schema).position(|count| count > 1)?;
    let annotation = &schema.returns[at].annotation;
    let mut same = schema
        .arguments
        .all()
        .iter()
        .filter(|a| a.annotation == *annotation);
    let (first, second) = (same.next()?, same.next()?);
    // Two out arguments with one letter are reported elsewhere.
    let outs = schema.arguments.out();
    if outs.contains(first) && outs.contains(second) {
        return None;
    }
    let message = message!(
        "a return of `{}` has the annotation of both `{}` and `{}`",
        operator.name(),
        first.name,
        second.name
    );
    let diagnostic = Diagnostic::new(RuleId::GroupReturnAliasesTwice, first.type_at.0, message)
        .with_help("give each argument its own alias letter")
        .with_related("the other argument is here", second.type_at.0)
        .with_related("the return is here", schema.returns[at].at.0);
    Some(diagnostic)
}

fn functional_writes(scope: &Scope<'_>, group: CompleteGroup) -> Option<(Diagnostic, OperatorId)> {
    let functional = scope.operator(group.functional);
    let schema = functional.schema();
    let fresh = fresh_returns(schema);
    let unmatched = group.writing().find(|&id| {
        let schema = scope.operator(id).schema();
        let arguments = schema.arguments.all().iter();
        arguments.filter(|a| a.is_write()).count() + fresh_returns(schema) != fresh
    })?;
    let written = schema.arguments.all().iter().find(|a| a.is_write());
    let alias = schema.returns.iter().find(|r| r.annotation.is_some());
    let (at, what) = match (written, alias) {
        (Some(argument), _) => (argument.type_at.0, "mutates an argument"),
        (None, Some(ret)) => (ret.at.0, "returns an alias of an argument"),
        (None, None) => (schema.returns_at.0, "does not return all mutated arguments"),
    };
    let message = message!(
        "`{}` replaces `{}` during functionalization, but {}",
        functional.name(),
        scope.operator(unmatched).name(),
        what
    );
    let diagnostic = Diagnostic::new(RuleId::GroupFunctionalWrites, at, message).with_help(
        "the functional variant must not mutate arguments and must return only new tensors",
    );
    Some((diagnostic, unmatched))
}

fn lacks_options(operator: &Operator, functional: &Operator) -> Option<Diagnostic> {
    functional.schema().arguments.tensor_options()?;
    let arguments = operator.schema().arguments.all();
    let is_source = |a: &Argument| &*a.name == "out" && a.ty.is_tensor();
    if arguments.iter().any(is_source) {
        return None;
    }
    let message = message!(
        "`{}` takes TensorOptions, and `{}` has no tensor argument named `out` to take them from",
        functional.name(),
        operator.name()
    );
    let diagnostic = Diagnostic::new(RuleId::GroupFactoryOut, name_at(operator), message)
        .with_help("name the out argument `out`; a factory has exactly one return");
    Some(diagnostic)
}

/// The position of the name; for a generated operator, that of its source.
fn name_at(operator: &Operator) -> Span {
    operator.schema().name_at.0
}

/// Out arguments get the types of the returns. Only some types can be annotated, and a mutable
/// optional has no C++ type.
fn unwritable_out(scope: &Scope<'_>, operator: &Operator) -> Option<Diagnostic> {
    let generated = operator.generated()?;
    let from = scope.operator(operator.generated_from()?);
    let by_reference = generated.use_const_ref_for_mutable_tensors;
    let is_writable = |a: &Argument| match &a.ty {
        Type::Optional(inner) => inner.is_tensor() && by_reference,
        Type::List(inner, None) => inner.is_tensor(),
        ty => ty.is_tensor(),
    };
    let arguments = generated.schema.arguments.all().iter();
    let argument = arguments
        .filter(|a| a.is_write())
        .find(|a| !is_writable(a))?;
    // Mutable arguments are reported with the schema.
    let mut own = from.schema().arguments.all().iter();
    if own.any(|a| a.is_write() && !is_writable(a)) {
        return None;
    }
    let message = message!(
        "cannot generate `{}`: an out argument cannot have type `{}`",
        operator.name(),
        argument.ty
    );
    let at = from.schema().returns_at.0;
    let diagnostic = Diagnostic::new(RuleId::AutogenReturnType, at, message)
        .with_help("return `Tensor` or `Tensor[]`, or remove `autogen`")
        .with_related("requested here", autogen_at(from));
    Some(diagnostic)
}

fn cumulative(operator: &Operator, functional: &Operator, release: Release) -> Option<Diagnostic> {
    let is_cumulative = match operator.name_text() {
        "cumsum.out" | "cumprod.out" => release >= Release::V2_12,
        "cumsum.dimname_out" | "cumprod.dimname_out" => {
            (Release::V2_12..Release::V2_13).contains(&release)
        }
        _ => false,
    };
    if !is_cumulative {
        return None;
    }
    let outs = operator.schema().arguments.out().len();
    let has_dtype = functional
        .schema()
        .arguments
        .all()
        .iter()
        .any(|a| &*a.name == "dtype");
    if outs == 1 && has_dtype {
        return None;
    }
    let message = message!(
        "`{}` needs exactly one out argument and a functional variant with an argument `dtype`",
        operator.name()
    );
    let diagnostic = Diagnostic::new(RuleId::GroupCumulativeDtype, name_at(operator), message)
        .with_help("keep the arguments of PyTorch's operator of that name");
    Some(diagnostic)
}

/// Reports a view in a group without view registrations (torchgen
/// `gen_functionalization_registration`).
fn view_member(
    scope: &Scope<'_>,
    group: CompleteGroup,
    release: Release,
) -> Option<(OperatorId, Diagnostic)> {
    let by_hand = release >= Release::V2_2
        && group
            .inplace
            .is_some_and(|id| scope.operator(id).name_text() == "set_.source_Tensor");
    if by_hand {
        return None;
    }
    for id in group.members() {
        let operator = scope.operator(id);
        if release >= Release::V2_1 && operator.has_kernel("CompositeImplicitAutograd") {
            continue;
        }
        let name = operator.name();
        if matches!(name.as_str(), "lift" | "resize_") {
            return None;
        }
        let exempt = release >= Release::V2_3 && name.base() == "set_";
        if operator.is_view && !exempt {
            let message = message!("`{}` is a view, but its group has an out variant", name);
            let diagnostic = Diagnostic::new(RuleId::GroupViewMember, name_at(operator), message)
                .with_help(
                    "a view returns no new tensor: remove the out variant, or the annotation that \
                     makes it a view",
                );
            return Some((id, diagnostic));
        }
    }
    None
}

/// A generated functional kernel calls a declared operator that writes (torchgen
/// `gen_composite_functional_kernel`).
fn kernel_from_nothing(scope: &Scope<'_>, group: CompleteGroup) -> Option<Diagnostic> {
    let functional = scope.operator(group.functional);
    let tagged = |id: OperatorId| scope.operator(id).has_tag("generated");
    let callable = [group.inplace, group.mutable]
        .into_iter()
        .flatten()
        .any(|id| !tagged(id));
    if !tagged(group.functional) || functional.is_generated() || callable {
        return None;
    }
    let message = message!(
        "`{}` is tagged `generated`, but has no variant that its kernel could be generated from",
        functional.name()
    );
    let diagnostic = Diagnostic::new(RuleId::TagsGeneratedReserved, name_at(functional), message)
        .with_help("remove the tag");
    Some(diagnostic)
}
