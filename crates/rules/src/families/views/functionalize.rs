//! Views in functionalization (torchgen `emit_view_functionalization_body`,
//! `GenCompositeViewCopyKernel`, `ViewMetaSpecialization`).

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_operators::view_group::ViewGroup;
use opatlas_pytorch::release::Release;
use opatlas_schema::function::{Argument, FunctionSchema};
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, message};

use super::copies;
use crate::scope::{Elsewhere, IMPLICIT, Scope};
use crate::sink::Sink;

/// The key of the kernel that is generated for a copy.
const COPY_KEY: &str = "CompositeExplicitAutogradNonFunctional";

pub(super) fn check(scope: &Scope<'_>, group: &ViewGroup, sink: &mut Sink) {
    let view = scope.operator(group.view);
    let replayed = !view.has_kernel(IMPLICIT);
    if replayed {
        let Some(copy) = group.copy else {
            copies::required(scope, group.view, sink);
            return;
        };
        if let Some(fault) = returns(view) {
            scope.report(sink, group.view, fault);
            return;
        }
        unkept(scope, group.view, sink);
        for id in [Some(group.view), group.inplace].into_iter().flatten() {
            replay(scope, id, copy, sink);
        }
    }
    if let Some(copy) = group.copy {
        copy_kernel(scope, group.view, copy, sink);
    }
}

/// Replayed views return tensors.
fn returns(view: &Operator) -> Option<Diagnostic> {
    let schema = view.schema();
    if !schema.returns.is_empty() && schema.returns.iter().all(|r| r.ty.is_tensor_like()) {
        return None;
    }
    let message = message!("view `{}` returns values other than tensors", view.name());
    let diagnostic = Diagnostic::new(RuleId::ViewReturns, schema.returns_at.0, message)
        .with_help("return only the view");
    Some(diagnostic)
}

/// Replays store the other arguments by value. Strings have no value type before 2.6, and scalars
/// no conversion since 2.14.
fn unkept(scope: &Scope<'_>, id: OperatorId, sink: &mut Sink) {
    let release = scope.catalogue.release;
    let arguments = scope.operator(id).schema().arguments.all();
    let is_unkept = |a: &&Argument| match &a.ty {
        Type::Base(BaseType::Str) => release < Release::V2_7,
        Type::Base(BaseType::Scalar) => release >= Release::V2_14,
        _ => false,
    };
    if let Some(argument) = arguments.iter().skip(1).find(is_unkept) {
        let message = message!(
            "a view cannot be replayed with `{}` of type `{}`",
            argument.name,
            argument.ty
        );
        let diagnostic = Diagnostic::new(RuleId::ViewArgumentType, argument.at.0, message)
            .with_help("use another type, or make the view composite");
        scope.report(sink, id, diagnostic);
    }
}

fn replay(scope: &Scope<'_>, id: OperatorId, copy: OperatorId, sink: &mut Sink) {
    let operator = scope.operator(id);
    let schema = operator.schema();
    if let Some((at, message)) = first_argument(schema) {
        let diagnostic = Diagnostic::new(RuleId::ViewFirstArgument, at, message).with_help(
            "make the first argument an annotated tensor, and annotate no other argument",
        );
        scope.report(sink, id, diagnostic);
    }
    if scope
        .operator(copy)
        .schema()
        .arguments
        .tensor_options()
        .is_some()
        && schema.arguments.tensor_options().is_none()
    {
        options_differ(scope, id, copy, sink);
    }
    let release = scope.catalogue.release;
    let known = release.data().name_lists.single_output_view_replay;
    if release >= Release::V2_15 && is_multi_output(schema) && !known.contains(operator.name_text())
    {
        let message = message!(
            "`{}` returns several views, and PyTorch cannot replay them one by one",
            operator.name()
        );
        let diagnostic =
            Diagnostic::new(RuleId::MultiOutputViewReplay, schema.returns_at.0, message)
                .with_help("return one view; PyTorch's generator has a fixed list of exceptions");
        scope.report(sink, id, diagnostic);
    }
}

