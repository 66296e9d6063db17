//! Mutable optional tensors. Callers have a `Tensor&`, kernels take an `optional<Tensor>&`, and
//! functional variants take an optional tensor; generated code cannot convert between them
//! (torchgen `native.argumenttype_type` and `cpp.argumenttype_type`).

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::Entry;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_operators::variants::out_variant;
use opatlas_schema::function::{Argument, Arguments, At, FunctionSchema, Return, SchemaKind};
use opatlas_schema::invariants::broken_invariants;
use opatlas_schema::name::{NameForm, OperatorName};
use opatlas_schema::types::Type;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use crate::scope::Scope;
use crate::sink::Sink;

/// Only declared operators; generated ones are reported at `autogen`.
pub(super) fn operators(scope: &Scope<'_>, sink: &mut Sink) {
    for (id, operator) in sink.while_wanted(scope.operators()) {
        let Some(placed) = operator.declared() else {
            break;
        };
        let mut arguments = operator.schema().arguments.all().iter();
        let Some(argument) = arguments.find(|a| is_optional_write(a)) else {
            continue;
        };
        if !passed_on(scope.catalogue, id, operator, &placed.entry) {
            continue;
        }
        sink.entry(placed, diagnostic(operator.schema(), argument));
    }
}

fn diagnostic(schema: &FunctionSchema, argument: &Argument) -> Diagnostic {
    let rule = RuleId::OptionalMutableTensor;
    let at = argument.type_at.0;
    if !is_out(schema, argument) {
        let message = message!(
            "argument `{}` is an optional mutable tensor, which generated C++ cannot express",
            argument
        );
        let help = "make it a plain tensor, or do not mutate it";
        return Diagnostic::new(rule, at, message).with_help(help);
    }
    let message = message!(
        "`{}` is an optional out argument: an operator either takes `out` or returns a new tensor",
        argument
    );
    let help = match split(schema) {
        Some((functional, out)) => {
            message!("declare two operators: `{}` and `{}`", functional, out)
        }
        None => "declare one operator without the argument, and an out variant of it".into(),
    };
    Diagnostic::new(rule, at, message).with_help(help)
}

fn is_out(schema: &FunctionSchema, argument: &Argument) -> bool {
    &*argument.name == "out" || schema.arguments.out().contains(argument)
}

/// The functional operator and the out variant that an operator with an optional out argument stands
/// for.
fn split(schema: &FunctionSchema) -> Option<(FunctionSchema, FunctionSchema)> {
    let arguments = &schema.arguments;
    let kept = |a: &&Argument| !(a.is_write() && is_out(schema, a));
    let list: Vec<Argument> = arguments.all().iter().filter(kept).cloned().collect();
    let positional = arguments.positional().iter().filter(kept).count();
    let overload = schema.name.overload();
    let overload = overload
        .strip_suffix("out")
        .map_or(overload, |o| o.trim_end_matches('_'));
    let functional = FunctionSchema {
        name: OperatorName::from_parts(schema.name.stem(), NameForm::Plain, overload),
        arguments: Arguments::new(list.clone(), positional, list.len()),
        returns: returns(schema, arguments.all().len() - list.len()),
        name_at: schema.name_at,
        returns_at: schema.returns_at,
    };
    let is_sound =
        functional.kind() == SchemaKind::Functional && broken_invariants(&functional).is_empty();
    let out = out_variant(&functional).filter(|_| is_sound)?;
    Some((functional, out))
}

/// The declared returns without annotations, or a tensor for each out argument.
fn returns(schema: &FunctionSchema, outs: usize) -> Vec<Return> {
    let plain = |one: Return| Return {
        annotation: None,
        ..one
    };
    let tensor = Return {
        name: None,
        ty: Type::TENSOR,
        annotation: None,
        at: At::default(),
    };
    if schema.returns.is_empty() {
        vec![tensor; outs]
    } else {
        schema.returns.iter().cloned().map(plain).collect()
    }
}

fn is_optional_write(argument: &Argument) -> bool {
    argument.is_write() && matches!(&argument.ty, Type::Optional(inner) if inner.is_tensor())
}

/// Whether generated code passes the argument to a kernel or to the functional variant of its
/// group. Passing by const reference works.
fn passed_on(catalogue: &Catalogue, id: OperatorId, operator: &Operator, entry: &Entry) -> bool {
    let group = catalogue.groups.of(id);
    let grouped = group.functional.is_some() && group.out.is_some();
    let to_kernel = !entry.manual_kernel_registration && !catalogue.kernels(id).is_empty();
    let passed = to_kernel || grouped || operator.is_part_of_structured_group();
    passed && !entry.use_const_ref_for_mutable_tensors
}
