"""Functions that call a kernel without the dispatcher, from the headers of a built torch.

`ATen/ops/add_cpu_dispatch.h` declares those of `at::cpu`, `ATen/ops/add_native.h` those of
`at::native`. A row is one header: the operator's base name, the namespace and the declarations.
Classes of structured kernels are left out.
"""

import re
from pathlib import Path

from . import files, runtimes
from .from_torchgen import Recorded

_HEADER = re.compile(r"(\w+?)_(?:([a-z]+)_dispatch|(native))\.h")
_DECLARATION = re.compile(r"^(?:TORCH_\w*API) (.*\));$", re.MULTILINE)


def of_release(version: str) -> Recorded:
    """The declarations in all headers of a release."""
    include = next(runtimes.python(version).parent.parent.glob("lib/python*/site-packages/torch/include"))
    rows = [row for path in sorted((include / "ATen" / "ops").iterdir()) if (row := _row(path))]
    return files.header("direct_functions", 1, torch=version), rows


def _row(path: Path) -> files.Row | None:
    match = _HEADER.fullmatch(path.name)
    if not match:
        return None
    declarations = sorted(set(_DECLARATION.findall(path.read_text())))
    return {"name": match[1], "namespace": match[2] or match[3], "functions": declarations} if declarations else None
