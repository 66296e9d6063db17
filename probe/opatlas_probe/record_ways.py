"""Runs the operator database with gradients or under vmap: `python -m opatlas_probe.record_ways OUT train|vmap`.

OUT is JSON lines: the version of torch, then a sample a line.
"""

import json
import sys
import time
from pathlib import Path

import torch

from . import samples, ways, workers


def record(way: str) -> tuple[dict, list[dict]]:
    """The version of torch, and the samples in the order of the database."""
    every = samples.named(samples.database())
    items = {f"{test} {number}": ways.identity(op, number)
             for test, op in every.items() for number in range(ways.MOST_SAMPLES[way])}
    kept: dict[str, dict] = {}

    def done(row: dict) -> None:
        if row["error"]:
            print(f"{row['end']}: {row['error']}", file=sys.stderr)
        if row["row"]:
            kept[row["end"]] = row["row"]

    events = workers.Events()
    events.done = done
    for each in workers.run(workers.python("ways", way), list(items), events):
        kept[each["item"]] = {**items[each["item"]], "ops": [], "verdict": "crashes", "status": each["status"]}
    head = {"torch": torch.__version__.split("+")[0], "samples": ways.MOST_SAMPLES[way]}
    return head, [kept[item] for item in items if item in kept]


if __name__ == "__main__":
    started = time.monotonic()
    head_, rows_ = record(sys.argv[2])
    Path(sys.argv[1]).write_text("".join(json.dumps(row) + "\n" for row in [head_, *rows_]), encoding="utf-8")
    print(f"{head_['torch']} {sys.argv[2]}: {len(rows_)} samples in {time.monotonic() - started:.0f} s")
