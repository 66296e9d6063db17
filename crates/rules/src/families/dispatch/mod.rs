//! `dispatch`: keys, kernels, and composites. Lowering reports what it cannot parse.

mod kernels;
mod keys;

use std::cell::OnceCell;

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::entry::{DispatchLine, Entry, Field, KernelSource};
use opatlas_operators::operator::PlacedEntry;
use opatlas_schema::function::FunctionSchema;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use rustc_hash::FxHashSet;

use crate::scope::field_edit::{adding, removing};
use crate::scope::places::{field_at, is_unread};
use crate::scope::{IMPLICIT, Scope};
use crate::sink::Sink;

/// The one composite that can be combined with another.
const NESTED: &str = "CompositeImplicitAutogradNestedTensor";

pub(super) fn entries(scope: &Scope<'_>, sink: &mut Sink) {
    let release = scope.catalogue.release;
    let decomposing = Decomposing::new(scope.catalogue);
    for placed in sink.while_wanted(scope.entries()) {
        let Some(lines) = &placed.entry.dispatch else {
            factory(scope, placed, sink);
            default_kernel(placed, sink);
            continue;
        };
        if lines.is_empty() {
            empty(placed, sink);
            continue;
        }
        keys::check(placed, lines, release, sink);
        composites(placed, lines, sink);
        if let [line] = lines.as_slice() {
            only_implicit(scope, placed, line, sink);
        }
        drops_composite(placed, lines, &decomposing, sink);
    }
    kernels::operators(scope, sink);
}

fn is_composite(key: &str) -> bool {
    key.starts_with("Composite")
}

fn empty(placed: &PlacedEntry, sink: &mut Sink) {
    let entry = &placed.entry;
    if is_unread(entry, Field::Dispatch) {
        return;
    }
    let diagnostic = Diagnostic::new(
        RuleId::DispatchEmpty,
        field_at(entry, Field::Dispatch),
        "an empty `dispatch` leaves the operator without a kernel",
    )
    .with_help(
        "list the kernels here, unless all of them are registered elsewhere; without the field the \
         operator has a composite kernel",
    );
    sink.entry(placed, diagnostic);
}

fn implicit_schema(entry: &Entry) -> Option<&FunctionSchema> {
    let elsewhere = entry.structured
        || entry.structured_delegate.is_some()
        || is_unread(entry, Field::Structured)
        || is_unread(entry, Field::StructuredDelegate);
    entry.schema.as_ref().filter(|_| !elsewhere)
}

fn factory(scope: &Scope<'_>, placed: &PlacedEntry, sink: &mut Sink) {
    let entry = &placed.entry;
    let Some(schema) = implicit_schema(entry) else {
        return;
    };
    let base = schema.name.base();
    let arguments = &schema.arguments;
    let why = if base.starts_with("new_") || base.ends_with("_like") {
        "its name says so"
    } else if arguments.tensor_options().is_some()
        && !arguments.non_out().iter().any(|a| a.ty.is_tensor_like())
    {
        "it has TensorOptions and takes no tensor"
    } else {
        return;
    };
    let diagnostic = Diagnostic::new(
        RuleId::FactoryNeedsDispatch,
        schema.name_at.0,
        message!("`{}` is a factory ({}) but has no `dispatch`", base, why),
    )
    .with_help("list its kernel under CompositeExplicitAutograd: a factory must not decompose");
    let lines = format!(
        "dispatch:\n  CompositeExplicitAutograd: {}",
        schema.default_kernel()
    );
    let text = scope.text(placed);
    sink.entry(placed, adding(diagnostic, text, entry, &lines));
}

/// The implicit kernel of an operator outside `aten` is still in `at::native`.
fn default_kernel(placed: &PlacedEntry, sink: &mut Sink) {
    let entry = &placed.entry;
    let implicit = entry
        .kernels
        .iter()
        .find(|k| k.source == KernelSource::Implicit);
    let (Some(kernel), Some(schema)) = (implicit, &entry.schema) else {
        return;
    };
    if &*entry.namespace != "aten" && !entry.manual_kernel_registration {
        let message = message!(
            "without `dispatch` the kernel is `at::native::{}`, not a function in namespace `{}`",
            kernel.kernel.name,
            entry.namespace
        );
        sink.entry(
            placed,
            Diagnostic::new(RuleId::DispatchDefault, schema.name_at.0, message)
                .with_help("define the kernel there, or list another kernel in `dispatch`"),
        );
    }
}

fn composites(placed: &PlacedEntry, lines: &[DispatchLine], sink: &mut Sink) {
    let mut found: Vec<&DispatchLine> = Vec::new();
    for line in lines.iter().filter(|line| is_composite(line.key.as_str())) {
        if !found.iter().any(|earlier| earlier.key == line.key) {
            found.push(line);
        }
    }
    let (first, second) = match found.as_slice() {
        [first, second] => (first, second),
        [first, second, ..] => {
            // Of three keys, two may be the allowed pair; report the third.
            (
                first,
                if may_stand_together(first, second) {
                    &found[2]
                } else {
                    second
                },
            )
        }
        _ => return,
    };
    if found.len() == 2 && may_stand_together(first, second) {
        return;
    }
    let (a, b) = (first.key.as_str(), second.key.as_str());
    sink.entry(
        placed,
        Diagnostic::new(
            RuleId::DispatchMultipleComposite,
            second.key_at,
            message!(
                "the kernels of `{}` and `{}` conflict: one of them never runs",
                b,
                a
            ),
        )
        .with_help(message!(
            "keep one of the two; only {} can be combined with CompositeImplicitAutograd or \
             CompositeExplicitAutograd",
            NESTED
        ))
        .with_related("the other composite kernel is here", first.key_at),
    );
}

