//! Kernels on a key itself that are more than a function of the backend: fallthroughs, the wrappers
//! that torchgen puts around the functional kernels of a backend file
//! (`gets_generated_out_inplace_wrapper`), and kernels that are PyTorch's boxed CPU fallback
//! (`aten/src/ATen/native/CPUFallback.cpp`).

use rustc_hash::FxHashMap;

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::{Argument, SchemaKind};

use super::generated::{Call, Named};
use crate::entry::View;
use crate::registrations::Row;

/// The file of the boxed fallback, as processes report it.
const CPU_FALLBACK: &str = "CPUFallback.cpp";

/// What is special about a kernel on a key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Own {
    /// It only passes the call on.
    Fallthrough,
    /// It calls other operators.
    Calls(Vec<Call>),
}

/// The special kernels of a revision.
pub(super) type OwnKernels = FxHashMap<(OperatorId, Slot), Own>;

/// Finds the special kernels among the registrations that count.
pub(super) fn special(view: View<'_>, named: &Named) -> OwnKernels {
    let mut found = OwnKernels::default();
    for (id, operator) in view.inputs.catalogue.iter() {
        // The last registration to a key counts.
        for row in view.tables.used_rows(id) {
            let Key::Runtime(slot) = row.key else {
                continue;
            };
            match own(view, named, operator, row) {
                Some(own) => found.insert((id, slot), own),
                None => found.remove(&(id, slot)),
            };
        }
    }
    found
}

fn own(view: View<'_>, named: &Named, operator: &Operator, row: &Row) -> Option<Own> {
    if row.fallthrough {
        return Some(Own::Fallthrough);
    }
    if row.is_wrapper() {
        let copy = match operator.kind {
            SchemaKind::Out => named.copy_from_and_resize,
            _ => named.copy_from,
        };
        return Some(calls([copy, None]));
    }
    let file = row.observed_file(view.inputs)?;
    if !file.ends_with(CPU_FALLBACK) {
        return None;
    }
    let arguments = &operator.schema().arguments;
    let writes = arguments.all().iter().any(Argument::is_write);
    // Arguments go to the CPU and results come back; what the kernel wrote is copied back apart.
    Some(calls([
        named.copy_from,
        named.copy_from_and_resize.filter(|_| writes),
    ]))
}

fn calls(called: [Option<OperatorId>; 2]) -> Own {
    let called = called.into_iter().flatten();
    Own::Calls(called.map(|to| Call { to, always: true }).collect())
}
