"""Speaks to the server: plain HTTP and JSON (docs/probe.md)."""

import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request

from .failure import Failure
from .ledger import Refused

_TIMEOUT_S = 30
_MOST_TRIES = 8
_FIRST_PAUSE_S = 0.2
_TOO_MANY, _SERVER_ERRORS = 429, 500


class Client:
    """The probe's resources of one project."""

    def __init__(self, server: str, project: str, token: str | None = None) -> None:
        self.base = f"{server.rstrip('/')}/v1/projects/{urllib.parse.quote(project, safe='')}/probe"
        self.token = token

    def open(self, asked: dict) -> dict:
        """Makes a run, or joins the one of the same key."""
        return self._send("POST", "/runs", asked)

    def lease(self, run: str, worker: dict) -> dict:
        """Asks for a shard."""
        return self._send("POST", f"/runs/{_quoted(run)}/lease", {"worker": worker})

    def renew(self, run: str, shard: int, lease: str, begun: str | None, killed: str | None = None,
              kills: int | None = None) -> None:
        """Keeps a lease. `kills` says how many processes `killed` has killed by now, so that a repeated request counts once."""
        self._send("POST", f"/runs/{_quoted(run)}/shards/{shard}/renew",
                   {"lease": lease, "begun": begun, "killed": killed, "kills": kills})

    def release(self, run: str, shard: int, lease: str) -> None:
        """Gives a shard back."""
        self._send("POST", f"/runs/{_quoted(run)}/shards/{shard}/release", {"lease": lease})

    def result(self, run: str, shard: int, result: dict) -> None:
        """Hands in the rows of a shard."""
        self._send("POST", f"/runs/{_quoted(run)}/shards/{shard}", result)

    def tables(self, dump: dict) -> None:
        """Hands in the tables of this process."""
        self._send("POST", "/tables", dump)

    def progress(self, run: str) -> dict:
        """How far a run is."""
        return self._send("GET", f"/runs/{_quoted(run)}", None)

    def results(self, run: str) -> list[dict]:
        """What came out."""
        return self._send("GET", f"/runs/{_quoted(run)}/results", None)["rows"]

    def _send(self, method: str, path: str, body: dict | None) -> dict:
        """Sends a request; repeats it while the server cannot be reached or is busy. All may be repeated."""
        pause = _FIRST_PAUSE_S
        for tried in range(1, _MOST_TRIES + 1):
            try:
                return self._once(method, path, body)
            except Refused as refused:
                if refused.status != _TOO_MANY and refused.status < _SERVER_ERRORS or tried == _MOST_TRIES:
                    raise
            except (urllib.error.URLError, ConnectionError, TimeoutError) as error:
                if tried == _MOST_TRIES:
                    raise Failure(f"{self.base} cannot be reached: {error}. Check --server.") from error
            time.sleep(pause * random.uniform(0.5, 1.5))
            pause = min(pause * 2, 5.0)
        raise AssertionError("the loop returns or raises")

    def _once(self, method: str, path: str, body: dict | None) -> dict:
        request = urllib.request.Request(self.base + path, method=method,
                                         data=None if body is None else json.dumps(body).encode(),
                                         headers={"Content-Type": "application/json", "Accept": "application/json"})
        if self.token:
            request.add_header("Authorization", f"Bearer {self.token}")
        try:
            with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:
                return json.loads(answer.read() or b"{}")
        except urllib.error.HTTPError as error:
            raise _refusal(error) from None


def _refusal(error: urllib.error.HTTPError) -> Refused:
    """The problem document of an answer (RFC 9457)."""
    text = error.read()
    try:
        problem = json.loads(text)
    except ValueError:
        problem = {}
    kind = str(problem.get("type", "")).rsplit("/", 1)[-1] or "unknown"
    return Refused(error.code, kind, str(problem.get("detail") or text[:200].decode(errors="replace")))


def _quoted(text: str) -> str:
    return urllib.parse.quote(text, safe="")
