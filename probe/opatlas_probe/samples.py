"""Inputs of operators, from the release's own operator database."""

import itertools
import sys
import types
import warnings
from collections.abc import Iterator

import torch

from .by_hand import Host

_DTYPES = (torch.float32, torch.float64, torch.int64, torch.bool, torch.complex64, torch.bfloat16, torch.float16)
# Samples come in groups by form, so those behind the first are taken evenly from so many.
FIRST = 6
_LOOKED_AT = 60
_SEED = 2311


def database() -> list:
    """The operators of `op_db`, which needs numpy; what else it imports is stood in for."""
    if "expecttest" not in sys.modules:
        try:
            import expecttest  # noqa: F401, PLC0415
        except ImportError:
            stand_in = types.ModuleType("expecttest")
            stand_in.TestCase = type("TestCase", (__import__("unittest").TestCase,), {})
            sys.modules["expecttest"] = stand_in
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from torch.testing._internal.common_methods_invocations import op_db  # noqa: PLC0415
    return list(op_db)


def name_of(op: object) -> str:
    """The name of a test: the operator and its variant."""
    return f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name


def named(every: list) -> dict[str, object]:
    """The tests by name; a name that occurs again has a number behind it."""
    found: dict[str, object] = {}
    for op in every:
        name, number = name_of(op), 1
        while name in found:
            number += 1
            name = f"{name_of(op)}#{number}"
        found[name] = op
    return found


def dtype_of(op: object) -> torch.dtype | None:
    """float32 where the operator takes it."""
    taken = op.supported_dtypes("cpu")
    return next((dtype for dtype in _DTYPES if dtype in taken), None)


def samples(op: object, *, most: int, gradients: bool) -> list:
    """Samples on the CPU, the same in every process."""
    dtype = dtype_of(op)
    if dtype is None:
        return []
    torch.manual_seed(_SEED)
    every = list(itertools.islice(op.sample_inputs("cpu", dtype, requires_grad=gradients), _LOOKED_AT))
    if len(every) <= most:
        return every
    rest = every[FIRST:]
    wanted = most - FIRST
    return every[:min(FIRST, most)] + [rest[place * len(rest) // wanted] for place in range(max(wanted, 0))]


def moved(value: object, device: str) -> object:
    """The same with all tensors on a device; they require gradients as before."""
    if isinstance(value, torch.Tensor):
        if value.device.type != "cpu" or value.layout != torch.strided:
            return value
        return value.detach().to(device).requires_grad_(value.requires_grad)
    if isinstance(value, Host):
        return value.tensor
    if isinstance(value, torch.device):
        return torch.device(device)
    if isinstance(value, str) and value == "cpu":
        return device
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(moved(each, device) for each in value))
    if isinstance(value, (list, tuple)):
        return type(value)(moved(each, device) for each in value)
    if isinstance(value, dict):
        return {key: moved(each, device) for key, each in value.items()}
    return value


def tensors(value: object) -> Iterator[torch.Tensor]:
    """The tensors of a result, at any depth."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from tensors(each)
    elif isinstance(value, dict):
        yield from tensors(list(value.values()))
