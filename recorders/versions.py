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


def covered(written: str, releases: list[str]) -> list[str]:
    """The releases of `2.0-2.3,2.6-`."""
    found = []
    for part in written.split(","):
        first, dash, last = part.partition("-")
        end = releases.index(last or first) if last or not dash else len(releases) - 1
        found += releases[releases.index(first): end + 1]
    return found


def ranges(covered: set[str], releases: list[str]) -> str:
    """`2.0-2.3,2.6-`: what reaches the newest release stays open."""
    parts: list[list[str]] = []
    for place, release in enumerate(releases):
        if release not in covered:
            continue
        if parts and releases.index(parts[-1][1]) == place - 1:
            parts[-1][1] = release
        else:
            parts.append([release, release])
    return ",".join(f"{first}-" if last == releases[-1] else first if first == last else f"{first}-{last}"
                    for first, last in parts)
