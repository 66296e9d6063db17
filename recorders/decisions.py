"""Tables of `tests/golden/` that people decided, and no release can say: which rule of
compatibility a change falls under. They are kept as text, to be read and reviewed."""

from . import files, places
from .from_torchgen import Recorded


def table(name: str) -> Recorded:
    """The rows of `recorders/decisions/NAME.jsonl`."""
    rows = files.cases(places.RECORDERS / "decisions" / f"{name}.jsonl")
    return files.header("decisions", 1, source=f"recorders/decisions/{name}.jsonl"), rows
