//! Assembles a registration with the name and the position of its kernel.

use std::borrow::Cow;

use super::{AutogradKind, Inputs, Registration, Row, RowSource, autograd_kind, cpp_name};
use crate::origin::Origin;
use opatlas_operators::derivative_match::Origin as FormulaOrigin;
use opatlas_operators::derivatives::DEFAULT_KEY;
use opatlas_operators::entry::{Field, KernelEntry};
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::{DERIVATIVES, NATIVE_FUNCTIONS, Span};

type Place<'a> = (Option<&'a str>, Option<Span>);

pub(super) fn registration<'a>(inputs: Inputs<'a>, id: OperatorId, row: &Row) -> Registration<'a> {
    let (file, span) = place(inputs, id, row);
    Registration {
        key: row.key,
        kernel: kernel_name(inputs, id, row),
        origin: row.origin,
        fallthrough: row.fallthrough,
        file,
        span,
        overridden: false,
    }
}

fn kernel_entry(inputs: Inputs<'_>, of: OperatorId, index: u16) -> Option<&KernelEntry> {
    inputs.catalogue.kernels(of).get(usize::from(index))
}

pub(super) fn kernel_name<'a>(
    inputs: Inputs<'a>,
    id: OperatorId,
    row: &Row,
) -> Option<Cow<'a, str>> {
    let operator = inputs.catalogue.operator(id);
    let symbolic = |name: Cow<'a, str>| Cow::Owned(format!("{name}_symint"));
    Some(match row.source {
        RowSource::Kernel(of, index) => kernel_entry(inputs, of, index)?.kernel.qualified(),
        RowSource::Operator => kernel_of_operator(inputs, id, row.origin),
        RowSource::Formulas(index) => {
            let (formulas, _) = inputs.matches.of(id)?;
            let key = &*formulas.keys.get(usize::from(index))?.key;
            let name = operator.name().unambiguous();
            match key {
                DEFAULT_KEY => format!("VariableType::{name}").into(),
                key => format!("VariableType::{name}_{key}").into(),
            }
        }
        RowSource::Backend(file, at, _) if named_kernel(inputs, file, at).is_some() => {
            Cow::Borrowed(named_kernel(inputs, file, at)?)
        }
        RowSource::Backend(_, _, false) => cpp_name(operator.schema()),
        RowSource::Backend(_, _, true) => symbolic(cpp_name(operator.schema())),
        RowSource::BackendWrapper(..) => cpp_name(operator.schema()),
        RowSource::Scanned(index) => {
            let found = inputs.catalogue.sources.rows().get(index as usize)?;
            Cow::Borrowed(found.kernel.as_deref()?)
        }
        RowSource::Source(_) | RowSource::Observed(_) => return None,
    })
}

fn named_kernel(inputs: Inputs<'_>, file: u16, at: Span) -> Option<&str> {
    let (_, file) = inputs.backends.get(usize::from(file))?;
    file.kernel_at(at)
}

