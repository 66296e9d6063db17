"""The registries of a process that decide how an operator compiles, batches, shards and is packaged.

A fact maps the names of its members to a value, or to an empty text where membership is all. A fact that the
release does not have is among `missing`, with the reason.
"""

import importlib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterable

import tables
import ways_aoti
import ways_autocast
import ways_dtypes
from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402

Fact = dict[str, str]
# Of each operator its kernels by key.
Registrations = dict[str, dict[str, tuple]]
_TEXT = 200
# Facts that are the kernels of a dispatch key. CompositeExplicitAutogradNonFunctional is one of the composites.
KERNELS = {
    "composite_implicit": ("CompositeImplicitAutograd",),
    "composite_explicit": ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"),
    "meta_kernel": ("Meta",),
    "functionalize_kernel": ("Functionalize",),
    "vmap_rules": ("FuncTorchBatched",),
    "vmap_random": ("FuncTorchVmapMode",),
    "vmap_front": ("FuncTorchDynamicLayerFrontMode",),
    "vmap_decomposition": ("FuncTorchBatchedDecomposition",),
}
VMAP = "FuncTorchBatched"


class Missing(Exception):
    """A release does not have a fact; the text says why."""


def answer(request: dict) -> dict:
    """All facts, or the ones named in the request."""
    registrations = registered()
    found: dict[str, Fact] = {}
    missing: dict[str, str] = {}
    for facts, source in sources(registrations).items():
        if not set(facts).issubset(request.get("facts", facts)):
            continue
        try:
            found |= source()
        except Exception as error:  # noqa: BLE001: a release that lacks one registry has the others
            print(f"{facts}: {type(error).__name__}: {error}", file=sys.stderr)
            missing |= dict.fromkeys(facts, f"{error}".split("\n")[0][:_TEXT] or type(error).__name__)
    return {"torch": torch.__version__.split("+")[0], "facts": found, "missing": missing}


def sources(registrations: Registrations) -> dict[tuple[str, ...], Callable[[], dict[str, Fact]]]:
    """What reads the facts. The order matters: what is imported or looked up loads further operators, which later
    registries list too. Facts by device type have one name here.
    """
    return {
        ("core_aten_decompositions",): core_aten,
        ("inductor_decompositions", "inductor_lowerings", "inductor_fallbacks", "inductor_handler"):
            lambda: inductor(registrations),
        ("inductor_decomp_table",): lambda: inductor_table(registrations),
        ("inductor_allow_list",): inductor_allowed,
        ("dtensor_strategy", "dtensor_rules"): dtensor,
        ("operators", "core_tag", *KERNELS): lambda: kernels(registrations),
        ("decomp_meta", "decomp_post_autograd", "decomp_pre_autograd", "meta_python"): decompositions,
        ("fake_impls",): lambda: {"fake_impls": of_aten(fake_impls(registrations), registrations)},
        ("aoti_fallback_ops", "aoti_shimified_ops"): ways_aoti.lists,
        ("shim",): ways_aoti.shim,
        ("stable_ops",): ways_aoti.stable,
        ("autocast",): lambda: ways_autocast.policies(registrations),
        ("vmap_python",): lambda: {"vmap_python": vmap_python(registrations)},
        ("dtypes",): ways_dtypes.claimed,
    }


def registered() -> Registrations:
    """The kernels of each `aten` operator by key, before any lazy registration."""
    dump = torch._C._dispatch_dump
    return {name.removeprefix("aten::"): tables.registrations(dump(name))[0]
            for name in sorted(torch._C._dispatch_get_all_op_names()) if name.startswith("aten::")}


def core_aten() -> dict[str, Fact]:
    """The default decompositions of export."""
    return {"core_aten_decompositions": named(module("torch._decomp").core_aten_decompositions())}


def kernels(registrations: Registrations) -> dict[str, Fact]:
    """The operators, those with the tag `core`, and those with a kernel at each key."""
    return {
        "operators": dict.fromkeys(registrations, ""),
        "core_tag": {name: "" for name in registrations if is_core(name)},
        **{fact: {name: "" for name, keys in registrations.items() if any(key in keys for key in of_keys)}
           for fact, of_keys in KERNELS.items()},
    }


def is_core(name: str) -> bool:
    """Whether an operator has the tag `core`."""
    of = overload_of(name)
    return of is not None and torch.Tag.core in of.tags


def overload_of(name: str) -> object | None:
    """The operator in Python; `None` for one that cannot be looked up."""
    base, _, overload = name.partition(".")
    try:
        return getattr(getattr(torch.ops.aten, base), overload or "default")
    except (AttributeError, RuntimeError):
        return None


def decompositions() -> dict[str, Fact]:
    """The global decomposition tables, and the Python meta functions."""
    module("torch._meta_registrations")
    module("torch._inductor.decomposition")
    every = module("torch._decomp").global_decomposition_table
    found = {f"decomp_{kind}": named(every[kind]) for kind in ("meta", "post_autograd", "pre_autograd")}
    python = {name: "" for name in registered() if meta_is_python(name)}
    return {**found, "meta_python": python}


