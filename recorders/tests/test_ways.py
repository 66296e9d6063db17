"""The ways to run operators: the data is read and written without loss, and a change is a line."""

import tempfile
import unittest
from pathlib import Path

from recorders import files, places, ways
from recorders.from_torchgen import REFERENCE


def lines_of(found: dict[str, ways.Ways]) -> list[str]:
    """The lines of the data behind the first one."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ways.txt"
        ways.save(found, path)
        assert ways.load(path) == found
        return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


class Data(unittest.TestCase):
    """`data/ways.txt`."""

    def test_it_is_written_as_it_was_read(self) -> None:
        found = ways.load(places.WAYS_TXT)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "ways.txt"
            ways.save(found, copy)
            self.assertEqual(copy.read_text(), places.WAYS_TXT.read_text())

    def test_every_fact_has_members_or_a_reason(self) -> None:
        for release, of in ways.load(places.WAYS_TXT).items():
            with self.subTest(release=release):
                self.assertFalse(of.facts.keys() & of.missing.keys())
                self.assertTrue(all(of.missing.values()))
                self.assertGreater(len(of.facts["operators"]), 2_500)

    def test_the_reference_is_the_recorded_file(self) -> None:
        _, rows = files.read(places.GOLDEN / f"ways_{REFERENCE}.jsonl.gz")
        self.assertEqual(rows, ways.golden(ways.load(places.WAYS_TXT)["2.9"])[1])

    def test_what_is_known_of_operators(self) -> None:
        for release, of in ways.load(places.WAYS_TXT).items():
            with self.subTest(release=release):
                self.assertIn("add.Tensor", of.facts["inductor_lowerings"])
                self.assertIn("new_empty", of.facts["fake_impls"])
                self.assertIn("linear", of.facts["composite_implicit"])
                self.assertEqual(of.facts["autocast_cuda"]["mm"], "lower_precision_fp")
                self.assertEqual(of.facts["autocast_cuda"]["binary_cross_entropy"], "banned")
                self.assertIn("f32", of.facts["dtypes_cpu"]["add"].split())


    def test_claimed_dtypes_run_on_the_cpu(self) -> None:
        for release, of in ways.load(places.WAYS_TXT).items():
            ran = of.facts.get("ran_dtypes_cpu", {})
            for name, dtypes in ran.items():
                # These compile code for GPUs only, whatever they claim.
                if not name.startswith("jiterator_"):
                    with self.subTest(release=release, name=name):
                        claimed = of.facts["dtypes_cpu"][name].split()
                        self.assertLessEqual(set(claimed), set(dtypes.split()))


class Lines(unittest.TestCase):
    """How facts become lines."""

    def test_a_change_of_one_fact_is_one_line(self) -> None:
        facts = {"operators": {"abs": "", "mm": ""}, "autocast_cpu": {"mm": "fp32"}}
        changed = {"operators": {"abs": "", "mm": ""}, "autocast_cpu": {"mm": "promote"}}
        before = lines_of({"2.0": ways.Ways("2.0.1", facts), "2.1": ways.Ways("2.1.0", facts)})
        after = lines_of({"2.0": ways.Ways("2.0.1", facts), "2.1": ways.Ways("2.1.0", changed)})
        self.assertEqual(before[3:], ["abs\t2.0-\toperators", "mm\t2.0-\tautocast_cpu=fp32\toperators"])
        self.assertEqual(after[3:], ["abs\t2.0-\toperators", "mm\t2.0\tautocast_cpu=fp32", "mm\t2.0-\toperators",
                                     "mm\t2.1-\tautocast_cpu=promote"])

    def test_a_release_without_a_fact_says_why(self) -> None:
        empty = ways.Ways("2.1.0", {"dtensor_custom": {}})
        lacks = ways.Ways("2.0.1", {}, {"dtensor_custom": "there is no DTensor"})
        self.assertEqual(lines_of({"2.0": lacks, "2.1": empty})[1], "fact\tdtensor_custom\t2.0 there is no DTensor")

    def test_differences_name_the_fact_and_the_member(self) -> None:
        known = ways.load(places.WAYS_TXT)["2.9"]
        self.assertEqual(ways.differences("2.9", known), [])
        changed = ways.Ways(known.version, {**known.facts, "core_tag": {**known.facts["core_tag"], "new": ""}})
        self.assertEqual(ways.differences("2.9", changed),
                         ["2.9: core_tag of new: data None, release ''"])


if __name__ == "__main__":
    unittest.main()
