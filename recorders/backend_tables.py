"""Tables of a process with an out-of-tree backend, beside what its files and sources say.

It needs three things that are not fetched, so it runs where the environment names them:
`OPATLAS_BACKEND_PYTHON`, an interpreter with torch and the backend's package; `OPATLAS_BACKEND_CLONE`,
a clone of the backend at the same version; `OPATLAS_PROGRAM`, the program to scan its sources with.
"""

import json
import os
import subprocess
from pathlib import Path

import yaml

from . import children, files
from .from_torchgen import Recorded

NEEDED = ("OPATLAS_BACKEND_PYTHON", "OPATLAS_BACKEND_CLONE", "OPATLAS_PROGRAM")
_FACTS = ("kind", "namespace", "operator", "key", "kernel", "fallthrough", "file", "line", "resolved", "through")


def is_possible() -> bool:
    """Whether the environment names what it needs."""
    return all(name in os.environ for name in NEEDED)


def xla(version: str) -> Recorded:
    """The lists of the backend file, the registrations in sources, and every entry of the three keys."""
    clone = Path(os.environ["OPATLAS_BACKEND_CLONE"])
    written = yaml.safe_load((clone / "codegen" / "xla_native_functions.yaml").read_text())
    lists = {name: value for name, value in written.items() if name not in ("ir_gen", "non_native")}
    scanned = subprocess.run([os.environ["OPATLAS_PROGRAM"], "scan", "torch_xla", "--format", "jsonl"],
                             cwd=clone, check=True, capture_output=True, text=True).stdout
    found = [json.loads(line) for line in scanned.splitlines()]
    keys = ["XLA", "AutogradXLA", "AutocastXLA"]
    request = {"package": "torch_xla", "keys": keys}
    tables = children.alone_in(Path(os.environ["OPATLAS_BACKEND_PYTHON"]), "backend_tables", request)
    return files.header("backend_tables", 1, torch=version, torch_xla=version), [
        {"file": lists},
        *({"registration": {name: row[name] for name in _FACTS}} for row in found),
        *tables,
    ]
