//! TensorOptions: the run `dtype, layout, device, pin_memory` in generated C++ (torchgen
//! `translate`).

use crate::diagnostic::Diagnostic;
use crate::model::catalogue::Catalogue;
use crate::model::group::Group;
use crate::model::operator::{Operator, OperatorId};
use crate::model::schema::Argument;
use crate::model::types::{BaseType, Type};

use super::super::Sink;
use super::super::subject::Subject;

/// C++ takes the four, and a memory format beside them, out of one TensorOptions, where they are
/// optional.
pub(super) fn optional(subject: &Subject<'_>, sink: &mut Sink) {
    let arguments = &subject.schema.arguments;
    let Some(options) = arguments.tensor_options() else {
        return;
    };
    let formats = arguments.all().iter().filter(|a| is_other_format(a));
    let plain = options
        .iter()
        .filter(|a| !matches!(a.ty, Type::Optional(_)));
    // One of the same name and type elsewhere is taken in its place.
    let plain = plain.filter(|a| {
        let twins = arguments
            .all()
            .iter()
            .filter(|b| b.name == a.name && b.ty == a.ty);
        twins.count() == 1
    });
    for argument in plain.chain(formats) {
        let wanted = Type::Optional(Box::new(match &*argument.name {
            "memory_format" => Type::Base(BaseType::MemoryFormat),
            _ => argument.ty.without_optional().clone(),
        }));
        let message = format!(
            "`{}` stands with the other tensor options, so it must be `{wanted}`",
            argument.name
        );
        let mut diagnostic =
            Diagnostic::new("tensor-options-optional", argument.type_at.0, message)
                .with_help(format!("write `{wanted} {}=None`", argument.name));
        if argument.default.is_some() {
            diagnostic = diagnostic.with_fix(argument.type_at.0, wanted.to_string());
        } else {
            let text = format!("{wanted} {}=None", argument.name);
            diagnostic = diagnostic.with_fix(argument.at.0, text);
        }
        subject.report(sink, diagnostic);
    }
}

fn is_other_format(argument: &Argument) -> bool {
    let format = Type::Base(BaseType::MemoryFormat);
    let expected = matches!(&argument.ty, Type::Optional(inner) if **inner == format);
    &*argument.name == "memory_format" && !expected
}

/// In a group with an out variant, each variant that writes is replaced by the functional one,
/// whose options are read off the tensor called `out`.
pub(super) fn need_out(catalogue: &Catalogue, sink: &mut Sink) {
    for group in catalogue.groups.all() {
        let (Some(functional), Some(_)) = (group.functional, group.out) else {
            continue;
        };
        let functional = catalogue.operator(functional);
        if functional.schema().arguments.tensor_options().is_none() {
            continue;
        }
        for id in writers(group) {
            let operator = catalogue.operator(id);
            if !has_out_tensor(operator) {
                report(catalogue, operator, functional, sink);
            }
        }
    }
}

fn writers(group: &Group) -> impl Iterator<Item = OperatorId> + use<> {
    [group.out, group.inplace, group.mutable]
        .into_iter()
        .flatten()
}

fn has_out_tensor(operator: &Operator) -> bool {
    let arguments = operator.schema().arguments.all();
    arguments
        .iter()
        .any(|a| &*a.name == "out" && a.ty.is_tensor())
}

fn report(catalogue: &Catalogue, operator: &Operator, functional: &Operator, sink: &mut Sink) {
    // A generated variant is reported where it is asked for.
    let (placed, generated) = match operator.generated() {
        Some(generated) => (catalogue.entry(generated.from), true),
        None => (operator.written(), false),
    };
    let Some(placed) = placed else { return };
    let schema = operator.schema();
    let (at, message) = match schema.arguments.out().first() {
        Some(out) if !generated => (
            out.name_at.0,
            format!(
                "`{}` takes tensor options, so its out argument must be called `out`",
                functional.name()
            ),
        ),
        _ => (
            schema.name_at.0,
            format!(
                "`{}` takes tensor options, but `{}` has no tensor argument called `out` to read them off",
                functional.name(),
                operator.name()
            ),
        ),
    };
    let mut diagnostic = Diagnostic::new("tensor-options-need-out", at, message)
        .with_help("call the out argument `out`, or drop the tensor options");
    if let ([out], false) = (schema.arguments.out(), generated)
        && out.ty.is_tensor()
    {
        diagnostic = diagnostic.with_fix(out.name_at.0, "out");
    }
    sink.entry(placed, diagnostic);
}
