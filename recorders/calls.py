"""`data/calls.json`: what operators call, as the probe recorded it on a bare device of each release.

One line is an operator and the releases in which it makes the same calls.
"""

import json
from pathlib import Path

from . import children, files, places, versions

PHASES = ("forward", "forward_with_gradients", "backward")
# Of a release: of each operator and phase the calls that every invocation makes, and those of some.
Calls = dict[str, dict[str, dict[str, list[str]]]]


def load(path: Path) -> dict[str, Calls]:
    """The calls by release; none where nothing was recorded."""
    found: dict[str, Calls] = {}
    if not path.exists():
        return found
    data = json.loads(path.read_text())
    for release in data["measured"]:
        found[release] = {}
    for row in data["calls"]:
        for release in row["releases"]:
            found[release][row["operator"]] = {phase: row[phase] for phase in PHASES if phase in row}
    return found


def save(by_release: dict[str, Calls], path: Path) -> None:
    """Writes the calls, one operator and set of releases a line."""
    releases = sorted(by_release, key=versions.parse)
    rows: dict[tuple[str, str], list[str]] = {}
    for release in releases:
        for operator, phases in by_release[release].items():
            rows.setdefault((operator, files.dump(_ordered(phases))), []).append(release)
    lines = [files.dump({"operator": operator, "releases": since, **json.loads(phases)})
             for (operator, phases), since in sorted(rows.items(), key=_place)]
    head = files.header("calls", 1)[files.HEADER]
    head.pop("python")
    path.write_text(f'{{"recorded_by":{files.dump(head)},\n "measured":{files.dump(releases)},\n "calls":[\n'
                    + ",\n".join(lines) + "\n]}\n")


def of_process(version: str) -> Calls:
    """The calls of a release: 5 minutes, or those that an earlier, broken recording had left to do."""
    folder = places.CACHE / "calls"
    folder.mkdir(parents=True, exist_ok=True)
    found = folder / f"{version}.json"
    children.opatlas_probe(version, "record_calls", folder / f"{version}.jsonl", found)
    return json.loads(found.read_text())["calls"]


def add(version: str, found: Calls) -> None:
    """Puts the calls of a release into the data."""
    by_release = load(places.CALLS_JSON)
    by_release[versions.minor(version)] = found
    save(by_release, places.CALLS_JSON)


def _ordered(phases: dict) -> dict:
    # What most invocations call is of use without gradients only.
    kinds = {phase: ("always", "sometimes") for phase in PHASES} | {"forward": ("always", "sometimes", "mostly")}
    return {phase: {kind: phases[phase][kind] for kind in kinds[phase] if kind != "mostly" or phases[phase].get(kind)}
            for phase in PHASES if phase in phases}


def _place(row: tuple[tuple[str, str], list[str]]) -> tuple[str, tuple[int, ...]]:
    (operator, _), releases = row
    return operator, versions.parse(releases[0])
