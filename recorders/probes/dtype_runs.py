"""The dtypes with which the tests of the operator database run on the CPU, forward and backward.

A dtype counts if every sample of a test runs, as PyTorch's own test of the claims has it. Each test runs in a
process of its own, since some samples of a wrong dtype end theirs.
"""

import json
import os
import select
import signal
import sys
import warnings
from itertools import islice

import ways_dtypes
from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402

# More samples of a test add nothing but time.
SAMPLES = 12
# The limit for one test. A release has about 600, and most take less than a second.
LIMIT_S = 60


def answer(_: dict) -> dict:
    """The two facts, and the tests that crashed or ran too long."""
    torch.set_num_threads(1)
    found: dict[str, dict[str, str]] = {"ran_dtypes_cpu": {}, "ran_backward_dtypes_cpu": {}}
    failed = []
    for op in filter(is_tried, ways_dtypes.database()):
        name = ways_dtypes.name_of(op)
        ran = apart(op)
        if ran is None:
            failed.append(name)
            continue
        for fact, dtypes in zip(found.values(), ran, strict=True):
            fact[name] = " ".join(dtypes)
    print(f"without an answer: {failed}", file=sys.stderr)
    return {"torch": torch.__version__.split("+")[0], "facts": found}


def is_tried(op: object) -> bool:
    """Whether all dtypes that a test claims are tried here. Of the others (float8), nothing is recorded."""
    claimed = ways_dtypes.shown(ways_dtypes.forward(op, "cpu")).split()
    return set(claimed).issubset(ways_dtypes.SHORT.values())


def apart(op: object) -> list[list[str]] | None:
    """What `dtypes_of` says in a child; `None` if the child crashes or takes too long."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            os.write(writing, json.dumps(dtypes_of(op)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    is_done, _, _ = select.select([reading], [], [], LIMIT_S)
    text = os.read(reading, 65536) if is_done else b""
    os.close(reading)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return json.loads(text) if text else None


def dtypes_of(op: object) -> tuple[list[str], list[str]]:
    """The dtypes of a call, and of a call with gradients, by their short names."""
    forward, backward = [], []
    for name, short in ways_dtypes.SHORT.items():
        dtype = getattr(torch, name, None)
        if dtype is None:
            continue
        if runs(op, dtype, requires_grad=False):
            forward.append(short)
            is_differentiable = dtype.is_floating_point or dtype.is_complex
            if is_differentiable and op.supports_autograd and runs(op, dtype, requires_grad=True):
                backward.append(short)
    return forward, backward


def runs(op: object, dtype: torch.dtype, *, requires_grad: bool) -> bool:
    """Whether there are samples, and all of them run."""
    try:
        samples = list(islice(op.sample_inputs("cpu", dtype, requires_grad=requires_grad), SAMPLES))
        for sample in samples:
            call(op, sample, requires_grad)
    except Exception:  # noqa: BLE001: whatever a call raises, it did not run
        return False
    return bool(samples)


def call(op: object, sample: object, requires_grad: bool) -> None:
    """Calls the function, and the backward of what it returns."""
    result = op(sample.input, *sample.args, **sample.kwargs)
    if not requires_grad:
        return
    results = sample.output_process_fn_grad(result)
    results = results if isinstance(results, (list, tuple)) else [results]
    parts = [each for each in results if isinstance(each, torch.Tensor) and each.requires_grad]
    if parts:
        torch.autograd.backward(parts, [torch.ones_like(each) for each in parts])


if __name__ == "__main__":
    serve(answer)
