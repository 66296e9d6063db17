"""Leases, results and refusals, without HTTP and without a clock."""

import unittest

from opatlas_probe.ledger import LEASE_SECONDS, MOST_LOSSES, Ledger, Refused, digest

_ASKED = {"revision": "v2.9.0", "torch": "2.9.0", "device": "cpu", "key": "k", "items": {"runs": ["a", "b", "c"]},
          "shard_seconds": 2}


def rows(items: list[str]) -> list[dict]:
    return [{"item": item, "outcome": "runs", "seconds": 0.5} for item in items]


def result(given: dict, made: list[dict]) -> dict:
    return {"lease": given["lease"], "rows": made, "digest": digest(made)}


class LedgerTest(unittest.TestCase):
    def setUp(self) -> None:
        self.ledger = Ledger({"v2.9.0": "2.9.0", "v2.8.0": "2.8.0"})
        self.run = self.ledger.open(_ASKED).id

    def refused(self, status: int, kind: str, call: object) -> None:
        with self.assertRaises(Refused) as raised:
            call()
        self.assertEqual((raised.exception.status, raised.exception.kind), (status, kind))

    def test_every_worker_joins_the_same_run(self) -> None:
        self.assertIs(self.ledger.open(_ASKED), self.ledger.runs["k"])
        self.refused(409, "other-run", lambda: self.ledger.open({**_ASKED, "device": "meta"}))

    def test_a_worker_with_another_torch_is_refused(self) -> None:
        self.refused(409, "other-release", lambda: self.ledger.open({**_ASKED, "torch": "2.8.0"}))
        self.refused(404, "unknown-revision", lambda: self.ledger.open({**_ASKED, "revision": "v1"}))

    def test_shards_are_cut_by_what_items_cost_before(self) -> None:
        for name, seconds in (("a", 2.0), ("b", 0.5), ("c", 1.5)):
            self.ledger.seconds["cpu", "runs", name] = seconds
        run = self.ledger.open({**_ASKED, "key": "second"})
        self.assertEqual([shard.items for shard in run.shards], [["a"], ["b", "c"]])

    def test_two_workers_never_have_the_same_shard(self) -> None:
        one, other = self.ledger.lease(self.run, {}, 0), self.ledger.lease(self.run, {}, 0)
        self.assertNotEqual(one["shard"], other["shard"])
        self.assertIn("wait", self.ledger.lease(self.run, {}, 0))

    def test_a_lease_that_is_not_renewed_ends(self) -> None:
        given = self.ledger.lease(self.run, {}, 0)
        self.ledger.renew(self.run, given["shard"], given["lease"], "a", None, LEASE_SECONDS - 1)
        again = self.ledger.lease(self.run, {}, LEASE_SECONDS + 1)
        self.assertNotEqual(given["shard"], again["shard"])
        later = self.ledger.lease(self.run, {}, 3 * LEASE_SECONDS)
        self.assertEqual(later["shard"], given["shard"])
        self.refused(409, "lease-lost", lambda: self.ledger.renew(
            self.run, given["shard"], given["lease"], None, None, 3 * LEASE_SECONDS))

    def test_the_first_result_of_a_shard_is_kept(self) -> None:
        late = self.ledger.lease(self.run, {}, 0)
        self.ledger.lease(self.run, {}, 0)
        given = self.ledger.lease(self.run, {}, LEASE_SECONDS + 1)
        self.assertEqual(given["shard"], late["shard"])
        made = rows(given["items"])
        self.assertTrue(self.ledger.result(self.run, given["shard"], result(given, made), LEASE_SECONDS + 1))
        self.assertFalse(self.ledger.result(self.run, given["shard"], result(given, made), LEASE_SECONDS + 1))
        other = [{**row, "outcome": "wrong"} for row in made]
        self.refused(409, "shard-done", lambda: self.ledger.result(
            self.run, given["shard"], result(late, other), LEASE_SECONDS + 1))
        self.assertEqual({row["outcome"] for row in self.ledger.results(self.run)}, {"runs"})

    def test_a_half_written_shard_is_refused_and_can_be_sent_again(self) -> None:
        given = self.ledger.lease(self.run, {}, 0)
        made = rows(given["items"])
        half = {**result(given, made), "rows": made[:-1]}
        self.refused(422, "incomplete-result", lambda: self.ledger.result(self.run, given["shard"], half, 1))
        self.refused(422, "incomplete-result", lambda: self.ledger.result(
            self.run, given["shard"], result(given, made[:-1]), 1))
        self.refused(422, "incomplete-result", lambda: self.ledger.result(
            self.run, given["shard"], result(given, [*made, made[0]]), 1))
        self.assertTrue(self.ledger.result(self.run, given["shard"], result(given, made), 1))

    def test_an_item_that_kills_twice_is_quarantined(self) -> None:
        given = self.ledger.lease(self.run, {}, 0)
        item = given["items"][0]
        for _ in range(2):
            self.ledger.renew(self.run, given["shard"], given["lease"], None, item, 1)
        self.ledger.release(self.run, given["shard"], given["lease"])
        again = self.ledger.lease(self.run, {}, 1)
        self.assertEqual((again["quarantined"], item in again["items"]), ([item], False))
        self.assertEqual(self.ledger.progress(self.run, 1)["quarantined"], [item])

    def test_a_lost_worker_says_little_against_its_item(self) -> None:
        now, losses = 0.0, 0
        while not self.ledger.runs[self.run].quarantined():
            given = self.ledger.lease(self.run, {}, now)
            if given["shard"] == 0:
                self.ledger.renew(self.run, 0, given["lease"], "a", None, now)
                losses += 1
            now += LEASE_SECONDS + 1
            self.ledger.progress(self.run, now)
        self.assertEqual(losses, MOST_LOSSES)

    def test_equal_dumps_are_stored_once_and_those_of_another_release_refused(self) -> None:
        dump = {"torch": "2.9.0", "operators": {}}
        given = {"revision": "v2.9.0", "torch": "2.9.0", "dump": dump, "digest": digest([dump])}
        self.assertEqual([self.ledger.add_tables(given), self.ledger.add_tables(given)], [True, False])
        self.refused(409, "other-release", lambda: self.ledger.add_tables({**given, "revision": "v2.8.0"}))
        other = {"torch": "2.8.0", "operators": {}}
        self.refused(409, "other-release", lambda: self.ledger.add_tables(
            {**given, "dump": other, "digest": digest([other])}))
        self.refused(422, "incomplete-result", lambda: self.ledger.add_tables({**given, "dump": other}))
