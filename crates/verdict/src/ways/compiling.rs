//! Export and Inductor.

use opatlas_pytorch::ways::Registry;

use super::membership::{Membership, Shape};
use super::{Fate, Found};

/// What `ExportedProgram.run_decompositions()` does with it. Operators that return numbers never
/// decompose.
pub(super) fn decomposition(shape: &Shape, of: Membership<'_>) -> Option<Found> {
    if !shape.returns_tensors && of.name.starts_with("sym_") {
        return None;
    }
    let found: Found = if of.is_in(Registry::CompositeImplicit) {
        (
            Fate::Composite,
            "an implicit composite decomposes everywhere".into(),
        )
    } else if of.is_in(Registry::CoreAtenDecompositions) {
        (
            Fate::ByDefault,
            "`core_aten_decompositions()` has it, the default of export".into(),
        )
    } else if of.is_in(Registry::CoreTag) {
        (Fate::Core, "it is tagged `core`: export keeps it".into())
    } else if of.is_in(Registry::DecompPostAutograd) {
        (
            Fate::OnRequest,
            "it has a decomposition, which export applies only if asked to".into(),
        )
    } else {
        (
            Fate::Kept,
            "it has no decomposition: export keeps it".into(),
        )
    };
    Some(found)
}

/// What Inductor does with it (`torch/_inductor/graph.py`, `GraphLowering.call_function`).
pub(super) fn inductor(of: Membership<'_>) -> Found {
    if of.is_in(Registry::CompositeImplicit) || of.is_in(Registry::InductorDecompTable) {
        return (Fate::Decomposed, "it is decomposed before lowering".into());
    }
    let named = |name: String| of.facts.map(|facts| facts.operator(&name));
    let packet = named(format!("{} (packet)", base_name(of.name)));
    let packet = packet.filter(|_| of.is_recorded());
    let holds =
        |registry| of.is_in(registry) || packet.is_some_and(|packet| packet.is_in(registry));
    let allowed = named(format!("aten::{}", base_name(of.name)));
    let is_allowed = allowed.is_some_and(|of| of.is_in(Registry::InductorAllowList));
    if is_allowed || holds(Registry::InductorHandler) {
        (Fate::Fallback, "its lowering calls the eager kernel".into())
    } else if holds(Registry::InductorLowerings) {
        let because = if of.is_in(Registry::InductorFallbacks) {
            "it has a lowering, which may call the eager kernel for some arguments or devices"
        } else {
            "it has a lowering"
        };
        (Fate::Lowered, because.into())
    } else {
        let because = if of.is_in(Registry::CoreTag) {
            "it is tagged `core` and has neither a lowering nor a decomposition: Inductor calls the eager kernel"
        } else {
            "it has neither a lowering nor a decomposition: Inductor calls the eager kernel without a warning"
        };
        (Fate::ImplicitFallback, because.into())
    }
}

fn base_name(name: &str) -> &str {
    name.split('.').next().unwrap_or(name)
}
