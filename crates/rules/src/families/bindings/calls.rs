//! What the generated binding of one operator cannot pass or return (torchgen `api/python.py`).

use opatlas_operators::operator::{Operator, PlacedEntry};
use opatlas_pytorch::release::Release;
use opatlas_schema::faces::{OptionsFault, can_be_parsed, can_be_returned, options_fault};
use opatlas_schema::function::{Argument, SchemaKind};
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, message};

use super::place::Place;
use crate::scope::types::is_sound;
use crate::sink::Sink;

const TENSOR_OPTIONS: &str =
    "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None";

pub(super) fn check(operator: &Operator, release: Release, sink: &mut Sink) {
    let Some(placed) = operator.declared() else {
        return;
    };
    arguments(operator, placed, release, sink);
    returns(operator, placed, release, sink);
    let category = operator.category_override();
    let fault = options_fault(operator.schema(), category, release)
        // Another rule refuses TensorOptions of operators that are not functional.
        .filter(|fault| *fault == OptionsFault::Missing || operator.kind == SchemaKind::Functional);
    if let Some(fault) = fault {
        let (message, help) = options(fault);
        let at = operator.schema().name_at.0;
        let diagnostic = Diagnostic::new(RuleId::PythonTensorOptions, at, message);
        sink.entry(placed, diagnostic.with_help(help));
    }
}

fn arguments(operator: &Operator, placed: &PlacedEntry, release: Release, sink: &mut Sink) {
    let arguments = &operator.schema().arguments;
    let takes_self = Place::of(operator).any(|place| place != Place::Method);
    let this = arguments.self_index().filter(|_| !takes_self);
    let parsed = arguments.all().iter().enumerate();
    for (_, argument) in parsed.filter(|(index, _)| Some(*index) != this) {
        if let Some((message, help)) = argument_fault(argument, release) {
            let at = argument.type_at.0;
            let diagnostic = Diagnostic::new(RuleId::PythonArgument, at, message);
            sink.entry(placed, diagnostic.with_help(help));
        }
    }
}

fn argument_fault(argument: &Argument, release: Release) -> Option<(Message, &'static str)> {
    if &*argument.name == "requires_grad" {
        let message =
            "Python adds an argument named `requires_grad` to factories, so the name is reserved";
        return Some((message.into(), "rename the argument"));
    }
    if !is_sound(&argument.ty, release) || can_be_parsed(&argument.ty) {
        return None; // the family of types reports types without a C++ type
    }
    let message = message!(
        "Python's argument parser does not support the type `{}`",
        argument.ty
    );
    let help = match argument.ty.innermost() {
        Some(BaseType::Generator) if argument.ty == Type::Base(BaseType::Generator) => {
            "write `Generator?`"
        }
        Some(BaseType::Bool) => {
            "use several `bool` arguments; lists of `bool` are for operators without a binding, such as \
             those named `..._backward`"
        }
        _ => "use another type; operators named `..._backward` have no binding and may use it",
    };
    Some((message, help))
}

fn returns(operator: &Operator, placed: &PlacedEntry, release: Release, sink: &mut Sink) {
    let schema = operator.schema();
    let sound = schema.returns.iter().all(|r| is_sound(&r.ty, release));
    if !sound || can_be_returned(&schema.returns, release) {
        return;
    }
    let types: Vec<String> = schema.returns.iter().map(|r| r.ty.to_string()).collect();
    let message = match &types[..] {
        [only] => message!("Python bindings cannot return `{}`", only),
        several => message!("Python bindings cannot return `({})`", several.join(", ")),
    };
    let help = "return tensors only, or one plain number; operators named `..._backward` have no \
                binding and may return other types";
    let at = schema.returns_at.0;
    let diagnostic = Diagnostic::new(RuleId::PythonReturn, at, message);
    sink.entry(placed, diagnostic.with_help(help));
}

fn options(fault: OptionsFault) -> (Message, Message) {
    match fault {
        OptionsFault::Missing => (
            "Python calls this operator with TensorOptions, which it does not take".into(),
            message!(
                "add `{}`, or write `category_override: dummy` (since PyTorch 2.3)",
                TENSOR_OPTIONS
            ),
        ),
        OptionsFault::Unexpected => (
            "the operator takes TensorOptions, but Python does not treat it as a factory".into(),
            "write `category_override: factory`, or remove the four arguments".into(),
        ),
    }
}
