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
from .failure import Failure
from .ledger import LEASE_SECONDS, Refused, digest

_RENEWALS_PER_LEASE = 3
# A worker that loses so many leases in a row, without a result, does no work.
_MOST_LOST = 20
_LOST_KINDS = ("lease-lost", "shard-done")


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
        # The error that ended the renewal, if the lease did not end it.
        self.failure: Exception | None = None
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._renew_on_time, daemon=True)
        self._thread.start()

    def begun(self, item: str) -> None:
        """Says which item runs, so that the server knows it when this worker is lost."""
        self.item = item
        self._renew(None)
        self.check()

    def done(self, row: dict) -> None:
        """Keeps the row of an item."""
        named = {name: value for name, value in row.items() if name != "end"}
        self.rows.append({"item": row["end"], **named})

    def killed(self, item: str, status: int) -> None:
        """Reports an item that killed its process."""
        self.item = None
        self.kills[item] = self.kills.get(item, 0) + 1
        self._renew(item)

    def check(self) -> None:
        """Raises what ended the renewal, if anything did."""
        if self.failure:
            raise self.failure
        if self.is_lost:
            raise Lost

    def stop(self) -> None:
        """Ends the renewal."""
        self._end.set()
        self._thread.join()

    def _renew_on_time(self) -> None:
        while not self._end.wait(self.given.get("seconds", LEASE_SECONDS) / _RENEWALS_PER_LEASE):
            try:
                self._renew(None)
            except Failure:
                pass  # No answer for a while. If that lasts, the next request of the worker says so.
            except Exception as error:  # noqa: BLE001: the worker raises it; an error of a thread is seen by nobody
                self.failure = error
                return

    def _renew(self, killed: str | None) -> None:
        try:
            self.client.renew(self.run, self.given["shard"], self.given["lease"], self.item, killed,
                              self.kills.get(killed))
        except Refused as refused:
            if refused.kind not in _LOST_KINDS:
                raise
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
        lost = 0
        while True:
            given = self.client.lease(self.run, self.who)
            if given.get("done"):
                return
            if "wait" in given:
                time.sleep(given["wait"])
                continue
            try:
                self._shard(given)
                lost = 0
            except Lost:
                lost += 1
                if lost == _MOST_LOST:
                    raise Failure(f"{lost} leases of run {self.run} ended one after the other, before their shards were "
                                  "done. Check the connection to the server, and whether this machine pauses.") from None
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
        if lease.failure:
            raise lease.failure
        rows = [{"item": row["item"], "seconds": row["seconds"], **self.outcome(given["part"], row)}
                for row in lease.rows]
        rows += [{"item": each["item"], "outcome": "crash"} for each in quarantined]
        rows.sort(key=lambda row: row["item"])
        try:
            self.client.result(self.run, given["shard"], {"lease": given["lease"], "worker": self.who,
                                                          "rows": rows, "digest": digest(rows)})
        except Refused as refused:
            if refused.kind not in _LOST_KINDS:
                raise
            raise Lost from refused

    def _ended(self, _number: int, _frame: FrameType | None) -> None:
        """torchrun ends the group, since a worker failed or the members changed: gives the shard back."""
        if self.current:
            self.current.is_lost = True
            try:
                self.client.release(self.run, self.current.given["shard"], self.current.given["lease"])
            except (Refused, Failure):
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
