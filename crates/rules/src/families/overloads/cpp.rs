//! Operators whose generated C++ functions have the same name and parameter types.

use opatlas_operators::faces::FaceMaker;
use opatlas_operators::operator::OperatorId;
use opatlas_schema::faces::Call;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use rustc_hash::FxHashMap;

use crate::scope::{MOST_OVERLOADS, Scope};
use crate::sink::Sink;

pub(super) fn check(scope: &Scope<'_>, sink: &mut Sink) {
    let mut overloads: FxHashMap<&str, Vec<OperatorId>> = FxHashMap::default();
    for (id, operator) in scope.operators() {
        overloads.entry(operator.base_name()).or_default().push(id);
    }
    overloads.retain(|_, ids| ids.len() > 1);
    for ids in sink.while_wanted(overloads.into_values()) {
        let ids = &ids[..ids.len().min(MOST_OVERLOADS)];
        for call in [Call::Function, Call::Method] {
            of_one_name(scope, ids, call, sink);
        }
    }
}

fn of_one_name(scope: &Scope<'_>, ids: &[OperatorId], call: Call, sink: &mut Sink) {
    let maker = FaceMaker::new(scope.catalogue);
    let mut earlier: FxHashMap<String, OperatorId> = FxHashMap::default();
    for &id in ids {
        let functions = maker.cpp_overloads(scope.operator(id), call);
        let same = functions
            .iter()
            .find_map(|function| Some((function, *earlier.get(function)?)));
        if let Some((function, first)) = same {
            report(scope, id, first, function, sink);
        }
        for function in functions {
            earlier.entry(function).or_insert(id);
        }
    }
}

fn report(scope: &Scope<'_>, id: OperatorId, first: OperatorId, function: &str, sink: &mut Sink) {
    let (operator, other) = (scope.operator(id), scope.operator(first));
    // Another rule reports two entries with one name.
    if operator.name() == other.name() || scope.has_broken_sibling(id) {
        return;
    }
    let message = message!(
        "`{}` and `{}` are the same function in C++: `{}`",
        operator.name(),
        other.name(),
        function
    );
    let at = scope.name_at(id);
    let diagnostic = Diagnostic::new(RuleId::CppOverloadDuplicate, at, message).with_help(
        "rename one of them, or change the type of an argument: C++ ignores the names of arguments, \
         overload names, defaults and `*`",
    );
    let elsewhere = [("the other operator is here", first, scope.name_at(first))];
    scope.report_with(sink, id, diagnostic, &elsewhere);
}
