"""Batching rules that only raise: calls every operator with a rule under `torch.vmap`.

The arguments are written by hand or made from the schema, in float32, int64 and bool on the CPU. Every
tensor is batched. An operator only raises if plain calls return, and vmap refuses each of them.
"""

import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

from . import by_hand, device, samples, synthetic, workers

# Random operators have their rules at the second key.
_KEYS = ("FuncTorchBatched", "FuncTorchVmapMode")
# Messages of rules that only raise. Other errors come from the arguments.
_REFUSALS = ("vmap", "batching rule")


def only_raises(name: str) -> bool:
    """Whether vmap refuses every call that otherwise returns."""
    refused = 0
    for arguments, keywords in _arguments(name):
        call, tensors = _of_tensors(synthetic.overload(name), (arguments, keywords))
        if not tensors or _error(call, *(each.clone() for each in tensors)):
            continue
        error = _error(torch.vmap(call, randomness="different"), *(torch.stack([each, each]) for each in tensors))
        if error is None:
            return False
        refused += any(text in error.lower() for text in _REFUSALS)
    return refused > 0


def _of_tensors(operator: Callable, arguments: tuple[list, dict]) -> tuple[Callable, list[torch.Tensor]]:
    """A call as a function of its tensors, and these."""
    given, form = tree_flatten(arguments)
    places = [place for place, each in enumerate(given) if isinstance(each, torch.Tensor)]

    def call(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        filled = list(given)
        for place, tensor in zip(places, tensors, strict=True):
            filled[place] = tensor
        positional, keywords = tree_unflatten(filled, form)
        return tuple(samples.tensors(operator(*positional, **keywords)))

    return call, [given[place].detach() for place in places]


def _arguments(name: str) -> Iterator[tuple[list, dict]]:
    for arguments, keywords in by_hand.arguments(name):
        yield [samples.moved(each, "cpu") for each in arguments], keywords
    if synthetic.is_callable(name):
        for option in (None, *synthetic.options(name)):
            yield from synthetic.arguments(name, option=option)


def _error(call: Callable, *tensors: torch.Tensor) -> str | None:
    try:
        with torch.no_grad():
            call(*tensors)
    except Exception as error:  # noqa: BLE001: this is what is measured
        return str(error) or type(error).__name__
    return None


def rules() -> list[str]:
    """The operators with a rule, including those that the first `torch.vmap` registers."""
    torch.vmap(lambda each: each + 1)(torch.zeros(2))
    return [name for name in device.operators() if any(device.has_kernel(name, key) for key in _KEYS)]


def main() -> None:
    """Tries the operators named on standard input."""
    out, sys.stdout = sys.stdout, sys.stderr
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for item in json.load(sys.stdin):
        print(json.dumps({"begin": item}), file=out, flush=True)
        print(json.dumps({"end": item, "raises": only_raises(item)}), file=out, flush=True)


class _Raising(workers.Events):
    def __init__(self) -> None:
        self.names: list[str] = []

    def done(self, row: dict) -> None:
        """Keeps an operator whose rule only raises."""
        if row["raises"]:
            self.names.append(row["end"])


def record(path: str) -> None:
    """Writes the operators whose rule only raises as a list."""
    found = _Raising()
    crashed = workers.run(workers.python("batching"), rules(), found)
    Path(path).write_text(json.dumps(sorted(found.names)), encoding="utf-8")
    print(f"{len(found.names)} batching rules only raise; crashed: {[row['item'] for row in crashed]}")


if __name__ == "__main__":
    record(sys.argv[1]) if sys.argv[1:] else main()
