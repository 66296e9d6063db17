"""What the operator database does on the CPU with gradients (`train`), and under `torch.vmap`.

A row is a float32 sample of a test: the verdict, and the operators below autograd (`ops`). A sample
that kills its process has the verdict `crashes`. `blame` is the operator that an error names, or the
one that needs vmap's fallback.
"""

from . import children, files, places
from .from_torchgen import Recorded

WAYS = ("train", "vmap")


def of_way(version: str, way: str) -> Recorded:
    """The samples of a release in one way."""
    out = places.CACHE / f"{way}_runs_{version}.jsonl"
    children.opatlas_probe(version, "record_ways", out, way)
    _, (head, *rows) = files.read(out)
    return files.header(f"{way}_runs", 1, torch=version, samples=head["samples"]), rows
