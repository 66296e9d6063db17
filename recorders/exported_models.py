"""Exported programs of small real models, and what each misses on the bare device.

A row is a model of `cases/models.json` with random weights: its operators in the order in which the
exported program first runs them, each with its number of calls (`operators`), and the operators that
the device misses, one after the other, each served before the next run (`missing`). `end` is how the
last run ended.
"""

import json
import sys

from . import children, files, places, runtimes
from .from_torchgen import Recorded

_MODELS = places.CASES / "models.json"
# The libraries that the models come from. A torchvision belongs to one release of torch.
_TRANSFORMERS = "transformers==5.24.0"
_TORCHVISION = {"2.9.0": "torchvision==0.24.0"}


def of_release(version: str) -> Recorded:
    """The models, exported and run by a release."""
    torchvision = _TORCHVISION[version]
    runtimes.add(version, (_TRANSFORMERS, "pillow"), (torchvision,))
    rows = []
    for model in json.loads(_MODELS.read_text()):
        out = places.CACHE / f"exported_{version}_{model['name']}.json"
        children.opatlas_probe(version, "exported", _MODELS, model["name"], out)
        rows.append(json.loads(out.read_text()))
        print(f"{model['name']}: {len(rows[-1]['missing'])} missing operators", file=sys.stderr)
    return files.header("exported_models", 1, torch=version, libraries=[torchvision, _TRANSFORMERS]), rows
