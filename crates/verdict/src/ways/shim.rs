//! Calls from packages that AOTInductor compiled.

use opatlas_pytorch::ways::{Registry, shim_function};

use super::membership::Membership;
use super::{Fate, Found};

/// How a compiled package calls it (`torchgen/aoti/fallback_ops.py`, `torch/csrc/stable/ops.h`).
pub(super) fn aoti(of: Membership<'_>) -> Found {
    let is_stable = of.is_in(Registry::StableOps);
    let listed = of.is_in(Registry::AotiFallbackOps) || of.is_in(Registry::AotiShimifiedOps);
    if listed {
        let function = shim_function(of.name);
        let devices = of.facts.into_iter().flat_map(|facts| facts.shim(&function));
        let devices: Vec<_> = devices.map(|shim| shim.device).collect();
        let also = if is_stable {
            ", and the stable headers have it"
        } else {
            ""
        };
        let because = match devices.is_empty() {
            true => format!("it is listed for the C shim{also}"),
            false => format!(
                "the C shim has `aoti_torch_{{device}}_{function}` for {}{also}",
                devices.join(", ")
            ),
        };
        return (Fate::Shim, because.into());
    }
    if let Some(functions) = of.value(Registry::StableOps) {
        let because = format!(
            "`torch/csrc/stable/ops.h` has `{}`",
            functions.replace(' ', "`, `")
        );
        return (Fate::Stable, because.into());
    }
    let because =
        "it has no function in the C shim: packages call it by name through the proxy executor";
    (Fate::ProxyExecutor, because.into())
}
