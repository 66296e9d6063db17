//! Which keys something can be claimed about: the backends whose kernels are part of PyTorch, and
//! those that a file or an observation of the revision describes (`docs/spec/support.md`,
//! section 5).

use opatlas_operators::operator::OperatorId;
use opatlas_pytorch::key_set::{KeySet, Slot};
use opatlas_pytorch::keys::Keys;
use opatlas_pytorch::release::Release;

use crate::View;
use opatlas_dispatch::autograd_key;
use opatlas_dispatch::origin::Origin;
use opatlas_dispatch::resolve::Registered;

/// The operator that allocates: a backend without it cannot hold a tensor.
const ALLOCATOR: &str = "empty.memory_format";

/// The keys of backends: those with an autograd key that speaks for them.
pub(crate) fn backends(keys: &Keys) -> KeySet {
    let all = keys.slots();
    all.filter(|&slot| autograd_key(keys, slot).is_some())
        .collect()
}

/// The backend keys that something is known about: those of backends with an allocator of their
/// own, and those of backends that a backend file or an observation registers to.
pub(crate) fn known_backends(view: View<'_>) -> KeySet {
    let keys = view.keys();
    let described = described(view);
    let in_tree = in_tree(view);
    let known = |slot: &Slot| {
        let home = home(keys, *slot);
        in_tree.contains(home) || described.contains(home)
    };
    backends(keys).iter().filter(known).collect()
}

/// The dense key of a key's backend; itself where there is none.
fn home(keys: &Keys, slot: Slot) -> Slot {
    keys.backend(slot)
        .and_then(|backend| keys.slot(backend))
        .unwrap_or(slot)
}

/// The dense backends whose kernels every file of PyTorch declares, each with the first release
/// that has them (`empty.memory_format` in `native_functions.yaml`).
const IN_TREE: [(&str, Release); 5] = [
    ("CPU", Release::V2_0),
    ("CUDA", Release::V2_0),
    ("MPS", Release::V2_0),
    ("Meta", Release::V2_0),
    ("XPU", Release::V2_14),
];

/// The keys whose kernels are part of PyTorch: those of [`IN_TREE`], and those with an allocator in
/// the file, in whatever build.
pub(crate) fn in_tree(view: View<'_>) -> KeySet {
    let keys = view.keys();
    let always = IN_TREE.iter().filter(|(_, since)| keys.release() >= *since);
    let always: KeySet = always.filter_map(|(name, _)| keys.slot(name)).collect();
    let allocator = view.inputs.catalogue.find_in("aten", ALLOCATOR);
    let rows = allocator
        .into_iter()
        .flat_map(|id| view.tables.all_rows(id));
    let declared = rows.filter(|row| !is_description(row.origin));
    let mut found = Registered::default();
    declared.for_each(|row| found.insert(row.key));
    found.runtime | always
}

/// The keys of backends that the build leaves out.
pub(crate) fn left_out(view: View<'_>) -> KeySet {
    view.tables.build().dropped(view.keys()) & backends(view.keys())
}

/// The dense keys of the backends that backend files and observations register to.
fn described(view: View<'_>) -> KeySet {
    let inputs = view.inputs;
    if inputs.backends.is_empty()
        && inputs.observed.is_empty()
        && inputs.catalogue.sources.is_empty()
    {
        return KeySet::EMPTY;
    }
    let keys = view.keys();
    let ids = inputs.catalogue.iter().map(|(id, _)| id);
    let slots = registered(view, ids, is_description);
    slots.iter().map(|slot| home(keys, slot)).collect()
}

/// Whether a registration describes a backend that is not part of PyTorch.
pub(crate) fn is_description(origin: Origin) -> bool {
    matches!(
        origin,
        Origin::BackendFile | Origin::Source | Origin::Observed
    )
}

/// The runtime keys that operators have registrations of some origins at.
fn registered(
    view: View<'_>,
    operators: impl IntoIterator<Item = OperatorId>,
    is_counted: impl Fn(Origin) -> bool,
) -> KeySet {
    let mut found = Registered::default();
    for id in operators {
        for row in view.tables.used_rows(id) {
            if is_counted(row.origin) {
                found.insert(row.key);
            }
        }
    }
    found.runtime
}
