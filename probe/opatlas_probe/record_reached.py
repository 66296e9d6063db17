"""Records calls beyond those that samples make: `python -m opatlas_probe.record_reached OUT`.

OUT is JSON lines. `tree` is an operator that Python called in one of the first samples of a test: its
name, what it called, and the calls of the composites below it. `made` is an operator that was called
with arguments made from its schema, without optional ones, and what it called then.
"""

import json
import sys
from pathlib import Path

from . import calls, workers


class _Written(workers.Events):
    def __init__(self, out: object) -> None:
        self.out = out

    def done(self, row: dict) -> None:
        """Writes what an item reached."""
        kind, _, name = row["end"].partition(":")
        for tree in row["trees"]:
            print(json.dumps({"tree": tree}), file=self.out)
        for operator, phase, complete, called, *_ in row["rows"]:
            if (kind, name, phase) == ("defaults", operator, calls.FORWARD) and complete:
                print(json.dumps({"made": [operator, sorted(called)]}), file=self.out)


if __name__ == "__main__":
    items = [*calls.tests(calls.REACHED), *calls.others(set(), "defaults")]
    with Path(sys.argv[1]).open("w", encoding="utf-8") as written:
        crashed = workers.run(workers.python("calls"), items, _Written(written))
    print(f"crashed: {[row['item'] for row in crashed]}")
