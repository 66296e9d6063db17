//! TensorOptions: the run `dtype, layout, device, pin_memory` in generated C++ (torchgen
//! `translate`).

use opatlas_schema::function::Argument;
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use opatlas_source::sentence::codes;

use crate::scope::Subject;
use crate::sink::Sink;

pub(super) fn optional(subject: &Subject<'_>, sink: &mut Sink) {
    let arguments = &subject.schema.arguments;
    let Some(options) = arguments.tensor_options() else {
        return;
    };
    let twins = |argument: &Argument| {
        let all = arguments.all().iter();
        all.filter(|a| a.name == argument.name && a.ty == argument.ty)
            .count()
    };
    // An argument of the same name and type replaces it.
    let is_plain = |a: &&Argument| !matches!(a.ty, Type::Optional(_)) && twins(a) == 1;
    let plain: Vec<&Argument> = options.iter().filter(is_plain).collect();
    if let [first, others @ ..] = &plain[..] {
        let names = codes(plain.iter().map(|a| &a.name));
        let run = options[0].at.0.to(options[3].at.0);
        let wanted: Vec<String> = options.iter().map(optional_form).collect();
        let mut diagnostic = Diagnostic::new(
            RuleId::TensorOptionsOptional,
            first.type_at.0,
            message!("tensor option {} must be optional", names),
        )
        .with_help(message!("write `{}`", wanted.join(", ")))
        .with_fix(run, wanted.join(", "));
        for other in others {
            diagnostic = diagnostic.with_related("and here", other.type_at.0);
        }
        subject.report(sink, diagnostic);
    }
    for format in arguments.all().iter().filter(|a| is_other_format(a)) {
        let diagnostic = Diagnostic::new(
            RuleId::TensorOptionsOptional,
            format.type_at.0,
            "`memory_format` next to tensor options must be of type `MemoryFormat?`",
        )
        .with_help("write `MemoryFormat? memory_format=None`")
        .with_fix(format.at.0, "MemoryFormat? memory_format=None");
        subject.report(sink, diagnostic);
    }
}

fn optional_form(argument: &Argument) -> String {
    let ty = argument.ty.without_optional();
    let default = argument.default.as_deref().unwrap_or("None");
    format!("{ty}? {}={default}", argument.name)
}

fn is_other_format(argument: &Argument) -> bool {
    let format = Type::Base(BaseType::MemoryFormat);
    let expected = matches!(&argument.ty, Type::Optional(inner) if **inner == format);
    &*argument.name == "memory_format" && !expected
}
