"""Golden files that a real torch process gives: keys, tables, registrations, compatibility."""

import re

from . import children, files, generate, places, runtimes, versions
from .from_torchgen import REFERENCE, Recorded, case

_RANDOM_CALLS = 1_200
_ENTRY = re.compile(r"^- func:\s*(.*?)\s*$", re.MULTILINE)


def keys(version: str) -> dict:
    """The keys of one release."""
    return children.torch(version, "runtime_keys", {})


def dispatch_keys() -> Recorded:
    """A row for each measured release. Rows of releases that are not installed stay as they are."""
    path = places.GOLDEN / "dispatch_keys.jsonl.gz"
    kept = {row["release"]: row for row in files.cases(path)} if path.exists() else {}
    for version in versions.measured():
        if runtimes.python(version, install=False):
            row = keys(version)
            row.pop("functionalities")
            kept[version] = row
    releases = sorted(kept, key=versions.parse)
    return files.header("dispatch_keys", 1, torch=releases), [kept[release] for release in releases]


def runtime_tables(version: str) -> Recorded:
    """Every `aten` operator of a process: registrations and computed table."""
    found = children.torch(version, "runtime_tables", {})
    return files.header("runtime_tables", 1, torch=version), [found["head"], *found["rows"]]


def autocast_runs(version: str) -> Recorded:
    """The dtypes that operators get on the CPU, without and with autocast."""
    rows = children.torch(version, "autocast_runs", {})["rows"]
    return files.header("autocast_runs", 1, torch=version), rows


def python_calls(version: str) -> Recorded:
    """Calls of Python bindings: chosen ones, and random ones that fit a signature or nearly."""
    request = {"calls": case("python_calls"), "seed": f"{generate.SEED} {version}", "count": _RANDOM_CALLS}
    rows = children.torch(version, "python_calls", request)["rows"]
    return files.header("python_calls", 1, torch=version, seed=generate.SEED), rows


def bound_names(version: str) -> Recorded:
    """The names that Python binds."""
    rows = children.torch(version, "bound_names", {})["rows"]
    return files.header("bound_names", 1, torch=version), rows


def registration_sets() -> Recorded:
    """Sets of registrations to one operator, and what the dispatcher makes of them."""
    order = keys(REFERENCE)["runtime_keys"]
    cases = case("registration_sets")
    cases += generate.registration_sets(generate.SEED, 200, order)
    found = children.torch(REFERENCE, "combos", {"sets": cases})
    documents = [{"yaml": _entry(row["registrations"])} for row in cases]
    judged = children.torchgen(REFERENCE, "verdicts", {"documents": documents})
    rows = [_set(of, process, torchgen, order)
            for of, process, torchgen in zip(cases, found, judged, strict=True)]
    head = files.header("registration_sets", 1, torch=REFERENCE, torchgen=REFERENCE, seed=generate.SEED)
    return head, rows


def _entry(registrations: list[str]) -> str:
    lines = "".join(f"    {key}: foo_{key.lower()}\n" for key in registrations)
    return f"- func: foo(Tensor self) -> Tensor\n  dispatch:\n{lines}" if lines else \
        "- func: foo(Tensor self) -> Tensor\n"


def _set(of: files.Row, process: dict, torchgen: dict, order: list[str]) -> files.Row:
    row = {**of, "python_dispatcher": process["python_dispatcher"]}
    if "note" in of:
        return row
    is_key = "(catch-all)" not in of["registrations"]
    refused = torchgen["stage"] not in (None, "group", "codegen")
    row["yaml"] = (f"error: {torchgen['error']['first_line']}" if refused else "ok") if is_key else None
    if of["registrations"] == ["Undefined"]:
        # torch takes this name for none at all; what it then does is the set of the catch-all.
        return row | {"register": "ok?"}
    row["register"] = process["register"]
    if "table" in process:
        row["table"] = _groups(process["table"], order)
        row["stored_table_matches"] = process["stored_table_matches"]
    return row


def _groups(cells: dict, order: list[str]) -> list[dict]:
    """The keys with the same source and reason together, in table order."""
    groups: dict[tuple, list[str]] = {}
    for key in order:
        groups.setdefault(tuple(cells.get(key, [None, "missing", False])), []).append(key)
    return [{"source": source, "reason": reason, "fallthrough": passes, "keys": keys}
            for (source, reason, passes), keys in groups.items()]


def schema_pairs() -> Recorded:
    """Pairs of schemas that torchgen's grammar can write: made-up, one rule each, and mutated ones."""
    cases = case("schema_pairs") + generate.pairs(generate.SEED, 500)
    rows = []
    for of, found in zip(cases, children.torch(REFERENCE, "pairs", {"pairs": cases}), strict=True):
        row = {field: of[field] for field in ("id", "old", "new")}
        row |= {field: found[field] for field in ("bc", "fc", "fc_reason")}
        if of.get("printed"):
            row |= {field: found[field] for field in ("old_canonical", "new_canonical")}
        rows.append(row)
    return files.header("schema_pairs", 1, torch=REFERENCE, seed=generate.SEED), rows


