"""What PyYAML's C loader makes of documents. Request: `documents` (`text` or `base64`).

torchgen reads with this loader and refuses repeated keys; no release of PyTorch is involved.
"""

import base64
import datetime

import yaml
from probe import serve


class Loader(yaml.CSafeLoader):
    """libyaml's loader, refusing a key that is there already, as torchgen's does."""

    def construct_mapping(self, node, deep=False):
        """A mapping; a repeated key is an error."""
        mapping = []
        for key_node, _value in node.value:
            key = self.construct_object(key_node, deep=deep)
            if key in mapping:
                raise ValueError(f"duplicate key {key}")
            mapping.append(key)
        return super().construct_mapping(node, deep)


def answer(request: dict) -> dict:
    """The versions of the libraries, and a row for each document."""
    versions = {"pyyaml": yaml.__version__, "libyaml": yaml._yaml.get_version_string()}
    return {"libraries": versions, "rows": [one(document) for document in request["documents"]]}


def one(document: dict) -> dict:
    """Whether the document is accepted, and its value."""
    try:
        text = document["text"] if "text" in document else base64.b64decode(document["base64"]).decode()
        loaded = yaml.load(text, Loader=Loader)
    except (Exception, RecursionError):
        return {"accepted": False}
    return {"accepted": True, "value": value(loaded, [])}


def value(loaded: object, within: list[int]) -> object:
    """Strings, booleans and nulls as they are; of other scalars the type; mappings as pairs."""
    if loaded is None or isinstance(loaded, (bool, str)):
        return loaded
    if id(loaded) in within:
        return {"rec": 0}
    inner = [*within, id(loaded)]
    if isinstance(loaded, dict):
        return {"m": [[value(key, inner), value(of, inner)] for key, of in loaded.items()]}
    if isinstance(loaded, (list, tuple)):
        return [value(item, inner) for item in loaded]
    kinds = [(int, "i"), (float, "f"), (bytes, "b"), (datetime.date, "t")]
    return next(({letter: 0} for kind, letter in kinds if isinstance(loaded, kind)), {"o": 0})


if __name__ == "__main__":
    serve(answer)
