"""torchgen's verdicts on backend files. Request: `native_functions_yaml`, `documents`."""

import tempfile
from pathlib import Path

import judge
from probe import failure, serve
from torchgen import gen
from torchgen.gen_backend_stubs import parse_backend_yaml


def answer(request: dict) -> list[dict]:
    """A row for each document."""
    rows = []
    for document in request["documents"]:
        parsed = judge.parse(request["native_functions_yaml"].encode(), judge.own_tags())
        grouped = gen.get_grouped_native_functions(parsed.native_functions)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "backend.yaml"
            path.write_text(document)
            rows.append(one(path, grouped, parsed.backend_indices))
    return rows


def one(path: Path, grouped: list, indices: dict) -> dict:
    """The verdict, and the kernels that an accepted file declares."""
    before = set(indices)
    try:
        read = parse_backend_yaml(str(path), grouped, indices)
    except Exception as error:
        said = failure(error)
        said["first_line"] = said["first_line"].replace(str(path), "<doc>")
        return {"verdict": "reject", "error": said}
    added = {key: index for key, index in read.backend_indices.items() if key not in before}
    kernels = {str(key): {str(name): made.kernel for name, made in index.index.items()}
               for key, index in added.items() if index.index}
    return {"verdict": "accept", "error": None, "kernels": kernels}


if __name__ == "__main__":
    serve(answer)
