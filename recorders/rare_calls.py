"""`data/rare_calls.json`: calls of composites that depend on who calls, or on arguments left out.

`calls` are recorded calls that the first samples of an operator's own tests never make: `reshape` calls
`_reshape_alias` only where a tensor is not contiguous. `within` has, for each operator whose tests reach
such a call, the shortest chain from it to the operator that makes the call. `made` are calls that no
sample makes, but a call with arguments made from the schema does: `all.dims_out` without dimensions.
"""

import json
from collections import defaultdict
from pathlib import Path

from . import calls, children, files, places, versions

# An operator and what it calls.
Call = tuple[str, str]
# Of each rare call the chains; `None` for those with made arguments.
Rare = dict[Call, list[list[str]] | None]


def of_process(version: str) -> Rare:
    """The rare calls of a release, whose calls are in `data/calls.json`: 4 minutes."""
    out = places.CACHE / f"reached_{version}.jsonl"
    children.opatlas_probe(version, "record_reached", out)
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    known = calls.load(places.CALLS_JSON)[versions.minor(version)]
    forward = {operator: of["forward"] for operator, of in known.items() if "forward" in of}
    return {**of_trees([line["tree"] for line in lines if "tree" in line], forward),
            **of_made([line["made"] for line in lines if "made" in line], forward)}


def of_made(made: list, forward: dict[str, dict[str, list[str]]]) -> Rare:
    """Calls with made arguments that no sample makes."""
    return {(operator, call): None for operator, called in made if operator in forward for call in called
            if call not in forward[operator]["always"] + forward[operator]["sometimes"]}


def of_trees(trees: list, forward: dict[str, dict[str, list[str]]]) -> Rare:
    """The rare calls, given what samples reached and all recorded calls."""
    usual: dict[str, set[str]] = defaultdict(set)
    for root, called, _ in trees:
        usual[root].update(called)
    rare = {(operator, call) for operator, made in usual.items() if operator in forward
            for call in forward[operator]["sometimes"] if call not in made}
    shortest: dict[tuple[Call, str], list[str]] = {}
    for root, called, below in trees:
        wanted = rare.intersection(map(tuple, below))
        after = defaultdict(list)
        for caller, callee in [(root, callee) for callee in called] + below:
            after[caller].append(callee)
        # An operator that Python never calls has the calls that it makes for others.
        for start in {root, *(caller for caller, _ in below if caller not in usual)} if wanted else ():
            chains = _chains(start, after)
            for call in wanted:
                chain = chains.get(call[0])
                if chain and len(chain) > 1:
                    kept = shortest.setdefault((call, start), chain)
                    shortest[call, start] = min(kept, chain, key=lambda each: (len(each), each))
    found: dict[Call, list[list[str]]] = {call: [] for call in rare}
    for (call, _), chain in shortest.items():
        found[call].append(chain)
    return {call: sorted(chains) for call, chains in sorted(found.items())}


def add(version: str, found: Rare) -> None:
    """Puts the rare calls of a release into the data."""
    by_release = load(places.RARE_CALLS_JSON)
    by_release[versions.minor(version)] = found
    save(by_release, places.RARE_CALLS_JSON)


def load(path: Path) -> dict[str, Rare]:
    """The rare calls by release; none where nothing was recorded."""
    if not path.exists():
        return {}
    data = json.loads(path.read_text())
    found: dict[str, Rare] = {release: {} for release in data["measured"]}
    for row in data["calls"] + data["made"]:
        for release in row["releases"]:
            found[release][row["operator"], row["call"]] = row.get("within")
    return found


def save(by_release: dict[str, Rare], path: Path) -> None:
    """Writes the rare calls, one call and set of releases a line."""
    releases = sorted(by_release, key=versions.parse)
    rows: dict[tuple[str, str, str], list[str]] = {}
    for release in releases:
        for (operator, call), within in by_release[release].items():
            rows.setdefault((operator, call, files.dump(within)), []).append(release)
    lines: dict[bool, list[str]] = {True: [], False: []}
    for (operator, call, chains), since in sorted(rows.items(), key=_place):
        within = json.loads(chains)
        row = {"operator": operator, "call": call, "releases": since}
        lines[within is None].append(files.dump(row if within is None else {**row, "within": within}))
    head = files.header("rare_calls", 1)[files.HEADER]
    head.pop("python")
    path.write_text(f'{{"recorded_by":{files.dump(head)},\n "measured":{files.dump(releases)},\n "calls":[\n'
                    + ",\n".join(lines[False]) + '\n],\n "made":[\n' + ",\n".join(lines[True]) + "\n]}\n")


def _place(row: tuple[tuple[str, str, str], list[str]]) -> tuple[str, str, tuple[int, ...]]:
    (operator, call, _), releases = row
    return operator, call, versions.parse(releases[0])


def _chains(start: str, after: dict[str, list[str]]) -> dict[str, list[str]]:
    """The shortest chain of calls to each operator that is reached."""
    chains = {start: [start]}
    open_ = [start]
    for caller in open_:
        for callee in sorted(after[caller]):
            if callee not in chains:
                chains[callee] = [*chains[caller], callee]
                open_.append(callee)
    return chains
