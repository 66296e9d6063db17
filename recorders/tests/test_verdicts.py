"""Recorded calls predict what the operator database ran on real devices."""

import unittest

from recorders import calls, device_runs, files, places, verdicts


class RecordedCalls(unittest.TestCase):
    """Of 2.9.0, on every set of kernels that was recorded, and on Meta."""

    # Two tests of Meta call `nonzero`, whose kernel there only raises.
    LEAVES = {device_runs.META: 0.9}

    def test_they_agree_with_what_ran(self) -> None:
        tables = files.cases(places.GOLDEN / "dispatch_runtime_2.9.0.jsonl.gz")[1:]
        schemas = {row["name"]: row["func"] for row in files.cases(places.GOLDEN / "operators_2.9.0.jsonl.gz")}
        made = calls.load(places.CALLS_JSON)["2.9"]
        for name in device_runs.SETS:
            with self.subTest(kernels=name):
                head, rows = files.read(places.GOLDEN / f"device_runs_2.9.0_{name}.jsonl.gz")
                device = verdicts.Device(tables, schemas, made, head[files.HEADER].get("kernels"))
                right, tests, right_leaves, leaves = verdicts.judged(device, rows)
                self.assertGreater(tests, 600)
                self.assertGreaterEqual(right / tests, 0.97)
                self.assertGreaterEqual(right_leaves / leaves, self.LEAVES.get(name, 0.95))

    def test_a_leaf_is_told_with_the_chain_behind_it(self) -> None:
        tables = [{"op": name, "r": {"CompositeImplicitAutograd": [0]}} for name in ("outer", "inner", "loop")]
        forward = {"outer": ["inner"], "inner": ["leaf", "loop"], "loop": ["loop"]}
        made = {name: {"forward": {"always": always, "sometimes": []}} for name, always in forward.items()}
        device = verdicts.Device(tables, {}, made, [])
        self.assertEqual([device.verdict(name) for name in forward], ["fails", "fails", "works"])
        self.assertEqual(device.needs("outer"), ["leaf"])
