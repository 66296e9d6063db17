"""The files of `data/` are read and written without loss, and a new release is only a step."""

import tempfile
import unittest
from pathlib import Path

from recorders import calls, facts, handwritten, places, rare_calls, release, versions


class Steps(unittest.TestCase):
    """Tables that are written as steps."""

    def test_a_value_is_that_of_the_last_step(self) -> None:
        steps = {"2.0": ["b", "c"], "2.2": {"add": ["a"], "remove": ["c"]}, "2.3": ["z", "a"]}
        releases = ["2.0", "2.1", "2.2", "2.3", "2.4"]
        values = [facts.expand(steps, releases, of) for of in releases]
        self.assertEqual(values, [["b", "c"], ["b", "c"], ["a", "b"], ["z", "a"], ["z", "a"]])

    def test_a_set_changes_by_names_and_an_order_as_a_whole(self) -> None:
        self.assertEqual(facts.step(["a", "c"], ["b", "c"]), {"add": ["b"], "remove": ["a"]})
        self.assertEqual(facts.step(["c", "a"], ["c", "a", "b"]), ["c", "a", "b"])
        self.assertIs(facts.step(False, True), True)

    def test_every_step_of_the_data_is_the_shortest(self) -> None:
        data, releases = facts.load(places.RELEASES_JSON), versions.minors()
        tables = [steps for group in facts.GROUPS for steps in data[group].values()
                  if isinstance(steps, dict)]
        self.assertGreater(len(tables), 50)
        for steps in tables:
            for since in list(steps)[1:]:
                before = releases[releases.index(since) - 1]
                old, new = (facts.expand(steps, releases, of) for of in (before, since))
                self.assertEqual(facts.step(old, new), steps[since]) if old != new else None


class Files(unittest.TestCase):
    """The files themselves."""

    def rewritten(self, path: Path, save: object) -> str:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / path.name
            save(copy)
            return copy.read_text()

    def test_releases_are_written_as_they_were_read(self) -> None:
        data = facts.load(places.RELEASES_JSON)
        text = self.rewritten(places.RELEASES_JSON, lambda copy: facts.save(data, copy))
        self.assertEqual(text, places.RELEASES_JSON.read_text())

    def test_registrations_are_written_as_they_were_read(self) -> None:
        releases = versions.minors()
        found = handwritten.load(places.HANDWRITTEN_JSON, releases)
        self.assertGreater(len(found), 5_000)
        text = self.rewritten(places.HANDWRITTEN_JSON,
                              lambda copy: handwritten.save(found, copy, releases))
        self.assertEqual(text, places.HANDWRITTEN_JSON.read_text())


    def test_calls_are_written_as_they_were_read(self) -> None:
        found = calls.load(places.CALLS_JSON)
        self.assertGreater(len(found["2.9"]), 1_500)
        text = self.rewritten(places.CALLS_JSON, lambda copy: calls.save(found, copy))
        self.assertEqual(text, places.CALLS_JSON.read_text())

    def test_rare_calls_are_written_as_they_were_read(self) -> None:
        found = rare_calls.load(places.RARE_CALLS_JSON)
        self.assertGreater(len(found["2.9"]), 100)
        text = self.rewritten(places.RARE_CALLS_JSON, lambda copy: rare_calls.save(found, copy))
        self.assertEqual(text, places.RARE_CALLS_JSON.read_text())

    def test_a_rare_call_counts_for_the_tests_that_reach_it(self) -> None:
        forward = {"reshape": {"always": [], "sometimes": ["view", "alias"]},
                   "other": {"always": ["reshape"], "sometimes": []}}
        trees = [["reshape", ["view"], []], ["other", ["reshape"], [["reshape", "alias"]]]]
        self.assertEqual(rare_calls.of_trees(trees, forward), {("reshape", "alias"): [["other", "reshape"]]})

    def test_made_calls_are_those_that_no_sample_makes(self) -> None:
        forward = {"all.dims_out": {"always": ["copy_"], "sometimes": []}}
        self.assertEqual(rare_calls.of_made([["all.dims_out", ["all", "copy_"]]], forward), {("all.dims_out", "all"): None})

    def test_calls_that_are_known_of_generated_kernels(self) -> None:
        """What the generator's templates write, and what is in every release."""
        for release, of in calls.load(places.CALLS_JSON).items():
            with self.subTest(release=release):
                self.assertLessEqual({"add.out"}, set(of["add.Tensor"]["forward"]["always"]))
                self.assertEqual(of["add_.Tensor"]["forward"]["always"], ["add.out"])
                self.assertEqual(of["chunk"]["forward"]["always"], ["split.Tensor"])
                self.assertIn("mul.Tensor", of["mul.Tensor"]["backward"]["always"])
                self.assertNotIn("add.out", of)


class NewRelease(unittest.TestCase):
    """What a release adds."""

    def test_registrations_of_a_release_end_open_ranges(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "handwritten.json"
            kept = ("registrations", "Meta", "a.cpp", "add.out")
            gone = ("registrations", "Meta", "a.cpp", "mul.out")
            releases = ["2.0", "2.1"]
            handwritten.save({kept: {"2.0", "2.1"}, gone: {"2.1"}}, path, releases)
            self.assertIn('"2.0-": "add.out"', path.read_text())
            releases.append("2.2")
            found = handwritten.load(path, releases)
            handwritten.replace(found, "2.2", {kept})
            handwritten.save(found, path, releases)
            self.assertIn('"2.1": "mul.out"', path.read_text())
            self.assertIn('"2.0-": "add.out"', path.read_text())

    def test_fallbacks_begin_and_end(self) -> None:
        rows = [["Meta", "m.cpp", "kernel", "2.0"], ["Named", "n.cpp", "kernel", "2.0"]]
        now = {("Meta", "m.cpp", "kernel"), ("Fake", "f.cpp", "fallthrough")}
        for _twice in range(2):
            release._extend_fallbacks(rows, now, ["2.0", "2.1"], "2.1")
            self.assertEqual(rows, [["Fake", "f.cpp", "fallthrough", "2.1"],
                                    ["Meta", "m.cpp", "kernel", "2.0"],
                                    ["Named", "n.cpp", "kernel", "2.0", "2.0"]])

    def test_a_difference_says_what_is_new_and_what_is_gone(self) -> None:
        self.assertEqual(release._difference(["a", "b"], ["b", "c"]), "new c gone a")
        self.assertEqual(release._difference(False, True), "False before, True now")


if __name__ == "__main__":
    unittest.main()
