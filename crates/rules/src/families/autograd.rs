//! Kernels that replace a composite's decomposition, so that autograd loses its gradient.

use opatlas_dispatch::registrations::{AutogradKind, autograd_kind};
use opatlas_dispatch::{Build, Inputs, Source, autograd_key};
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::derivatives::DEFAULT_KEY;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::keys::Key;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Message, Span, Stop, Stopped, message};
use opatlas_sources::{Call, File, Functions, Registration, RegistrationKind};
use opatlas_verdict::{Tables, View};
use rustc_hash::FxHashSet;

use crate::scope::IMPLICIT;
use crate::scope::places::declaration;
use crate::sink::Sink;

/// Checks the kernels of backend files at the keys of backends.
pub(crate) fn check(inputs: Inputs<'_>, sink: &mut Sink, stop: &Stop) -> Result<(), Stopped> {
    let catalogue = inputs.catalogue;
    if catalogue.backends.is_empty() {
        return stop.check();
    }
    let tables = Tables::new_until(inputs, &Build::ALL, Source::Everything, stop)?;
    let view = View::new(inputs, &tables);
    for (file, backend) in &catalogue.backends {
        for kernels in backend.kernels(catalogue) {
            for kernel in sink.while_wanted(&kernels.kernels) {
                let (id, key) = (kernel.operator, kernels.key);
                if let Some(lost) = Lost::find(view, id, key) {
                    let help = message!(
                        "list it under `autograd` if the kernel calls operators that have gradients; or \
                         remove it, and let `{}` decompose",
                        lost.operator
                    );
                    lost.report(sink, (file, kernel.at), help);
                }
            }
        }
    }
    stop.check()
}

/// Checks the kernels that sources register at the keys of backends. A kernel that calls operators with
/// gradients keeps the gradient.
pub(super) fn sources(inputs: Inputs<'_>, files: &[File<'_>], sink: &mut Sink) {
    let sources = &inputs.catalogue.sources;
    if sources.is_empty() {
        return;
    }
    let tables = Tables::new(inputs, &Build::ALL, Source::Everything);
    let view = View::new(inputs, &tables);
    let rows = sources.rows().iter();
    let kernels = rows.filter(|row| row.kind == RegistrationKind::Impl && row.is_dispatched());
    let lost = kernels.filter_map(|row| {
        let id = inputs.catalogue.find(&row.qualified_name()?)?;
        Some((row, Lost::find(view, id, row.key.as_deref()?)?))
    });
    let lost: Vec<(&Registration, Lost<'_>)> = lost.collect();
    let wanted: FxHashSet<&str> = lost.iter().map(|(row, _)| function_name(row)).collect();
    let functions = Functions::find(files, |name| wanted.contains(name)).all;
    for (row, lost) in lost {
        let mut bodies = functions
            .iter()
            .filter(|function| *function.name == *function_name(row));
        if bodies.any(|function| function.calls.iter().any(|call| keeps_gradient(view, call))) {
            continue;
        }
        let help = message!(
            "register a differentiable kernel at {} too, or remove this one and let `{}` decompose",
            lost.autograd,
            lost.operator
        );
        lost.report(sink, (sources.file(row.file), row.at), help);
    }
}

fn function_name(row: &Registration) -> &str {
    let kernel = row.kernel.as_deref().unwrap_or_default();
    kernel.rsplit("::").next().unwrap_or_default()
}

/// `true` if the call may reach an operator with a gradient or an autograd function of the vendor.
fn keeps_gradient(view: View<'_>, call: &Call) -> bool {
    let catalogue = view.inputs.catalogue;
    let has_gradient = |id: &OperatorId| {
        let mut kernels = catalogue.kernels(*id).iter();
        let is_composite = kernels.any(|kernel| kernel.key.as_str() == IMPLICIT);
        is_composite || autograd_kind(view.inputs, *id, DEFAULT_KEY) == AutogradKind::Formula
    };
    &*call.name == "apply" || catalogue.overloads(&call.name).iter().any(has_gradient)
}

/// A composite operator whose gradient is lost because a kernel replaces its decomposition.
struct Lost<'a> {
    id: OperatorId,
    catalogue: &'a Catalogue,
    operator: &'a str,
    key: &'a str,
    autograd: &'static str,
}

impl<'a> Lost<'a> {
    fn find(view: View<'a>, id: OperatorId, key: &'a str) -> Option<Self> {
        let catalogue = view.inputs.catalogue;
        let mut kernels = catalogue.kernels(id).iter();
        let is_composite = kernels.any(|kernel| kernel.key.as_str() == IMPLICIT);
        let slot = view.keys().slot(key).filter(|_| is_composite)?;
        let is_lost = view.trains(id, slot)?.lacks_autograd();
        let autograd = autograd_key(view.keys(), slot).filter(|_| is_lost)?;
        Some(Self {
            id,
            catalogue,
            operator: catalogue.operator(id).qualified_name(),
            key,
            autograd: view.keys().name(Key::Runtime(autograd)),
        })
    }

    fn report(&self, sink: &mut Sink, (file, at): (&str, Span), help: Message) {
        let message = message!(
            "a kernel at {} replaces the decomposition of composite `{}` for {} too: training fails \
             unless the kernel itself calls operators that have gradients",
            self.key,
            self.operator,
            self.autograd
        );
        let diagnostic = Diagnostic::new(RuleId::AutogradLost, at, message).with_help(help);
        sink.about(file, self.operator, diagnostic);
        if let Some(related) = declaration(self.catalogue, self.id) {
            sink.relate(related);
        }
    }
}
