"""Reads what the dispatcher prints: computed tables and registrations."""

import re

_LINE = re.compile(r"^(\w+)(?:\[alias\])?: (fallthrough )?(.*)$")
_PLACE = re.compile(r"^registered at (.+?):\d+$")
_REGISTRATION = re.compile(r"^(\w+)(?:\[alias\])?( \(inactive\))?: (.*?) :: .*\[ (.*) \]$")
_REASON = re.compile(r"^(.*?) \[([a-z ]+)\]$")
_SHARD = re.compile(r"_\d+(?=\.cpp$)")


def source(text: str) -> str | None:
    """The file of `registered at FILE:LINE`, without folder and shard; another text as it is."""
    place = _PLACE.match(text)
    if not place:
        return text
    file = place[1].rsplit("/", 1)[-1]
    return None if file == "null" else _SHARD.sub("", file)


def table(printed: str) -> dict[str, tuple[str | None, str, bool]]:
    """Of each key its source, the reason, and whether it is a fallthrough."""
    cells = {}
    for line in printed.splitlines():
        key, passes, rest = _LINE.match(line).groups()
        text, reason = _REASON.match(rest).groups()
        cells[key] = (source(text), reason, bool(passes))
    return cells


def registrations(printed: str) -> tuple[dict[str, tuple[str | None, bool]], dict[str, list]]:
    """Of each key the source of its kernel and whether it is a fallthrough; and of each key that has
    them the sources of the kernels that were replaced, newest first.
    """
    active: dict[str, tuple[str | None, bool]] = {}
    replaced: dict[str, list] = {}
    for line in printed.splitlines():
        found = _REGISTRATION.match(line)
        if not found:
            continue
        key, inactive, text, flags = found.groups()
        if inactive:
            replaced.setdefault(key, []).append(source(text))
        else:
            active[key] = (source(text), "fallthrough" in flags)
    return active, replaced
