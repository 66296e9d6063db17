//! Automatic mixed precision.

use opatlas_pytorch::ways::Registry;

use super::membership::Membership;
use super::{Fate, Found};

/// What autocast does with it on a device type (`aten/src/ATen/autocast_mode.h`, `CastPolicy`).
pub(super) fn autocast(registry: Registry, of: Membership<'_>) -> Found {
    if !of.is_in(registry) {
        return (
            Fate::Passes,
            "autocast has no kernel for it and leaves it alone".into(),
        );
    }
    let policy = of.value(registry).unwrap_or_default();
    let fate = Fate::parse(policy).unwrap_or(Fate::Unknown);
    let because = match fate {
        Fate::LowerPrecisionFp => "floating-point arguments are cast to the lower precision",
        Fate::Fp32 => "floating-point arguments are cast to float32",
        Fate::Fp32SetOptDtype => "it runs in float32, set by its `dtype` argument",
        Fate::Fp32AppendDtype => "it runs in float32, through the overload that takes a `dtype`",
        Fate::Promote => "arguments are cast to the widest of their types",
        Fate::Banned => "calls raise: its result would overflow in the lower precision",
        _ => "autocast has a kernel for it, whose policy was not recorded",
    };
    (fate, because.into())
}
