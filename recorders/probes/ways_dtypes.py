"""The dtypes that the operator database claims, of Python functions by device type.

A device type is there where the database has a field for it. Elsewhere it would repeat the CPU's.
"""

import sys
import types
import unittest

SHORT = {"bool": "b8", "uint8": "u8", "uint16": "u16", "uint32": "u32", "uint64": "u64", "int8": "i8", "int16": "i16",
         "int32": "i32", "int64": "i64", "bfloat16": "bf16", "float16": "f16", "float32": "f32", "float64": "f64",
         "complex32": "c32", "complex64": "c64", "complex128": "c128"}
DEVICES = {"cuda": "dtypesIfCUDA", "rocm": "dtypesIfROCM", "mps": "dtypesIfMPS", "xpu": "dtypesIfXPU", "hpu": "dtypesIfHpu"}


def claimed() -> dict[str, dict[str, str]]:
    """By device type: forward (`dtypes_cuda`) and backward (`backward_dtypes_cuda`)."""
    every = {name_of(op): op for op in database()}
    first = next(iter(every.values()))
    found = {"dtypes_operator": {name: op.aten_name for name, op in every.items()}}
    for device, field in {"cpu": "dtypes", **DEVICES}.items():
        if field in type(first).__dataclass_fields__:
            of_device = {name: op for name, op in every.items() if is_claimed(op, device)}
            found[f"dtypes_{device}"] = {name: shown(forward(op, device)) for name, op in of_device.items()}
            found[f"backward_dtypes_{device}"] = {name: shown(backward(op, device)) for name, op in of_device.items()}
    return found


def database() -> list:
    """The operator tests. The class that they import of another package is stood in for where it is missing."""
    if "expecttest" not in sys.modules:
        try:
            import expecttest  # noqa: F401, PLC0415
        except ImportError:
            stand_in = types.ModuleType("expecttest")
            stand_in.TestCase = type("TestCase", (unittest.TestCase,), {})
            sys.modules["expecttest"] = stand_in
    from torch.testing._internal.common_methods_invocations import op_db  # noqa: PLC0415
    return list(op_db)


def name_of(op: object) -> str:
    """`linalg.norm`, and `linalg.norm/subgradients_at_zero` of a variant."""
    return f"{op.name}/{op.variant_test_name}" if op.variant_test_name else op.name


def is_claimed(op: object, device: str) -> bool:
    """Whether a test says something of the device type. In 2.5, asking for HPU fails where it does not."""
    try:
        return None not in (forward(op, device), backward(op, device))
    except TypeError:
        return False


def forward(op: object, device: str) -> set | None:
    """The dtypes of a call."""
    return op.dtypesIfROCM if device == "rocm" else op.supported_dtypes(device)


def backward(op: object, device: str) -> set | None:
    """The dtypes of a call with gradients."""
    if device != "rocm":
        return set(op.supported_backward_dtypes(device))
    if op.backward_dtypesIfROCM is None:
        return None
    allowed = {dtype for dtype in op.backward_dtypesIfROCM if dtype.is_floating_point or dtype.is_complex}
    return allowed if op.supports_autograd else set()


def shown(dtypes: set) -> str:
    """`bf16 f32 i64`, in the order of `SHORT`; a dtype without a short name is written out."""
    names = [str(dtype).removeprefix("torch.") for dtype in dtypes]
    known = [short for name, short in SHORT.items() if name in names]
    return " ".join(known + sorted(set(names) - set(SHORT)))
