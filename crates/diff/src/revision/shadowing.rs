//! New overloads that accept calls of an older one. Python binds the first match in the argument
//! parser's order (`tools/autograd/gen_python_functions.py`, `sort_overloads`), so this is only a
//! risk.

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

/// The maximum number of older overloads of one base name that a new one is compared with. No
/// release has as many.
const SIBLINGS: usize = 128;

/// Adds new overloads that may take over calls of an older one.
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
            found.map(|(_, sibling)| Call::new(sibling)).collect()
        });
        let own = Call::new(added);
        if let Some(shadowed) = siblings.iter().find(|sibling| own.takes(sibling)) {
            let sibling = shadowed.operator;
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

struct Call<'a> {
    operator: &'a Operator,
    required: &'a [Argument],
    named: Vec<&'a str>,
}

impl<'a> Call<'a> {
    fn new(operator: &'a Operator) -> Self {
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
