"""What the operator database runs on a device: the bare device with sets of kernels, and Meta.

A row is a test: the operators that Python called on the CPU (`roots`), and the outcomes over its
samples: `["ok"]`, `["missing", OPERATOR]`, `["wrong", TEXT]`, `["error", TYPE, TEXT]`,
`["crash", STATUS]`. Kernels other than views, copies and allocations are the boxed CPU fallback.
"""

import json

from . import children, files, places
from .from_torchgen import Recorded

META = "meta"
_KERNELS = places.RECORDERS / "cases" / "kernel_sets.json"
SETS = (*json.loads(_KERNELS.read_text()), META)


def of_set(version: str, name: str) -> Recorded:
    """The tests of a release on the bare device with a set of kernels, or on Meta."""
    out = places.CACHE / f"device_runs_{version}_{name}.jsonl"
    kernels = [] if name == META else json.loads(_KERNELS.read_text())[name]
    children.opatlas_probe(version, "record_runs", out, META if name == META else "bare", *kernels)
    return packed(out, version, name)


def packed(out: object, version: str, name: str) -> Recorded:
    """The rows of a run, with the kernels in the first line."""
    _, (head, *rows) = files.read(out)
    facts = {"torch": version, "device": head["device"], "set": name}
    if "kernels" in head:
        facts["kernels"] = head["kernels"]
    return files.header("device_runs", 1, **facts), rows
