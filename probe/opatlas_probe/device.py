"""The devices that the probe runs operators on, and what the bare device serves."""

import sys
import types
import warnings

import torch

from . import extension

# The kernels of a bare device: what tensors need to exist, to be copied and to be viewed.
OWN = ("empty.memory_format", "empty_strided", "_copy_from", "as_strided", "view", "resize_")
# Views must share memory, so the fallback, which copies, cannot serve them; and it copies its results
# back with `_copy_from_and_resize`. The default kernels of the convolutions only raise.
_OWN_WHEN_SERVING_ALL = ("_copy_from_and_resize", "_reshape_alias", "unfold", "view_as_real", "view_as_complex",
                         "convolution_overrideable", "convolution_backward_overrideable")
_DEFAULTS = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")
BARE = "bare"


def operators() -> list[str]:
    """The names of all operators of `aten`, without the namespace."""
    return sorted(name.removeprefix("aten::") for name in torch._C._dispatch_get_all_op_names()
                  if name.startswith("aten::"))


def has_kernel(name: str, key: str) -> bool:
    """Whether a kernel is registered to a key."""
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"aten::{name}", key)


def has_default(name: str) -> bool:
    """Whether an operator has a kernel that serves every backend."""
    return any(has_kernel(name, key) for key in _DEFAULTS)


def served_for_calls() -> list[str]:
    """What the bare device serves so that composites run to their end: all that has a CPU kernel and no default."""
    return sorted({name for name in operators() if has_kernel(name, "CPU") and not has_default(name)}
                  | {name for name in (*OWN, *_OWN_WHEN_SERVING_ALL) if name in set(operators())})


def start_bare(served: list[str]) -> types.ModuleType:
    """Makes the bare device in this process; returns the extension, which also records."""
    built = extension.load()
    torch.utils.rename_privateuse1_backend(BARE)
    module = types.ModuleType(f"torch.{BARE}")
    for name, answer in (("_lazy_init", None), ("is_available", True), ("device_count", 1), ("current_device", 0),
                         ("_is_in_bad_fork", False), ("is_initialized", True), ("synchronize", None)):
        setattr(module, name, lambda *_, _answer=answer: _answer)
    torch._register_device_module(BARE, module)
    sys.modules[f"torch.{BARE}"] = module
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        built.serve(served)
    return built
