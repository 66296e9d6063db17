//! Kernels on a key itself that are more than a function of the backend: fallthroughs, the wrappers
//! that torchgen puts around the functional kernels of a backend file
//! (`gets_generated_out_inplace_wrapper`), and observed kernels that are PyTorch's boxed CPU fallback
//! (`aten/src/ATen/native/CPUFallback.cpp`), or may be. The fallback copies what it wrote back by
//! `_copy_from_and_resize`, which few backends think of.

use rustc_hash::FxHashMap;

use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Key;
use opatlas_schema::function::{Argument, SchemaKind};
use opatlas_sources::CpuFallback;

use crate::View;
use crate::backends::in_tree;
use crate::column::BARE;
use crate::generated::{Call, Named};
use opatlas_dispatch::origin::Origin;
use opatlas_dispatch::registrations::Row;

/// The file of the boxed fallback, as processes report it.
const CPU_FALLBACK: &str = "CPUFallback.cpp";

/// What is special about a kernel on a key itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Own {
    /// It only passes the call on.
    Fallthrough,
    /// It raises, as if it were not there.
    Raises,
    /// It calls other operators.
    Calls(Vec<Call>),
    /// It runs the operator on the CPU, and calls these on the backend.
    OnCpu(Vec<Call>),
}

/// The operators whose kernels on Meta raise, because their results depend on data
/// (`torch/_meta_registrations.py`).
const RAISE_ON_META: [&str; 3] = ["_local_scalar_dense", "nonzero", "nonzero.out"];

/// The special kernels of a revision.
pub(crate) type OwnKernels = FxHashMap<(OperatorId, Slot), Own>;

/// Finds the special kernels among the registrations that count.
pub(crate) fn special(view: View<'_>, named: &Named) -> OwnKernels {
    let in_tree = in_tree(view);
    let meta = view.keys().slot("Meta").map(Key::Runtime);
    let mut found = OwnKernels::default();
    for (id, operator) in view.inputs.catalogue.iter() {
        // Of most operators no registration is of such a kind, whether it counts or not.
        if !view
            .tables
            .all_rows(id)
            .iter()
            .any(|row| may_be_special(row, meta))
        {
            continue;
        }
        let before = found.len();
        // The last registration to a key counts.
        for row in view.tables.used_rows(id) {
            let Key::Runtime(slot) = row.key else {
                continue;
            };
            let special = may_be_special(row, meta)
                .then(|| own(view, named, operator, row, in_tree.contains(slot)));
            match special.flatten() {
                Some(own) => {
                    found.insert((id, slot), own);
                }
                // Of most operators nothing is found that could be removed.
                None if found.len() > before => {
                    found.remove(&(id, slot));
                }
                None => {}
            }
        }
    }
    found
}

/// Whether a kernel may be special, as far as its registration alone says.
fn may_be_special(row: &Row, meta: Option<Key>) -> bool {
    row.fallthrough
        || row.is_wrapper()
        || matches!(row.origin, Origin::Observed | Origin::Source)
        || (row.origin == Origin::HandWritten && Some(row.key) == meta)
}

/// What is special about a kernel that [`may_be_special`].
fn own(
    view: View<'_>,
    named: &Named,
    operator: &Operator,
    row: &Row,
    is_in_tree: bool,
) -> Option<Own> {
    if row.fallthrough {
        return Some(Own::Fallthrough);
    }
    if row.origin == Origin::HandWritten {
        return RAISE_ON_META
            .contains(&operator.name_text())
            .then_some(Own::Raises);
    }
    if row.is_wrapper() {
        let copy = match operator.kind {
            SchemaKind::Out => named.copy_from_and_resize,
            _ => named.copy_from,
        };
        return Some(calls(copy));
    }
    let copies = |always| {
        let back = named.copy_from_and_resize.filter(|_| writes(operator));
        back.map(|to| Call { to, always })
    };
    let made = || {
        let made = named.makers.result(operator);
        made.map(|to| Call { to, always: true })
    };
    // Arguments go to the CPU and results come back; what the kernel wrote is copied back apart.
    let on_cpu = || {
        let moved = named.copy_from.map(|to| Call { to, always: true });
        let moved = moved.into_iter().chain(copies(true));
        Own::OnCpu(moved.chain(made()).collect())
    };
    if row.origin == Origin::Source {
        return match row.scanned(view.inputs)?.cpu_fallback? {
            CpuFallback::RefusesViews if is_view(operator) => Some(Own::Raises),
            _ => Some(on_cpu()),
        };
    }
    let row = row.observed(view.inputs)?;
    if is_in_tree {
        return None;
    }
    let is_fallback = row.boxed
        || row
            .file
            .as_deref()
            .is_some_and(|f| f.ends_with(CPU_FALLBACK));
    if is_fallback {
        return Some(on_cpu());
    }
    let may_be_fallback = !view.inputs.observed.tells_boxing();
    let calls = copies(false).filter(|_| may_be_fallback);
    let calls: Vec<Call> = calls.into_iter().chain(made()).collect();
    (may_be_fallback || !calls.is_empty()).then_some(Own::Calls(calls))
}

/// Whether a result of an operator shares memory with an argument.
pub(crate) fn is_view(operator: &Operator) -> bool {
    let mut returns = operator.schema().returns.iter();
    returns.any(|result| result.annotation.as_ref().is_some_and(|alias| !alias.write))
}

/// Whether a kernel on a device writes to the memory of an argument. The kernels that hold and move
/// tensors cannot be left to the CPU.
pub(crate) fn writes(operator: &Operator) -> bool {
    let name = operator.name_text();
    let is_of_device = BARE.contains(&name) || name == "copy_" || operator.has_tag("inplace_view");
    let arguments = operator.schema().arguments.all();
    !is_of_device && arguments.iter().any(Argument::is_write)
}

fn calls(called: Option<OperatorId>) -> Own {
    Own::Calls(
        called
            .map(|to| Call { to, always: true })
            .into_iter()
            .collect(),
    )
}
