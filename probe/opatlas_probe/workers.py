"""Runs items one after another in a process of its own, which may die of one.

A worker prints a line when it begins an item and one when it ends it. When it dies the item that it
had begun is tried once more, in a new process, and is quarantined if that dies of it too.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

_MOST_DEATHS = 2
_ITEM_TIMEOUT_S = 300


def run(module: str, places: Sequence[str], arguments: Sequence[str], done: Callable[[dict], None],
        python: str = sys.executable) -> list[dict]:
    """Runs a worker module over items; calls `done` with each result. Returns the quarantined items."""
    left, deaths, quarantined = list(places), {}, []
    while left:
        begun, finished, status = _one(module, left, arguments, done, python)
        left = [place for place in left if place not in finished]
        if status == 0 and not left:
            break
        if begun is None:
            raise SystemExit(f"a worker of {module} ended with status {status} before its first item")
        deaths[begun] = deaths.get(begun, 0) + 1
        if deaths[begun] >= _MOST_DEATHS:
            left.remove(begun)
            quarantined.append({"item": begun, "status": status})
    return quarantined


def _one(module: str, places: list[str], arguments: Sequence[str], done: Callable[[dict], None],
         python: str) -> tuple[str | None, set[str], int]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent),
                   "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
    worker = subprocess.Popen([python, "-m", module, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, env=environment)
    worker.stdin.write(json.dumps(places))
    worker.stdin.close()
    begun, finished = None, set()
    watch = None
    for line in worker.stdout:
        if watch:
            watch.cancel()
        row = json.loads(line)
        if "begin" in row:
            begun = row["begin"]
            watch = threading.Timer(_ITEM_TIMEOUT_S, worker.kill)
            watch.start()
        else:
            finished.add(row["end"])
            begun = None
            done(row)
    if watch:
        watch.cancel()
    return begun, finished, worker.wait()
