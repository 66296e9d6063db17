//! Overloads that Python cannot tell apart (`group_overloads` of
//! `tools/autograd/gen_python_functions.py`).

use std::hash::{Hash as _, Hasher as _};

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};

use super::place::{Place, text_of};
use crate::sink::Sink;

/// Of one name at most this many overloads are compared by their whole signatures.
const MOST_COMPARED: usize = 100;

pub(super) fn check(catalogue: &Catalogue, sink: &mut Sink) {
    let mut overloads = Vec::with_capacity(catalogue.operators.len() * 3 / 2);
    let bound = catalogue.iter().filter(|(id, _)| catalogue.is_bound(*id));
    for (id, operator) in sink.while_wanted(bound) {
        returns(operator, sink);
        let is_out = !operator.schema().arguments.out().is_empty();
        for place in Place::of(operator) {
            let mut hasher = FxHasher::default();
            let of = (place, operator.base_name(), is_out);
            of.hash(&mut hasher);
            shape(operator, place, &mut hasher);
            overloads.push((hasher.finish(), of, id));
        }
    }
    // Few share a hash, so most need no further comparison.
    let mut seen = FxHashSet::with_capacity_and_hasher(overloads.len(), FxBuildHasher);
    let again = overloads.iter().map(|(number, ..)| *number);
    let again: FxHashSet<u64> = again.filter(|number| !seen.insert(*number)).collect();
    overloads.retain(|(number, ..)| again.contains(number));
    overloads.sort_unstable();
    let alike = overloads.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1));
    for alike in sink.while_wanted(alike.filter(|alike| alike.len() > 1)) {
        let ids: Vec<OperatorId> = alike.iter().map(|&(.., id)| id).collect();
        duplicates(catalogue, alike[0].1.0, &ids, sink);
    }
}

/// What Python sees of an overload without its out arguments. Overloads of which it gives different
/// numbers have different signatures, save for odd uses of `category_override`.
fn shape(operator: &Operator, place: Place<'_>, hasher: &mut FxHasher) {
    let arguments = &operator.schema().arguments;
    let this = arguments.self_index().filter(|_| place == Place::Method);
    for (i, argument) in arguments.positional().iter().enumerate() {
        if Some(i) != this {
            (&argument.name, &argument.ty, &argument.default).hash(hasher);
        }
    }
    // Between positional and keyword-only arguments.
    u8::MAX.hash(hasher);
    for argument in arguments.keyword_only_without_options() {
        (&argument.name, &argument.ty, &argument.default).hash(hasher);
    }
    arguments.tensor_options().is_some().hash(hasher);
}

fn duplicates(catalogue: &Catalogue, place: Place<'_>, alike: &[OperatorId], sink: &mut Sink) {
    let mut seen: FxHashMap<String, OperatorId> = FxHashMap::default();
    for &id in alike.iter().take(MOST_COMPARED) {
        let Some(text) = text_of(catalogue, id, place) else {
            continue;
        };
        let operator = catalogue.operator(id);
        match seen.get(&text) {
            // Two entries with one name are another rule's.
            Some(&first) if catalogue.operator(first).name() != operator.name() => {
                let earlier = catalogue.operator(first).name_text();
                let message = message!(
                    "Python cannot tell this overload from `{}`: both are `{}`",
                    earlier,
                    text
                );
                let help = "change the type or the name of an argument, or merge the overloads";
                report(
                    operator,
                    RuleId::PythonOverloadDuplicate,
                    message,
                    help,
                    sink,
                );
            }
            Some(_) => {}
            None => {
                seen.insert(text, id);
            }
        }
    }
}

/// Returns of which only some have names.
fn returns(operator: &Operator, sink: &mut Sink) {
    let returns = &operator.schema().returns;
    let named = returns.iter().filter(|r| r.name.is_some()).count();
    if named > 0 && named < returns.len() {
        let message = message!("{} of {} returns have names", named, returns.len());
        let help = "name all returns or none; Python returns a named tuple if all have names";
        report(
            operator,
            RuleId::PythonReturnsPartlyNamed,
            message,
            help,
            sink,
        );
    }
}

fn report(
    operator: &Operator,
    rule: RuleId,
    message: opatlas_source::Message,
    help: impl Into<opatlas_source::Message>,
    sink: &mut Sink,
) {
    if let Some(placed) = operator.declared() {
        let diagnostic = Diagnostic::new(rule, placed.entry.func_at, message);
        sink.entry(placed, diagnostic.with_help(help));
    }
}
