"""torchgen's verdicts on `derivatives.yaml` files. Request: `native_functions_yaml`, `documents`."""

import tempfile
from pathlib import Path

import judge
from probe import failure, serve
from torchgen import gen
from torchgen.packaged.autograd.load_derivatives import load_derivatives


def answer(request: dict) -> list[dict]:
    """A row for each document."""
    with tempfile.TemporaryDirectory() as folder:
        native = Path(folder) / "native_functions.yaml"
        native.write_text(request["native_functions_yaml"])
        rows = []
        for number, document in enumerate(request["documents"]):
            path = Path(folder) / f"derivatives_{number}.yaml"
            path.write_text(document)
            rows.append(one(path, native, folder))
    return rows


def one(path: Path, native: Path, folder: str) -> dict:
    """The verdict, and what was made of an accepted file."""
    try:
        infos, _keys = load_derivatives(str(path), str(native),
                                        str(judge.ATEN / "native" / "tags.yaml"))
    except Exception as error:
        said = failure(error)
        said["first_line"] = said["first_line"].replace(folder + "/", "")
        return {"verdict": "reject", "error": said}
    found = [{"func": str(schema), "keys": {key: info(made) for key, made in by_key.items()}}
             for schema, by_key in infos.items()]
    return {"verdict": "accept", "error": None, "infos": found}


def info(made: object) -> dict:
    """The formulas for one dispatch key."""
    return {"op": made.op, "derivatives": [one.formula for one in made.derivatives],
            "forward": [one.formula for one in made.forward_derivatives],
            "non_differentiable": list(made.non_differentiable_arg_names)}


if __name__ == "__main__":
    assert gen
    serve(answer)
