"""What works in which release: a data set becomes lines that say only what is not usual."""

import json
import tempfile
import unittest
from pathlib import Path

from recorders import works

VERDICTS = [{"letter": letter, "verdict": verdict, "works": answer}
            for letter, verdict, answer in (("r", "runs", "yes"), ("f", "fails", "no"))]
FATES = [{"letter": letter, "fate": "kernel", "works": answer} for letter, answer in (("0", "yes"), ("1", "no"))]


def dataset(folder: Path, releases: dict[str, tuple[list[str], dict[str, tuple[str, str]]]]) -> None:
    """Writes a data set: by release its keys, and by operator the letters of keys and ways."""
    (folder / "releases").mkdir()
    (folder / "index.json").write_text(json.dumps({"releases": [{"release": release} for release in releases]}))
    for release, (keys, operators) in releases.items():
        rows = [{"name": name, "verdicts": verdicts, "ways": ways} for name, (verdicts, ways) in operators.items()]
        file = {"keys": [{"key": key} for key in keys], "ways": ["meta"], "verdicts": VERDICTS, "fates": FATES,
                "operators": rows}
        (folder / "releases" / f"{release}.json").write_text(json.dumps(file))


class Works(unittest.TestCase):
    """The text of a small data set."""

    def test_a_line_has_what_is_not_usual(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            dataset(Path(folder), {
                "2.0.0": (["CPU"], {"a": ("r", "0"), "b": ("r", "0"), "c": ("f", "1"), "d": ("r", "0")}),
                "2.1.0": (["CPU", "XPU"], {"a": ("rr", "0"), "b": ("rr", "0"), "c": ("rr", " "), "e": ("rf", "0")}),
            })
            lines = works.text(Path(folder)).splitlines()[1:]
        self.assertEqual(lines, [
            "releases\t2.0.0\t2.1.0",
            "word\tfails\tno",
            "word\tkernel\tyes",
            "word\tkernel/no\tno",
            "word\truns\tyes",
            "word\tunknown\tunknown",
            "place\tCPU\truns",
            "place\tXPU\tunknown, 2.1.0 runs",
            "place\tmeta\tkernel",
            "d\texists=2.0.0",
            "e\texists=2.1.0-",
            "a b d\t",
            "c\tCPU=fails, 2.1.0 runs",
            "e\tXPU=fails",
            "a b d e\t",
            "c\tmeta=kernel/no, 2.1.0 -",
        ])


if __name__ == "__main__":
    unittest.main()
