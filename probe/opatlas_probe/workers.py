"""Runs items one after another in a process of its own, which may die of one.

The process reads a JSON list of items from standard input. It prints `{"begin": ITEM}` before an item
and `{"end": ITEM, ...}` after it. When it dies, the item that it had begun is tried once more in a new
process, and is quarantined if that dies of it too. An item has five minutes.
"""

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .failure import Failure

MOST_KILLS = 2
_ITEM_TIMEOUT_S = 300
_MOST_SAID = 2_000


class Events:
    """What a caller wants to know meanwhile."""

    def begun(self, item: str) -> None:
        """An item begins."""

    def done(self, row: dict) -> None:
        """An item has ended; the row has `end`, its seconds, and what the process says."""

    def killed(self, item: str, status: int) -> None:
        """An item has killed its process."""


def run(command: Sequence[str], items: Sequence[str], events: Events, kills: dict[str, int] | None = None) -> list[dict]:
    """Runs a command over items. Returns the quarantined ones, with the status of their process."""
    left, deaths, quarantined = list(items), dict(kills or {}), []
    while left:
        begun, finished, status, said = _one(command, left, events)
        left = [item for item in left if item not in finished]
        if not left:
            break
        if begun is None:
            raise Failure(f"{' '.join(command[:4])} ended with status {status} before its first item:\n{said}")
        events.killed(begun, status)
        deaths[begun] = deaths.get(begun, 0) + 1
        if deaths[begun] >= MOST_KILLS:
            left.remove(begun)
            quarantined.append({"item": begun, "status": status})
    return quarantined


def python(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of this package."""
    return [sys.executable, "-m", f"opatlas_probe.{module}", *arguments]


def _one(command: Sequence[str], items: list[str], events: Events) -> tuple[str | None, set[str], int, str]:
    # The variables of torchrun are of this worker, not of what it starts.
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith(("TORCHELASTIC", "MASTER_", "GROUP_", "LOCAL_"))}
    environment |= {"PYTHONPATH": os.pathsep.join(filter(None, (str(Path(__file__).resolve().parent.parent),
                                                                os.environ.get("PYTHONPATH")))),
                    "OMP_NUM_THREADS": "1"}
    errors = tempfile.TemporaryFile(mode="w+", errors="replace")  # noqa: SIM115: closed below
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                               text=True, env=environment)
    begun, finished = None, set()
    timer = None
    try:
        process.stdin.write(json.dumps(items))
        process.stdin.close()
        for line in process.stdout:
            if timer:
                timer.cancel()
            row = json.loads(line)
            if "begin" in row:
                begun, since = row["begin"], time.monotonic()
                timer = threading.Timer(_ITEM_TIMEOUT_S, process.kill)
                timer.daemon = True
                timer.start()
                events.begun(begun)
            else:
                finished.add(row["end"])
                begun = None
                events.done({**row, "seconds": round(time.monotonic() - since, 3)})
    except BrokenPipeError:
        pass
    finally:
        if timer:
            timer.cancel()
        if process.poll() is None and sys.exc_info()[0] is not None:
            process.kill()
    status = process.wait()
    process.stdout.close()
    errors.seek(0)
    with errors:
        return begun, finished, status, errors.read()[-_MOST_SAID:]
