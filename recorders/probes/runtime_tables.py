"""Every `aten` operator of a real process: its registrations and its computed table, packed.

A row: `op`; `t`, groups of keys as [reason, file, key set], the reason's letter followed by `~` for
a fallthrough; `fb`, the key set that backend fallbacks answer; `r`, registrations by key as [file],
with a 1 behind it for a fallthrough; `o`, the files of kernels that were replaced. Keys in no group are missing.
"""

import warnings

import tables
from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402

C = torch._C
REASONS = {"k": "kernel", "d": "default backend kernel", "m": "math kernel", "n": "nested kernel",
           "a": "autograd kernel", "b": "batched kernel", "f": "backend fallback",
           "x": "ambiguous autogradother"}
_LETTERS = {reason: letter for letter, reason in REASONS.items()}


class Numbered:
    """Numbers values in the order in which they come."""

    def __init__(self) -> None:
        self.numbers: dict = {}

    def of(self, value: object) -> int:
        """The number of a value."""
        return self.numbers.setdefault(value, len(self.numbers))


def answer(_request: dict) -> dict:
    """What the packed rows refer to, and the rows."""
    files, keysets = Numbered(), Numbered()
    names = sorted(name.removeprefix("aten::") for name in C._dispatch_get_all_op_names()
                   if name.startswith("aten::"))
    rows = [row(name, files, keysets) for name in names]
    head = {"release": torch.__version__.split("+")[0], "reasons": REASONS,
            "files": [file or "null" for file in files.numbers],
            "keysets": [list(keys) for keys in keysets.numbers]}
    return {"head": head, "rows": rows}


def row(name: str, files: Numbered, keysets: Numbered) -> dict:
    """One operator."""
    groups: dict = {}
    fallback = []
    for key, (source, reason, passes) in tables.table(C._dispatch_dump_table(f"aten::{name}")).items():
        if reason == "backend fallback":
            fallback.append(key)
        else:
            groups.setdefault((_LETTERS[reason] + "~" * passes, source), []).append(key)
    packed = [[reason, files.of(source), keysets.of(tuple(keys))]
              for (reason, source), keys in groups.items()]
    answered = keysets.of(tuple(fallback))
    registered, replaced = tables.registrations(C._dispatch_dump(f"aten::{name}"))
    found = {"op": name, "t": packed, "fb": answered,
             "r": {key: [files.of(source)] + [1] * passes
                   for key, (source, passes) in registered.items()}}
    if replaced:
        found["o"] = {key: [files.of(source) for source in sources]
                      for key, sources in replaced.items()}
    return found


if __name__ == "__main__":
    serve(answer)
