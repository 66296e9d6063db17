"""Records the calls of all composites of this torch: `python -m opatlas_probe.record_calls OUT`.

OUT is JSON lines, one item each, and can be continued: items that it has are not run again.
"""

import json
import sys
import time
from pathlib import Path

import torch

from . import calls, device, samples, workers


def record(kept: Path, python: str = sys.executable) -> dict:
    """The calls of the installed release, and what could not be recorded."""
    every = samples.database()
    items = [f"{place}:{phase}" for place in range(len(every)) for phase in calls.ITEM_PHASES]
    rows = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
    known = {row["end"] for row in rows}
    with kept.open("a", encoding="utf-8") as out:
        def done(row: dict) -> None:
            rows.append(row)
            print(json.dumps(row), file=out, flush=True)

        crashed = workers.run("opatlas_probe.calls", [item for item in items if item not in known], [], done, python)
        for each in crashed:
            done({"end": each["item"], "test": samples.name_of(every[int(each["item"].split(":")[0])]),
                  "status": each["status"], "rows": []})
    tally = calls.Tally()
    for row in rows:
        tally.merge(row["rows"])
    return {"torch": torch.__version__.split("+")[0], "tests": len(every), "calls": tally.lists(),
            "raises": sorted(name for name in device.ONLY_RAISE if name in set(device.operators())),
            "failed": [[row["test"], row["end"], row["error"]] for row in rows if row.get("error")],
            "crashed": [[row["test"], row["end"], row["status"]] for row in rows if row.get("status")]}


if __name__ == "__main__":
    started = time.monotonic()
    found = record(Path(sys.argv[1]))
    print(f"{found['torch']}: {len(found['calls'])} operators from {found['tests']} tests in "
          f"{time.monotonic() - started:.0f} s; failed {found['failed']}; crashed {found['crashed']}")
