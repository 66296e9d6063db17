"""torchgen's verdicts on backend files when it writes their kernels down. Request:
`native_functions_yaml`, `documents`. Answer: `accept` or `reject` for each.
"""

import tempfile
from pathlib import Path

import judge
from probe import serve
from torchgen import gen, gen_backend_stubs


def answer(request: dict) -> list[str]:
    """A verdict for each document."""
    with tempfile.TemporaryDirectory() as folder:
        aten = Path(folder) / "aten" / "src" / "ATen"
        (aten / "native").mkdir(parents=True)
        (aten / "templates").symlink_to(judge.ATEN / "templates")
        (aten / "native" / "native_functions.yaml").write_text(request["native_functions_yaml"])
        (aten / "native" / "tags.yaml").write_bytes((judge.ATEN / "native" / "tags.yaml").read_bytes())
        # The generator looks for the files of PyTorch around its own.
        gen_backend_stubs.__file__ = str(Path(folder) / "torchgen" / "gen_backend_stubs.py")
        return [one(Path(folder), document) for document in request["documents"]]


def one(folder: Path, document: str) -> str:
    """The verdict on a document."""
    path, out = folder / "backend.yaml", folder / "out"
    path.write_text(document)
    out.mkdir(exist_ok=True)
    # Reading a backend file adds its key to what was parsed before.
    gen._GLOBAL_PARSE_NATIVE_YAML_CACHE.clear()
    try:
        gen_backend_stubs.run(str(path), str(out), dry_run=False)
    except (Exception, SystemExit):
        return "reject"
    return "accept"


if __name__ == "__main__":
    serve(answer)
