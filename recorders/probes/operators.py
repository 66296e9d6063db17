"""The operators of the release's own file, as its torchgen models them."""

import describe
import judge
from probe import serve


def answer(_request: dict) -> list[dict]:
    """A row for each operator."""
    data = (judge.ATEN / "native" / "native_functions.yaml").read_bytes()
    return describe.operators(judge.parse(data, judge.own_tags()))


if __name__ == "__main__":
    serve(answer)
