//! Sharded tensors.

use opatlas_pytorch::ways::Registry;

use super::membership::Membership;
use super::{Fate, Found};

/// What `DTensor` does with it (`torch/distributed/tensor/_dispatch.py`).
pub(super) fn dtensor(of: Membership<'_>) -> Found {
    let has_rule = [
        Registry::DtensorStrategy,
        Registry::DtensorRules,
        Registry::DtensorSingleDim,
    ];
    if of.is_in(Registry::DtensorCustom) {
        (Fate::Custom, "DTensor has a handler for it".into())
    } else if has_rule.into_iter().any(|registry| of.is_in(registry)) {
        (Fate::Rule, "it has a sharding strategy".into())
    } else if of.is_in(Registry::CompositeImplicit) || of.is_in(Registry::DtensorCanDecompose) {
        let because = "it works if the operators that it calls have a sharding strategy";
        (Fate::Decomposes, because.into())
    } else {
        let because = "calls raise: it does not have a sharding strategy registered";
        (Fate::None, because.into())
    }
}