/// Names of functions in generated files.
fn kernel_of_operator(inputs: Inputs<'_>, id: OperatorId, origin: Origin) -> Cow<'_, str> {
    let operator = inputs.catalogue.operator(id);
    let name = operator.name().unambiguous();
    let space = match origin {
        Origin::Autograd => match autograd_kind(inputs, id, DEFAULT_KEY) {
            AutogradKind::NotImplemented => return "autogradNotImplementedFallback".into(),
            _ => "VariableType",
        },
        Origin::InplaceOrView => "ADInplaceOrView",
        Origin::Tracer => "TraceType",
        Origin::Functionalize => match composite_kernel(inputs, id) {
            Some(kernel) => return kernel.kernel.qualified(),
            None => "functionalization",
        },
        Origin::BackendSelect => "BackendSelect",
        _ => return structured_name(inputs, id, operator),
    };
    format!("{space}::{name}").into()
}

/// Composites are registered on `Functionalize` without a wrapper.
fn composite_kernel(inputs: Inputs<'_>, id: OperatorId) -> Option<&KernelEntry> {
    let mut kernels = inputs.catalogue.kernels(id).iter();
    kernels.find(|kernel| kernel.key.as_str() == "CompositeImplicitAutograd")
}

/// Structured operators share a shape function, which is named after the functional variant (torchgen
/// `meta.name`).
fn structured_name<'a>(inputs: Inputs<'a>, id: OperatorId, operator: &'a Operator) -> Cow<'a, str> {
    let group = inputs.catalogue.groups.of(id);
    let functional = group
        .functional
        .filter(|_| operator.is_part_of_structured_group());
    let named = functional.map_or(operator, |functional| inputs.catalogue.operator(functional));
    if named.name().overload().is_empty() {
        Cow::Borrowed(named.base_name())
    } else {
        named.name().unambiguous().into()
    }
}

fn place<'a>(inputs: Inputs<'a>, id: OperatorId, row: &Row) -> Place<'a> {
    let in_backend = |file: u16, span| {
        let named = inputs.backends.get(usize::from(file));
        (named.map(|(name, _)| &**name), Some(span))
    };
    match row.source {
        RowSource::Kernel(of, index) => {
            let at = kernel_entry(inputs, of, index).map(|kernel| kernel.key_at);
            (
                Some(NATIVE_FUNCTIONS),
                at.and_then(|at| in_file(inputs, of, at)),
            )
        }
        RowSource::Operator => (Some(NATIVE_FUNCTIONS), whole(inputs, id, row)),
        RowSource::Formulas(_) => formulas(inputs, id),
        RowSource::Backend(file, span, _) | RowSource::BackendWrapper(file, span) => {
            in_backend(file, span)
        }
        RowSource::Source(_) => (row.source_file(), None),
        RowSource::Scanned(index) => {
            let sources = &inputs.catalogue.sources;
            let found = sources.rows().get(index as usize);
            found.map_or((None, None), |row| {
                (Some(sources.file(row.file)), Some(row.at))
            })
        }
        RowSource::Observed(index) => {
            let recorded = inputs.observed.rows().get(index as usize);
            (recorded.and_then(|row| row.file.as_deref()), None)
        }
    }
}

/// The declaration that a generated kernel follows from: the field that makes the operator structured,
/// else the schema.
fn whole(inputs: Inputs<'_>, id: OperatorId, row: &Row) -> Option<Span> {
    let placed = inputs.catalogue.operator(id).declared();
    let structured = placed
        .filter(|_| row.origin == Origin::Structured)
        .and_then(|placed| {
            let field = [Field::StructuredDelegate, Field::Structured];
            let place = field.iter().find_map(|field| placed.entry.field(*field))?;
            Some(placed.place(place.key.to(place.value)))
        });
    structured.or_else(|| {
        in_file(
            inputs,
            id,
            placed.map_or(Span::default(), |p| p.entry.func_at),
        )
    })
}

/// Converts a position in an operator's entry to one in the file. A generated operator uses the entry of
/// its source.
fn in_file(inputs: Inputs<'_>, id: OperatorId, at: Span) -> Option<Span> {
    let operator = inputs.catalogue.operator(id);
    if let Some(placed) = operator.declared() {
        return Some(placed.place(at));
    }
    let generated = operator.generated()?;
    let from = operator.generated_from()?;
    let base = inputs.catalogue.operator(from).declared()?;
    let at = if at == Span::default() {
        generated.kernels.first()?.key_at
    } else {
        at
    };
    Some(base.place(at))
}

fn formulas(inputs: Inputs<'_>, id: OperatorId) -> Place<'_> {
    let written = inputs.matches.of(id).and_then(|(formulas, _)| {
        let FormulaOrigin::Entry(index) = formulas.origin else {
            return None;
        };
        let file = inputs.derivatives?;
        let entry = file.entries.get(index as usize)?;
        Some(file.span(entry.name))
    });
    match written {
        Some(span) => (Some(DERIVATIVES), Some(span)),
        None => {
            let func = inputs
                .catalogue
                .operator(id)
                .declared()
                .map(|p| p.entry.func_at);
            let span = in_file(inputs, id, func.unwrap_or_default());
            (Some(NATIVE_FUNCTIONS), span)
        }
    }
}
