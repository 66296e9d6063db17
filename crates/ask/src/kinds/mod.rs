//! The kinds of messages, one file per family. [`all`] has them in the order in which they are tried;
//! of two that recognize the same words, the first counts.

mod autograd;
mod codegen;
mod compiler;
mod cuda;
mod devices;
mod dispatcher;
mod distributed;
mod dtypes;
mod environment;
mod layouts;
mod library;
mod load;
mod missing_kernel;
mod names;
mod python;
mod tracing;
mod values;
mod vmap;

use opatlas_source::diagnostic::RuleId;

use crate::kind::Kind;

/// A pattern with its kind, and the rule of Opatlas that finds the same fault.
pub(crate) type Row = (&'static Kind, &'static str, Option<RuleId>);

const FAMILIES: [&[Kind]; 16] = [
    missing_kernel::KINDS,
    dispatcher::KINDS,
    devices::KINDS,
    vmap::KINDS,
    autograd::KINDS,
    distributed::KINDS,
    tracing::KINDS,
    compiler::KINDS,
    library::KINDS,
    load::KINDS,
    dtypes::KINDS,
    layouts::KINDS,
    python::KINDS,
    cuda::KINDS,
    values::KINDS,
    environment::KINDS,
];

/// All patterns, in order.
pub(crate) fn all() -> impl Iterator<Item = Row> {
    let rows = |kind: &'static Kind| kind.patterns.iter().map(move |it| (kind, *it, None));
    let families = FAMILIES.into_iter().flatten().flat_map(rows);
    families.chain(codegen::rows())
}

/// All kinds.
pub(crate) fn kinds() -> impl Iterator<Item = &'static Kind> {
    let families = FAMILIES.into_iter().flatten();
    families
        .chain(missing_kernel::REFINED)
        .chain(codegen::KINDS)
}
