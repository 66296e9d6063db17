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
from unittest import mock

from opatlas_probe import client, ledger
from opatlas_probe.ledger import Ledger

from .server import PROJECT, Server

_PROBE = Path(__file__).resolve().parent.parent
_LEASE_S = 1.0
_DEADLINE_S = 240


class WorkersTest(unittest.TestCase):
    def setUp(self) -> None:
        lease = mock.patch.object(ledger, "LEASE_SECONDS", _LEASE_S)
        lease.start()
        self.addCleanup(lease.stop)
        self.server = Server(Ledger({"v2.9.0": "2.9.0"})).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.client = client.Client(self.server.url, PROJECT)

    def asked(self, key: str, items: list[str]) -> dict:
        return {"revision": "v2.9.0", "torch": "2.9.0", "device": "cpu", "key": key, "items": {"runs": items},
                "shard_seconds": 4}

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
        run = self.server.ledger.runs["disturbed"]
        self.assertTrue(all(shard.rows is not None for shard in run.shards))

    def test_a_worker_that_is_asked_to_end_gives_its_shard_back(self) -> None:
        asked = self.asked("ended", [f"slow-{number}" for number in range(400)])
        asked["shard_seconds"] = 1000
        worker = self.worker(asked)
        shard = self.wait_for(lambda: (run := self.server.ledger.runs.get("ended")) and run.shards[0].begun
                              and run.shards[0])
        worker.terminate()
        self.assertEqual(worker.wait(_DEADLINE_S), 128 + signal.SIGTERM)
        self.assertIsNone(shard.lease)

    def test_a_busy_server_is_asked_again(self) -> None:
        self.server.failing = 3
        self.assertEqual(len(self.finish(self.asked("busy", ["a", "b"]), workers=1)), 2)

    def test_a_request_that_breaks_off_changes_nothing(self) -> None:
        self.client.open(self.asked("broken", ["a"]))
        given = self.client.lease("broken", {})
        path = f"/v1/projects/{PROJECT}/probe/runs/broken/shards/{given['shard']}"
        whole = json.dumps({"lease": given["lease"], "rows": [], "digest": ""}).encode()
        connection = socket.create_connection(self.server.server_address)
        connection.sendall(f"POST {path} HTTP/1.1\r\nContent-Length: {len(whole)}\r\n\r\n".encode() + whole[:-9])
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
