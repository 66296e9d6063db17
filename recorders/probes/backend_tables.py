"""Entries of some keys in a process with an out-of-tree backend.

A row: `op`, and for each key [reason, source file, whether it is a fallthrough].
"""

import importlib
import warnings

import tables
from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402


def answer(request: dict) -> list[dict]:
    """Every `aten` operator."""
    importlib.import_module(request["package"])
    names = sorted(name.removeprefix("aten::") for name in torch._C._dispatch_get_all_op_names()
                   if name.startswith("aten::"))
    return [row(name, request["keys"]) for name in names]


def row(name: str, keys: list[str]) -> dict:
    """One operator."""
    cells = tables.table(torch._C._dispatch_dump_table(f"aten::{name}"))
    entries = {key: cells.get(key) for key in keys}
    return {"op": name, **{key: entry and [entry[1], entry[0], entry[2]] for key, entry in entries.items()}}


if __name__ == "__main__":
    serve(answer)
