"""Records the calls of all composites of this torch: `python -m opatlas_probe.record_calls OUT`.

OUT is JSON lines, one item each, and can be continued: items that it has are not run again.
"""

import json
import sys
import time
from pathlib import Path

import torch

from . import calls, examples, workers


class Record:
    """What was recorded so far."""

    def __init__(self, kept: Path) -> None:
        self.kept = kept
        self.rows = [json.loads(line) for line in kept.read_text().splitlines()] if kept.exists() else []
        self.tally = calls.Tally()
        for row in self.rows:
            self.tally.merge(row["rows"])

    def run(self, items: list[str]) -> None:
        """Runs items that it does not have."""
        known = {row["end"] for row in self.rows}
        # Made arguments count only for operators without samples, which are better evidence.
        sampled = self.tally.operators(calls.FORWARD)
        with self.kept.open("a", encoding="utf-8") as out:
            def done(row: dict) -> None:
                if row["end"].startswith("schema:"):
                    row["rows"] = [each for each in row["rows"] if each[0] not in sampled]
                self.rows.append(row)
                self.tally.merge(row["rows"])
                print(json.dumps(row), file=out, flush=True)

            events = workers.Events()
            events.done = done
            for each in workers.run(workers.python("calls"), [item for item in items if item not in known], events):
                done({"end": each["item"], "status": each["status"], "rows": []})


def record(kept: Path) -> dict:
    """The calls of the installed release, and what could not be recorded."""
    made = Record(kept)
    # What happens without gradients comes first: it is what verdicts are made from.
    made.run([*calls.tests(calls.FORWARD), *(f"example:{name}" for name in examples.CALLS)])
    made.run(calls.others(made.tally.operators(calls.FORWARD)))
    made.run(calls.tests("gradients"))
    # Items end in any order, and the order of calls must not depend on that.
    tally = calls.Tally()
    for row in sorted(made.rows, key=lambda row: row["end"]):
        tally.merge(row["rows"])
    return {"torch": torch.__version__.split("+")[0], "items": len(made.rows), "calls": tally.lists(),
            "failed": [[row["end"], row["error"]] for row in made.rows if row.get("error")],
            "crashed": [[row["end"], row["status"]] for row in made.rows if row.get("status")]}


if __name__ == "__main__":
    started = time.monotonic()
    found = record(Path(sys.argv[1]))
    Path(sys.argv[2]).write_text(json.dumps(found), encoding="utf-8")
    print(f"{found['torch']}: {len(found['calls'])} operators from {found['items']} items in "
          f"{time.monotonic() - started:.0f} s; failed {found['failed']}; crashed {found['crashed']}")
