//! Short labels for sets of keys.

use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::{Key, Keys};

/// The most names that are written out.
const NAMED: usize = 3;

/// `CPU, CUDA`; `Sparse CPU/CUDA/Meta`; `18 autograd keys`; `41 keys (HIP, MPS, IPU, ...)`.
pub(super) fn label(keys: &Keys, set: KeySet) -> String {
    let name = |slot: Slot| keys.name(Key::Runtime(slot));
    let slots: Vec<Slot> = set.iter().collect();
    if slots.len() > NAMED && slots.iter().all(|&slot| is_autograd(keys, slot)) {
        return format!("{} autograd keys", slots.len());
    }
    if let Some(family) = family(keys, &slots) {
        let backends: Vec<&str> = slots
            .iter()
            .filter_map(|&slot| keys.backend(slot))
            .collect();
        let all = keys
            .slots()
            .filter(|&slot| keys.functionality(slot) == family)
            .count();
        return match backends.len() {
            count if count == all => format!("all {all} {family} keys"),
            count if count <= NAMED => format!("{family} {}", backends.join("/")),
            count => format!(
                "{count} {family} keys ({}, ...)",
                backends[..NAMED].join(", ")
            ),
        };
    }
    let mut names: Vec<&str> = slots.iter().map(|&slot| name(slot)).collect();
    if slots.first() == Some(&Slot::UNDEFINED) {
        // No tensor has the key `Undefined`, so it comes last.
        names.rotate_left(1);
    }
    if names.len() <= NAMED {
        return names.join(", ");
    }
    format!("{} keys ({}, ...)", names.len(), names[..NAMED].join(", "))
}

fn is_autograd(keys: &Keys, slot: Slot) -> bool {
    keys.functionality(slot).starts_with("Autograd")
}

/// The functionality that all keys share, if each backend has its own key for it and its keys have names
/// other than their backends'.
fn family<'k>(keys: &'k Keys, slots: &[Slot]) -> Option<&'k str> {
    let first = keys.functionality(*slots.first()?);
    let shared = slots
        .iter()
        .all(|&slot| keys.functionality(slot) == first && keys.backend(slot).is_some());
    (shared && slots.len() > 1 && first != "Dense" && first != "AutogradFunctionality")
        .then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use opatlas_pytorch::release::Release;

    fn check(names: &[&str], expected: &str) {
        let keys = Keys::of(Release::V2_9);
        let set = names.iter().map(|name| keys.slot(name).unwrap()).collect();
        assert_eq!(label(keys, set), expected);
    }

    #[test]
    fn labels_are_short() {
        check(&["CPU", "CUDA"], "CPU, CUDA");
        check(&["SparseCPU"], "SparseCPU");
        check(
            &["SparseCPU", "SparseCUDA", "SparseMeta"],
            "Sparse CPU/CUDA/Meta",
        );
        check(
            &[
                "AutogradCPU",
                "AutogradCUDA",
                "AutogradOther",
                "AutogradMeta",
            ],
            "4 autograd keys",
        );
        check(
            &["MPS", "XPU", "Vulkan", "Metal"],
            "4 keys (MPS, XPU, Vulkan, ...)",
        );
        check(
            &["AutogradCPU", "AutogradCUDA"],
            "AutogradCPU, AutogradCUDA",
        );
    }
}
