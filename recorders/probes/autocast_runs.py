"""The dtypes that operators get on the CPU, without autocast (`plain`) and with autocast to bfloat16 (`seen`).

A row is a test of the operator database with samples of one dtype. Operators are those below autograd and autocast.
"""

import sys
import warnings
from itertools import islice

import ways_dtypes
from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from torch.utils._pytree import tree_leaves  # noqa: E402

# Autocast casts these two; other dtypes pass.
GIVEN = (torch.float32, torch.bfloat16)
SAMPLES = 3
# The dtypes of floating-point arguments, by operator.
Seen = dict[str, set[str]]


def answer(_: dict) -> dict:
    """The rows, and what could not be called."""
    torch.manual_seed(0)
    rows = []
    for op in ways_dtypes.database():
        for dtype in GIVEN:
            if dtype not in ways_dtypes.forward(op, "cpu"):
                continue
            try:
                rows.append(row(op, dtype))
            except Exception as error:  # noqa: BLE001: some tests cannot run below autocast
                print(f"{op.name}: {type(error).__name__}: {error}", file=sys.stderr)
    return {"torch": torch.__version__.split("+")[0], "rows": rows}


def row(op: object, dtype: torch.dtype) -> dict:
    """One test with samples of one dtype."""
    samples = list(islice(op.sample_inputs("cpu", dtype, requires_grad=False), SAMPLES))
    plain, seen = Watch(), Watch()
    for sample in samples:
        with torch.no_grad(), plain:
            op(sample.input, *sample.args, **sample.kwargs)
        with torch.no_grad(), torch.autocast("cpu", torch.bfloat16), seen:
            op(sample.input, *sample.args, **sample.kwargs)
    return {"op": op.name, "variant": op.variant_test_name, "given": name_of(dtype),
            "plain": ordered(plain.seen), "seen": ordered(seen.seen)}


class Watch(TorchDispatchMode):
    """Notes the dtypes of the calls that reach it."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: Seen = {}

    def __torch_dispatch__(self, func: object, types: object, args: tuple = (), kwargs: dict | None = None) -> object:
        """Notes one call, and makes it."""
        of = self.seen.setdefault(func.name().removeprefix("aten::"), set())
        of.update(name_of(each.dtype) for each in tree_leaves((args, kwargs))
                  if isinstance(each, torch.Tensor) and each.dtype.is_floating_point)
        return func(*args, **kwargs or {})


def name_of(dtype: torch.dtype) -> str:
    """`bfloat16`."""
    return str(dtype).removeprefix("torch.")


def ordered(seen: Seen) -> dict[str, list[str]]:
    """What the file has."""
    return {name: sorted(dtypes) for name, dtypes in seen.items()}


if __name__ == "__main__":
    serve(answer)