fn is_multi_output(schema: &FunctionSchema) -> bool {
    match schema.returns.as_slice() {
        [ret] => matches!(ret.ty, Type::List(..)),
        returns => returns.len() > 1,
    }
}

/// Checks the arguments of a view: only the first may be annotated, and it must be a tensor.
fn first_argument(schema: &FunctionSchema) -> Option<(opatlas_source::Span, Message)> {
    let arguments = schema.arguments.non_out();
    let Some(first) = arguments.first() else {
        return Some((schema.name_at.0, "a view needs a tensor argument".into()));
    };
    if !first.ty.is_tensor() {
        let message = message!(
            "the first argument of a view must be a tensor, not `{}`",
            first.ty
        );
        return Some((first.at.0, message));
    }
    if first.annotation.is_none() {
        let message = message!("the viewed argument `{}` is not annotated", first.name);
        return Some((first.at.0, message));
    }
    let second: Option<&Argument> = arguments[1..].iter().find(|a| a.annotation.is_some());
    second.map(|a| {
        (
            a.at.0,
            message!("a view aliases only its first argument, not `{}`", a.name),
        )
    })
}

/// The kernel of a copy is generated around the view.
fn copy_kernel(scope: &Scope<'_>, view_id: OperatorId, id: OperatorId, sink: &mut Sink) {
    let (view, copy) = (scope.operator(view_id), scope.operator(id));
    let standard = format!("{}_copy", view.base_name());
    if scope.catalogue.release >= Release::V2_3 && copy.name().stem() != standard {
        return;
    }
    let at = scope.name_at(id);
    let elsewhere: [Elsewhere; 1] = [("the view is here", view_id, scope.name_at(view_id))];
    let kernels = scope.catalogue.kernels(id);
    let Some(kernel) = kernels.iter().find(|k| k.key.as_str() == COPY_KEY) else {
        let message = message!(
            "`{}` is the copy of a view, but has no kernel for {}",
            copy.name(),
            COPY_KEY
        );
        let diagnostic = Diagnostic::new(RuleId::ViewCopyKernel, at, message).with_help(message!(
            "write `dispatch:` with `{}: {}`; PyTorch generates the kernel",
            COPY_KEY,
            standard
        ));
        scope.report_with(sink, id, diagnostic, &elsewhere);
        return;
    };
    if copy.name_text() == "view_copy" {
        if &*kernel.kernel.name != "view_copy_symint" {
            let diagnostic = Diagnostic::new(
                RuleId::ViewCopyKernel,
                at,
                "the kernel of `view_copy` must be `view_copy_symint`, the name that the generator \
                 uses",
            )
            .with_help(message!("write `{}: view_copy_symint`", COPY_KEY));
            scope.report(sink, id, diagnostic);
        }
        return;
    }
    if view.schema().arguments.tensor_options().is_some()
        && copy.schema().arguments.tensor_options().is_none()
    {
        options_differ(scope, view_id, id, sink);
    }
    let plain = match view.schema().returns.as_slice() {
        [ret] => match &ret.ty {
            Type::List(inner, None) => inner.is_tensor(),
            ty => ty.is_tensor(),
        },
        _ => false,
    };
    if !plain {
        let message = message!(
            "the kernel of `{}` can copy only one `Tensor` or one `Tensor[]`",
            copy.name()
        );
        let diagnostic = Diagnostic::new(RuleId::ViewReturns, view.schema().returns_at.0, message)
            .with_help("return one tensor or one list of tensors");
        scope.report(sink, view_id, diagnostic);
    }
}

fn options_differ(scope: &Scope<'_>, view: OperatorId, copy: OperatorId, sink: &mut Sink) {
    let message = message!(
        "only one of `{}` and `{}` takes TensorOptions",
        scope.operator(view).name(),
        scope.operator(copy).name()
    );
    let diagnostic = Diagnostic::new(RuleId::ViewCopyOptions, scope.name_at(copy), message)
        .with_help("give a view and its copy the same arguments");
    let elsewhere = [("the view is here", view, scope.name_at(view))];
    scope.report_with(sink, copy, diagnostic, &elsewhere);
}
