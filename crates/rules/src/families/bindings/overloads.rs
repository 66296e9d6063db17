//! Overloads that Python cannot tell apart (`group_overloads` of
//! `tools/autograd/gen_python_functions.py`).

use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::function::Argument;
use opatlas_schema::types::Type;
use opatlas_source::diagnostic::{Diagnostic, RuleId};
use opatlas_source::message;
use rustc_hash::FxHashMap;

use super::place::{Place, text_of};
use super::{calls, lone};
use crate::sink::Sink;

/// The maximum number of overloads of one shape that are compared.
const MOST_COMPARED: usize = 100;

/// The parameters of an overload as Python sees them, without its out arguments. Overloads of
/// different shapes have different signatures.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Shape<'a> {
    place: Place<'a>,
    name: &'a str,
    has_out: bool,
    positional: Vec<Parameter<'a>>,
    keyword_only: Vec<Parameter<'a>>,
    has_options: bool,
}

type Parameter<'a> = (&'a str, &'a Type, Option<&'a str>);

impl<'a> Shape<'a> {
    fn new(operator: &'a Operator, place: Place<'a>) -> Self {
        let arguments = &operator.schema().arguments;
        let this = arguments.self_index().filter(|_| place == Place::Method);
        let positional = arguments.positional().iter().enumerate();
        let positional = positional.filter(|(i, _)| Some(*i) != this);
        Self {
            place,
            name: operator.base_name(),
            has_out: !arguments.out().is_empty(),
            positional: positional.map(|(_, one)| parameter(one)).collect(),
            keyword_only: arguments
                .keyword_only_without_options()
                .map(parameter)
                .collect(),
            has_options: arguments.tensor_options().is_some(),
        }
    }

    fn without_out(&self) -> Self {
        Self {
            has_out: false,
            ..self.clone()
        }
    }
}

fn parameter(argument: &Argument) -> Parameter<'_> {
    (&argument.name, &argument.ty, argument.default.as_deref())
}

pub(super) fn check(catalogue: &Catalogue, sink: &mut Sink) {
    let mut overloads: FxHashMap<Shape<'_>, Vec<OperatorId>> = FxHashMap::default();
    let bound = catalogue.iter().filter(|(id, _)| catalogue.is_bound(*id));
    for (id, operator) in sink.while_wanted(bound) {
        returns(operator, sink);
        calls::check(operator, catalogue.release, sink);
        for place in Place::of(operator) {
            let shape = Shape::new(operator, place);
            overloads.entry(shape).or_default().push(id);
        }
    }
    let alone = overloads
        .keys()
        .filter(|shape| shape.has_out && !overloads.contains_key(&shape.without_out()));
    let alone: Vec<(Place<'_>, OperatorId)> = alone
        .flat_map(|shape| overloads[shape].iter().map(|&id| (shape.place, id)))
        .collect();
    lone::check(catalogue, alone, sink);
    overloads.retain(|_, alike| alike.len() > 1);
    for (shape, alike) in sink.while_wanted(overloads) {
        duplicates(catalogue, shape.place, &alike, sink);
    }
}

fn duplicates(catalogue: &Catalogue, place: Place<'_>, alike: &[OperatorId], sink: &mut Sink) {
    let mut seen: FxHashMap<String, OperatorId> = FxHashMap::default();
    for &id in alike.iter().take(MOST_COMPARED) {
        let Some(text) = text_of(catalogue, id, place) else {
            continue;
        };
        let operator = catalogue.operator(id);
        match seen.get(&text) {
            // Another rule reports two entries with one name.
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

/// Reports returns of which only some have names.
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

pub(super) fn report(
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
