"""The dispatch keys of a real process: names and order, alias sets, fallbacks."""

import warnings

import tables
from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402

C = torch._C
# The prefix of a functionality's keys where it is not the functionality's name.
_PREFIXES = {"Dense": "", "AutogradFunctionality": "Autograd"}
_ALIASES = ["Autograd", "CompositeImplicitAutograd", "FuncTorchBatchedDecomposition",
            "CompositeImplicitAutogradNestedTensor", "CompositeExplicitAutograd",
            "CompositeExplicitAutogradNonFunctional"]
_MOST_FUNCTIONALITIES = 64


def functionalities() -> dict[str, object]:
    """The functionality keys, which come first in the enum."""
    found: dict[str, object] = {}
    for number in range(_MOST_FUNCTIONALITIES):
        key = C.DispatchKey(number)
        name = C._dispatch_key_name(key)
        if name.lower().startswith("unknown"):
            break
        found[name] = key
    return found


def backends(members: dict[str, object]) -> list[str]:
    """The backends, in order."""
    names = list(members)
    return names[names.index("StartOfDenseBackends") + 1:names.index("EndOfDenseBackends")]


def layout() -> dict:
    """Runtime keys in table order, as objects, with backends and functionalities."""
    members = C.DispatchKey.__members__
    each = backends(members)
    keys, rows = {}, []
    for name, key in functionalities().items():
        if f"StartOf{name}Backends" in members:
            prefix = _PREFIXES.get(name, name)
            keys |= {f"{prefix}{backend}": members[f"{prefix}{backend}"] for backend in each}
            rows.append([name, prefix])
        else:
            keys[name] = key
            rows.append(name)
    return {"keys": keys, "backends": each, "functionalities": rows}


def reached(library: object, alias: str) -> set[str]:
    """The keys whose slot a kernel registered to an alias fills."""
    name = f"only_{alias}"
    library.def_(f"{name}(Tensor x) -> Tensor")
    library.impl_t_t(name, alias, alias)
    printed = C._dispatch_dump_table(f"opatlas_keys::{name}")
    return {key for key, (source, _, _) in tables.table(printed).items() if source == alias}


def fallbacks(library: object) -> dict[str, list]:
    """Kernels that serve a key for all operators: file, and whether it is a fallthrough."""
    library.def_("nothing(Tensor x) -> Tensor")
    printed = C._dispatch_dump_table("opatlas_keys::nothing")
    return {key: [source, passes] for key, (source, reason, passes) in tables.table(printed).items()
            if reason == "backend fallback"}


def parses(name: str) -> bool:
    """Whether a registration can name the key."""
    try:
        C._dispatch_key_parse(name)
    except RuntimeError:
        return False
    return True


def answer(_request: dict) -> dict:
    """What the process knows of keys."""
    laid = layout()
    keys = laid.pop("keys")
    names = list(keys)
    real = names[1:]
    library = C._dispatch_library("FRAGMENT", "opatlas_keys", "")

    def within(keyset: object) -> list[str]:
        return [name for name in real if keyset.has(keys[name])]

    def reach(alias: str) -> list[str]:
        found = reached(library, alias)
        return [name for name in names if name in found]

    of_autograd = C._dispatch_get_backend_keyset_from_autograd
    return {
        "release": torch.__version__.split("+")[0],
        "runtime_keys": names,
        **laid,
        "alias_includes": {alias: reach(alias) for alias in _ALIASES},
        "autograd_to_backend_keys": {name: within(of_autograd(keys[name])) for name in real
                                     if name.startswith("Autograd")},
        "autogradother_backends": within(C._dispatch_autogradother_backends),
        "fallbacks": fallbacks(library),
        "unparseable": [name for name in real if not parses(name)],
    }


if __name__ == "__main__":
    serve(answer)
