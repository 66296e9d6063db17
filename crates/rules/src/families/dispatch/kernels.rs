//! Kernels in generated code: namespaces and symbolic sizes.

use opatlas_operators::entry::KernelEntry;
use opatlas_operators::faces::namespace_source;
use opatlas_operators::operator::OperatorId;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::{Span, message};

use crate::scope::types::has_symint;
use crate::scope::{CompleteGroup, Scope};
use crate::sink::Sink;

/// The maximum namespace depth in generated C++ (`NamespaceHelper`).
const DEEPEST: usize = 2;

pub(super) fn operators(scope: &Scope<'_>, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    for (id, operator) in sink.while_wanted(scope.operators()) {
        let kernels = catalogue.kernels(id);
        let symint = kernels.iter().find(|k| is_symbolic(k));
        let qualified = kernels.iter().any(is_qualified);
        let group = CompleteGroup::new(catalogue.groups.of(id));
        let variant_of = group.map(|group| group.out).filter(|&out| out != id);
        if let Some(out) = variant_of
            && (qualified || catalogue.kernels(out).iter().any(is_qualified))
        {
            apart(scope, id, out, sink);
        }
        if symint.is_none() && !qualified {
            continue;
        }
        if qualified && !operator.is_generated() {
            // The generator compares the kernels of the out variant only.
            let is_compared = group.is_none_or(|group| group.out == id);
            namespaces(scope, id, kernels, is_compared, sink);
        }
        if symint.is_some() && !has_symint(operator.schema(), catalogue.release) {
            symbolic(scope, id, kernels, group, sink);
        }
    }
}

fn is_qualified(kernel: &KernelEntry) -> bool {
    kernel.kernel.namespace.is_some()
}

/// Reports a kernel that PyTorch calls in its own namespace, but declares in that of the out variant.
fn apart(scope: &Scope<'_>, id: OperatorId, out: OperatorId, sink: &mut Sink) {
    let catalogue = scope.catalogue;
    let kernels = catalogue.kernels(id);
    let is_uniform = kernels
        .windows(2)
        .all(|pair| namespace(&pair[0]) == namespace(&pair[1]));
    if !is_uniform || scope.operator(id).is_generated() {
        return; // another rule reports kernels in several namespaces
    }
    let home = |kernel| namespace_source(catalogue, id, kernel).map_or("at", namespace);
    let Some(kernel) = kernels.iter().find(|k| namespace(k) != home(k)) else {
        return;
    };
    let other = scope.operator(out);
    let (rule, help) = match other.is_generated() {
        true => (
            RuleId::KernelNamespaceGenerated,
            message!(
                "declare `{}` with a kernel in the same namespace, or use a kernel in `at::native`",
                other.name()
            ),
        ),
        false => (
            RuleId::KernelNamespaceVariant,
            "put the kernels of all variants for a key into one namespace".into(),
        ),
    };
    let message = message!(
        "PyTorch calls this kernel in namespace `{}`, but declares it in `{}`, as for the out variant `{}`",
        namespace(kernel),
        home(kernel),
        other.name()
    );
    let diagnostic = Diagnostic::new(rule, place(scope, id, kernel), message).with_help(help);
    scope.report(sink, id, diagnostic);
}

fn is_symbolic(kernel: &KernelEntry) -> bool {
    kernel.kernel.name.contains("_symint")
}

fn symbolic(
    scope: &Scope<'_>,
    id: OperatorId,
    kernels: &[KernelEntry],
    group: Option<CompleteGroup>,
    sink: &mut Sink,
) {
    let operator = scope.operator(id);
    let structured_keys = scope.catalogue.release.data().structured_keys;
    let structured = operator.is_structured() && group.is_some_and(|group| group.out == id);
    let wrong = kernels.iter().find(|k| {
        let written_as_class = structured && structured_keys.contains(k.key.as_str());
        is_symbolic(k) && !written_as_class
    });
    let Some(kernel) = wrong else { return };
    let message = message!(
        "kernel `{}` takes symbolic sizes (`_symint`), but `{}` has no SymInt argument",
        kernel.kernel.name,
        operator.name()
    );
    let at = place(scope, id, kernel);
    let diagnostic = Diagnostic::new(RuleId::SymintKernelNeedsSymint, at, message)
        .with_help("declare the sizes as `SymInt`, or remove `_symint` from the kernel's name");
    scope.report(sink, id, diagnostic);
}

fn namespaces(
    scope: &Scope<'_>,
    id: OperatorId,
    kernels: &[KernelEntry],
    is_compared: bool,
    sink: &mut Sink,
) {
    let Some(first) = kernels.first() else { return };
    let rule = |rule| match is_compared {
        true => rule,
        false => RuleId::KernelNamespaceVariant,
    };
    if let Some(other) = kernels.iter().find(|k| namespace(k) != namespace(first)) {
        let message = message!(
            "this kernel is in namespace `{}`, but the kernel for {} is in `{}`",
            namespace(other),
            first.key.as_str(),
            namespace(first)
        );
        let at = place(scope, id, other);
        let diagnostic = Diagnostic::new(rule(RuleId::KernelNamespaceSingle), at, message)
            .with_help("move all kernels of the operator into one namespace")
            .with_related("the other kernel is here", place(scope, id, first));
        scope.report(sink, id, diagnostic);
    }
    let deep = kernels.iter().find(|k| {
        let written = namespace(k).split("::").count();
        written <= DEEPEST + 1 && levels(namespace(k)) > DEEPEST
    });
    if let Some(kernel) = deep {
        let message = message!(
            "`{}` has {} levels of namespace; PyTorch supports two",
            namespace(kernel),
            levels(namespace(kernel))
        );
        let at = place(scope, id, kernel);
        let diagnostic = Diagnostic::new(rule(RuleId::KernelNamespace), at, message)
            .with_help("use one or two levels of namespace");
        scope.report(sink, id, diagnostic);
    }
}

/// The position of a kernel in the operator's entry, or of the operator's name if a namesake has the kernel.
fn place(scope: &Scope<'_>, id: OperatorId, kernel: &KernelEntry) -> Span {
    let mut own = scope.operator(id).kernels().iter();
    match own.find(|own| *own == kernel) {
        Some(own) => own.kernel_at,
        None => scope.name_at(id),
    }
}

fn namespace(kernel: &KernelEntry) -> &str {
    kernel.kernel.namespace.as_deref().unwrap_or("at")
}

/// The namespace depth. PyTorch appends `::native` and then removes it everywhere.
fn levels(namespace: &str) -> usize {
    let whole = format!("{namespace}::native");
    whole.replace("::native", "").split("::").count()
}
