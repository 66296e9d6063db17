//! `autogen` lists compared with generated operators (torchgen
//! `NativeFunctionsGroup.__post_init__`).

use opatlas_operators::entry::Field;
use opatlas_operators::generate;
use opatlas_operators::group::Group;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;

use crate::scope::field_edit::{adding, removing};
use crate::scope::places::autogen_at;
use crate::scope::{OutOfStep, Scope, written};
use crate::sink::Sink;

fn listed(operator: &Operator) -> impl Iterator<Item = &str> {
    let written = operator.declared().into_iter();
    written.flat_map(|placed| placed.entry.autogen.iter().map(|name| name.value.as_str()))
}

pub(super) fn check(scope: &Scope<'_>, group: &Group, sink: &mut Sink) -> bool {
    let members = || group.members().map(|id| scope.operator(id));
    let is_concerned =
        |operator: &Operator| operator.has_tag("generated") || listed(operator).next().is_some();
    if !members().any(is_concerned) {
        return true;
    }
    let mut generated: Vec<&str> = members()
        .filter(|operator| operator.has_tag("generated"))
        .map(|operator| operator.name_text())
        .collect();
    generated.sort_unstable();
    let mut named: Vec<&str> = members().flat_map(listed).collect();
    named.sort_unstable();
    named.dedup();
    if generated == named {
        return true;
    }
    let release = scope.catalogue.release;
    let Some(base) = generate::base(&written(scope, group), release) else {
        return false;
    };
    if scope.has_broken_sibling(base) {
        return false;
    }
    let is_missing = generated.iter().any(|name| !named.contains(name));
    if is_missing && let Some(apart) = OutOfStep::find(scope, group) {
        apart_of_name(scope, base, group, &apart, sink);
        return false;
    }
    for id in group.members() {
        let operator = scope.operator(id);
        let wrong = listed(operator).any(|name| !generated.contains(&name));
        if (id == base && is_missing) || wrong {
            let wanted: Vec<&str> = if id == base {
                generated.clone()
            } else {
                listed(operator)
                    .filter(|name| generated.contains(name))
                    .collect()
            };
            mismatch(scope, id, &generated, &wanted, sink);
        }
    }
    false
}

/// Reports a generated operator whose name a declared one has. Rules about structured groups come
/// first.
fn apart_of_name(
    scope: &Scope<'_>,
    base: OperatorId,
    group: &Group,
    apart: &OutOfStep<'_, '_>,
    sink: &mut Sink,
) {
    if group
        .out
        .is_some_and(|out| scope.operator(out).is_structured())
    {
        return;
    }
    let at = autogen_at(scope.operator(base));
    let diagnostic = Diagnostic::new(RuleId::AutogenListMismatch, at, apart.message());
    let diagnostic = apart.explain(diagnostic, base);
    scope.report_with(sink, base, diagnostic, &apart.elsewhere());
}

fn mismatch(
    scope: &Scope<'_>,
    id: OperatorId,
    generated: &[&str],
    wanted: &[&str],
    sink: &mut Sink,
) {
    let operator = scope.operator(id);
    let Some(placed) = operator.declared() else {
        return;
    };
    let what = match generated {
        [] => "PyTorch generates nothing for it".into(),
        names => message!("PyTorch generates `{}` for it", names.join(", ")),
    };
    let has_list = placed.entry.field(Field::Autogen).is_some();
    let message = if has_list {
        let listed: Vec<&str> = listed(operator).collect();
        message!(
            "`{}` declares `autogen: {}`, but {}",
            operator.name(),
            listed.join(", "),
            what
        )
    } else {
        message!("`{}` declares no `autogen`, but {}", operator.name(), what)
    };
    let at = autogen_at(operator);
    let mut diagnostic = Diagnostic::new(RuleId::AutogenListMismatch, at, message);
    let is_declared = |name: &&&str| {
        let mut all = scope.catalogue.all_named(name);
        all.any(|id| scope.operator(id).declared().is_some())
    };
    if let Some(name) = wanted.iter().find(is_declared) {
        let help = message!(
            "`{}` is declared: give all variants the same arguments, defaults and returns",
            name
        );
        scope.report(sink, id, diagnostic.with_help(help));
        return;
    }
    let wanted = wanted.join(", ");
    let line = format!("autogen: {wanted}");
    let text = scope.text(placed);
    diagnostic =
        match (wanted.is_empty(), has_list) {
            (true, _) => removing(diagnostic, text, &placed.entry, Field::Autogen)
                .with_help("remove `autogen`"),
            (false, true) => diagnostic
                .with_fix(at, wanted)
                .with_help(message!("write `{}`", line)),
            (false, false) => adding(diagnostic, text, &placed.entry, &line)
                .with_help(message!("write `{}`", line)),
        };
    scope.report(sink, id, diagnostic);
}
