"""`data/handwritten.json`: registrations that a real process has and no YAML file declares.

In the file: group, key, source file, releases (`2.0-2.3,2.6-`), operators. Here: of each
registration the releases that have it.
"""

import json
from pathlib import Path

from . import versions

GROUPS = ["registrations", "operators_without_yaml"]
# A registration: group, key, source file (`null`: not recorded; `|fallthrough` behind it), operator.
Registration = tuple[str, str, str, str]
# Keys of devices that no wheel of PyPI supports. People enter their registrations, from PyTorch's sources.
ENTERED = {"XPU"}
_GENERATED = {"VariableType.cpp", "ADInplaceOrViewType.cpp", "TraceType.cpp"}


def of_process(tables: dict, declared: set[str]) -> set[Registration]:
    """The hand-written registrations of a process, from its recorded tables."""
    files = tables["head"]["files"]
    found = set()
    for row in tables["rows"]:
        group = GROUPS[0] if row["op"] in declared else GROUPS[1]
        for key, (file, *passes) in row["r"].items():
            if not is_generated(files[file]):
                found.add((group, key, files[file] + "|fallthrough" * bool(passes), row["op"]))
    return found


def is_entered(registration: Registration) -> bool:
    """Whether a person entered a registration that no recorded process can have."""
    return registration[1] in ENTERED


def is_generated(file: str) -> bool:
    """Whether generated code makes the registrations of a file, going by its name."""
    return file.startswith("Register") or file in _GENERATED


def load(path: Path, releases: list[str]) -> dict[Registration, set[str]]:
    """Of each registration the releases that have it."""
    data = json.loads(path.read_text())
    found: dict[Registration, set[str]] = {}
    for group in GROUPS:
        for key, by_file in data[group].items():
            for file, by_range in by_file.items():
                for ranges, operators in by_range.items():
                    covered = set(versions.covered(ranges, releases))
                    for operator in operators.split():
                        found.setdefault((group, key, file, operator), set()).update(covered)
    return found


def replace(found: dict[Registration, set[str]], release: str, now: set[Registration]) -> None:
    """Makes the registrations of a release those of `now`. Entered ones stay as they are."""
    for registration, releases in found.items():
        if not is_entered(registration):
            releases.discard(release)
    for registration in now:
        found.setdefault(registration, set()).add(release)


def save(found: dict[Registration, set[str]], path: Path, releases: list[str]) -> None:
    """Writes the data, sorted."""
    data: dict = {group: {} for group in GROUPS}
    for (group, key, file, operator), covered in sorted(found.items()):
        if covered:
            ranges = versions.ranges(covered, releases)
            data[group].setdefault(key, {}).setdefault(file, {}).setdefault(ranges, []).append(operator)
    lines = []
    for group, keys in data.items():
        rows = [_key(key, by_file) for key, by_file in keys.items()]
        lines.append(f" {json.dumps(group)}: {{\n" + ",\n".join(rows) + "\n }")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _key(key: str, by_file: dict) -> str:
    files = []
    for file, by_range in by_file.items():
        rows = [f"    {json.dumps(ranges)}: {json.dumps(' '.join(operators))}"
                for ranges, operators in by_range.items()]
        files.append(f"   {json.dumps(file)}: {{\n" + ",\n".join(rows) + "\n   }")
    return f"  {json.dumps(key)}: {{\n" + ",\n".join(files) + "\n  }"
