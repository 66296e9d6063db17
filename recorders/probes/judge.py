"""torchgen's verdict on a document, stage by stage.

Stages: `yaml` (the loader, and the shape of the document), `entry` (one entry), `file` (all of
them), `generate` (what torchgen adds), `group`, `codegen` (all of `gen.main`, writing the files).
`parse` stands for the first four, which are one call in torchgen.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import traceback
from pathlib import Path

import yaml
from torchgen import gen

from probe import failure

ATEN = Path(gen.__file__).parent / "packaged" / "ATen"
# Flags that keep kernels of a backend in the output; each exists in some releases only.
FLAGS = [flag for flag in ("--mps", "--xpu", "--mtia") if f'"{flag}"' in Path(gen.__file__).read_text()]
_FRAMES = {"from_yaml": "entry", "grow_index": "file", "error_check_native_functions": "file",
           "add_generated_native_functions": "generate"}
_SCRATCH = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Document(io.BytesIO):
    """The bytes of a document, under a name that does not depend on the machine."""

    name = "<doc>"


def stream(data: bytes) -> io.TextIOWrapper:
    """Text as `open` reads it: UTF-8, every line ending a newline."""
    return io.TextIOWrapper(Document(data), encoding="utf-8")


def own_tags() -> set[str]:
    """The tags of the release."""
    return tags((ATEN / "native" / "tags.yaml").read_bytes())


def tags(data: bytes) -> set[str]:
    """The tags of a `tags.yaml`."""
    loaded = yaml.load(stream(data), Loader=gen.LineLoader)
    if hasattr(gen, "parse_tags_yaml_struct"):
        return gen.parse_tags_yaml_struct(loaded, path="<doc>")
    raise SystemExit("this torchgen reads tags in another way")


def parse(data: bytes, valid_tags: set[str]) -> object:
    """What `parse_native_yaml` makes of a document."""
    loaded = yaml.load(stream(data), Loader=gen.LineLoader)
    return gen.parse_native_yaml_struct(loaded, valid_tags, path="<doc>")


def stage_of(error: BaseException) -> str:
    """The stage within parsing at which an error was raised."""
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.name in _FRAMES:
            return _FRAMES[frame.name]
        if frame.name == "parse_native_yaml_struct" and "missed 'func'" in str(error).lower():
            return "entry"
    return "yaml"


def group(parsed: object) -> None:
    """Grouping, as `gen.main` does it first."""
    gen.get_grouped_native_functions(parsed.native_functions)
    gen.get_grouped_by_view_native_functions(parsed.native_functions)


def codegen(parsed: object, valid_tags: set[str]) -> None:
    """The rest of `gen.main`. What was parsed is handed to it by way of its own cache."""
    # A check of whole releases since 2.15: that every name of a fixed list of CUDA kernels is in the
    # file. No document of a few entries could pass it.
    gen.dest.native_functions.validate_cpu_dll_cuda_kernels = lambda _indices: None
    with tempfile.TemporaryDirectory(dir=_SCRATCH) as folder, _arguments(folder):
        source = Path(folder) / "aten"
        (source / "native").mkdir(parents=True)
        (source / "templates").symlink_to(ATEN / "templates")
        for name, cache, value in (
            ("native_functions.yaml", gen._GLOBAL_PARSE_NATIVE_YAML_CACHE, parsed),
            ("tags.yaml", gen._GLOBAL_PARSE_TAGS_YAML_CACHE, valid_tags),
        ):
            cache.clear()
            cache[os.path.join(source, "native", name)] = value
        gen.main()


@contextlib.contextmanager
def _arguments(folder: str):
    before, sys.argv = sys.argv, [
        "gen.py", "--source-path", f"{folder}/aten", "--install_dir", f"{folder}/out",
        "--per-operator-headers", *FLAGS, *_aoti(folder)]
    try:
        yield
    finally:
        sys.argv = before


def _aoti(folder: str) -> list[str]:
    has = re.search(r'"--aoti-install-dir"', Path(gen.__file__).read_text())
    return ["--aoti-install-dir", f"{folder}/aoti"] if has else []


def verdict(data: bytes, tags_yaml: str | None, until: str = "codegen") -> tuple[dict, object]:
    """Where a document is refused and why, and what was parsed.

    `stage` is the stage that refuses it, `None` where none does.
    """
    parsed = None
    try:
        valid_tags = own_tags() if tags_yaml is None else tags(tags_yaml.encode())
        parsed = parse(data, valid_tags)
    except (Exception, RecursionError) as error:
        return refused(stage_of(error), error), None
    for stage, run in (("group", lambda: group(parsed)), ("codegen", lambda: codegen(parsed, valid_tags))):
        try:
            run()
        except (Exception, SystemExit) as error:
            return refused(stage, error), parsed
        if stage == until:
            break
    return {"stage": None, "error": None, "line": None}, parsed


def refused(stage: str, error: BaseException) -> dict:
    """A refusal: the stage, the error, and the line of the entry that torchgen names."""
    named = re.search(r"in <doc>:(\d+):", str(error))
    return {"stage": stage, "error": failure(error), "line": int(named[1]) if named else None}

