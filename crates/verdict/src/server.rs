//! What serves operators on a key. Most of it follows from the table of an operator, which many share.

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};

use crate::View;
use crate::because::Because;
use crate::calls::{Calls, default_alias};
use crate::column::{Served, Traits};
use crate::own::Own;
use crate::vmap::under_vmap;
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
            let index = index as usize;
            let server = of_patterns.get(index);
            let served = server.map_or(Served::Nothing, |server| server.serves(calls, id, slot));
            if traits.is_vmap {
                under_vmap(
                    view.inputs.catalogue.operator(id),
                    view.keys().release(),
                    served,
                )
            } else if traits.is_left_out {
                Served::Raises(Because::LeftOut)
            } else if traits.is_left_open.get(index) == Some(&true) {
                Served::Unknown(Because::RegisteredByHand)
            } else if traits.is_backend {
                let autograd = traits.autograd.get(index).copied();
                on_backend(calls, id, served, autograd)
            } else {
                served
            }
        })
        .collect()
}

/// What serves an operator on a backend, given how calls come there: through its autograd key, and by
/// an argument that carries the key.
pub(crate) fn on_backend(
    calls: &Calls,
    id: OperatorId,
    served: Served,
    autograd: Option<Precedence>,
) -> Served {
    match served {
        Served::Kernel | Served::OwnCalls | Served::Fallback if !calls.is_dispatched(id) => {
            match calls.default(id) {
                Served::Nothing => Served::Raises(Because::NothingToDispatchOn),
                // The call has no key, and the composite kernel serves `Undefined` too.
                composite => composite,
            }
        }
        Served::Nothing if calls.is_by_hand(id) => Served::Unknown(Because::RegisteredByHand),
        Served::Kernel | Served::OwnCalls if autograd == Some(Precedence::Missing) => {
            Served::InferenceOnly
        }
        served => served,
    }
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
    /// The operator's way to be served on a key without a kernel; the key has a name if it is a backend's.
    Default(Option<&'static str>),
    /// A kernel on the key itself, some of which are special.
    Own(Option<&'static str>),
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
        let backend = is_backend.then(|| keys.name(Key::Runtime(slot)));
        match rule {
            Precedence::Direct if calls.own_keys.contains(slot) => Self::Own(backend),
            Precedence::Direct => Self::Fixed(Served::Kernel),
            Precedence::NonFunctional | Precedence::Explicit | Precedence::Implicit
                if rule.alias() == alias =>
            {
                Self::Default(backend)
            }
            Precedence::NonFunctional
            | Precedence::Explicit
            | Precedence::Implicit
            | Precedence::Nested => Self::Fixed(Served::Unknown(Because::Unmeasured)),
            Precedence::Autograd | Precedence::Batched => Self::Fixed(Served::Kernel),
            Precedence::Fallback if calls.passing.contains(slot) => Self::passing(backend),
            // The fallback of `Meta` raises.
            Precedence::Fallback if is_meta(keys, slot) => Self::Fixed(Served::Nothing),
            Precedence::Fallback => Self::Fixed(Served::Fallback),
            Precedence::Ambiguous | Precedence::Missing => Self::Fixed(Served::Nothing),
        }
    }

    /// What passes the call on. Below the backends there is only `Undefined`, which the same aliases
    /// serve.
    fn passing(backend: Option<&'static str>) -> Self {
        match backend {
            Some(_) => Self::Default(backend),
            None => Self::Fixed(Served::Passes),
        }
    }

    fn serves(self, calls: &Calls, id: OperatorId, slot: Slot) -> Served {
        match self {
            Self::Fixed(served) => served,
            Self::Default(backend) => calls.default_on(id, backend),
            Self::Own(backend) => match calls.own.get(&(id, slot)) {
                None => Served::Kernel,
                Some(Own::Calls(_) | Own::OnCpu(_)) => Served::OwnCalls,
                Some(Own::Raises) => Served::Nothing,
                Some(Own::Fallthrough) => Self::passing(backend).serves(calls, id, slot),
            },
        }
    }
}

/// Whether it is the key of tensors without data.
pub(crate) fn is_meta(keys: &Keys, slot: Slot) -> bool {
    keys.name(Key::Runtime(slot)) == "Meta"
}
