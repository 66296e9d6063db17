"""Runs the operator database on a device: `python -m opatlas_probe.record_runs OUT DEVICE [KERNEL...]`.

OUT is JSON lines: what the device is, then a test a line.
"""

import json
import sys
import time
from pathlib import Path

import torch

from . import device, runs, samples, workers


def record(name: str, kernels: list[str]) -> tuple[dict, list[dict]]:
    """What the device is, and the tests in the order of the database."""
    every = samples.named(samples.database())
    kept: dict[str, dict] = {}

    def done(row: dict) -> None:
        if row["row"]:
            kept[row["end"]] = row["row"]

    events = workers.Events()
    events.done = done
    for each in workers.run(workers.python("runs", name, *kernels), list(every), events):
        op = every[each["item"]]
        kept[each["item"]] = {"opinfo": op.name, "variant": op.variant_test_name, "roots": [],
                              "results": [["crash", each["status"]]]}
    head = {"torch": torch.__version__.split("+")[0], "device": name, "samples": runs.MOST_SAMPLES}
    if name == device.BARE:
        head["kernels"] = sorted(kernels)
    return head, [kept[test] for test in every if test in kept]


if __name__ == "__main__":
    started = time.monotonic()
    head_, rows_ = record(sys.argv[2], sys.argv[3:])
    Path(sys.argv[1]).write_text("".join(json.dumps(row) + "\n" for row in [head_, *rows_]), encoding="utf-8")
    print(f"{head_['torch']} {head_['device']}: {len(rows_)} tests in {time.monotonic() - started:.0f} s")
