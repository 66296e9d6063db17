//! Kernels that take a composite's decomposition away from autograd.

use opatlas_dispatch::{Build, Inputs, Source, autograd_key};
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::keys::Key;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, Stop, Stopped, message};
use opatlas_sources::RegistrationKind;
use opatlas_verdict::{Tables, View};

use crate::scope::IMPLICIT;
use crate::scope::places::declaration;
use crate::sink::Sink;

/// Checks the kernels of backend files and sources at the keys of backends.
pub(crate) fn check(inputs: Inputs<'_>, sink: &mut Sink, stop: &Stop) -> Result<(), Stopped> {
    let catalogue = inputs.catalogue;
    if catalogue.backends.is_empty() && catalogue.sources.is_empty() {
        return stop.check();
    }
    let tables = Tables::new_until(inputs, &Build::ALL, Source::Everything, stop)?;
    let view = View::new(inputs, &tables);
    for (file, backend) in &catalogue.backends {
        for kernels in backend.kernels(catalogue) {
            for kernel in sink.while_wanted(&kernels.kernels) {
                let help = Help::List;
                report(
                    view,
                    sink,
                    (file, kernel.at),
                    kernel.operator,
                    kernels.key,
                    help,
                );
            }
        }
    }
    let rows = catalogue.sources.rows().iter();
    let kernels = rows.filter(|row| row.kind == RegistrationKind::Impl && row.is_dispatched());
    for row in sink.while_wanted(kernels) {
        let operator = row.qualified_name().and_then(|name| catalogue.find(&name));
        if let (Some(operator), Some(key)) = (operator, row.key.as_deref()) {
            let place = (catalogue.sources.file(row.file), row.at);
            report(view, sink, place, operator, key, Help::Register);
        }
    }
    stop.check()
}

/// How a kernel gets to the autograd key.
#[derive(Clone, Copy)]
enum Help {
    /// A backend file lists it.
    List,
    /// Sources register it.
    Register,
}

fn report(
    view: View<'_>,
    sink: &mut Sink,
    (file, at): (&str, Span),
    id: OperatorId,
    key: &str,
    help: Help,
) {
    let catalogue = view.inputs.catalogue;
    let mut kernels = catalogue.kernels(id).iter();
    let is_composite = kernels.any(|kernel| kernel.key.as_str() == IMPLICIT);
    let Some(slot) = view.keys().slot(key).filter(|_| is_composite) else {
        return;
    };
    let training = view.trains(id, slot);
    let is_lost = training.is_some_and(|training| training.lacks_autograd());
    let Some(autograd) = autograd_key(view.keys(), slot).filter(|_| is_lost) else {
        return;
    };
    let autograd = view.keys().name(Key::Runtime(autograd));
    let name = catalogue.operator(id).qualified_name();
    let message = message!(
        "a kernel at {} replaces the decomposition of composite `{}` for {} too, so training fails",
        key,
        name,
        autograd
    );
    let diagnostic = Diagnostic::new(RuleId::AutogradLost, at, message);
    let diagnostic = match help {
        Help::List => diagnostic.with_help(message!(
            "list it under `autograd` if the kernel calls operators that have gradients; or remove it, \
             and let `{}` decompose",
            name
        )),
        Help::Register => diagnostic.with_help(message!(
            "register a differentiable kernel at {} too, or remove this one and let `{}` decompose",
            autograd,
            name
        )),
    };
    sink.about(file, name, diagnostic);
    if let Some(related) = declaration(catalogue, id) {
        sink.relate(related);
    }
}
