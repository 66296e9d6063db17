//! Implicit composites that backends have kernels for. Such a kernel replaces the decomposition at the
//! backend's autograd key too, where nothing is left (`docs/spec/dispatch.md`, section 3).

use opatlas_dispatch::autograd_key;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivative_match::Knowledge;
use opatlas_operators::derivatives::names::called;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_schema::function::SchemaKind;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use rustc_hash::FxHashSet;

use crate::scope::places::declaration;
use crate::scope::{IMPLICIT, Scope};
use crate::sink::Sink;

/// The ending of the names of operators that compute a gradient.
const BACKWARD: &str = "_backward";

/// The key of meta tensors, whose kernels `torch.library` refuses beside a decomposition.
const META: &str = "Meta";

/// Functionality of the kernels that are judged: plain tensors and meta tensors.
const DENSE: &str = "Dense";

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let called = called_by_formulas(scope.catalogue);
    for (id, operator) in sink.while_wanted(scope.operators()) {
        backward(scope, id, operator, &called, sink);
        kernels(scope, id, operator, sink);
    }
}

fn called_by_formulas(catalogue: &Catalogue) -> FxHashSet<&str> {
    let Some(file) = &catalogue.derivatives else {
        return FxHashSet::default();
    };
    let sets = file.entries.iter().flat_map(|entry| &entry.sets);
    let formulas = sets.flat_map(|set| &set.formulas);
    let texts = formulas.filter_map(|formula| file.formula(formula));
    texts.flat_map(called).collect()
}

/// Reports operators that compute a gradient and decompose only because they have no `dispatch`.
fn backward(
    scope: &Scope<'_>,
    id: OperatorId,
    operator: &Operator,
    called: &FxHashSet<&str>,
    sink: &mut Sink,
) {
    let catalogue = scope.catalogue;
    let base = operator.base_name();
    let Some(stem) = base.strip_suffix(BACKWARD).filter(|stem| !stem.is_empty()) else {
        return;
    };
    let is_implicit = operator.kind == SchemaKind::Functional
        && operator.is_composite_implicit()
        && operator
            .declared()
            .is_some_and(|placed| placed.entry.dispatch.is_none());
    let has_kernels = |id: &OperatorId| !catalogue.operator(*id).is_composite_implicit();
    let serves = called.contains(base) || catalogue.overloads(stem).iter().any(has_kernels);
    if !is_implicit || !serves || catalogue.derivative_matches.of(id).is_some() {
        return;
    }
    let message = message!(
        "`{}` has no `dispatch`, so a backend that registers a kernel for it replaces the \
         decomposition at its autograd key too, and has no second derivative",
        operator.name()
    );
    let help = message!(
        "if backends implement it, write `CompositeExplicitAutograd: {}` under `dispatch` and add \
         its formula to derivatives.yaml",
        operator.schema().default_kernel()
    );
    let at = operator.schema().name_at.0;
    let diagnostic = Diagnostic::new(RuleId::BackwardImplicit, at, message).with_help(help);
    scope.report(sink, id, diagnostic);
    let forward = catalogue.overloads(stem).first();
    if let Some(related) = forward.and_then(|id| declaration(catalogue, *id)) {
        sink.relate(related);
    }
}

/// Reports kernels beside a decomposition that have no formula.
fn kernels(scope: &Scope<'_>, id: OperatorId, operator: &Operator, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    // PyTorch's own gradients are often not differentiable on purpose.
    let is_judged = operator.has_kernel(IMPLICIT)
        && !operator.base_name().ends_with(BACKWARD)
        && operator.kernels().len() > 1
        && operator.returns_tensors()
        && catalogue.derivative_matches.of(id).is_none();
    if !is_judged {
        return;
    }
    let keys = Keys::of(catalogue.release);
    for kernel in operator.kernels() {
        let key = kernel.key.as_str();
        let dense = keys
            .slot(key)
            .filter(|slot| keys.functionality(*slot) == DENSE);
        if key != META && catalogue.derivative_matches.knowledge != Knowledge::Complete {
            continue; // it may have a formula
        }
        let Some(autograd) = dense.and_then(|slot| autograd_key(keys, slot)) else {
            continue;
        };
        let message = message!(
            "the kernel for {} replaces the decomposition of `{}` for {} too, and without a formula \
             its derivative is not implemented there",
            key,
            operator.name(),
            keys.name(Key::Runtime(autograd))
        );
        let help = message!(
            "remove the kernel for {}, or write CompositeExplicitAutograd instead of {} and add a \
             formula to derivatives.yaml",
            key,
            IMPLICIT
        );
        let diagnostic = Diagnostic::new(RuleId::CompositeBesideKernel, kernel.key_at, message);
        scope.report(sink, id, diagnostic.with_help(help));
    }
}