def runtime_pairs() -> Recorded:
    """Pairs in the whole language of the runtime, unreadable texts included."""
    cases = case("runtime_pairs")
    rows = []
    for of, found in zip(cases, children.torch(REFERENCE, "pairs", {"pairs": cases}), strict=True):
        row = {"old": of["old"], "old_canonical": found["old_canonical"]}
        if "new" in of:
            row |= {"new": of["new"], "new_canonical": found["new_canonical"]}
        row |= {field: found[field] for field in ("bc", "fc", "fc_reason") if field in found}
        rows.append(row)
    return files.header("runtime_pairs", 1, torch=REFERENCE), rows


def library_schemas() -> Recorded:
    """Schemas of operator libraries: whether torch reads each, and the text that it prints."""
    cases = case("library_schemas")
    found = children.torch(REFERENCE, "schemas", {"schemas": [row["schema"] for row in cases]})
    rows = [{"schema": of["schema"], "canonical": text} for of, text in zip(cases, found, strict=True)]
    return files.header("library_schemas", 1, torch=REFERENCE), rows


def release_steps() -> Recorded:
    """Operators that a release changed, added or removed, with the official verdict."""
    rows = [row for old, new in _steps() for row in _changes(old, new)]
    changed = [row for row in rows if row["change"] == "changed"]
    judged = children.torch(REFERENCE, "pairs", {"pairs": changed})
    for row, found in zip(changed, judged, strict=True):
        row |= {field: found[field] for field in ("bc", "fc", "fc_reason")}
        row["same"] = found["old_canonical"] == found["new_canonical"]
    head = files.header("release_steps", 1, torch=REFERENCE, releases=versions.patches())
    return head, rows


def official_releases() -> Recorded:
    """The same as it is kept: without the texts, which are PyTorch's."""
    head, rows = release_steps()
    return head, [{key: value for key, value in row.items() if key not in ("old", "new", "same")}
                  for row in rows if not _is_whole(row)]


def official_release_counts() -> Recorded:
    """How many operators every step changed, and how many of the changes are breaking."""
    head, rows = release_steps()
    return head, [_counted(old, new, rows) for old, new in _steps()]


def _counted(old: str, new: str, rows: list[files.Row]) -> files.Row:
    own = [row for row in rows if (row["from_version"], row["to_version"]) == (old, new)]
    before, after = schemas(old), schemas(new)
    counts = {"from_version": old, "to_version": new, "old_ops": len(before), "new_ops": len(after),
              "text_same": sum(after.get(name) == text for name, text in before.items())}
    changed = [row for row in own if row["change"] == "changed"]
    more = {"text_changed": len(changed), "changed_parsed_identical": sum(row["same"] for row in changed),
            "changed_only_symint": sum(row["only_symint"] for row in changed),
            "added": sum(row["change"] == "added" for row in own),
            "removed": sum(row["change"] == "removed" for row in own),
            "official_bc_broken": sum(row["bc"] is not True for row in own),
            "official_fc_broken": sum(row["fc"] is not True for row in own)}
    for row in changed:
        kind = f"changed_bc_{row['bc'] is True}_fc_{row['fc'] is True}"
        more[kind] = more.get(kind, 0) + 1
    return counts | {key: value for key, value in more.items() if value}


def _steps() -> list[tuple[str, str]]:
    """From each release to the next, and from the first to the last."""
    every = versions.patches()
    return [*zip(every, every[1:], strict=False), (every[0], every[-1])]


def _is_whole(row: files.Row) -> bool:
    every = versions.patches()
    return (row["from_version"], row["to_version"]) == (every[0], every[-1])


def _changes(old: str, new: str) -> list[files.Row]:
    before, after = schemas(old), schemas(new)
    rows = []
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name), after.get(name)
        if was == now:
            continue
        row = {"id": f"r:{old}->{new}:{name}", "from_version": old, "to_version": new, "op": name}
        if was is None:
            row |= {"change": "added", "bc": True, "fc": True, "fc_reason": ""}
        elif now is None:
            row |= {"change": "removed", "bc": False, "fc": False, "fc_reason": ""}
        else:
            row |= {"change": "changed", "old": was, "new": now,
                    "only_symint": was.replace("SymInt", "int") == now.replace("SymInt", "int")}
        rows.append(row)
    return rows


def schemas(version: str) -> dict[str, str]:
    """The schemas that a release's `native_functions.yaml` declares, by operator."""
    text = (places.RELEASES / version / "native_functions.yaml").read_text()
    return {schema.split("(", 1)[0]: schema for schema in _ENTRY.findall(text)}
