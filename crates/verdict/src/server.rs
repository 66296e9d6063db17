//! What serves operators on a key. Most of it follows from the table of an operator, which many share.

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};

use crate::View;
use crate::calls::{Calls, default_alias};
use crate::column::{Served, Traits};
use crate::own::Own;
use opatlas_dispatch::resolve::Precedence;

/// What serves every operator: that of its pattern, which many share.
pub(crate) fn registered(
    view: View<'_>,
    calls: &Calls,
    slot: Slot,
    traits: &Traits,
) -> Vec<Served> {
    let patterns = traits.rules.iter().zip(view.tables.patterns());
    let of_patterns = patterns.map(|(&rule, pattern)| {
        let alias = default_alias(&pattern.registered);
        Server::of(view.keys(), calls, slot, (rule, alias), traits.is_backend)
    });
    let of_patterns: Vec<Server> = of_patterns.collect();
    let of_operators = view
        .tables
        .pattern_indices()
        .iter()
        .zip(view.inputs.catalogue.iter());
    of_operators
        .map(|(&index, (id, _))| {
            let server = of_patterns.get(index as usize);
            server.map_or(Served::Nothing, |server| server.serves(calls, id, slot))
        })
        .collect()
}

/// What serves an operator where a rule of the table decides.
pub(crate) fn by_rule(
    keys: &Keys,
    calls: &Calls,
    id: OperatorId,
    slot: Slot,
    rule: Precedence,
    is_backend: bool,
) -> Served {
    let server = Server::of(keys, calls, slot, (rule, calls.alias(id)), is_backend);
    server.serves(calls, id, slot)
}

/// What serves on a key, as far as it does not depend on the operator.
#[derive(Debug, Clone, Copy)]
enum Server {
    /// The same for all.
    Fixed(Served),
    /// What serves a backend without a kernel.
    Default,
    /// A kernel on the key itself, some of which are special.
    Own {
        /// What the next key does, where the kernel passes the call on.
        is_backend: bool,
    },
}

impl Server {
    /// That of operators which a rule serves, and whose default kernel is that of an alias.
    fn of(
        keys: &Keys,
        calls: &Calls,
        slot: Slot,
        (rule, alias): (Precedence, Option<Alias>),
        is_backend: bool,
    ) -> Self {
        match rule {
            Precedence::Direct if calls.own_keys.contains(slot) => Self::Own { is_backend },
            Precedence::Direct => Self::Fixed(Served::Kernel),
            Precedence::NonFunctional | Precedence::Explicit | Precedence::Implicit
                if rule.alias() == alias =>
            {
                Self::Default
            }
            Precedence::NonFunctional
            | Precedence::Explicit
            | Precedence::Implicit
            | Precedence::Nested => Self::Fixed(Served::Unmeasured),
            Precedence::Autograd | Precedence::Batched => Self::Fixed(Served::Kernel),
            Precedence::Fallback if calls.passing.contains(slot) => Self::passing(is_backend),
            // The fallback of `Meta` raises.
            Precedence::Fallback if is_meta(keys, slot) => Self::Fixed(Served::Nothing),
            Precedence::Fallback => Self::Fixed(Served::Fallback),
            Precedence::Ambiguous | Precedence::Missing => Self::Fixed(Served::Nothing),
        }
    }

    /// What passes the call on. Below the backends there is only `Undefined`, which the same aliases
    /// serve.
    fn passing(is_backend: bool) -> Self {
        match is_backend {
            true => Self::Default,
            false => Self::Fixed(Served::Passes),
        }
    }

    fn serves(self, calls: &Calls, id: OperatorId, slot: Slot) -> Served {
        match self {
            Self::Fixed(served) => served,
            Self::Default => calls.default(id),
            Self::Own { is_backend } => match calls.own.get(&(id, slot)) {
                None => Served::Kernel,
                Some(Own::Calls(_)) => Served::OwnCalls,
                Some(Own::Raises) => Served::Nothing,
                Some(Own::Fallthrough) => Self::passing(is_backend).serves(calls, id, slot),
            },
        }
    }
}

/// Whether it is the key of tensors without data.
pub(crate) fn is_meta(keys: &Keys, slot: Slot) -> bool {
    keys.name(Key::Runtime(slot)) == "Meta"
}
