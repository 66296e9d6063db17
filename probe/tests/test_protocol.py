"""Leases, results and refusals over HTTP, of the double or of Opatlas (`servers.py`)."""

import time
import unittest

from opatlas_probe.ledger import MOST_LOSSES, Refused, digest

from . import servers

_LEASE_S = 0.4
_ASKED = {"revision": "v2.9.0", "torch": "2.9.0", "device": "cpu", "key": "k", "items": {"runs": ["a", "b", "c"]},
          "shard_seconds": 2}
_SHORT = {**_ASKED, "lease_seconds": _LEASE_S}


def rows(items: list[str], seconds: float = 0.5) -> list[dict]:
    return [{"item": item, "outcome": "runs", "seconds": seconds} for item in items]


def result(given: dict, made: list[dict]) -> dict:
    return {"lease": given["lease"], "rows": made, "digest": digest(made)}


class ProtocolTest(unittest.TestCase):
    def setUp(self) -> None:
        self.server = servers.start({"v2.9.0": "2.9.0", "v2.8.0": "2.8.0"})
        self.addCleanup(self.server.close)
        self.client = self.server.client

    def refused(self, status: int, kind: str, call: object) -> str:
        with self.assertRaises(Refused) as raised:
            call()
        self.assertEqual((raised.exception.status, raised.exception.kind), (status, kind))
        return raised.exception.detail

    def finish(self, key: str, costs: dict[str, float] | None = None) -> None:
        """Hands in all shards of a run."""
        while "shard" in (given := self.client.lease(key, {})):
            made = [{"item": item, "outcome": "runs", "seconds": (costs or {}).get(item, 0.5)} for item in given["items"]]
            self.client.result(key, given["shard"], result(given, made))

    def test_every_worker_joins_the_same_run(self) -> None:
        self.assertEqual(self.client.open(_ASKED), self.client.open(_ASKED))
        self.refused(409, "other-run", lambda: self.client.open({**_ASKED, "device": "meta"}))
        self.finish("k")
        self.assertEqual(self.client.lease("k", {}), {"done": True})
        self.assertTrue(self.client.progress("k")["done"])

    def test_a_worker_with_another_torch_is_refused(self) -> None:
        said = self.refused(409, "other-release", lambda: self.client.open({**_ASKED, "torch": "2.8.0"}))
        self.assertIn("torch 2.8.0", said)
        self.refused(404, "unknown-revision", lambda: self.client.open({**_ASKED, "revision": "v1.0.0"}))
        self.refused(404, "unknown-run", lambda: self.client.progress("k"))

    def test_what_a_run_lacks_is_said(self) -> None:
        for bad in ({"items": {"runs": ["a", "a"]}}, {"items": {"others": []}}, {"items": ["a"]}, {"device": ""},
                    {"torch": 2}, {"items": None}):
            self.refused(400, "malformed-body", lambda bad=bad: self.client.open({**_ASKED, **bad}))
        self.client.open(_ASKED)
        given = self.client.lease("k", {})
        self.refused(404, "unknown-shard", lambda: self.client.result("k", 99, result({"lease": "99.1"}, [])))
        self.refused(400, "malformed-body", lambda: self.client.renew("k", given["shard"], given["lease"], "other"))

    def test_shards_are_cut_by_what_items_cost_before(self) -> None:
        self.client.open(_ASKED)
        self.finish("k", {"a": 2.0, "b": 0.5, "c": 1.5})
        self.assertEqual(self.client.open({**_ASKED, "key": "second"})["shards"], 2)
        found = [self.client.lease("second", {})["items"] for _ in range(2)]
        self.assertEqual(found, [["a"], ["b", "c"]])

    def test_two_workers_never_have_the_same_shard(self) -> None:
        self.client.open(_ASKED)
        one, other = self.client.lease("k", {"rank": 3}), self.client.lease("k", {})
        self.assertNotEqual(one["shard"], other["shard"])
        self.assertIn("wait", self.client.lease("k", {}))
        self.client.renew("k", one["shard"], one["lease"], one["items"][0])
        working = self.client.progress("k")["working"]
        self.assertEqual((working[0]["item"], working[0]["worker"]["rank"]), (one["items"][0], 3))

    def test_a_lease_that_is_not_renewed_ends(self) -> None:
        self.client.open({**_SHORT, "items": {"runs": ["a"]}})
        given = self.client.lease("k", {})
        for _ in range(3):
            time.sleep(_LEASE_S / 2)
            self.client.renew("k", given["shard"], given["lease"], "a")
        self.assertIn("wait", self.client.lease("k", {}))
        time.sleep(_LEASE_S * 1.5)
        later = self.client.lease("k", {})
        self.assertEqual(later["shard"], given["shard"])
        self.refused(409, "lease-lost", lambda: self.client.renew("k", given["shard"], given["lease"], None))
        self.refused(409, "lease-lost", lambda: self.client.release("k", given["shard"], given["lease"]))

    def test_only_who_took_a_lease_can_use_it(self) -> None:
        self.client.open({**_ASKED, "items": {"runs": ["a"]}})
        given = self.client.lease("k", {})
        self.assertNotIn(given["lease"], (f"{given['shard']}.1", self.client.lease("k", {}).get("lease")))
        made = rows(["a"])
        for forged in (f"{given['shard']}.1", "x", given["lease"][:-1], "0" * len(given["lease"])):
            taken = {**given, "lease": forged}
            for call in (lambda taken=taken: self.client.renew("k", given["shard"], taken["lease"], None, "a", 2),
                         lambda taken=taken: self.client.release("k", given["shard"], taken["lease"]),
                         lambda taken=taken: self.client.result("k", given["shard"], result(taken, made))):
                self.refused(409, "lease-lost", call)
        self.assertEqual(self.client.progress("k")["quarantined"], [])
        self.client.result("k", given["shard"], result(given, made))

    def test_the_first_result_of_a_shard_is_kept(self) -> None:
        self.client.open({**_SHORT, "items": {"runs": ["a"]}})
        late = self.client.lease("k", {})
        time.sleep(_LEASE_S * 1.5)
        made = rows(["a"])
        self.refused(409, "lease-lost", lambda: self.client.result("k", late["shard"], result(late, made)))
        given = self.client.lease("k", {})
        self.assertEqual(given["shard"], late["shard"])
        self.refused(409, "lease-lost", lambda: self.client.result("k", late["shard"], result(late, made)))
        self.client.result("k", given["shard"], result(given, made))
        self.client.result("k", given["shard"], result(given, made))
        other = [{**row, "outcome": "wrong"} for row in made]
        self.refused(409, "shard-done", lambda: self.client.result("k", given["shard"], result(late, other)))
        self.assertEqual(self.client.results("k"), [{"part": "runs", "item": "a", "outcome": "runs"}])

    def test_a_half_written_shard_is_refused_and_can_be_sent_again(self) -> None:
        self.client.open(_ASKED)
        given = self.client.lease("k", {})
        made = rows(given["items"])
        half = {**result(given, made), "rows": made[:-1]}
        whole = result(given, [*made, made[0]])
        for bad in (half, result(given, made[:-1]), whole, result(given, [*made[:-1], {"item": made[-1]["item"]}])):
            self.refused(422, "incomplete-result", lambda bad=bad: self.client.result("k", given["shard"], bad))
        self.refused(400, "malformed-body", lambda: self.client.result("k", given["shard"], {"rows": made}))
        self.client.result("k", given["shard"], result(given, made))
        self.assertEqual(self.client.progress("k")["shards"]["done"], 1)

    def test_rows_come_back_as_they_were_sent(self) -> None:
        self.client.open({**_ASKED, "items": {"runs": ["a"], "calls": ["forward:a"]}})
        odd = {"said": 'é "quoted" \\ \u0007 \u2028 😀', "numbers": [1e-05, 1e22, -0.0, 0.1, 2**60], "none": None,
               "z": {"b": [], "a": True}}
        while "shard" in (given := self.client.lease("k", {"rank": 7})):
            made = [{"item": item, "outcome": "runs", **odd, "seconds": 0.25} for item in given["items"]]
            self.client.result("k", given["shard"], {**result(given, made), "worker": {"rank": 7}})
        self.assertEqual(self.client.results("k"), [{"part": "calls", "item": "forward:a", "outcome": "runs", **odd},
                                                    {"part": "runs", "item": "a", "outcome": "runs", **odd}])
        self.assertEqual(self.client.progress("k")["ranks"], {"7": {"shards": 2, "items": 2}})

    def test_an_item_that_kills_twice_is_quarantined(self) -> None:
        self.client.open(_ASKED)
        given = self.client.lease("k", {})
        item = given["items"][0]
        # A request that is repeated, since its answer was lost, counts once.
        for kills in (1, 1):
            self.client.renew("k", given["shard"], given["lease"], None, item, kills)
        self.assertEqual(self.client.progress("k")["quarantined"], [])
        self.client.renew("k", given["shard"], given["lease"], None, item)
        self.client.release("k", given["shard"], given["lease"])
        again = self.client.lease("k", {})
        self.assertEqual((again["quarantined"], item in again["items"], again["kills"]), ([item], False, {item: 2}))
        self.assertEqual(self.client.progress("k")["quarantined"], [item])

    def test_a_lost_worker_says_little_against_its_item(self) -> None:
        self.client.open({**_SHORT, "items": {"runs": ["a"]}, "lease_seconds": 0.15})
        for losses in range(MOST_LOSSES):
            self.assertEqual(self.client.progress("k")["quarantined"], [], losses)
            given = self.client.lease("k", {})
            self.client.renew("k", given["shard"], given["lease"], "a")
            time.sleep(0.2)
        self.assertEqual(self.client.progress("k")["quarantined"], ["a"])

    def test_equal_dumps_are_stored_once_and_those_of_another_release_refused(self) -> None:
        dump = {"torch": "2.9.0", "operators": {"aten::abs": {"registrations": {"CPU": "RegisterCPU.cpp"}, "table": 0}}}
        given = {"revision": "v2.9.0", "torch": "2.9.0", "dump": dump, "digest": digest([dump])}
        self.client.tables(given)
        self.client.tables(given)
        self.assertEqual(self.server.dumps("v2.9.0"), 1)
        self.refused(409, "other-release", lambda: self.client.tables({**given, "revision": "v2.8.0"}))
        other = {**dump, "torch": "2.8.0"}
        self.refused(409, "other-release", lambda: self.client.tables({**given, "dump": other, "digest": digest([other])}))
        self.refused(422, "incomplete-result", lambda: self.client.tables({**given, "dump": other}))
        self.assertEqual(self.server.dumps("v2.9.0"), 1)
