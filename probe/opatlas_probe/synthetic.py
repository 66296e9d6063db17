"""Arguments made from a schema, for operators that no sample of the operator database reaches."""

import itertools
from collections.abc import Callable, Iterator

import torch

# Tensors to try, in this order: what most operators take first.
_SHAPES = ((3, 3), (2, 3, 4, 4), (4,), ())
TYPES = (torch.float32, torch.int64, torch.bool)
# These change the process, ask for other devices, or only test the dispatcher.
_LEFT_OUT = ("_test_", "cuda", "cudnn", "miopen", "mkldnn", "fbgemm", "vulkan", "xnnpack", "_cufft", "_nested",
             "quantize", "set_data", "_propagate_xla", "_batch_dim", "sym_constrain", "_functional_sym",
             "_assert", "record_stream", "_cslt", "_sobol", "rename", "nnpack", "print", "_backward")
_NUMBERS = {"int": (1, 2, 0), "SymInt": (1, 2, 0), "float": (0.5,), "number": (2, 0.5), "Scalar": (2, 0.5),
            "bool": (False, True), "str": ("mean",)}


def overload(name: str) -> Callable:
    """The overload of `base.overload`."""
    base, _, rest = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), rest or "default")


def is_callable(name: str) -> bool:
    """Whether arguments can be made for an operator."""
    if any(part in name for part in _LEFT_OUT):
        return False
    try:
        schema = overload(name)._schema
    except (AttributeError, RuntimeError):
        return False
    return all(argument.has_default_value() or _kind(str(argument.type)) for argument in schema.arguments)


def arguments(name: str, dtypes: tuple[torch.dtype, ...] = TYPES) -> Iterator[tuple[list, dict]]:
    """Positional arguments and keywords on the CPU, a few combinations."""
    schema = overload(name)._schema
    for number, shape, dtype in itertools.product((0, 1), _SHAPES, dtypes):
        positional, keywords = [], {}
        for argument in schema.arguments:
            is_output = argument.alias_info is not None and argument.alias_info.is_write and argument.kwarg_only
            if argument.name == "device":
                keywords["device"] = "cpu"
                continue
            if argument.has_default_value() and not is_output:
                if not argument.kwarg_only:
                    positional.append(argument.default_value)
                continue
            value = _value(str(argument.type), dtype, shape, number, is_output=is_output)
            if argument.kwarg_only:
                keywords[argument.name] = value
            else:
                positional.append(value)
        yield positional, keywords


def _kind(text: str) -> str | None:
    """The element type of a schema type; `None` for types that no value is made for."""
    inner = text.removeprefix("Optional[").removeprefix("List[").removeprefix("Optional[").rstrip("]")
    return inner if inner == "Tensor" or inner in _NUMBERS or inner == "Device" else None


def _value(text: str, dtype: torch.dtype, shape: tuple, number: int, *, is_output: bool) -> object:
    kind = _kind(text)

    def tensor() -> torch.Tensor:
        if is_output:
            return torch.empty(0, dtype=dtype)
        made = torch.arange(1, 1 + torch.Size(shape).numel(), dtype=torch.int64).reshape(shape)
        return (made / 50).to(dtype) if dtype.is_floating_point else (made % 3).to(dtype)

    if kind == "Tensor":
        return [tensor(), tensor()] if "List[" in text else tensor()
    if kind == "Device":
        return "cpu"
    choice = _NUMBERS[kind][number % len(_NUMBERS[kind])]
    if "List[" not in text:
        return choice
    # A number for each of the two tensors of a list, and one size or dimension otherwise.
    return [choice, choice] if kind in ("number", "Scalar") else [choice]
