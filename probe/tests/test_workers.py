"""Whole workers over HTTP: killed at random, ended by torchrun, with deadly items, on a slow server."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from . import servers
from .server import PROJECT

_PROBE = Path(__file__).resolve().parent.parent
_LEASE_S = 2.0
_DEADLINE_S = 240


class WorkersTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = servers.start({"v2.9.0": "2.9.0"})
        self.addCleanup(self.server.close)
        self.client = self.server.client

    def asked(self, key: str, items: list[str]) -> dict:
        return {"revision": "v2.9.0", "torch": "2.9.0", "device": "cpu", "key": key, "items": {"runs": items},
                "shard_seconds": 4, "lease_seconds": _LEASE_S}

    def worker(self, asked: dict, rank: int = 0) -> subprocess.Popen:
        return subprocess.Popen([sys.executable, "-m", "tests.fake_worker", self.server.url, json.dumps(asked)],
                                cwd=_PROBE, stderr=subprocess.DEVNULL, start_new_session=True,
                                env={**os.environ, "RANK": str(rank), "PYTHONPATH": str(_PROBE)})

    def finish(self, asked: dict, workers: int = 2) -> list[dict]:
        running = [self.worker(asked, rank) for rank in range(workers)]
        for each in running:
            self.assertEqual(each.wait(_DEADLINE_S), 0)
        return self.client.results(asked["key"])

    def test_workers_share_a_run(self) -> None:
        items = [f"item{number}" for number in range(20)]
        rows = self.finish(self.asked("shared", items))
        self.assertEqual([row["item"] for row in rows], sorted(items))
        progress = self.client.progress("shared")
        self.assertEqual((progress["done"], progress["outcomes"]), (True, {"runs": 20}))
        self.assertEqual(sum(of["items"] for of in progress["ranks"].values()), 20)

    def test_deadly_items_are_quarantined_and_the_others_run(self) -> None:
        rows = self.finish(self.asked("deadly", ["a", "deadly-b", "c", "deadly-d", "e"]))
        self.assertEqual({row["item"]: row["outcome"] for row in rows},
                         {"a": "runs", "deadly-b": "crash", "c": "runs", "deadly-d": "crash", "e": "runs"})
        self.assertEqual(self.client.progress("deadly")["quarantined"], ["deadly-b", "deadly-d"])

    def test_fifty_workers_are_killed_at_random(self) -> None:
        items = [f"slow-{number}" for number in range(120)] + ["deadly-x"]
        undisturbed = self.finish(self.asked("undisturbed", items))
        chosen, asked = random.Random(11), self.asked("disturbed", items)
        running = [self.worker(asked, rank) for rank in range(3)]
        for number in range(50):
            time.sleep(chosen.uniform(0.05, 0.3))
            victim = running.pop(chosen.randrange(len(running)))
            os.killpg(victim.pid, signal.SIGKILL)
            victim.wait()
            running.append(self.worker(asked, number))
        for each in running:
            self.assertEqual(each.wait(_DEADLINE_S), 0)
        self.assertEqual(self.client.results("disturbed"), undisturbed)
        progress = self.client.progress("disturbed")
        self.assertEqual((progress["done"], sum(of["items"] for of in progress["ranks"].values())), (True, len(items)))

    def test_a_worker_that_is_asked_to_end_gives_its_shard_back(self) -> None:
        asked = self.asked("ended", [f"slow-{number}" for number in range(400)])
        asked["shard_seconds"] = 1000
        self.client.open(asked)
        worker = self.worker(asked)
        self.wait_for(lambda: any(of["item"] for of in self.client.progress("ended")["working"]))
        worker.terminate()
        self.assertEqual(worker.wait(_DEADLINE_S), 128 + signal.SIGTERM)
        self.assertEqual(self.client.progress("ended")["shards"]["leased"], 0)

    @unittest.skipIf(servers.PROGRAM, "only the double fails on purpose")
    def test_a_busy_server_is_asked_again(self) -> None:
        self.server.server.failing = 3
        self.assertEqual(len(self.finish(self.asked("busy", ["a", "b"]), workers=1)), 2)

    def test_a_request_that_breaks_off_changes_nothing(self) -> None:
        self.client.open(self.asked("broken", ["a"]))
        given = self.client.lease("broken", {})
        path = f"/v1/projects/{PROJECT}/probe/runs/broken/shards/{given['shard']}"
        whole = json.dumps({"lease": given["lease"], "rows": [], "digest": ""}).encode()
        address = self.server.url.removeprefix("http://")
        host, _, port = address.partition(":")
        connection = socket.create_connection((host, int(port)))
        head = (f"POST {path} HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n"
                f"Content-Length: {len(whole)}\r\n\r\n")
        connection.sendall(head.encode() + whole[:-9])
        connection.shutdown(socket.SHUT_WR)
        self.assertIn(b"malformed-body", connection.makefile("rb").read())
        connection.close()
        self.assertEqual(self.client.progress("broken")["shards"]["leased"], 1)

    def wait_for(self, ready: object) -> object:
        deadline = time.monotonic() + _DEADLINE_S
        while time.monotonic() < deadline:
            if found := ready():
                return found
            threading.Event().wait(0.02)
        self.fail("it did not come")
        return None
