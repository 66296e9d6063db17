"""What a real process makes of schemas of operator libraries. Request: `schemas`, a list of texts.

Answer: for each the text that torch prints back, or `None` where it cannot read the schema.
"""

import warnings

from probe import serve

warnings.filterwarnings("ignore")
import torch  # noqa: E402


def answer(request: dict) -> list[str | None]:
    """A text for each schema."""
    return [printed(text) for text in request["schemas"]]


def printed(text: str) -> str | None:
    """The text of one schema. A name without a namespace keeps none."""
    try:
        return str(torch._C.parse_schema(text))
    except Exception:
        return None


if __name__ == "__main__":
    serve(answer)
