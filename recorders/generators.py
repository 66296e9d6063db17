"""Fetches torchgen of a release, with pip, and keeps the parts that the recorders need.

torchgen is pure Python, so the wheel of any platform has it; those of macOS are the smallest.
"""

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from . import places

# Platforms that have small wheels, newest first, and the Python versions they were built for.
PLATFORMS = ["macosx_14_0_arm64", "macosx_11_0_arm64", "macosx_10_9_x86_64"]
PYTHONS = ["3.11", "3.10", "3.9"]
WANTED = ("torchgen/", "torch/_C/__init__.pyi", "torch/_C/_VariableFunctions.pyi", "torch/_C/_nn.pyi",
          "torch/version.py", "torch/_utils_internal.py", "torch/include/ATen/autocast_mode.h")
_WHEEL_TIMEOUT_S = 1800


def folder(version: str, needed: str = "torchgen/model.py") -> Path:
    """The folder to put on the path of a Python that is to import this release's torchgen, with one more file."""
    target = places.GENERATORS / version
    if not (target / needed).is_file():
        _fetch(version, target)
    return target


def aten(version: str) -> Path:
    """The folder with `native/native_functions.yaml` and `templates/` of a release."""
    return folder(version) / "torchgen" / "packaged" / "ATen"


def _fetch(version: str, target: Path) -> None:
    places.GENERATORS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=places.GENERATORS) as scratch:
        wheel = _download(version, Path(scratch))
        unpacked = Path(scratch) / "unpacked"
        with zipfile.ZipFile(wheel) as archive:
            wanted = [name for name in archive.namelist() if name.startswith(WANTED)]
            archive.extractall(unpacked, wanted)
        shutil.rmtree(target, ignore_errors=True)
        unpacked.rename(target)


def _download(version: str, scratch: Path) -> Path:
    said = ""
    for python in PYTHONS:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
                   "--only-binary=:all:", "--python-version", python, "--dest", str(scratch)]
        for platform in PLATFORMS:
            command += ["--platform", platform]
        done = subprocess.run([*command, f"torch=={version}"], capture_output=True, text=True,
                              timeout=_WHEEL_TIMEOUT_S, check=False)
        if done.returncode == 0:
            return next(scratch.glob("*.whl"))
        said = done.stderr.strip()
    raise SystemExit(f"torch {version} cannot be fetched with pip:\n{said}")
