//! Mutable optional tensors. Callers have a `Tensor&`, kernels take an `optional<Tensor>&`, and
//! functional variants take an optional tensor; generated code cannot convert between them
//! (torchgen `native.argumenttype_type` and `cpp.argumenttype_type`).

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::Entry;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::function::Argument;
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
        let message = message!(
            "argument `{}` is an optional mutable tensor, which generated C++ cannot \
             express",
            argument
        );
        let diagnostic =
            Diagnostic::new(RuleId::OptionalMutableTensor, argument.type_at.0, message)
                .with_help("make it a plain tensor, or do not mutate it");
        sink.entry(placed, diagnostic);
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
