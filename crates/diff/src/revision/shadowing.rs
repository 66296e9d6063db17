//! New overloads that accept calls which an older sibling served. Which one Python binds depends
//! on the order in which the argument parser tries them (`tools/autograd/gen_python_functions.py`,
//! `sort_overloads`), so this is a risk and no certainty.

use super::pairing::Pairing;
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::function::Argument;
use opatlas_schema::types::{BaseType, Type};

/// Adds new overloads that may take over calls of an older one.
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing,
    changes: &mut Vec<Change>,
) {
    let in_base = |id: OperatorId| {
        let old = pairing.in_base[id.index()]?;
        (!base.operator(old).is_generated()).then_some(old)
    };
    for &id in &pairing.added {
        let added = head.operator(id);
        let Some(placed) = added.written() else {
            continue;
        };
        let overloads = head.overloads(added.name().base()).iter();
        let siblings = overloads.filter_map(|&id| Some((in_base(id)?, head.operator(id))));
        let shadowed = siblings
            .filter(|(_, sibling)| accepts_calls_of(added, sibling))
            .min_by_key(|(old, _)| *old);
        if let Some((_, sibling)) = shadowed {
            let name: Box<str> = sibling.qualified_name().into();
            let place = placed.place(placed.entry.func_at);
            let change = Change::new(
                ChangeRuleId::OverloadShadowing,
                added.qualified_name(),
                Subject::Names(vec![name.clone()]),
            )
            .old(Fragment::of_field(sibling.canonical(), None))
            .new_side(Fragment::of_field(added.canonical(), Some(place)));
            changes.push(change.note(Note::Sibling(name)));
        }
    }
}

/// Whether the shortest positional call of the sibling fits the new overload as well.
fn accepts_calls_of(new: &Operator, sibling: &Operator) -> bool {
    let (new, old) = (&new.schema().arguments, &sibling.schema().arguments);
    if new.out().len() != old.out().len() {
        return false;
    }
    let required = |arguments: &[Argument]| {
        arguments
            .iter()
            .take_while(|argument| argument.default.is_none())
            .count()
    };
    let call = &old.positional()[..required(old.positional())];
    let by_name = |argument: &&Argument| argument.default.is_none();
    let needs_name = |arguments: &[Argument]| -> Vec<Box<str>> {
        arguments
            .iter()
            .filter(by_name)
            .map(|a| a.name.clone())
            .collect()
    };
    call.len() >= required(new.positional())
        && call.len() <= new.positional().len()
        && needs_name(new.keyword_only()) == needs_name(old.keyword_only())
        && call
            .iter()
            .zip(new.positional())
            .all(|(given, taken)| takes(&taken.ty, &given.ty))
}

/// Whether an argument of one type takes Python values that are meant for another
/// (`torch/csrc/utils/python_arg_parser.cpp`, `FunctionParameter::check`).
fn takes(taken: &Type, given: &Type) -> bool {
    if taken == given {
        return true;
    }
    let number = |ty: &Type| match ty {
        Type::Base(base) => matches!(
            base,
            BaseType::Int | BaseType::SymInt | BaseType::Float | BaseType::Bool | BaseType::Scalar
        ),
        _ => false,
    };
    match (taken, given) {
        (Type::Optional(taken), Type::Optional(given)) => takes(taken, given),
        (Type::Optional(taken), given) => takes(taken, given),
        (Type::Base(BaseType::Scalar), given) => number(given),
        (Type::Base(BaseType::Float), Type::Base(BaseType::Int | BaseType::SymInt))
        | (Type::Base(BaseType::SymInt), Type::Base(BaseType::Int))
        | (Type::Base(BaseType::Int), Type::Base(BaseType::SymInt)) => true,
        (Type::List(taken, size), given) => match given {
            Type::List(given, _) => takes(taken, given),
            given => size.is_some() && takes(taken, given),
        },
        _ => false,
    }
}
