"""The policy of each autocast kernel, measured: the dtypes with which the kernel calls the operator again.

A Python kernel below autocast notes the dtypes of its arguments and raises, so nothing is computed. Tensors on a
device need no such device: a wrapper subclass claims to be on it.
"""

import functools
import sys
import warnings

import torch

DEVICES = {"AutocastCPU": "cpu", "AutocastCUDA": "cuda", "AutocastMPS": "mps", "AutocastXPU": "xpu",
           "AutocastMTIA": "mtia", "AutocastMAIA": "maia", "AutocastPrivateUse1": "privateuseone",
           "AutocastHPU": "hpu", "AutocastXLA": "xla", "AutocastIPU": "ipu"}
COMPOSITE = "CompositeImplicitAutograd"
LOWER, FULL = torch.bfloat16, torch.float32
# A kernel that raises of its own is banned with these words.
_BANNED = "unsafe to autocast"
# Arguments of a call by type. An argument of another type is `None`.
_VALUES = {"int": 1, "SymInt": 1, "float": 1.0, "number": 1.0, "Scalar": 1.0, "bool": False, "str": "dimname::N",
           "List[int]": [1, 1], "List[SymInt]": [1, 1], "List[bool]": [False, False], "List[float]": [1.0, 1.0],
           "List[number]": [1.0, 1.0], "List[str]": ["dimname::N"]}


class Seen(Exception):  # noqa: N818: this is what is waited for
    """The operator that was called below autocast, the dtypes of its tensors, and those given as arguments."""

    def __init__(self, operator: str, values: tuple) -> None:
        super().__init__(operator)
        self.operator = operator
        flat = torch.utils._pytree.tree_flatten(values)[0]
        self.tensors = [each.dtype for each in flat if isinstance(each, torch.Tensor)]
        self.dtypes = [each for each in flat if isinstance(each, torch.dtype)]


class OnDevice(torch.Tensor):
    """A tensor without data that claims to be on a device."""

    @staticmethod
    def __new__(cls, dtype: torch.dtype, device: object) -> torch.Tensor:  # noqa: D102
        return torch.Tensor._make_wrapper_subclass(cls, (2, 2), dtype=dtype, device=device)

    __torch_function__ = torch._C._disabled_torch_function_impl

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):  # noqa: ANN001, ANN206, D105: torch's signature
        if func is torch.ops.aten._to_copy.default:
            return cls(kwargs["dtype"], args[0].device)
        raise Seen(func.name().removeprefix("aten::"), (args, kwargs or {}))


def policies(registrations: dict) -> dict[str, dict[str, str]]:
    """Of each device with kernels: the operators, and the policy of each."""
    warnings.simplefilter("ignore")
    found = {}
    for key, device in DEVICES.items():
        names = [name for name, keys in registrations.items() if key in keys and not keys[key][1]]
        if names:
            found[f"autocast_{device}"] = of_device(device, names, registrations)
    return found


def of_device(device: str, names: list[str], registrations: dict) -> dict[str, str]:
    """The policies of the kernels of a device."""
    library = torch.library.Library("aten", "IMPL")
    bases = {name.partition(".")[0] for name in names}
    for name in (name for name in registrations if name.partition(".")[0] in bases):
        alias = COMPOSITE if COMPOSITE in registrations[name] else "Autograd"
        library.impl(name, functools.partial(note, name), alias)
    try:
        set_enabled(device, enabled=True)
        found = {name: policy(name, device) for name in names}
        set_enabled(device, enabled=False)
        return found
    except (AttributeError, RuntimeError) as error:
        # The release cannot turn autocast on for the device type.
        return {name: unknown(name, device, error) for name in names}
    finally:
        destroy(library)


def destroy(library: torch.library.Library) -> None:
    """Takes the kernels of a library back. The first releases do so when its module is dropped."""
    if hasattr(library, "_destroy"):
        library._destroy()
    else:
        library.m = None


def note(name: str, *args: object, **kwargs: object) -> None:
    """Takes the place of the operator below autocast."""
    raise Seen(name, (args, kwargs))


def set_enabled(device: str, *, enabled: bool) -> None:
    """Turns autocast to bfloat16 on or off. Before 2.4, each device has a function of its own."""
    try:
        torch.set_autocast_enabled(device, enabled)
        torch.set_autocast_dtype(device, LOWER)
    except TypeError:
        suffix = "" if device == "cuda" else f"_{device}"
        getattr(torch, f"set_autocast{suffix}_enabled")(enabled)
        getattr(torch, f"set_autocast_{'gpu' if device == 'cuda' else device}_dtype")(LOWER)


def policy(name: str, device: str) -> str:
    """The policy that three calls show: with full tensors, with lower ones, and with both."""
    try:
        full, lower, mixed = (call(name, device, kinds) for kinds in ((FULL,), (LOWER,), (LOWER, FULL)))
    except RuntimeError as error:
        return "banned" if _BANNED in str(error) else unknown(name, device, error)
    except Exception as error:  # noqa: BLE001: arguments that do not fit the operator
        return unknown(name, device, error)
    if LOWER in full.tensors:
        return "lower_precision_fp"
    if FULL in lower.dtypes:
        return "fp32_set_opt_dtype" if lower.operator == name else "fp32_append_dtype"
    if lower.tensors[:1] == [FULL]:
        return "fp32"
    # Indices are not promoted, so only the first tensor counts.
    if mixed.tensors[:1] == [FULL]:
        return "promote"
    return unknown(name, device, f"{full.tensors} {lower.tensors} {mixed.tensors}")


def unknown(name: str, device: str, why: object) -> str:
    """A policy that could not be measured."""
    print(f"autocast {device} {name}: {type(why).__name__} {why}", file=sys.stderr)
    return "unknown"


def call(name: str, device: str, kinds: tuple[torch.dtype, ...]) -> Seen:
    """Calls an operator with tensors of these dtypes in turn; what was seen below autocast."""
    base, _, overload = name.partition(".")
    of = getattr(getattr(torch.ops.aten, base), overload or "default")
    tensors = [OnDevice(kind, device) for kind in kinds]
    args: list[object] = []
    for argument in of._schema.arguments:
        if argument.kwarg_only:
            break
        args.append(value(argument, tensors))
    try:
        of(*args)
    except Seen as seen:
        return seen
    raise TypeError("nothing was called below autocast")


def value(argument: object, tensors: list[torch.Tensor]) -> object:
    """The value of an argument. Takes its tensor from the front of `tensors`, and puts it behind."""
    kind = str(argument.type)
    if kind.startswith("Optional["):
        kind = kind.removeprefix("Optional[").removesuffix("]")
    if kind == "Tensor":
        tensors.append(tensors.pop(0))
        return tensors[-1]
    if "List[" in kind and "Tensor" in kind:
        return tensors * 2
    if argument.has_default_value():
        return argument.default_value
    return _VALUES.get(kind)
