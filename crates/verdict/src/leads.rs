//! Where calls on a key lead, by the names of keys.

use std::sync::OnceLock;

use opatlas_pytorch::key_set::Slot;
use opatlas_pytorch::keys::{Key, Keys};
use opatlas_pytorch::release::Release;

use opatlas_dispatch::autograd_key;

/// By slot.
struct Leads {
    serving: Vec<Slot>,
    below: Vec<Option<Slot>>,
}

fn leads(keys: &Keys) -> &'static Leads {
    static FOUND: [OnceLock<Leads>; Release::COUNT] = [const { OnceLock::new() }; Release::COUNT];
    FOUND[keys.release().index()].get_or_init(|| {
        let mut leads = Leads {
            serving: vec![Slot::UNDEFINED; keys.count()],
            below: vec![None; keys.count()],
        };
        for slot in keys.slots() {
            let at = slot.index();
            if let (Some(serving), Some(below)) =
                (leads.serving.get_mut(at), leads.below.get_mut(at))
            {
                (*serving, *below) = (serving_by_name(keys, slot), below_by_name(keys, slot));
            }
        }
        leads
    })
}

/// The key whose kernels serve a key: builds for HIP register to the keys of CUDA.
pub(crate) fn serving(keys: &Keys, slot: Slot) -> Slot {
    let known = leads(keys).serving.get(slot.index());
    known.copied().unwrap_or(slot)
}

/// The backend that an autograd or autocast key passes calls on to.
pub(crate) fn below(keys: &Keys, slot: Slot) -> Option<Slot> {
    leads(keys).below.get(slot.index()).copied().flatten()
}

fn serving_by_name(keys: &Keys, slot: Slot) -> Slot {
    if keys.backend(slot) != Some("HIP") || autograd_key(keys, slot).is_none() {
        return slot;
    }
    let name = keys.name(Key::Runtime(slot)).replace("HIP", "CUDA");
    keys.slot(&name).unwrap_or(slot)
}

fn below_by_name(keys: &Keys, slot: Slot) -> Option<Slot> {
    let name = keys.name(Key::Runtime(slot));
    let backend = name
        .strip_prefix("Autograd")
        .or_else(|| name.strip_prefix("Autocast"))?;
    keys.slot(backend)
}
