"""What was recorded with gradients and under vmap is complete, and every verdict has what belongs to it."""

import unittest

from recorders import files, places, way_runs
from recorders.from_torchgen import REFERENCE

# The verdicts of a way, and how many rows have each at least.
VERDICTS = {"train": {"trains": 1_000, "no-graph": 150, "not-implemented": 20, "raises": 1},
            "vmap": {"runs": 1_400, "falls-back": 150, "raises": 50}}


class WayRuns(unittest.TestCase):
    """The samples of the operator database, in each way."""

    def rows(self) -> list[tuple[str, dict]]:
        return [(way, row) for way in way_runs.WAYS
                for row in files.cases(places.GOLDEN / f"{way}_runs_{REFERENCE}.jsonl.gz")]

    def test_every_verdict_is_known_and_occurs(self) -> None:
        count: dict[tuple[str, str], int] = {}
        for way, row in self.rows():
            count[way, row["verdict"]] = count.get((way, row["verdict"]), 0) + 1
        least = {(way, verdict): number for way, of in VERDICTS.items() for verdict, number in of.items()}
        self.assertEqual(count.keys(), least.keys())
        for which, number in least.items():
            self.assertGreaterEqual(count[which], number, which)

    def test_a_sample_has_one_row(self) -> None:
        names = [(way, row["op"], row.get("variant"), row["sample"]) for way, row in self.rows()]
        self.assertEqual(len(names), len(set(names)))

    def test_a_verdict_has_what_explains_it(self) -> None:
        operators = {row["name"] for row in files.cases(places.GOLDEN / f"operators_{REFERENCE}.jsonl.gz")}
        for way, row in self.rows():
            with self.subTest(way=way, row=row):
                self.assertEqual("message" in row, row["verdict"] == "raises")
                self.assertLessEqual(len(row.get("message", "")), 200)
                if row["verdict"] == "falls-back":
                    self.assertTrue(row["blame"] in operators, "an unknown operator is to blame")
                if row["verdict"] == "not-implemented":
                    self.assertTrue(row["blame"])

    def test_outputs_agree_with_the_verdict(self) -> None:
        for way, row in self.rows():
            if way == "train" and row["verdict"] != "raises":
                requires = any(requires for _, requires in row["outputs"])
                self.assertEqual(requires, row["verdict"] != "no-graph", row)
                self.assertEqual(requires, "grad_fn" in row, row)


if __name__ == "__main__":
    unittest.main()
