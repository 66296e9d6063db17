"""Writes the description as openapi-python-client understands it: it sends a text as it is only if its
schema says that it is binary, and no plain text. Operations that take plain text take another form, too."""

import json
import sys

document = json.load(sys.stdin)
for path in document["paths"].values():
    for operation in path.values():
        body = operation.get("requestBody", {}).get("content", {})
        if len(body) > 1:
            body.pop("text/plain", None)
        answers = [answer.get("content", {}) for answer in operation["responses"].values()]
        for content in [body, *answers]:
            for media, described in content.items():
                if media == "application/yaml" or (media == "text/csv" and content is body):
                    described["schema"] = {"type": "string", "format": "binary"}
json.dump(document, sys.stdout)