def meta_is_python(name: str) -> bool:
    """Whether the operator has a Python function at Meta."""
    of = overload_of(name)
    return of is not None and torch._C.DispatchKey.Meta in of.py_kernels


def fake_impls(registrations: Registrations) -> Iterable:
    """The operators for which fake tensors have a function of their own."""
    try:
        of = module("torch._subclasses.fake_impls")
    except ImportError:
        of = module("torch._subclasses.fake_tensor")
    if hasattr(of, "op_implementations_dict"):
        return of.op_implementations_dict
    # The first releases ask functions. Those for a tag or for all tensor constructors are not of single operators.
    checks = [check for check, _ in of.op_implementations
              if check.__name__ == "<lambda>" and "tags" not in check.__code__.co_names]
    operators = [each for each in map(overload_of, registrations)
                 if each is not None and not of._is_tensor_constructor(each)]
    return [each for each in operators if any(check(each) for check in checks)]


def inductor(registrations: Registrations) -> dict[str, Fact]:
    """Decompositions, lowerings, and what falls back."""
    decomposition, lowering = module("torch._inductor.decomposition"), module("torch._inductor.lowering")
    every = lowering.lowerings
    return {
        "inductor_decompositions": named(decomposition.decompositions),
        "inductor_lowerings": named(every),
        "inductor_fallbacks": named(lowering.fallbacks),
        "inductor_handler": of_aten((of for of, how in every.items()
                                     if isinstance(of, torch._ops.OpOverload) and is_fallback(how)), registrations),
    }


def inductor_table(registrations: Registrations) -> dict[str, Fact]:
    """The decompositions that Inductor selects for a graph."""
    selected = module("torch._inductor.decomposition").select_decomp_table()
    return {"inductor_decomp_table": of_aten(selected, registrations)}


def is_fallback(how: Callable) -> bool:
    """Whether a lowering, unwrapped, is that of the fallback handler."""
    return inspect.unwrap(how).__qualname__.startswith("fallback_handler.")


def inductor_allowed() -> dict[str, Fact]:
    """The operators that Inductor may always call as they are."""
    for name in ("torch._inductor.lowering", "torch._inductor.graph"):
        of = module(name)
        if hasattr(of, "FALLBACK_ALLOW_LIST"):
            return {"inductor_allow_list": dict.fromkeys(of.FALLBACK_ALLOW_LIST, "")}
    raise Missing("torch._inductor has no FALLBACK_ALLOW_LIST")


def dtensor() -> dict[str, Fact]:
    """The operators that DTensor shards, by the kind of rule."""
    try:
        of = module("torch.distributed.tensor").DTensor
    except (ImportError, AttributeError):
        of = module("torch.distributed._tensor").DTensor
    dispatcher = getattr(of, "_op_dispatcher", None)
    propagator = dispatcher.sharding_propagator if dispatcher else of._propagator
    handlers = dispatcher._custom_op_handlers if hasattr(dispatcher, "_custom_op_handlers") \
        else getattr(of, "_custom_dispatch_ops", None)
    found = {}
    for fact, registry in (("custom", handlers), ("strategy", getattr(propagator, "op_strategy_funcs", None)),
                           ("rules", propagator.op_to_rules),
                           ("single_dim", getattr(propagator, "op_single_dim_strategy_funcs", None))):
        if registry is not None:
            found[f"dtensor_{fact}"] = named(registry)
    decomposes = dtensor_decomposes()
    if decomposes is not None:
        found["dtensor_can_decompose"] = decomposes
    return found


def dtensor_decomposes() -> Fact | None:
    """The operators whose strategy DTensor can take from a decomposition; `None` before it can."""
    try:
        has = module("torch.distributed.tensor._decompositions").DecompShardingStrategy.has_decomp
    except (ImportError, AttributeError):
        return None
    return {name: "" for name in registered() if (of := overload_of(name)) is not None and has(of)}


def vmap_python(before: Registrations) -> Fact:
    """The batching rules that the first `torch.vmap` of a process registers."""
    torch.vmap(lambda each: each + 1)(torch.zeros(2))
    return {name: "" for name, keys in registered().items() if VMAP in keys and VMAP not in before.get(name, {})}


def named(every: Iterable) -> Fact:
    """Operators by name: `add.Tensor`, `add (packet)`, and `prims::add` of another namespace."""
    return dict.fromkeys(sorted(name for of in every if (name := name_of(of))), "")


def of_aten(every: Iterable, registrations: Registrations) -> Fact:
    """Those of the dispatcher's `aten` operators only."""
    return {name: "" for name in named(every) if name in registrations}


def name_of(of: object) -> str | None:
    """The name of an operator; `None` for what is none, such as a Python function or a higher-order operator."""
    if isinstance(of, torch._ops.OpOverload):
        return of.name().removeprefix("aten::")
    if isinstance(of, torch._ops.OpOverloadPacket):
        return f"{of._qualified_op_name.removeprefix('aten::')} (packet)"
    return of.removeprefix("aten::") if isinstance(of, str) else None


def module(name: str) -> object:
    """A module of torch."""
    return importlib.import_module(name)


if __name__ == "__main__":
    serve(answer)