fn may_stand_together(a: &DispatchLine, b: &DispatchLine) -> bool {
    let keys = [a.key.as_str(), b.key.as_str()];
    keys.contains(&NESTED) && !keys.contains(&"CompositeExplicitAutogradNonFunctional")
}

/// A `dispatch` that means the same as none.
fn only_implicit(scope: &Scope<'_>, placed: &PlacedEntry, line: &DispatchLine, sink: &mut Sink) {
    let entry = &placed.entry;
    let Some(schema) = &entry.schema else { return };
    if line.key.as_str() != IMPLICIT || is_unread(entry, Field::Dispatch) {
        return;
    }
    let expected = schema.default_kernel();
    let written = line.kernel_at.slice(scope.text(placed));
    let kernel = &line.kernel;
    let text = scope.text(placed);
    if kernel.namespace.is_none() && *kernel.name == *expected && !written.starts_with("::") {
        let diagnostic = Diagnostic::new(
            RuleId::DispatchRedundantImplicit,
            line.key_at.to(line.kernel_at),
            message!(
                "`dispatch` is redundant: `{}` on {} is the default kernel",
                expected,
                IMPLICIT
            ),
        )
        .with_help("remove the field `dispatch`");
        let removed = removing(diagnostic, text, entry, Field::Dispatch);
        sink.entry(placed, removed.with_same_meaning());
        return;
    }
    let delegates =
        entry.structured_delegate.is_some() || is_unread(entry, Field::StructuredDelegate);
    if delegates || kernel.name.contains("_symint") {
        return;
    }
    let diagnostic = Diagnostic::new(
        RuleId::DispatchSingletonImplicitName,
        line.kernel_at,
        message!(
            "the only kernel, on {}, must be named `{}`",
            IMPLICIT,
            expected
        ),
    )
    .with_help(message!(
        "rename the C++ function to `{}` and remove the field `dispatch`",
        expected
    ));
    sink.entry(placed, removing(diagnostic, text, entry, Field::Dispatch));
}

/// Only kernels for special layouts, while a variant or overload decomposes: ordinary tensors lost
/// their composite kernel.
fn drops_composite(
    placed: &PlacedEntry,
    lines: &[DispatchLine],
    decomposing: &Decomposing<'_>,
    sink: &mut Sink,
) {
    let entry = &placed.entry;
    let special = |line: &DispatchLine| {
        let key = line.key.as_str();
        ["Sparse", "Nested", "Quantized", "Mkldnn", "Zero"]
            .iter()
            .any(|prefix| key.starts_with(prefix))
    };
    if !lines.iter().all(special) {
        return;
    }
    let Some(schema) = implicit_schema(entry) else {
        return;
    };
    if !decomposing.has(schema.name.stem()) {
        return;
    }
    let message = "this `dispatch` serves no ordinary tensors, and it removes the implicit \
                   composite kernel";
    sink.entry(
        placed,
        Diagnostic::new(RuleId::DispatchDropsComposite, lines[0].key_at, message).with_help(
            message!(
                "add `{}: {}` if that kernel exists",
                IMPLICIT,
                schema.default_kernel()
            ),
        ),
    );
}

/// Base names of operators without `dispatch`, collected on first use.
struct Decomposing<'c> {
    catalogue: &'c Catalogue,
    stems: OnceCell<FxHashSet<&'c str>>,
}

impl<'c> Decomposing<'c> {
    fn new(catalogue: &'c Catalogue) -> Self {
        Self {
            catalogue,
            stems: OnceCell::new(),
        }
    }

    fn has(&self, stem: &str) -> bool {
        let stems = self.stems.get_or_init(|| {
            let entries = self.catalogue.native_functions.entries.iter();
            let implicit = entries.filter(|placed| {
                let mut kernels = placed.entry.kernels.iter();
                kernels.any(|kernel| kernel.source == KernelSource::Implicit)
            });
            let schemas = implicit.filter_map(|placed| placed.entry.schema.as_ref());
            schemas.map(|schema| schema.name.stem()).collect()
        });
        stems.contains(stem)
    }
}

/// A functional variant that decomposes while its out variant has kernels: composite functions must
/// not write to out arguments.
pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    for group in sink.while_wanted(scope.catalogue.groups.all()) {
        let (Some(id), Some(out)) = (group.functional, group.out) else {
            continue;
        };
        let (functional, other) = (scope.operator(id), scope.operator(out));
        if !functional.has_kernel(IMPLICIT)
            || other.has_kernel(IMPLICIT)
            || other.kernels().is_empty()
            || other.is_generated()
        {
            continue;
        }
        let message = message!(
            "`{}` is composite, and its out variant has its own kernels, which it must not call",
            functional.name()
        );
        let at = functional.schema().name_at.0;
        let diagnostic = Diagnostic::new(RuleId::CompositeBesideOut, at, message).with_help(
            "implement it with functional operators: `out=` operators have no derivative and \
             cannot be traced",
        );
        let elsewhere = [("the out variant is here", out, other.schema().name_at.0)];
        scope.report_with(sink, id, diagnostic, &elsewhere);
    }
}
