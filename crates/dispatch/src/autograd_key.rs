//! The autograd key of a backend.

use std::sync::OnceLock;

use opatlas_pytorch::alias::Alias;
use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;

/// The autograd key of tensors with this backend key: that of the backend, or `AutogradOther`
/// (`getAutogradRelatedKeySetFromBackend`). `None` for keys that are not a backend's.
#[must_use]
pub fn autograd_key(keys: &Keys, slot: Slot) -> Option<Slot> {
    // Comparisons need this for every operator and key, so each release is computed once.
    static FOUND: [OnceLock<Vec<Option<Slot>>>; Release::COUNT] =
        [const { OnceLock::new() }; Release::COUNT];
    let found = FOUND[keys.release().index()].get_or_init(|| {
        let mut found = vec![None; keys.count()];
        for slot in keys.slots() {
            if let Some(place) = found.get_mut(slot.index()) {
                *place = autograd_key_by_name(keys, slot);
            }
        }
        found
    });
    found.get(slot.index()).copied().flatten()
}

fn autograd_key_by_name(keys: &Keys, slot: Slot) -> Option<Slot> {
    match (keys.functionality(slot), keys.backend(slot)) {
        ("NestedTensor", _) => keys.slot("AutogradNestedTensor"),
        ("Dense" | "Quantized" | "Sparse" | "SparseCsr", Some(backend)) => match backend {
            "HIP" | "VE" => keys.slot("AutogradOther"),
            backend => keys.slot(&format!("Autograd{backend}")),
        },
        (_, None) if slot != Slot::UNDEFINED => {
            let explicit = keys.reach(Alias::CompositeExplicitAutograd);
            explicit
                .contains(slot)
                .then(|| keys.slot("AutogradOther"))?
        }
        _ => None,
    }
}
