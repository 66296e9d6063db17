"""A worker of a run: leases shards, runs them, hands in results, until the run is done."""

import os
import platform
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType

from . import workers
from .client import Client
from .ledger import LEASE_SECONDS, Refused, digest

_RENEWALS_PER_LEASE = 3


class Lost(Exception):  # noqa: N818: it is a state, not a fault
    """The lease has ended: another worker has the shard."""


def identity() -> dict:
    """Who this worker is, from what torchrun tells it."""
    return {"rank": int(os.environ.get("RANK", "0")), "world": int(os.environ.get("WORLD_SIZE", "1")),
            "restart": int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")), "host": platform.node(),
            "process": os.getpid()}


class Lease(workers.Events):
    """A shard while it runs: collects rows, and renews the lease beside them."""

    def __init__(self, client: Client, run: str, given: dict) -> None:
        self.client, self.run, self.given = client, run, given
        self.rows: list[dict] = []
        self.item: str | None = None
        self.kills: dict[str, int] = dict(given["kills"])
        self.is_lost = False
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._renew_on_time, daemon=True)
        self._thread.start()

    def begun(self, item: str) -> None:
        """Says which item runs, so that the server knows it when this worker is lost."""
        self.item = item
        self._renew(None)
        if self.is_lost:
            raise Lost

    def done(self, row: dict) -> None:
        """Keeps the row of an item."""
        named = {name: value for name, value in row.items() if name != "end"}
        self.rows.append({"item": row["end"], **named})

    def killed(self, item: str, status: int) -> None:
        """Reports an item that killed its process."""
        self.item = None
        self.kills[item] = self.kills.get(item, 0) + 1
        self._renew(item)

    def stop(self) -> None:
        """Ends the renewal."""
        self._end.set()
        self._thread.join()

    def _renew_on_time(self) -> None:
        while not self._end.wait(self.given.get("seconds", LEASE_SECONDS) / _RENEWALS_PER_LEASE):
            self._renew(None)

    def _renew(self, killed: str | None) -> None:
        try:
            self.client.renew(self.run, self.given["shard"], self.given["lease"], self.item, killed,
                              self.kills.get(killed))
        except Refused:
            self.is_lost = True


class Worker:
    """Runs the shards of one run."""

    def __init__(self, client: Client, run: str, commands: dict[str, Sequence[str]],
                 outcome: Callable[[str, dict], dict]) -> None:
        self.client, self.run, self.commands, self.outcome = client, run, commands, outcome
        self.who = identity()
        self.current: Lease | None = None

    def work(self) -> None:
        """Runs shards until every shard of the run has a result, whoever ran it."""
        before = signal.signal(signal.SIGTERM, self._ended)
        try:
            self._work()
        finally:
            signal.signal(signal.SIGTERM, before)

    def _work(self) -> None:
        while True:
            given = self.client.lease(self.run, self.who)
            if given.get("done"):
                return
            if "wait" in given:
                time.sleep(given["wait"])
                continue
            try:
                self._shard(given)
            except Lost:
                print(f"rank {self.who['rank']}: the lease of shard {given['shard']} ended; another worker has it",
                      file=sys.stderr)

    def _shard(self, given: dict) -> None:
        lease = self.current = Lease(self.client, self.run, given)
        try:
            quarantined = [{"item": item, "status": None} for item in given["quarantined"]]
            quarantined += workers.run(self.commands[given["part"]], given["items"], lease, given["kills"])
        finally:
            lease.stop()
            self.current = None
        rows = [{"item": row["item"], "seconds": row["seconds"], **self.outcome(given["part"], row)}
                for row in lease.rows]
        rows += [{"item": each["item"], "outcome": "crash"} for each in quarantined]
        rows.sort(key=lambda row: row["item"])
        try:
            self.client.result(self.run, given["shard"], {"lease": given["lease"], "worker": self.who,
                                                          "rows": rows, "digest": digest(rows)})
        except Refused as refused:
            if refused.kind not in ("lease-lost", "shard-done"):
                raise
            raise Lost from refused

    def _ended(self, _number: int, _frame: FrameType | None) -> None:
        """torchrun ends the group, since a worker failed or the members changed: gives the shard back."""
        if self.current:
            self.current.is_lost = True
            try:
                self.client.release(self.run, self.current.given["shard"], self.current.given["lease"])
            except Refused:
                pass
        sys.exit(128 + signal.SIGTERM)


def summary(progress: dict) -> str:
    """What came out, by rank."""
    shards = progress["shards"]
    lines = [f"{progress['revision']} with torch {progress['torch']} on {progress['device']}: {shards['done']} of "
             f"{sum(shards.values())} shards done"]
    lines += [f"  {outcome}: {count}" for outcome, count in progress["outcomes"].items()]
    lines += [f"  rank {rank}: {of['shards']} shards, {of['items']} items" for rank, of in progress["ranks"].items()]
    if progress["quarantined"]:
        lines.append(f"  quarantined: {', '.join(progress['quarantined'])}")
    return "\n".join(lines)
