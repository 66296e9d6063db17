"""What the probes share: one request from standard input, one answer to standard output."""

import json
import os
import sys
from collections.abc import Callable


def serve(answer: Callable[[dict], object]) -> None:
    """Answers the request. What a release prints meanwhile goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    result = answer(json.load(sys.stdin))
    with out:
        json.dump(result, out, ensure_ascii=False)


def failure(error: BaseException) -> dict:
    """An exception as the recordings have it: its type and the first line that is its own.

    torchgen adds lines of context (`in FILE:LINE:` and the schema) behind the message, and where
    there is no message the context comes first.
    """
    text = str(error.args[0]) if error.args else str(error)
    first = text.split("\n")[0]
    if first.startswith("  in <doc>:"):
        first = ""
    return {"type": type(error).__name__, "first_line": first, "has_message": bool(first)}
