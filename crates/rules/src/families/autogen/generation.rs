//! Faults of generation (torchgen `add_generated_native_functions`).

use opatlas_operators::generate::GenerationFault;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::name::OperatorName;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use rustc_hash::FxHashSet;

use crate::scope::places::autogen_at;
use crate::scope::{OutOfStep, Scope};
use crate::sink::Sink;

pub(super) fn faults(scope: &Scope<'_>, sink: &mut Sink) -> FxHashSet<OperatorId> {
    let mut faulty = FxHashSet::default();
    for fault in &scope.catalogue.faults {
        let id = fault.operator();
        faulty.insert(id);
        let duplicates = !scope.catalogue.groups.of(id).duplicates.is_empty();
        if duplicates || scope.has_broken_sibling(id) {
            continue;
        }
        match fault {
            GenerationFault::NoTensorReturn(id) => no_tensor(scope, *id, sink),
            GenerationFault::OutWithoutOtherVariant(id) => lonely_out(scope, *id, sink),
            GenerationFault::BrokenSchema { from, schema, why } => {
                broken(scope, *from, schema, why, sink);
            }
            GenerationFault::NameClash { from, name, with } => {
                clash(scope, *from, name, *with, sink);
            }
        }
    }
    faulty
}

/// Operators with kernels need an out variant, and composite ones with the tag `core`.
fn no_tensor(scope: &Scope<'_>, id: OperatorId, sink: &mut Sink) {
    let operator = scope.operator(id);
    let mut members = scope.catalogue.groups.of(id).members();
    let (why, help) = if members.all(|id| scope.operator(id).is_composite_implicit()) {
        (
            "is tagged `core`",
            "return a tensor, or remove the tag `core`",
        )
    } else {
        (
            "has its own kernels",
            "return a tensor, or remove `dispatch` to make the operator composite; PyTorch exempts a \
             fixed list of operators",
        )
    };
    let mut message = message!("`{}` ", operator.name());
    message.push_str(why);
    message.push_str(", but returns no tensor, so it cannot have an out variant");
    let at = operator.schema().returns_at.0;
    let diagnostic = Diagnostic::new(RuleId::NoTensorReturn, at, message).with_help(help);
    scope.report(sink, id, diagnostic);
}

fn lonely_out(scope: &Scope<'_>, id: OperatorId, sink: &mut Sink) {
    let out = scope.operator(id);
    let message = message!("out variant `{}` belongs to no group", out.name());
    let at = out.schema().name_at.0;
    let diagnostic = |message| Diagnostic::new(RuleId::OutWithoutOtherVariant, at, message);
    let Some(apart) = OutOfStep::find(scope, scope.catalogue.groups.of(id)) else {
        let help = "declare the functional variant with the same arguments and defaults";
        scope.report(sink, id, diagnostic(message).with_help(help));
        return;
    };
    let mut message = message;
    message.push_str(": ");
    message.push(&apart.message());
    let diagnostic = apart.explain(diagnostic(message), id);
    scope.report_with(sink, id, diagnostic, &apart.elsewhere());
}

fn broken(scope: &Scope<'_>, id: OperatorId, schema: &str, why: &str, sink: &mut Sink) {
    let operator = scope.operator(id);
    let returns = &operator.schema().returns;
    let tensors = returns.iter().filter(|r| r.ty.is_tensor_like()).count();
    let diagnostic = if tensors > 0 && tensors < returns.len() {
        let message = "cannot generate an out variant: only some of the returns are tensors";
        Diagnostic::new(RuleId::AutogenMixedReturns, autogen_at(operator), message)
            .with_related("see these returns", operator.schema().returns_at.0)
            .with_help("declare the out variant by hand, or remove `autogen`")
    } else {
        let message = message!("cannot generate the variant `{}`: {}", schema, why);
        Diagnostic::new(RuleId::AutogenSchema, autogen_at(operator), message)
            .with_help("fix the schema, or declare the variants by hand")
    };
    scope.report(sink, id, diagnostic);
}

fn clash(
    scope: &Scope<'_>,
    id: OperatorId,
    name: &OperatorName,
    with: OperatorId,
    sink: &mut Sink,
) {
    let operator = scope.operator(id);
    if let Some(apart) = OutOfStep::find(scope, scope.catalogue.groups.of(id)) {
        let mut message = message!("cannot generate `{}`: ", name);
        message.push(&apart.message());
        let at = autogen_at(operator);
        let diagnostic = Diagnostic::new(RuleId::AutogenNameClash, at, message);
        scope.report_with(sink, id, apart.explain(diagnostic, id), &apart.elsewhere());
        return;
    }
    let message = message!(
        "cannot generate `{}`: an operator with this name exists",
        name
    );
    let diagnostic = Diagnostic::new(RuleId::AutogenNameClash, autogen_at(operator), message)
        .with_help("rename one of the two overloads");
    let elsewhere = [("the existing operator is here", with, scope.name_at(with))];
    scope.report_with(sink, id, diagnostic, &elsewhere);
}

/// Reports generated operators that left the group of their base. Neither side is checked further.
pub(super) fn strays(scope: &Scope<'_>, faulty: &mut FxHashSet<OperatorId>, sink: &mut Sink) {
    let groups = &scope.catalogue.groups;
    for (id, operator) in scope.catalogue.native() {
        let Some(from_id) = operator.generated_from() else {
            continue;
        };
        let from = scope.operator(from_id);
        let group = groups.of(id);
        let settled = group.members().count() > 1 && group.duplicates.is_empty();
        if settled || from.signature() == operator.signature() {
            continue;
        }
        faulty.insert(id);
        faulty.insert(from_id);
        if !scope.has_broken_sibling(from_id) {
            stray(scope, id, from, sink);
        }
    }
}

fn stray(scope: &Scope<'_>, id: OperatorId, from: &Operator, sink: &mut Sink) {
    let message = message!(
        "the generated `{}` does not have the signature of `{}`, so it cannot join its group",
        scope.operator(id).canonical(),
        from.name()
    );
    // The signatures differ if the schema writes to an argument although its name does not say so.
    let written = from.schema().arguments.all().iter().find(|a| a.is_write());
    let at = written.map_or_else(|| autogen_at(from), |argument| argument.type_at.0);
    let diagnostic = Diagnostic::new(RuleId::AutogenStrayVariant, at, message)
        .with_help("name an operator that mutates `self` with a trailing `_`, or remove `autogen`")
        .with_related("generated from here", autogen_at(from));
    scope.report(sink, id, diagnostic);
}
