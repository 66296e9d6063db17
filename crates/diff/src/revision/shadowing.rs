//! New overloads that accept calls which an older sibling served. Which one Python binds depends
//! on the order in which the argument parser tries them (`tools/autograd/gen_python_functions.py`,
//! `sort_overloads`), so this is a risk and no certainty.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::pairing::Pairing;
use crate::change::{Change, Fragment, Note, Subject};
use crate::rules::ChangeRuleId;
use opatlas_operators::catalogue::Catalogue;
use opatlas_operators::operator::{Operator, OperatorId};
use opatlas_schema::function::Argument;
use opatlas_schema::types::{BaseType, Type};
use opatlas_source::{Stop, Stopped};

/// How many older overloads of one base name, in the base's order, a new one is held against. No
/// release has as many.
const SIBLINGS: usize = 128;

/// Adds new overloads that may take over calls of an older one.
///
/// # Errors
/// [`Stopped`].
pub(super) fn compare(
    base: &Catalogue,
    head: &Catalogue,
    pairing: &Pairing<'_>,
    changes: &mut Vec<Change>,
    stop: &Stop,
) -> Result<(), Stopped> {
    let in_base = |id: OperatorId| {
        let old = pairing.common.in_base[id.index()]?;
        (!base.operator(old).is_generated()).then_some(old)
    };
    let mut siblings: FxHashMap<&str, Vec<Call<'_>>> = FxHashMap::default();
    for &id in &pairing.added {
        stop.check()?;
        let added = head.operator(id);
        let Some(placed) = added.declared() else {
            continue;
        };
        let base_name = added.base_name();
        let siblings = siblings.entry(base_name).or_insert_with(|| {
            let overloads = head.overloads(base_name).iter();
            let found = overloads.filter_map(|&id| Some((in_base(id)?, head.operator(id))));
            let mut found: Vec<_> = found.collect();
            found.sort_unstable_by_key(|(old, _)| *old);
            let found = found.into_iter().take(SIBLINGS);
            found.map(|(_, sibling)| Call::of(sibling)).collect()
        });
        let own = Call::of(added);
        let shadowed = siblings.iter().find(|sibling| own.takes(sibling));
        if let Some(Call {
            operator: sibling, ..
        }) = shadowed
        {
            let name: Arc<str> = sibling.shared_name();
            let place = placed.place(placed.entry.func_at);
            let change = Change::new(
                ChangeRuleId::OverloadShadowing,
                added.shared_name(),
                Subject::Names(vec![name.clone()]),
            )
            .old(Fragment::of_field(sibling.canonical(), None))
            .new_side(Fragment::of_field(added.canonical(), Some(place)));
            changes.push(change.note(Note::Sibling(name)));
        }
    }
    Ok(())
}

/// The shortest positional call of an operator.
struct Call<'a> {
    operator: &'a Operator,
    /// What it has to be given by position.
    required: &'a [Argument],
    /// What it has to be given by name.
    named: Vec<&'a str>,
}

impl<'a> Call<'a> {
    fn of(operator: &'a Operator) -> Self {
        let arguments = &operator.schema().arguments;
        let positional = arguments.positional();
        let required = positional.iter().take_while(|a| a.default.is_none());
        let named = arguments.keyword_only().iter();
        let named = named.filter(|argument| argument.default.is_none());
        Self {
            required: &positional[..required.count()],
            named: named.map(|argument| &*argument.name).collect(),
            operator,
        }
    }

    /// Whether the shortest call of a sibling fits this operator as well.
    fn takes(&self, sibling: &Call<'_>) -> bool {
        let (new, old) = (self.operator.schema(), sibling.operator.schema());
        let taken = new.arguments.positional();
        let given = sibling.required;
        new.arguments.out().len() == old.arguments.out().len()
            && (self.required.len()..=taken.len()).contains(&given.len())
            && self.named == sibling.named
            && given
                .iter()
                .zip(taken)
                .all(|(given, taken)| takes(&taken.ty, &given.ty))
    }
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
