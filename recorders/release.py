"""Adds a release: fetches it, records it, extends the data, and says what a person must decide."""

import sys

from . import (autocast_lists, calls, facts, files, from_process, from_torchgen, generators, handwritten,
               observations, places, python_functions, rare_calls, runtimes, versions, ways)

_SHOWN = 12


def add(version: str, *, with_process: bool) -> list[str]:
    """Adds a release to `data/` and `tests/golden/`; returns what a person must decide."""
    generators.folder(version)
    if with_process:
        runtimes.python(version)
    minor = versions.minor(version)
    known = versions.minors()
    before = known[-1] if known[-1] != minor else known[-2]
    if versions.parse(minor) < versions.parse(before):
        raise SystemExit(f"{version} is older than {known[-1]}, the newest release of the data")
    running = observations.process(version)
    if not running:
        print(f"torch {version} is not installed: facts of the runtime are those of {before}",
              file=sys.stderr)
    notes = _extend_data(version, minor, before, running)
    notes += _extend_handwritten(minor, before, running)
    autocast_lists.record([minor])
    if running:
        calls.add(version, calls.of_process(version))
        ways.add(version, ways.of_process(version))
        rare_calls.add(version, rare_calls.of_process(version))
        python_functions.add(version, python_functions.of_process(version))
    _record(version, running is not None)
    return notes + verdict_changes(versions.generator_of(before), version) + _to_write_by_hand(minor, known)


def _extend_data(version: str, minor: str, before: str, running: object) -> list[str]:
    data = facts.load(places.RELEASES_JSON)
    row = next((row for row in data["releases"] if row["release"] == minor), None)
    if row is None:
        row = {"release": minor, "patches": [], "measured": [], "native_functions": {}}
        data["releases"].append(row)
    if version not in row["patches"]:
        row["patches"] = sorted([*row["patches"], version], key=versions.parse)
    if running and version not in row["measured"]:
        row["measured"] = sorted([*row["measured"], version], key=versions.parse)
        row["native_functions"][version] = observations.digest(version)
    releases = [row["release"] for row in data["releases"]]
    seen = observations.generator(version)
    for group, tables in (running.facts() if running else {}).items():
        seen.setdefault(group, {}).update(tables)
    notes = []
    for group, tables in seen.items():
        for name, value in tables.items():
            steps = data[group][name]
            steps.pop(minor, None)
            old = facts.expand(steps, releases, before)
            if value != old:
                steps[minor] = facts.step(old, value)
                notes.append(f"{group}.{name}: {_difference(old, value)}")
    if running:
        notes += _extend_fallbacks(data["runtime"]["fallbacks"], running.fallbacks(), releases, minor)
    facts.save(data, places.RELEASES_JSON)
    return notes


def _extend_fallbacks(rows: list, now: set, releases: list[str], minor: str) -> list[str]:
    """Ends the fallbacks that are gone, and adds those that are new."""
    notes = []
    before = releases[releases.index(minor) - 1]
    rows[:] = [row for row in rows if row[3] != minor]
    for row in rows:
        if row[4:] == [before] and tuple(row[:3]) in now:
            del row[4]
        elif len(row) == 4 and tuple(row[:3]) not in now:
            row.append(before)
            notes.append(f"fallback gone: {row[0]} ({row[1]})")
    open_ = {tuple(row[:3]) for row in rows if len(row) == 4}
    for key, file, kind in sorted(now - open_):
        rows.append([key, file, kind, minor])
        notes.append(f"fallback new: {key} ({file}, {kind})")
    rows.sort(key=lambda row: (row[0], versions.parse(row[3])))
    return notes


def _extend_handwritten(minor: str, before: str, running: object) -> list[str]:
    if not running:
        return []
    releases = versions.minors()
    found = handwritten.load(places.HANDWRITTEN_JSON, releases)
    now = running.registrations()
    then = {row for row, covered in found.items() if before in covered}
    handwritten.replace(found, minor, now)
    handwritten.save(found, places.HANDWRITTEN_JSON, releases)
    notes = [f"registered by hand now: {_shown(now - then)}"] if now - then else []
    return notes + ([f"no longer registered by hand: {_shown(then - now)}"] if then - now else [])


def _record(version: str, with_process: bool) -> None:
    """The golden files that have a part for each release, and those of this release alone."""
    for kind in ("operators", "signatures"):
        _write(f"{kind}_{version}", getattr(from_torchgen, kind)(version))
    by_release = from_torchgen.documents_by_release(only=versions.minor(version))
    _write("validator_by_release", by_release)
    if with_process:
        _write(f"dispatch_runtime_{version}", from_process.runtime_tables(version))
        _write("dispatch_keys", from_process.dispatch_keys())
    if runtimes.python(from_torchgen.REFERENCE, install=False):
        _write("official_releases", from_process.official_releases())
        _write("official_release_counts", from_process.official_release_counts())
    else:
        print(f"torch {from_torchgen.REFERENCE} is not installed: official_release*.jsonl.gz stay as"
              " they are; `python3 -m recorders install` installs it", file=sys.stderr)


def _write(name: str, recorded: from_torchgen.Recorded) -> None:
    files.write(places.GOLDEN / f"{name}.jsonl.gz", *recorded)
    print(f"recorded {name}", file=sys.stderr)


def verdict_changes(before: str, after: str) -> list[str]:
    """Rules whose recorded documents the two releases judge differently."""
    notes = []
    for name in ("documents", "documents_by_release", "documents_random"):
        cases = from_torchgen.case(name)
        old, new = (from_torchgen.verdicts(version, cases) for version in (before, after))
        by_rule: dict[tuple, list[str]] = {}
        for of, was, now in zip(cases, old, new, strict=True):
            if was != now:
                by_rule.setdefault((of.get("rule", "a random document"), was, now), []).append(of["id"])
        notes += [f"verdict on {rule}: {was} by {before}, {now} by {after} ({', '.join(ids[:_SHOWN])})"
                  for (rule, was, now), ids in sorted(by_rule.items())]
    return notes


def _to_write_by_hand(minor: str, known: list[str]) -> list[str]:
    return [] if minor in known else [
        f"README.md and docs/spec/releases.md name the releases from {known[0]} to {known[-1]}"]


def _difference(old: object, new: object) -> str:
    if isinstance(old, list) and isinstance(new, list):
        added = [value for value in new if value not in old]
        removed = [value for value in old if value not in new]
        if added or removed:
            return " ".join(filter(None, [f"new {_shown(added)}" if added else "",
                                          f"gone {_shown(removed)}" if removed else ""]))
        return "another order"
    return f"{old!r} before, {new!r} now"


def _shown(values: object) -> str:
    values = sorted(values, key=str)
    texts = [value if isinstance(value, str) else " ".join(map(str, value)) for value in values]
    more = f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    return ", ".join(texts[:_SHOWN]) + more


def report(version: str, notes: list[str]) -> None:
    """Prints what a person must decide."""
    if not notes:
        print(f"{version} differs in nothing that is recorded. There is nothing to decide.")
        return
    print(f"{version} differs from the release before. Decide what each difference means for the rules:")
    for note in notes:
        print(f"- {note}")


