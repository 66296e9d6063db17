"""Compares what generators wrote with the operations of the description: all must be there."""

import json
import pathlib
import re
import sys

METHODS = {"get", "put", "post", "delete", "patch"}


def snake(text):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text).lower()


def operations(path):
    document = json.loads(path.read_text())
    items = (item for path in document["paths"].values() for item in path.items())
    return {operation["operationId"] for method, operation in items if method in METHODS}


def python(folder):
    return {file.stem for file in folder.glob("api/*/*.py") if file.stem != "__init__"}


def openapi_typescript(file):
    text = file.read_text().split("export interface operations {")[1]
    return set(re.findall(r"^ {4}(\w+): \{$", text, re.MULTILINE))


def openapi_ts(file):
    return {snake(name) for name in re.findall(r"^export const (\w+) = <ThrowOnError", file.read_text(), re.MULTILINE)}


described = operations(pathlib.Path("openapi/openapi.json"))
for name, found in [
    ("openapi-python-client", python(pathlib.Path("clients/python/opatlas_client"))),
    ("openapi-typescript", openapi_typescript(pathlib.Path("clients/typescript/src/schema.ts"))),
    ("@hey-api/openapi-ts", openapi_ts(pathlib.Path(sys.argv[1]) / "sdk.gen.ts")),
]:
    assert found == described, f"{name}: {sorted(described ^ found)}"
print(f"three generators know all {len(described)} operations")
