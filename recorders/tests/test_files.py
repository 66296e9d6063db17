"""Golden files say what recorded them, and the cases in them are those of the recorders."""

import tempfile
import unittest
from pathlib import Path

from recorders import files, from_torchgen, generate, manifest, places


class Golden(unittest.TestCase):
    """The files of `tests/golden/`."""

    def test_every_file_is_recorded_by_something(self) -> None:
        there = {path.name.removesuffix(".jsonl.gz") for path in places.GOLDEN.iterdir()}
        self.assertEqual(there, {recording.file for recording in manifest.recordings()})

    def test_every_file_begins_with_what_recorded_it(self) -> None:
        for path in places.GOLDEN.iterdir():
            head, rows = files.read(path)
            self.assertIsNotNone(head, path.name)
            self.assertTrue({"recorder", "version", "python"} <= head[files.HEADER].keys(), path.name)
            self.assertGreater(len(rows), 14, path.name)

    def test_a_file_is_the_same_bytes_each_time(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            first, second = Path(folder) / "a.jsonl.gz", Path(folder) / "b.jsonl.gz"
            for path in (first, second):
                files.write(path, files.header("test", 1, torch="2.9.0"), [{"name": "é"}])
            self.assertEqual(first.read_bytes(), second.read_bytes())
            self.assertEqual(files.read(first)[1], [{"name": "é"}])


class Cases(unittest.TestCase):
    """Cases: those that are kept, and those that a seed gives."""

    def recorded(self, name: str, field: str) -> list:
        return [row[field] for row in files.cases(places.GOLDEN / f"{name}.jsonl.gz")]

    def test_a_seed_gives_the_recorded_cases(self) -> None:
        documents = from_torchgen.case("documents_random") + generate.documents(generate.SEED, 500)
        self.assertEqual(self.recorded("documents_fuzz", "yaml"), [row["yaml"] for row in documents])
        schemas = [row["schema"] for row in from_torchgen.case("schemas_random")]
        schemas += generate.schemas(generate.SEED, 1000)
        self.assertEqual(self.recorded("schemas_fuzz", "schema"), schemas)
        keys = files.cases(places.GOLDEN / "dispatch_keys.jsonl.gz")
        order = next(row["runtime_keys"] for row in keys if row["release"] == from_torchgen.REFERENCE)
        sets = from_torchgen.case("registration_sets")
        sets += generate.registration_sets(generate.SEED, 200, order)
        self.assertEqual(self.recorded("dispatch_combos", "registrations"),
                         [row["registrations"] for row in sets])
        pairs = from_torchgen.case("schema_pairs") + generate.pairs(generate.SEED, 500)
        self.assertEqual(self.recorded("official_pairs", "new"), [row["new"] for row in pairs])

    def test_generated_cases_are_both_accepted_and_refused(self) -> None:
        rows = files.cases(places.GOLDEN / "schemas_fuzz.jsonl.gz")[-1000:]
        accepted = sum(row["schema_parse"] == "accept" for row in rows)
        self.assertTrue(200 < accepted < 800, accepted)


class Printed(unittest.TestCase):
    """What the dispatcher prints is read."""

    def setUp(self) -> None:
        import sys

        sys.path.insert(0, str(places.PROBES))
        import tables

        self.tables = tables

    def test_a_table(self) -> None:
        printed = ("CPU: registered at /b/RegisterCPU_1.cpp:7 [kernel]\n"
                   "AutocastCPU: fallthrough registered at /a/autocast_mode.cpp:3 [backend fallback]\n"
                   "XLA: math [math kernel]\n"
                   "AutogradOther: ambiguous_autogradother [ambiguous autogradother]\n")
        self.assertEqual(self.tables.table(printed), {
            "CPU": ("RegisterCPU.cpp", "kernel", False),
            "AutocastCPU": ("autocast_mode.cpp", "backend fallback", True),
            "XLA": ("math", "math kernel", False),
            "AutogradOther": ("ambiguous_autogradother", "ambiguous autogradother", False)})

    def test_registrations(self) -> None:
        printed = ("name: aten::f\nalias analysis kind: FROM_SCHEMA\n"
                   "Named: registered at /a/Named.cpp:1 :: (none) [ fallthrough boxed ]\n"
                   "Meta: registered at /x/_meta_registrations.py:50 :: (none) [ boxed ]\n"
                   "Meta (inactive): registered at /b/RegisterMeta_0.cpp:1 :: (Tensor _0) -> () [ boxed unboxed ]\n"
                   "Autograd[alias]: registered at /b/VariableType_3.cpp:1 :: (none) [ boxed ]\n")
        self.assertEqual(self.tables.registrations(printed), (
            {"Named": ("Named.cpp", True), "Meta": ("_meta_registrations.py", False),
             "Autograd": ("VariableType.cpp", False)},
            {"Meta": ["RegisterMeta.cpp"]}))


if __name__ == "__main__":
    unittest.main()
