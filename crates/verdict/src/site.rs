//! Where a call on a key is decided: by a kernel on the key itself, or on the key of a backend that the
//! call reaches.

use opatlas_dispatch::resolve::Precedence;
use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::Slot;

use crate::View;
use crate::because::Because;
use crate::column::Served;
use crate::leads::{below, serving};
use crate::server::by_rule;
use crate::vmap::{is_vmap, under_vmap};

/// Where a call is decided, and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Site {
    /// The key that was asked for, if it is another one.
    pub(crate) from: Option<Slot>,
    /// Whether that key has the kernels of another by name, instead of passing the call on.
    pub(crate) is_renamed: bool,
    /// The key on which the operators that it calls are looked up.
    pub(crate) key: Slot,
    /// What serves the operator.
    pub(crate) served: Served,
    /// Whether the key that was asked for has the kernel.
    is_above: bool,
}

impl Site {
    /// The key that has the kernel.
    pub(crate) fn kernel_key(self) -> Slot {
        match (self.is_above, self.from) {
            (true, Some(slot)) => slot,
            _ => self.key,
        }
    }
}

impl View<'_> {
    /// Where a call of an operator on a key is decided.
    pub(crate) fn site(self, id: OperatorId, slot: Slot) -> Site {
        if self.calls().backends.contains(slot) {
            return self.backend_site(id, slot);
        }
        let keys = self.keys();
        let rule = self.tables.pattern(id).map(|pattern| pattern.rule(slot));
        let rule = rule.unwrap_or(Precedence::Missing);
        let mut served = by_rule(keys, &self.calls(), id, slot, rule, false);
        if is_vmap(keys, slot) {
            served = under_vmap(self.inputs.catalogue.operator(id), keys.release(), served);
        }
        let own = Site {
            from: None,
            is_renamed: false,
            key: slot,
            served,
            is_above: false,
        };
        let Some(backend) = below(keys, slot) else {
            return own;
        };
        if served.is_leaf() || served == Served::Kernel && self.is_final(id, slot, rule) {
            return own;
        }
        let below = self.backend_site(id, backend);
        let is_alike = self.is_served_alike(id, rule, backend);
        match served {
            Served::Calls | Served::Unknown(_) if !is_alike => Site {
                from: Some(slot),
                is_above: true,
                key: below.key,
                served: self.claimed(backend, served),
                ..own
            },
            _ => Site {
                from: Some(slot),
                is_renamed: false,
                ..below
            },
        }
    }

    fn backend_site(self, id: OperatorId, slot: Slot) -> Site {
        let key = serving(self.keys(), slot);
        let is_renamed = key != slot;
        Site {
            from: is_renamed.then_some(slot),
            is_renamed,
            key,
            served: self.claimed(key, self.column_of(key).served(id)),
            is_above: false,
        }
    }

    /// What serves on the key of a backend, as far as anything is claimed about it.
    fn claimed(self, backend: Slot, served: Served) -> Served {
        let is_own = matches!(
            served,
            Served::Kernel | Served::OwnCalls | Served::InferenceOnly | Served::Raises(_)
        );
        match self.claims(backend) || is_own {
            true => served,
            false => Served::Unknown(Because::OutOfTree),
        }
    }
}
