"""Arguments made from a schema, for operators that no sample of the operator database reaches."""

import itertools
from collections.abc import Callable, Iterator

import torch

# Tensors to try, in this order: what most operators take first.
_SHAPES = ((3, 3), (2, 3, 4, 4), (4,), ())
TYPES = (torch.float32, torch.int64, torch.bool)
# These change the process or ask for other devices.
_LEFT_OUT = ("cuda", "cudnn", "miopen", "mkldnn", "fbgemm", "vulkan", "xnnpack", "_cufft", "_nested",
             "quantize", "set_data", "_propagate_xla", "_batch_dim", "sym_constrain", "_functional_sym",
             "_assert", "record_stream", "_cslt", "_sobol", "rename", "nnpack", "print", "_backward")
_NUMBERS = {"int": (1, 2, 0), "SymInt": (1, 2, 0), "float": (0.5,), "number": (2, 0.5), "Scalar": (2, 0.5),
            "bool": (False, True), "str": ("mean",)}
# Calls that read a tensor's metadata are not calls of the operator.
_NO_OPTIONS = ("out", "layout", "device", "pin_memory", "memory_format", "generator", "dtype")


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


def options(name: str) -> list[str]:
    """The optional arguments that values can be made for."""
    return [argument.name for argument in overload(name)._schema.arguments
            if argument.has_default_value() and argument.name not in _NO_OPTIONS and _kind(str(argument.type))]


def arguments(name: str, dtypes: tuple[torch.dtype, ...] = TYPES,
              option: str | None = None) -> Iterator[tuple[list, dict]]:
    """Positional arguments and keywords on the CPU, a few combinations, with one optional argument at most."""
    schema = overload(name)._schema
    for number, shape, dtype in itertools.product((0, 1), _SHAPES, dtypes):
        positional, keywords = [], {}
        for argument in schema.arguments:
            is_output = argument.alias_info is not None and argument.alias_info.is_write and argument.kwarg_only
            if argument.name == "device":
                keywords["device"] = "cpu"
                continue
            if argument.has_default_value() and argument.name != option and not is_output:
                if not argument.kwarg_only:
                    positional.append(argument.default_value)
                continue
            value = _value(argument, dtype, shape, number, is_output=is_output)
            if argument.kwarg_only:
                keywords[argument.name] = value
            else:
                positional.append(value)
        yield positional, keywords


def _kind(text: str) -> str | None:
    """The element type of a schema type; `None` for types that no value is made for."""
    inner = text.removeprefix("Optional[").removeprefix("List[").removeprefix("Optional[").rstrip("]")
    return inner if inner in ("Tensor", "Device", "Generator") or inner in _NUMBERS else None


def _value(argument: torch.Argument, dtype: torch.dtype, shape: tuple, number: int, *, is_output: bool) -> object:
    text = str(argument.type)
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
    if kind == "Generator":
        return None
    choice = _NUMBERS[kind][number % len(_NUMBERS[kind])]
    if kind == "bool" and argument.has_default_value():
        return not argument.default_value
    if "List[" not in text:
        return choice
    # A number for each of the two tensors of a list, and else as many as the schema says.
    return [choice] * (2 if kind in ("number", "Scalar") else argument.N or 1)
