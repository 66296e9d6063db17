"""torchgen's verdicts on documents. Request: `documents` (`yaml` or `yaml_base64`, `tags_yaml`),
`describe` (`full`, `short` or nothing). Answer: for each its stage, error, line and operators."""

import base64

import describe
import judge
from probe import serve


def answer(request: dict) -> list[dict]:
    """A row for each document."""
    form = {"full": lambda row: row, "short": describe.short}.get(request.get("describe"))
    rows = []
    for document in request["documents"]:
        encoded = document.get("yaml_base64")
        data = base64.b64decode(encoded) if encoded else document["yaml"].encode()
        row, parsed = judge.verdict(data, document.get("tags_yaml"))
        if form and parsed is not None:
            row["functions"] = [form(found) for found in describe.operators(parsed)]
        rows.append(row)
    return rows


if __name__ == "__main__":
    serve(answer)
