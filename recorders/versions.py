"""The releases that the data knows."""

import json

from . import places


def parse(version: str) -> tuple[int, ...]:
    """`2.10.1` as numbers, for ordering."""
    return tuple(int(part) for part in version.split("."))


def minor(version: str) -> str:
    """`2.10` of `2.10.1`."""
    return ".".join(version.split(".")[:2])


def rows() -> list[dict]:
    """One row for each minor release, oldest first: `release`, `patches`, `measured`."""
    return json.loads(places.RELEASES_JSON.read_text())["releases"]


def minors() -> list[str]:
    """`2.0`, `2.1`, ..."""
    return [row["release"] for row in rows()]


def patches() -> list[str]:
    """Every patch release, oldest first."""
    return [patch for row in rows() for patch in row["patches"]]


def generator_of(release: str) -> str:
    """The patch release whose generator speaks for a minor release: the newest one measured, or the
    newest of all where none was.
    """
    row = next((row for row in rows() if row["release"] == release), None)
    if row is None:
        raise SystemExit(f"{release} is none of the minor releases in data/: {', '.join(minors())}")
    return (row["measured"] or row["patches"])[-1]


def measured() -> list[str]:
    """Every release whose runtime was recorded, oldest first."""
    return [version for row in rows() for version in row["measured"]]
