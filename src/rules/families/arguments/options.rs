//! TensorOptions: the run `dtype, layout, device, pin_memory` in generated C++ (torchgen
//! `translate`).

use crate::diagnostic::Diagnostic;
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
