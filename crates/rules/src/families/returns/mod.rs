//! Return values. The schema parser reports what it cannot parse.

use opatlas_pytorch::release::Release;
use opatlas_schema::function::Return;
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, Span, message};

use crate::scope::types::is_sound;
use crate::scope::{Scope, Subject};
use crate::sink::Sink;

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    for subject in sink.while_wanted(scope.subjects()) {
        for ret in &subject.schema.returns {
            if !ret.ty.is_tensor() {
                of_type(&subject, ret, scope.catalogue.release, sink);
            }
            default(&subject, ret, sink);
        }
    }
}

fn default(subject: &Subject<'_>, ret: &Return, sink: &mut Sink) {
    let Some((name, _)) = ret.name.as_deref().and_then(|name| name.split_once('=')) else {
        return;
    };
    let whole = ret.name.as_deref().unwrap_or("");
    let end = ret.at.0.end;
    let cut = u32::try_from(whole.len() - name.len()).unwrap_or(0);
    let at = Span::new(end.saturating_sub(cut), end);
    let diagnostic = Diagnostic::new(
        RuleId::ReturnDefault,
        at,
        message!(
            "`{}` is parsed as the return's name: returns have no defaults",
            whole
        ),
    )
    .with_help(message!("write `{}`", name))
    .with_fix(at, "");
    subject.report(sink, diagnostic);
}

fn of_type(subject: &Subject<'_>, ret: &Return, release: Release, sink: &mut Sink) {
    if !is_sound(&ret.ty, release) {
        return; // reported by the family of types
    }
    let at = ret.at.0;
    let diagnostic = match fault(&ret.ty, ret.is_write(), release) {
        Some(Fault::MutableList) => Diagnostic::new(
            RuleId::MutableListReturn,
            at,
            message!("`{}` returns a mutable list, which C++ cannot express", ret),
        )
        .with_help("return nothing, or a single tensor"),
        Some(fault) => Diagnostic::new(RuleId::ReturnTypeNotGenerated, at, fault.message(&ret.ty))
            .with_help(fault.help()),
        None if is_unusual(&ret.ty) && !ret.is_write() => Diagnostic::new(
            RuleId::ReturnTypeAllowed,
            at,
            message!("`{}` is an unusual return type", ret.ty),
        )
        .with_help("return tensors, lists of tensors or plain numbers"),
        None => return,
    };
    subject.report(sink, diagnostic);
}

enum Fault {
    MutableList,
    Sized,
    OptionalTensor,
    Optional,
}

impl Fault {
    fn message(&self, ty: &Type) -> Message {
        match self {
            Self::MutableList | Self::Sized => {
                message!("`{}` has a size, but C++ returns lists as vectors", ty)
            }
            Self::OptionalTensor => {
                message!(
                    "`{}` is optional; PyTorch supports optional tensor returns since 2.2",
                    ty
                )
            }
            Self::Optional => message!("`{}` has no C++ return type", ty),
        }
    }

    fn help(&self) -> &'static str {
        match self {
            Self::MutableList | Self::Sized => "remove the size",
            Self::OptionalTensor => "return an empty tensor instead of an undefined one",
            Self::Optional => "in a return, only plain values and `Tensor` can be optional",
        }
    }
}

/// Why C++ cannot return the type (torchgen `returntype_type`).
fn fault(ty: &Type, mutable: bool, release: Release) -> Option<Fault> {
    if is_value(ty) {
        return None;
    }
    match ty {
        Type::Base(_) | Type::Custom(_) | Type::Runtime(_) => None,
        Type::List(..) if mutable => Some(Fault::MutableList),
        Type::List(_, Some(_)) => Some(Fault::Sized),
        Type::List(inner, None) => fault(inner, false, release),
        Type::Optional(inner) if inner.is_tensor() => {
            (release < Release::V2_2).then_some(Fault::OptionalTensor)
        }
        Type::Optional(inner) => fault(inner, mutable, release).or(Some(Fault::Optional)),
    }
}

/// Types that C++ passes by value (torchgen `valuetype_type`).
fn is_value(ty: &Type) -> bool {
    match ty {
        Type::Base(base) => !matches!(base, BaseType::Tensor | BaseType::Scalar),
        Type::Custom(_) | Type::Runtime(_) => false,
        Type::Optional(inner) => is_value(inner),
        Type::List(inner, size) => size.is_some() && **inner == Type::Base(BaseType::Bool),
    }
}

fn is_unusual(ty: &Type) -> bool {
    match ty {
        Type::Base(_) | Type::Custom(_) | Type::Runtime(_) => false,
        Type::Optional(_) => true,
        Type::List(inner, _) => !inner.is_tensor(),
    }
}
