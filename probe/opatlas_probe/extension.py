"""Builds and loads the extension of the bare device. The build is kept per torch and per source."""

import fcntl
import hashlib
import importlib.machinery
import importlib.util
import os
import warnings
from pathlib import Path
from types import ModuleType

import torch

from .failure import Failure

_NAME = "opatlas_bare"
_HERE = Path(__file__).resolve().parent
_SOURCES = ("bare_device.cpp", "recorder.cpp")
# The layout of classes of torch depends on NDEBUG, and the wheels are built with it.
_FLAGS = ["-O1", "-g0", "-DNDEBUG"]


def load() -> ModuleType:
    """The extension; builds it on the first use, in about a minute."""
    folder = build_folder()
    done = folder / "done"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        # Workers of one machine build it once. A lock of the system ends with its process.
        with (folder / "building").open("w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            if not done.exists():
                _build(folder)
                done.write_text(torch.__version__)
    return _loaded(folder / f"{_NAME}.so")


def _build(folder: Path) -> None:
    os.environ.setdefault("MAX_JOBS", "1")
    from torch.utils import cpp_extension  # noqa: PLC0415: imports setuptools, which only a build needs

    # What a build that was killed has left would stop this one for ever.
    (folder / "lock").unlink(missing_ok=True)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            cpp_extension.load(name=_NAME, sources=[str(_HERE / name) for name in _SOURCES],
                               build_directory=str(folder), extra_cflags=_FLAGS, with_cuda=False, verbose=False)
    except (RuntimeError, OSError) as error:
        raise Failure(f"the extension cannot be built in {folder}: {error}. It needs a C++ compiler and ninja.") from error


def _loaded(path: Path) -> ModuleType:
    loader = importlib.machinery.ExtensionFileLoader(_NAME, str(path))
    spec = importlib.util.spec_from_file_location(_NAME, path, loader=loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def build_folder() -> Path:
    """Where the build for this torch and these sources is kept."""
    digest = hashlib.sha256(f"{torch.__version__} {_FLAGS}".encode())
    for name in (*_SOURCES, "bare_device.h"):
        digest.update((_HERE / name).read_bytes())
    cache = Path(os.environ.get("OPATLAS_PROBE_CACHE", Path.home() / ".cache" / "opatlas_probe"))
    return cache / f"{torch.__version__}-{digest.hexdigest()[:12]}"
