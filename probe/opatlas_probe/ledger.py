"""The state of a probe's runs: shards, leases, results, quarantine. No I/O; the caller has the clock.

The server of `tests/server.py` answers with it; Opatlas itself has the same rules.

A shard is leased to one worker at a time. A lease is a random secret, valid only with the token that
took it. A lease that is not renewed ends, and the shard is leased again. The first result of a shard
is kept.

A worker runs items in a process of its own and reports when one kills it. An item that does so twice
is quarantined: no worker gets it again. A worker that is lost says nothing against the item that it
ran, since anything may have ended it; only an item that was running very often is quarantined too.
"""

import hashlib
import hmac
import json
import secrets
from dataclasses import dataclass, field

from . import packing

LEASE_SECONDS = 30.0
MOST_KILLS = 2
MOST_LOSSES = 10
_UNKNOWN_COST = 1.0
_PARTS = ("tables", "calls", "runs")
_MOST_ITEMS = 20_000


class Refused(Exception):  # noqa: N818: it is an answer, not a fault
    """A request that is refused: an HTTP status, a kind, and what to do about it."""

    def __init__(self, status: int, kind: str, detail: str) -> None:
        super().__init__(detail)
        self.status, self.kind, self.detail = status, kind, detail


def digest(rows: list) -> str:
    """The digest of a result: SHA-256 of its rows as JSON with sorted keys and without blanks."""
    text = json.dumps(rows, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass
class Shard:
    """Items of one part that one worker runs."""

    part: str
    items: list[str]
    lease: str | None = None
    token: str | None = None
    until: float = 0.0
    begun: str | None = None
    rows: list | None = None
    digest: str | None = None
    worker: dict = field(default_factory=dict)


@dataclass
class Run:
    """One probe of a revision on a device."""

    id: str
    revision: str
    torch: str
    device: str
    shards: list[Shard]
    lease_seconds: float = LEASE_SECONDS
    kills: dict[str, int] = field(default_factory=dict)
    losses: dict[str, int] = field(default_factory=dict)

    def quarantined(self) -> list[str]:
        """The items that no worker gets again."""
        return sorted({item for item, kills in self.kills.items() if kills >= MOST_KILLS}
                      | {item for item, losses in self.losses.items() if losses >= MOST_LOSSES})

    def is_done(self) -> bool:
        """Whether every shard has a result."""
        return all(shard.rows is not None for shard in self.shards)


class Ledger:
    """All runs of a project."""

    def __init__(self, releases: dict[str, str]) -> None:
        # Of each revision the release that it is of.
        self.releases = releases
        self.runs: dict[str, Run] = {}
        self.tables: dict[str, dict] = {}
        # Seconds of each item in earlier runs, by device and part.
        self.seconds: dict[tuple[str, str, str], float] = {}

    def open(self, asked: dict) -> Run:
        """The run of a key; it is made on the first request, and every worker of the run makes one."""
        revision, torch, key = (_text(asked, name) for name in ("revision", "torch", "key"))
        self._check_release(revision, torch)
        device = _text(asked, "device")
        items = _items(asked)
        known = self.runs.get(key)
        if known:
            given = (revision, torch, device)
            if given != (known.revision, known.torch, known.device):
                raise Refused(409, "other-run", f"run {key} is of revision {known.revision} with torch {known.torch} "
                              f"on {known.device}; this worker has {', '.join(given)}. Start it with another key.")
            return known
        capacity = max(1, round(float(asked.get("shard_seconds", 20)) * 1000))
        self.runs[key] = Run(key, revision, torch, device, self._shards(device, items, capacity),
                             float(asked.get("lease_seconds", LEASE_SECONDS)))
        return self.runs[key]

    def lease(self, run_id: str, worker: dict, now: float, token: str | None = None) -> dict:
        """A shard for a worker, or what it does instead: wait, or end."""
        run = self._run(run_id)
        self._expire(run, now)
        for number, shard in enumerate(run.shards):
            if shard.rows is None and shard.lease is None:
                shard.lease, shard.token = secrets.token_hex(16), token
                shard.until, shard.worker, shard.begun = now + run.lease_seconds, worker, None
                skipped = set(run.quarantined())
                return {"shard": number, "lease": shard.lease, "seconds": run.lease_seconds, "part": shard.part,
                        "items": [item for item in shard.items if item not in skipped],
                        "quarantined": [item for item in shard.items if item in skipped],
                        "kills": {item: run.kills[item] for item in shard.items if item in run.kills}}
        if run.is_done():
            return {"done": True}
        first = min(shard.until for shard in run.shards if shard.lease)
        return {"wait": max(0.05, min(first - now, 2.0))}

    def renew(self, run_id: str, number: int, given: dict, now: float, token: str | None = None) -> None:
        """Keeps a lease, and notes which item runs and which has killed its process, and how many by now."""
        run = self._run(run_id)
        self._expire(run, now)
        shard = self._leased(run, number, _text(given, "lease"), token)
        for name in ("begun", "killed"):
            if given.get(name) is not None and given[name] not in shard.items:
                raise Refused(400, "malformed-body", f"`{name}` must be an item of the shard.")
        shard.until, shard.begun = now + run.lease_seconds, given.get("begun")
        if (killed := given.get("killed")) is not None:
            before = run.kills.get(killed, 0)
            run.kills[killed] = before + 1 if given.get("kills") is None else max(before, given["kills"])

    def release(self, run_id: str, number: int, lease: str, now: float, token: str | None = None) -> None:
        """Gives a shard back before its lease ends; nothing is counted against its items."""
        run = self._run(run_id)
        self._expire(run, now)
        shard = self._leased(run, number, lease, token)
        shard.lease = shard.begun = None

    def result(self, run_id: str, number: int, given: dict, now: float, token: str | None = None) -> bool:
        """Stores the result of a shard. False where the same was stored before."""
        run = self._run(run_id)
        self._expire(run, now)
        shard = self._shard(run, number)
        rows, lease = given.get("rows"), _text(given, "lease")
        if not isinstance(rows, list) or given.get("digest") != digest(rows):
            raise Refused(422, "incomplete-result", "the rows do not have the digest that the result names: it was cut "
                          "short or changed on its way. Send it again.")
        if shard.rows is not None:
            if shard.digest == given["digest"]:
                return False
            raise Refused(409, "shard-done", f"shard {number} has another result. The first is kept; ask for another "
                          "shard.")
        self._leased(run, number, lease, token)
        self._check_items(run, shard, rows)
        shard.rows, shard.digest, shard.lease = rows, given["digest"], None
        for row in rows:
            if "seconds" in row:
                self.seconds[run.device, shard.part, row["item"]] = float(row["seconds"])
        return True

    def add_tables(self, given: dict) -> bool:
        """Stores a dump of the tables. False where the same was stored before."""
        self._check_release(_text(given, "revision"), _text(given, "torch"))
        dump = given.get("dump")
        if not isinstance(dump, dict) or given.get("digest") != digest([dump]):
            raise Refused(422, "incomplete-result", "the dump does not have the digest that the request names. "
                          "Send it again.")
        if str(dump.get("torch", "")) != given["torch"]:
            raise Refused(409, "other-release", f"the dump is of torch {dump.get('torch')}, the request says "
                          f"{given['torch']}.")
        is_new = given["digest"] not in self.tables
        self.tables[given["digest"]] = dump
        return is_new

    def progress(self, run_id: str, now: float) -> dict:
        """How far a run is: shards, what came out, by rank, and what is quarantined."""
        run = self._run(run_id)
        self._expire(run, now)
        outcomes: dict[str, int] = {}
        ranks: dict[str, dict[str, int]] = {}
        for shard in run.shards:
            for row in shard.rows or ():
                outcomes[row["outcome"]] = outcomes.get(row["outcome"], 0) + 1
            if shard.rows is not None:
                by_rank = ranks.setdefault(str(shard.worker.get("rank", 0)), {"shards": 0, "items": 0})
                by_rank["shards"] += 1
                by_rank["items"] += len(shard.rows)
        done = sum(shard.rows is not None for shard in run.shards)
        leased = sum(shard.lease is not None for shard in run.shards)
        return {"run": run.id, "revision": run.revision, "torch": run.torch, "device": run.device,
                "done": run.is_done(), "shards": {"done": done, "leased": leased, "waiting": len(run.shards) - done - leased},
                "outcomes": dict(sorted(outcomes.items())), "ranks": dict(sorted(ranks.items())),
                "quarantined": run.quarantined(),
                "working": [{"shard": number, "item": shard.begun, "worker": shard.worker}
                            for number, shard in enumerate(run.shards) if shard.lease is not None]}

    def results(self, run_id: str) -> list[dict]:
        """All rows, by part and item, without what differs between two runs of the same thing."""
        run = self._run(run_id)
        rows = [{"part": shard.part, **{name: value for name, value in row.items() if name != "seconds"}}
                for shard in run.shards for row in shard.rows or ()]
        return sorted(rows, key=lambda row: (row["part"], row["item"]))

    def _check_release(self, revision: str, torch: str) -> None:
        release = self.releases.get(revision)
        if release is None:
            raise Refused(404, "unknown-revision", f"there is no revision {revision}. Ingest it first.")
        if torch.split(".")[:2] != release.split(".")[:2]:
            raise Refused(409, "other-release", f"revision {revision} is of PyTorch {release}, and this process has "
                          f"torch {torch}. Install torch {release}, or name a revision of {torch}.")

    def _shards(self, device: str, items: dict[str, list[str]], capacity: int) -> list[Shard]:
        shards = []
        for part, names in items.items():
            known = sorted(seconds for (on, of, _), seconds in self.seconds.items() if (on, of) == (device, part))
            usual = known[len(known) // 2] if known else _UNKNOWN_COST
            costs = [max(1, round(1000 * self.seconds.get((device, part, name), usual))) for name in names]
            shards += [Shard(part, [names[place] for place in each]) for each in packing.pack(costs, capacity)]
        return shards

    def _run(self, run_id: str) -> Run:
        if run_id not in self.runs:
            raise Refused(404, "unknown-run", f"there is no run {run_id}. Open it first.")
        return self.runs[run_id]

    def _shard(self, run: Run, number: int) -> Shard:
        if not 0 <= number < len(run.shards):
            raise Refused(404, "unknown-shard", f"run {run.id} has shards 0 to {len(run.shards) - 1}.")
        return run.shards[number]

    def _leased(self, run: Run, number: int, lease: str, token: str | None) -> Shard:
        shard = self._shard(run, number)
        is_same = hmac.compare_digest((shard.lease or "").encode(), lease.encode())
        if not is_same or shard.token != token:
            raise Refused(409, "lease-lost", f"this is not the lease of shard {number}: it has ended, or another worker or "
                          "token took it. Ask for another shard.")
        return shard

    def _check_items(self, run: Run, shard: Shard, rows: list) -> None:
        got = [row.get("item") if isinstance(row, dict) else None for row in rows]
        if sorted(map(str, got)) != sorted(shard.items) or any("outcome" not in row for row in rows):
            missing = sorted(set(shard.items) - {str(item) for item in got})
            raise Refused(422, "incomplete-result", f"a result needs one row with an outcome for each item; missing: "
                          f"{', '.join(missing[:5]) or 'none, but some are there twice or unknown'}. Run the shard again.")

    def _expire(self, run: Run, now: float) -> None:
        for shard in run.shards:
            if shard.lease is not None and shard.until <= now:
                if shard.begun is not None:
                    run.losses[shard.begun] = run.losses.get(shard.begun, 0) + 1
                shard.lease = shard.begun = None


def _text(given: dict, name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not value:
        raise Refused(400, "malformed-body", f"`{name}` must be text.")
    return value


def _items(asked: dict) -> dict[str, list[str]]:
    items = asked.get("items")
    if not isinstance(items, dict) or set(items) - set(_PARTS):
        raise Refused(400, "malformed-body", f"`items` must have lists for some of {', '.join(_PARTS)}.")
    for names in items.values():
        if not isinstance(names, list) or len(names) > _MOST_ITEMS or len(set(map(str, names))) != len(names):
            raise Refused(400, "malformed-body", f"a list of items has at most {_MOST_ITEMS} names, each once.")
    return {part: [str(name) for name in names] for part, names in items.items()}
