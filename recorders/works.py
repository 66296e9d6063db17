"""`data/works.txt`: what the verdicts say of each operator in each release, on every backend and every way.

The program computes it, in a data set (`opatlas export --dataset`) of the releases in a database of its own. Most
operators share the history of a place, so a place has a usual history, and a line has only what differs from it.
"""

import collections
import json
import os
import subprocess
import tempfile
from pathlib import Path

from . import places, versions

COMMENT = """\
# What works in which release (data/README.md). `python3 -m recorders works` writes this file.
"""
ABSENT = "-"
UNKNOWN = ("unknown", "unknown")
# What a release says of an operator at a place: the verdict or fate, and whether calls work.
Said = tuple[str, str]
# By place, what each release says; `None` where the way does not apply or the operator does not exist.
Histories = dict[str, list[Said | None]]


def record(program: Path) -> str:
    """The file, from the releases that were fetched."""
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite://{folder}/works.sqlite"
        for version in versions.patches():
            _run(program, database, "import", "--dir", str(places.RELEASES / version), "--label", version)
        _run(program, database, "export", "--dataset", f"{folder}/dataset")
        return text(Path(folder) / "dataset")


def _run(program: Path, database: str, *arguments: str) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPATLAS_")}
    command = [str(program), *arguments, "--database", database]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr.strip()}")


def text(dataset: Path) -> str:
    """The file, from a data set."""
    releases = [row["release"] for row in json.loads((dataset / "index.json").read_text())["releases"]]
    keys, ways, found = _load(dataset, releases)
    usual = {place: _usual(place, found) for place in [*keys, *ways]}
    words = _words(found)

    def history(said: list[Said | None], exists: list[bool] | None = None) -> str:
        parts, before = [], ""
        for place, release in enumerate(releases):
            word = words[said[place]] if said[place] else ABSENT
            if word != before and (exists is None or exists[place]):
                parts.append(f"{release} {word}" if parts else word)
                before = word
        return ", ".join(parts)

    lines = [COMMENT, "\t".join(["releases", *releases]) + "\n"]
    lines += sorted(f"word\t{word}\t{works}\n" for (_, works), word in words.items())
    lines += [f"place\t{place}\t{history(usual[place])}\n" for place in [*keys, *ways]]
    sections = [_existence(found, releases)]
    for section in (keys, ways):
        sections.append({name: _items(histories, section, usual, history) for name, histories in found.items()})
    return "".join([*lines, *(line for section in sections for line in _grouped(section))])


def _load(dataset: Path, releases: list[str]) -> tuple[list[str], list[str], dict[str, Histories]]:
    """The keys, the ways, and by operator what each release says."""
    keys: dict[str, None] = {}
    ways: dict[str, None] = {}
    found: dict[str, Histories] = collections.defaultdict(lambda: collections.defaultdict(lambda: [None] * len(releases)))
    for place, release in enumerate(releases):
        file = json.loads((dataset / "releases" / f"{release}.json").read_text())
        verdicts = {row["letter"]: (row["verdict"], row["works"]) for row in file["verdicts"]}
        fates = {row["letter"]: (row["fate"], row["works"] or "unknown") for row in file["fates"]}
        names = [row["key"] for row in file["keys"]]
        keys.update(dict.fromkeys(names))
        ways.update(dict.fromkeys(file["ways"]))
        for row in file["operators"]:
            histories = found[row["name"]]
            histories["exists"][place] = ("yes", "yes")
            for name, letter in zip(names, row["verdicts"], strict=True):
                histories[name][place] = verdicts[letter]
            for name, letter in zip(file["ways"], row["ways"], strict=True):
                histories[name][place] = fates.get(letter)
    for histories in found.values():
        for key in keys:
            histories[key] = [said or UNKNOWN for said in histories[key]]
    return list(keys), list(ways), dict(sorted(found.items()))


def _usual(place: str, found: dict[str, Histories]) -> list[Said | None]:
    """The most frequent history of a place, of operators that all releases have."""
    counts = collections.Counter(tuple(histories[place]) for histories in found.values() if all(histories["exists"]))
    return list(max(counts.items(), key=lambda item: (item[1], str(item[0])))[0])


def _words(found: dict[str, Histories]) -> dict[Said, str]:
    """The text of what releases say: the word, and whether calls work where it seldom means that."""
    counts = collections.Counter(said for histories in found.values() for place, history in histories.items()
                                 if place != "exists" for said in history if said)
    words: dict[Said, str] = {}
    for said, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        words[said] = said[0] if said[0] not in words.values() else "/".join(said)
    return words


def _existence(found: dict[str, Histories], releases: list[str]) -> dict[str, list[str]]:
    exists = {name: {releases[at] for at, said in enumerate(histories["exists"]) if said}
              for name, histories in found.items()}
    return {name: [f"exists={versions.ranges(covered, releases)}"]
            for name, covered in exists.items() if len(covered) < len(releases)}


def _items(histories: Histories, section: list[str], usual: Histories, history: object) -> list[str]:
    """What an operator has besides the usual: the places with the same history together."""
    exists = [bool(said) for said in histories["exists"]]
    grouped: dict[str, list[str]] = collections.defaultdict(list)
    for place in section:
        own = histories[place]
        if any(said != other for said, other, there in zip(own, usual[place], exists, strict=True) if there):
            grouped[history(own, exists)].append(place)
    return [f"{','.join(group)}={said}" for said, group in grouped.items()]


def _grouped(section: dict[str, list[str]]) -> list[str]:
    """A line for the operators with the same items."""
    rows: dict[str, list[str]] = collections.defaultdict(list)
    for name, items in section.items():
        rows["\t".join(items)].append(name)
    return [f"{' '.join(names)}\t{items}\n" for items, names in rows.items()]
