"""`data/python_calls.txt`: the operators that functions written in Python call, and when.

A condition is what all recorded calls with an operator pass, and no call without it; where only the former is found,
the operator is called sometimes (`?`).
"""

import collections
from collections.abc import Callable
from pathlib import Path

from . import children, files, places, versions
from .from_torchgen import Recorded

CASES = places.CASES / "python_functions.txt"
LINES = places.CASES / "python_lines.txt"
COMMENT = """\
# What functions that are written in Python call (data/README.md). `python3 -m recorders python-calls` writes this file.
"""
# Where the operators of a call are: not called by others, below autograd, in the backward.
PHASES = ("top", "below", "backward")
# By name, the fields of a line behind the releases.
Lines = dict[tuple[str, str], tuple[str, ...]]
# A condition, as text and as a function of what a call passes.
Test = tuple[str, Callable[[dict[str, str]], bool]]
# How many conditions an operator has at most.
CONDITIONS = 3


def of_process(version: str) -> Lines:
    """The lines of an installed release: 2 minutes."""
    return lines_of(children.torch(version, "python_functions", {"lines": _written(CASES)}))


def lines(version: str) -> Recorded:
    """Lines of Python as people write them, with the operators that they run."""
    rows = children.torch(version, "python_lines", {"lines": _written(LINES)})["rows"]
    return files.header("python_lines", 1, torch=version), rows


def _written(path: Path) -> list[str]:
    return [line for line in path.read_text().splitlines() if line and not line.startswith("#")]


def lines_of(recorded: dict) -> Lines:
    """The lines of what the probe recorded."""
    found: Lines = {("same", name): (binding,) for name, binding in recorded["same"].items()}
    for name, function in recorded["rows"].items():
        phases = {phase: called([(call["with"], call[phase]) for call in function["calls"] if call[phase] is not None])
                  for phase in PHASES}
        if not phases["top"]:
            continue
        if phases["below"] == phases["top"]:
            del phases["below"]
        fields = [f"{phase}={operators}" for phase, operators in phases.items() if operators]
        found["function", name] = (f"({function['parameters']})", f"passed={passed(function['calls'])}", *fields)
    return found


def passed(calls: list[dict]) -> str:
    """The words that calls pass, by parameter."""
    words: dict[str, dict[str, None]] = collections.defaultdict(dict)
    for call in calls:
        for name, word in call["with"].items():
            if not is_kind(word):
                words[name][word] = None
    return "; ".join(f"{name}={'|'.join(sorted(values))}" for name, values in words.items())


def is_kind(word: str) -> bool:
    """Whether a word stands for more than one value: `4-dim`, `number`."""
    return word.endswith("-dim") or word in ("number", "dtype", "list", "tensors")


def called(calls: list[tuple[dict[str, str], list[str]]]) -> str:
    """The operators of calls, each with its condition, in the order first seen."""
    operators = list(dict.fromkeys(operator for _, called in calls for operator in called))
    return "; ".join(_with_condition(operator, calls) for operator in operators)


def _with_condition(operator: str, calls: list[tuple[dict[str, str], list[str]]]) -> str:
    having = [facts for facts, called in calls if operator in called]
    others = [facts for facts, called in calls if operator not in called]
    if not others:
        return operator
    tests = _shared(having)
    conditions, left = _condition(tests, others)
    if left:
        conditions, left = _condition(tests + _avoided(having, others), others)
    if left:
        conditions, left = _condition([(text, test) for text, test in tests if not is_kind(text.partition("=")[2])], others)
    written = f"{operator} if {' & '.join(conditions)}" if conditions else operator
    return f"?{written}" if left else written


def _shared(having: list[dict[str, str]]) -> list[Test]:
    """What all calls pass, literals before kinds."""
    shared = [(name, value) for name, value in having[0].items() if all(facts.get(name) == value for facts in having)]
    shared.sort(key=lambda one: is_kind(one[1]))
    return [(f"{name}={value}", lambda facts, name=name, value=value: facts.get(name) == value)
            for name, value in shared]


def _avoided(having: list[dict[str, str]], others: list[dict[str, str]]) -> list[Test]:
    """What no call passes, although others do."""
    tests = []
    for name in sorted({name for facts in others for name in facts}):
        for value in sorted({facts[name] for facts in others if name in facts}):
            if all(facts.get(name, value) != value for facts in having):
                tests.append((f"{name}!={value}", lambda facts, name=name, value=value: facts.get(name) != value))
    return tests


def _condition(tests: list[Test], others: list[dict[str, str]]) -> tuple[list[str], int]:
    """Tests that as few of the others pass as possible, and how many do."""
    chosen = []
    while others and tests and len(chosen) < CONDITIONS:
        text, test = min(tests, key=lambda one: sum(map(one[1], others)))
        rest = [facts for facts in others if test(facts)]
        if len(rest) == len(others):
            break
        chosen.append(text)
        others = rest
    return chosen, len(others)


def load(path: Path) -> tuple[list[str], dict[str, Lines]]:
    """The recorded releases, and their lines."""
    measured: list[str] = []
    found: dict[str, Lines] = {}
    for line in path.read_text().splitlines() if path.exists() else ():
        kind, *rest = line.split("\t")
        if kind == "measured":
            measured = rest
            found = {versions.minor(version): {} for version in measured}
        elif rest:
            ranges, name, *fields = rest
            for release in versions.covered(ranges, list(found)):
                found[release][kind, name] = tuple(fields)
    return measured, found


def add(version: str, lines: Lines, path: Path = places.PYTHON_CALLS_TXT) -> None:
    """Replaces the lines of a release."""
    measured, found = load(path)
    minor = versions.minor(version)
    kept = {known for known in measured if versions.minor(known) != minor}
    measured = sorted({*kept, version}, key=versions.parse)
    found[minor] = lines
    releases = sorted(found, key=versions.parse)
    ranges: dict[tuple, set[str]] = collections.defaultdict(set)
    for release in releases:
        for key, fields in found[release].items():
            ranges[(*key, *fields)].add(release)
    text = [COMMENT, "\t".join(["measured", *measured]) + "\n"]
    for (kind, name, *fields), covered in sorted(ranges.items()):
        text.append("\t".join([kind, versions.ranges(covered, releases), name, *fields]) + "\n")
    path.write_text("".join(text))
