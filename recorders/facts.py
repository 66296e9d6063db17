"""`data/releases.json`: tables that are written as steps from release to release.

A table is an object from the first release with a value to the value. A list replaces the list
before it; `add` and `remove` change it, and such a list is a sorted set.
"""

import json
from pathlib import Path

GROUPS = ["lists", "name_lists", "codegen", "bindings", "flags", "pairs", "runtime"]


def expand(steps: dict, releases: list[str], release: str) -> object:
    """The value of a table in a release."""
    value: object = None
    for since in releases[: releases.index(release) + 1]:
        if since not in steps:
            continue
        step = steps[since]
        if isinstance(step, dict):
            value = sorted({*value, *step.get("add", [])} - set(step.get("remove", [])))
        else:
            value = step
    return value


def extend(steps: dict, before: object, value: object, release: str) -> None:
    """Adds the step of a new release to a table, where its value is another than before."""
    if value == before:
        return
    steps[release] = step(before, value)


def step(before: object, value: object) -> object:
    """The shortest way to write a value after the one before it."""
    is_set = all(isinstance(of, list) and of == sorted(map(str, of)) for of in (before, value))
    if not is_set:
        return value
    changed: dict[str, list] = {}
    if added := sorted(set(value) - set(before)):
        changed["add"] = added
    if removed := sorted(set(before) - set(value)):
        changed["remove"] = removed
    return changed


def load(path: Path) -> dict:
    """The data."""
    return json.loads(path.read_text())


def save(data: dict, path: Path) -> None:
    """Writes the data as it is kept: one step, one fallback, one release a line."""
    out = ["{"]
    for number, (group, tables) in enumerate(data.items()):
        comma = "," if number + 1 < len(data) else ""
        if isinstance(tables, list):
            out += [f' "{group}": [', *_rows(tables, "    "), f"  ]{comma}"]
            continue
        out.append(f' "{group}": {{')
        for place, (name, steps) in enumerate(tables.items()):
            end = "," if place + 1 < len(tables) else ""
            if isinstance(steps, list):
                out += [f'   "{name}": [', *_rows(steps, "      "), f"    ]{end}"]
            else:
                lines = [f"     {_text(since)}: {_text(value)}" for since, value in steps.items()]
                out += [f'   "{name}": {{', ",\n".join(lines), f"    }}{end}"]
        out.append(f"  }}{comma}")
    path.write_text("\n".join([*out, "}"]) + "\n")


def _rows(rows: list, indent: str) -> list[str]:
    return [",\n".join(f"{indent}{_text(row)}" for row in rows)]


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
