"""What a real process says of pairs of schemas. Request: `pairs` of `old` and `new` (or none).

Answer: for each the texts that torch prints back (`None`: not readable), and whether the new schema
is backward and forward compatible with the old one: a boolean, or the error that the check raises.
"""

import warnings
from collections.abc import Callable

from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402


def parsed(text: str | None) -> object:
    """A schema; `None` where torch cannot read it. Names without a namespace belong to `aten`."""
    if text is None:
        return None
    name = text.split("(", 1)[0]
    try:
        return torch._C.parse_schema(text if "::" in name else f"aten::{text}")
    except Exception:
        return None


def printed(schema: object) -> str | None:
    """The text that torch prints. It may cut a character in two; what is left is replaced."""
    try:
        return None if schema is None else str(schema)
    except UnicodeDecodeError as error:
        return error.object.decode(errors="replace")


def attempt(check: Callable[[], tuple[bool, str]]) -> tuple[object, str]:
    """The answer of a check and its reason, or the error that it raises and its message."""
    try:
        return check()
    except Exception as error:
        return f"raises {type(error).__name__}", str(error)


def answer(request: dict) -> list[dict]:
    """A row for each pair."""
    return [pair(row["old"], row.get("new")) for row in request["pairs"]]


def pair(old_text: str, new_text: str | None) -> dict:
    """One pair."""
    old, new = parsed(old_text), parsed(new_text)
    row: dict = {"old_canonical": printed(old), "new_canonical": printed(new)}
    if old is not None and new is not None:
        row["bc"], _ = attempt(lambda: (new.is_backward_compatible_with(old), ""))
        row["fc"], row["fc_reason"] = attempt(lambda: new.check_forward_compatible_with(old))
    return row


if __name__ == "__main__":
    serve(answer)
