"""What a compiler makes of calls of two overloads, with the headers of a built torch.

A row is a pair of parameter types, an argument, and the overload that the call takes (0 or 1),
`ambiguous` or `refused`.
"""

import itertools
import re
import subprocess
import tempfile
from pathlib import Path

from . import files, runtimes
from .from_torchgen import Recorded

_TYPES = (
    "bool", "double", "int64_t", "c10::SymInt", "const at::Scalar &", "const at::Tensor &", "at::Tensor &",
    "at::IntArrayRef", "at::TensorList", "::std::string_view", "at::ScalarType", "at::OptionalIntArrayRef",
    "::std::optional<bool>", "::std::optional<double>", "::std::optional<int64_t>", "::std::optional<c10::SymInt>",
    "const ::std::optional<at::Scalar> &", "const ::std::optional<at::Tensor> &", "::std::optional<::std::string_view>",
    "::std::optional<at::ScalarType>",
)
_ARGUMENTS = ("2", "n", "0.5", "true", "x", "s", "{1, 2}", '"mean"', "tensors", "dtype")
_VARIABLES = "at::Tensor x, int64_t n, at::Scalar s, at::TensorList tensors, at::ScalarType dtype"
_ERROR = re.compile(r":(\d+):\d+: error: (.*)")
_TIMEOUT_S = 600


def of_release(version: str) -> Recorded:
    """Compile all pairs of types with all arguments."""
    include = next(runtimes.python(version).parent.parent.glob("lib/python*/site-packages/torch/include"))
    cases = [(pair, argument, wanted) for pair in itertools.combinations(_TYPES, 2)
             for argument in _ARGUMENTS for wanted in (0, 1)]
    lines = ["#include <ATen/ATen.h>", "template <int> struct R {};"]
    for index, ((one, other), argument, wanted) in enumerate(cases):
        lines.append(f"namespace c{index} {{ R<0> f({one}); R<1> f({other}); "
                     f"inline void run({_VARIABLES}) {{ R<{wanted}> r = f({argument}); }} }}")
    errors = _errors("\n".join(lines) + "\n", include)
    rows = []
    for line, (pair, argument, wanted) in enumerate(cases, 3):
        outcome = _outcome(errors.get(line), wanted)
        row = {"overloads": list(pair), "argument": argument, "outcome": outcome}
        if outcome is not None and row not in rows[-1:]:
            rows.append(row)
    return files.header("cpp_overloads", 1, torch=version), rows


def _outcome(error: str | None, wanted: int) -> str | int | None:
    """Return `None` if the call takes the other overload."""
    if error is None:
        return wanted
    if "ambiguous" in error:
        return "ambiguous"
    return "refused" if "no matching" in error else None


def _errors(text: str, include: Path) -> dict[int, str]:
    """Return the first error of each line."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "calls.cpp"
        source.write_text(text)
        command = ["g++", "-std=c++17", "-fsyntax-only", "-w", "-fmax-errors=0", f"-I{include}", source]
        run = subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    errors: dict[int, str] = {}
    for match in _ERROR.finditer(run.stderr):
        errors.setdefault(int(match[1]), match[2])
    return errors
