"""The C shim of AOTInductor: what torchgen generates when the schema of a listed operator changes."""

from . import children, files
from .from_torchgen import Recorded

_SEED = 20261129
_COUNT = 200


def shims(version: str) -> Recorded:
    """Changed schemas of listed operators: the declarations, and whether those of the release are among them."""
    rows = children.torchgen(version, "aoti_shims", {"seed": _SEED, "count": _COUNT})
    return files.header("aoti_shims", 1, torchgen=version, seed=_SEED), rows
