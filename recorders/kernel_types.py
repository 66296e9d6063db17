"""C++ types of kernels: those of PyTorch's own, and which generated ones compile and load."""

from . import children, files
from .from_torchgen import Recorded

SEED = 20260101
COUNT = 300


def kernels(version: str, seed: int = SEED) -> Recorded:
    """Kernels of a release; a row has the text and the result."""
    rows = children.torch(version, "kernel_types", {"seed": seed, "count": COUNT})
    return files.header("kernel_types", 1, torch=version, seed=seed), rows


def signatures(version: str) -> Recorded:
    """The C++ types of the kernels that PyTorch registers for each operator."""
    return files.header("kernel_signatures", 1, torch=version), children.torch(version, "kernel_signatures", {})
