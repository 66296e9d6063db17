"""Compiles what a server says a kernel looks like against the headers of a real torch.

Each declaration must have exactly the type that torch gives the operator, and a sample of the
registrations must compile. Nothing is linked or run.
"""

import json
import re
import subprocess
import tempfile
import urllib.parse
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from . import runtimes

KEY = "PrivateUse1"
# Registrations take a tenth of a second each to compile.
_REGISTERED_EACH = 40
_TIMEOUT_S = 1800
_FUNCTION = re.compile(r"(\w+)\(")


class Kernel(NamedTuple):
    """What is written in a library to implement an operator for `KEY`."""

    operator: str
    function: str
    registration: str


def check(version: str, server: str, project: str) -> list[str]:
    """The complaints of the compiler about the operators of a release."""
    include = next(runtimes.python(version).parent.parent.glob("lib/python*/site-packages/torch/include"))
    revision = f"{server.rstrip('/')}/v1/projects/{project}/revisions/{version}"
    kernels = list(_kernels(revision))
    if not kernels:
        raise SystemExit(f"{revision} has no operators")
    print(f"{len(kernels)} operators", flush=True)
    complaints = []
    for text in (types(kernels), registrations(kernels[::_REGISTERED_EACH])):
        complaints += _compile(text, [include, include / "torch/csrc/api/include"])
    return complaints


def types(kernels: Iterable[Kernel]) -> str:
    """C++ that compiles if every function has the type of its operator."""
    lines = ["#include <ATen/Operators.h>", "#include <type_traits>"]
    for index, kernel in enumerate(kernels):
        function = _FUNCTION.search(kernel.function)[1]
        operator = kernel.operator.replace("::", "_").replace(".", "_")
        lines.append(f"namespace k{index} {{ {kernel.function} }}")
        lines.append(f"static_assert(std::is_same_v<decltype(k{index}::{function}), at::_ops::{operator}::schema>, "
                     f'"{kernel.operator}");')
    return "\n".join(lines) + "\n"


def registrations(kernels: Iterable[Kernel]) -> str:
    """C++ that registers functions without a use."""
    lines = ["#include <ATen/ATen.h>", "#include <torch/library.h>"]
    for index, kernel in enumerate(kernels):
        body = kernel.function.strip().removesuffix(";") + " { TORCH_CHECK(false); }"
        lines.append(f"namespace k{index} {{ {body} }}")
        lines.append(kernel.registration.replace("TORCH_FN(", f"TORCH_FN(k{index}::"))
    return "\n".join(lines) + "\n"


def _kernels(revision: str) -> Iterator[Kernel]:
    cursor = ""
    while True:
        page = _get(f"{revision}/operators?limit=1000{cursor}")
        for item in page["items"]:
            name = item["name"]
            shown = _get(f"{revision}/operators/{urllib.parse.quote(name)}/signatures?key={KEY}")
            yield Kernel(name, shown["implement"]["function"], shown["implement"]["registration"])
        if not page["next_cursor"]:
            return
        cursor = f"&cursor={urllib.parse.quote(page['next_cursor'])}"


def _get(url: str) -> dict:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.load(answer)


def _compile(text: str, include: list[Path]) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernels.cpp"
        source.write_text(text)
        paths = [part for path in include for part in ("-isystem", str(path))]
        done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", *paths, source],
                              capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    errors = [line for line in done.stderr.splitlines() if "error:" in line]
    return errors or ([done.stderr] if done.returncode != 0 else [])
