//! Optional tensors that are written. Callers hold a `Tensor&`, kernels take an
//! `optional<Tensor>&`, and functional variants an optional tensor: no generated code passes one
//! to the other (torchgen `native.argumenttype_type` against `cpp.argumenttype_type`).

use crate::diagnostic::Diagnostic;
use crate::model::catalogue::Catalogue;
use crate::model::operator::{Operator, OperatorId};

use super::super::Sink;
use super::{is_optional_write, origin};

pub(super) fn check(catalogue: &Catalogue, sink: &mut Sink) {
    for (id, operator) in catalogue.iter() {
        let mut arguments = operator.schema().arguments.all().iter();
        let Some(argument) = arguments.find(|a| is_optional_write(a)) else {
            continue;
        };
        if !passed_on(catalogue, id, operator) {
            continue;
        }
        let Some(placed) = origin(catalogue, operator) else {
            continue;
        };
        let (message, help) = if operator.is_generated() {
            (
                format!(
                    "the generated `{}` would write to an optional tensor",
                    operator.name()
                ),
                "return a plain tensor, or do not list the operator in `autogen`",
            )
        } else {
            (
                format!("`{argument}` is optional and written, which no C++ can be generated for"),
                "make it a plain tensor, or do not write to it",
            )
        };
        let at = if operator.is_generated() {
            argument.at.0
        } else {
            argument.type_at.0
        };
        let diagnostic = Diagnostic::new("optional-mutable-tensor", at, message).with_help(help);
        sink.entry(placed, diagnostic);
    }
}

/// Whether generated code has to pass the argument on: to a kernel, or to the functional variant
/// of its group. By const reference that works.
fn passed_on(catalogue: &Catalogue, id: OperatorId, operator: &Operator) -> bool {
    let (const_ref, manual) = match (operator.written(), operator.generated()) {
        (Some(placed), _) => (
            placed.entry.use_const_ref_for_mutable_tensors,
            placed.entry.manual_kernel_registration,
        ),
        (None, Some(generated)) => (generated.use_const_ref_for_mutable_tensors, false),
        (None, None) => (false, false),
    };
    let group = catalogue.groups.of(id);
    let grouped = group.functional.is_some() && group.out.is_some();
    let to_kernel = !manual && !catalogue.kernels(id).is_empty();
    !const_ref && (to_kernel || grouped || operator.is_part_of_structured_group())
}
