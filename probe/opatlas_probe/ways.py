"""How operators run in other ways than a plain call: with gradients, and under `torch.vmap`.

A row is one float32 sample of a test on the CPU. `train` has the verdict `trains`, `no-graph`,
`not-implemented` or `raises`; `vmap` has `runs`, `falls-back` or `raises`.
"""

import json
import re
import sys
import warnings
from collections.abc import Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_unflatten

from . import samples

MOST_SAMPLES = {"train": 2, "vmap": 3}
_TEXT = 200
_NO_FORMULA = re.compile(r"derivative for '?(?:aten::)?(\w+(?:\.\w+)?)[^']*'? is not implemented")
_OPERATOR = re.compile(r"aten::(\w+(?:\.\w+)?)")
_FALLBACK_IS_OFF = "hit the vmap fallback which is currently disabled"


class Operators(TorchDispatchMode):
    """Collects the operators that are called below autograd, each once, in the order of first calls."""

    def __init__(self) -> None:
        super().__init__()
        self.names: dict[str, None] = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # noqa: ANN001, ANN204, D105: torch's signature
        self.names.setdefault(func.name().removeprefix("aten::"))
        return func(*args, **(kwargs or {}))


def row(way: str, op: object, number: int) -> dict | None:
    """The row of a sample; `None` where there is no such sample of float32, or where a plain call fails."""
    if torch.float32 not in op.supported_dtypes("cpu"):
        return None
    every = samples.samples(op, most=MOST_SAMPLES[way], gradients=way == "train")
    if number >= len(every):
        return None
    sample = every[number]
    torch.manual_seed(0)
    # With gradients, autograd adds calls of `detach` and `clone` to save tensors.
    try:
        with torch.no_grad(), Operators() as called:
            op(sample.input, *sample.args, **sample.kwargs)
    except Exception:  # noqa: BLE001: some samples are made to fail
        return None
    measured = (train if way == "train" else vmap)(op, sample)
    return measured and {**identity(op, number), "ops": list(called.names), **measured}


def identity(op: object, number: int) -> dict:
    """What names a sample in its row."""
    variant = {"variant": op.variant_test_name} if op.variant_test_name else {}
    return {"op": op.name, **variant, "sample": number}


def train(op: object, sample: object) -> dict:
    """Calls an operator with inputs that require gradients, then runs the backward of the sum of its outputs."""
    try:
        result = op(sample.input, *sample.args, **sample.kwargs)
    except Exception as error:  # noqa: BLE001: this is what is measured
        return {"outputs": [], "verdict": "raises", **_message(error)}
    results = list(samples.tensors(result))
    seen = {"outputs": [[each.is_floating_point() or each.is_complex(), each.requires_grad] for each in results]}
    if functions := [type(each.grad_fn).__name__ for each in results if each.requires_grad]:
        seen["grad_fn"] = functions
    return {**seen, **_backward(sample.output_process_fn_grad(result))}


def _backward(result: object) -> dict:
    differentiable = [each for each in samples.tensors(result) if each.requires_grad]
    if not differentiable:
        return {"verdict": "no-graph"}
    try:
        torch.autograd.backward(differentiable, [torch.ones_like(each) for each in differentiable])
    except Exception as error:  # noqa: BLE001: this is what is measured
        if found := _NO_FORMULA.search(str(error)):
            return {"verdict": "not-implemented", "blame": found[1]}
        return {"verdict": "raises", **_message(error)}
    return {"verdict": "trains"}


def vmap(op: object, sample: object) -> dict | None:
    """Calls an operator over two stacked copies of every tensor; `None` where it has none."""
    given, form = tree_flatten((sample.input, sample.args, sample.kwargs))
    places = [place for place, each in enumerate(given) if isinstance(each, torch.Tensor)]

    def call(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        filled = list(given)
        for place, tensor in zip(places, tensors, strict=True):
            filled[place] = tensor
        first, args, kwargs = tree_unflatten(filled, form)
        return tuple(samples.tensors(op(first, *args, **kwargs)))

    return _batched(call, [given[place] for place in places]) if places else None


def _batched(call: Callable, tensors: list[torch.Tensor]) -> dict:
    torch._C._functorch._set_vmap_fallback_enabled(False)
    error = _error(call, tensors)
    torch._C._functorch._set_vmap_fallback_enabled(True)
    if error is None:
        return {"verdict": "runs"}
    failed = {"verdict": "raises", **_message(error)}
    if _FALLBACK_IS_OFF not in str(error):
        return failed
    error = _error(call, tensors)
    if error is None:
        return {"verdict": "falls-back", "blame": failed["blame"]}
    return {**failed, "message": _message(error)["message"]}


def _error(call: Callable, tensors: list[torch.Tensor]) -> Exception | None:
    try:
        stacked = [torch.stack([each, each]) for each in tensors]
        torch.vmap(call, randomness="different")(*stacked)
    except Exception as error:  # noqa: BLE001: this is what is measured
        return error
    return None


def _message(error: Exception) -> dict:
    """The first line of an error, and the operator that it names."""
    text = str(error)
    found = _OPERATOR.search(text)
    return {"message": text.split("\n")[0][:_TEXT], **({"blame": found[1]} if found else {})}


def main() -> None:
    """Runs the samples named on standard input: `ways WAY`. A name is that of the test, a blank and a number."""
    out, sys.stdout = sys.stdout, sys.stderr
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    every = samples.named(samples.database())
    for item in json.load(sys.stdin):
        print(json.dumps({"begin": item}), file=out, flush=True)
        test, number = item.rsplit(" ", 1)
        measured = error = None
        try:
            measured = row(sys.argv[1], every[test], int(number))
        except Exception as raised:  # noqa: BLE001: a broken sample is not the end of the run
            error = f"{type(raised).__name__}: {str(raised)[:_TEXT]}"
        print(json.dumps({"end": item, "row": measured, "error": error}), file=out, flush=True)


if __name__ == "__main__":
    main()
