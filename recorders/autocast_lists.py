"""`data/autocast_lists.json`: the lists of operators in `ATen/autocast_mode.h`.

A backend registers a whole list with `AT_FORALL_FP32(MACRO)`. A row is an operator: `conv2d`,
`conv_transpose2d.input`. The lists that give a type and a policy name the operator in a literal.
"""

import json
import re

from . import facts, generators, places, versions

HEADER = "torch/include/ATen/autocast_mode.h"
# A list, with its name: all lines that a backslash continues.
_LIST = re.compile(r"^#define (AT_FORALL_\w+)\(_\)((?:.*\\\n)*.*)$", re.MULTILINE)
# The operator of an item: `_(conv2d)`, `_(pow, Scalar)`, or the first literal of `_(ADD_NS(norm), "norm.Scalar", ...)`.
_ITEM = re.compile(r'\b_\((?:(\w+)\)|(\w+),\s*(\w+)\)|[^"]*?"([^"]+)")')
_OPERATORS = {"AT_FORALL_LOWER_PRECISION_FP", "AT_FORALL_FP32", "AT_FORALL_FP32_SET_OPT_DTYPE",
              "AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE", "AT_FORALL_PROMOTE"}

Lists = dict[str, list[str]]


def of_text(header: str) -> Lists:
    """The lists of a header, each sorted."""
    found = {}
    for name, body in _LIST.findall(header):
        if name in _OPERATORS:
            items = _ITEM.findall(body.replace("\\\n", " "))
            found[name] = sorted(literal or plain or f"{base}.{overload}"
                                 for plain, base, overload, literal in items)
    return found


def of_release(version: str) -> Lists:
    """The lists of a release, from its wheel."""
    return of_text((generators.folder(version, HEADER) / HEADER).read_text())


def record(releases: list[str]) -> dict[str, int]:
    """Records releases anew; returns the number of operators of each."""
    known = json.loads(places.AUTOCAST_LISTS_JSON.read_text())
    every = versions.minors()
    lists = {release: {name: facts.expand(steps, every, release) or [] for name, steps in known.items()}
             for release in every}
    for release in releases:
        found = of_release(versions.generator_of(release))
        lists[release] = {name: found.get(name, []) for name in sorted(_OPERATORS)}
    places.AUTOCAST_LISTS_JSON.write_text(_text(lists))
    return {release: sum(map(len, lists[release].values())) for release in releases}


def _text(lists: dict[str, Lists]) -> str:
    tables = []
    for name in sorted(_OPERATORS):
        steps: dict = {}
        before: object = []
        for release, found in lists.items():
            facts.extend(steps, before, found.get(name, []), release)
            before = found.get(name, [])
        rows = ",\n".join(f"  {json.dumps(since)}: {json.dumps(step)}" for since, step in steps.items())
        tables.append(f" {json.dumps(name)}: {{\n{rows}\n }}")
    return "{\n" + ",\n".join(tables) + "\n}\n"
