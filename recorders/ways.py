"""`data/ways.txt`: the registries that decide how an operator compiles, batches, shards and is packaged.

A line is a member of registries, the releases, and the facts that hold in exactly these releases. A run covers the
recorded releases between its ends, so a change in one release is a change of one line.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

from . import children, files, places, versions
from .from_torchgen import Recorded

SECTIONS = ("operators", "functions", "shim")
# Of facts that a release can lack, why.
ABSENT = {
    "dtensor_custom": "DTensor has no table of custom handlers",
    "dtensor_strategy": "DTensor has no strategies",
    "dtensor_single_dim": "DTensor has no strategies for a single dimension",
    "dtensor_can_decompose": "DTensor does not try decompositions",
    "aoti_shimified_ops": "torchgen has no aten_shimified_ops",
}
# Facts by device type, of which a release can lack one or all.
KINDS = {
    "autocast": "no operator has an autocast kernel of this device type",
    "dtypes": "the operator database does not claim dtypes of this device type",
    "shim": "AOTInductor generates no C shim of this device type",
    "ran": "the tests of this release were not run with each dtype",
}
# The facts of one release: of each fact its members, and the value of each or an empty text.
Facts = dict[str, dict[str, str]]


@dataclass
class Ways:
    """What was recorded of one release."""

    version: str
    facts: Facts
    # Facts or kinds of facts that the release does not have, with the reason.
    missing: dict[str, str] = field(default_factory=dict)


def of_process(version: str) -> Ways:
    """The facts of an installed release: 5 minutes, most of them for the dtypes that run."""
    found = children.torch(version, "ways", {})
    facts = {**found["facts"], **children.torch(version, "dtype_runs", {})["facts"], "vmap_raises": raising(version)}
    return Ways(version, {fact: dict(sorted(members.items())) for fact, members in facts.items()}, found["missing"])


def raising(version: str) -> dict[str, str]:
    """The operators whose batching rule only raises: 10 s, since each is called."""
    out = places.CACHE / f"vmap_raises_{version}.json"
    children.opatlas_probe(version, "batching", out)
    return dict.fromkeys(json.loads(out.read_text()), "")


def section(fact: str) -> str:
    """What the members of a fact are: operators, Python functions, or functions of the C shim."""
    return {"shim": "shim", "dtypes": "functions", "ran": "functions"}.get(kind(fact), "operators")


def kind(fact: str) -> str:
    """`dtypes` of `backward_dtypes_cuda`; the name itself of a fact that is not by device type."""
    first = fact.removeprefix("backward_").partition("_")[0]
    return first if first in KINDS else fact


def load(path: Path) -> dict[str, Ways]:
    """The facts by release; none where nothing was recorded."""
    found: dict[str, Ways] = {}
    if not path.exists():
        return found
    for line in path.read_text().splitlines():
        kind, *rest = line.split("\t")
        if kind == "measured":
            found = {versions.minor(version): Ways(version, {}) for version in rest}
        elif kind == "fact":
            _load_fact(found, *rest)
        elif rest:
            for release in versions.covered(rest[0], list(found)):
                for item in rest[1:]:
                    fact, _, value = item.partition("=")
                    found[release].facts[fact][kind] = value
    return found


def _load_fact(found: dict[str, Ways], name: str, *absent: str) -> None:
    for release, ways in found.items():
        ways.facts[name] = {}
    for each in absent:
        ranges, _, reason = each.partition(" ")
        for release in versions.covered(ranges, list(found)):
            del found[release].facts[name]
            found[release].missing[name] = reason


def save(found: dict[str, Ways], path: Path) -> None:
    """Writes the facts."""
    releases = sorted(found, key=versions.parse)
    names = sorted({fact for ways in found.values() for fact in [*ways.facts, *ways.missing]} - KINDS.keys())
    lines = ["# Recorded by `python3 -m recorders ways`. data/README.md describes the form.",
             "\t".join(["measured", *(found[release].version for release in releases)])]
    lines += [_fact(fact, found, releases) for fact in names]
    for name in SECTIONS:
        lines += ["", f"# {name}", *_rows(name, found, releases)]
    path.write_text("\n".join(lines) + "\n")


def _fact(fact: str, found: dict[str, Ways], releases: list[str]) -> str:
    """The line of a fact: the releases that do not have it, by reason."""
    by_reason: dict[str, set[str]] = {}
    for release in releases:
        if fact not in found[release].facts:
            by_reason.setdefault(reason(fact, found[release].missing), set()).add(release)
    return "\t".join(["fact", fact, *(f"{versions.ranges(lacking, releases)} {why}"
                                      for why, lacking in by_reason.items())])


def reason(fact: str, missing: dict[str, str]) -> str:
    """Why a release has no such fact."""
    known = missing.get(fact) or missing.get(kind(fact)) or ABSENT.get(fact) or KINDS.get(kind(fact))
    return known or "this release has no such registry"


def _rows(name: str, found: dict[str, Ways], releases: list[str]) -> list[str]:
    """The lines of a section: of each member and run of releases the facts."""
    holds: dict[tuple[str, str], set[str]] = {}
    for release in releases:
        for fact, members in found[release].facts.items():
            if section(fact) == name:
                for member, value in members.items():
                    holds.setdefault((member, f"{fact}={value}" if value else fact), set()).add(release)
    rows: dict[tuple[str, str], list[str]] = {}
    for (member, item), covered in sorted(holds.items()):
        rows.setdefault((member, versions.ranges(covered, releases)), []).append(item)
    return ["\t".join([member, runs, *items]) for (member, runs), items in sorted(rows.items(), key=_place)]


def _place(row: tuple[tuple[str, str], list[str]]) -> tuple:
    (member, runs), _ = row
    first = runs.split(",")[0].split("-")[0]
    return member, versions.parse(first), runs


def add(version: str, ways: Ways) -> None:
    """Puts the facts of a release into the data."""
    found = load(places.WAYS_TXT)
    found[versions.minor(version)] = ways
    save(found, places.WAYS_TXT)


def differences(release: str, ways: Ways) -> list[str]:
    """Where the data says something else than a process of the release."""
    known = load(places.WAYS_TXT).get(release)
    if known is None:
        return [f"{release}: data/ways.txt does not have it"]
    names = sorted({*known.facts, *ways.facts})
    return [f"{release}: {fact} of {member}: data {then.get(member)!r}, release {now.get(member)!r}"
            for fact in names
            for then, now in [(known.facts.get(fact, {}), ways.facts.get(fact, {}))]
            for member in sorted({*then, *now}) if then.get(member) != now.get(member)]


def recorded(version: str) -> Recorded:
    """The facts of a release, a row each, as a golden file."""
    return golden(of_process(version))


def golden(ways: Ways) -> Recorded:
    """The rows of a golden file."""
    rows = [{"fact": fact, "members": _members(members)} for fact, members in sorted(ways.facts.items())]
    return files.header("ways", 1, torch=ways.version), rows


def _members(members: dict[str, str]) -> list[str] | dict[str, str]:
    return members if any(members.values()) else sorted(members)
