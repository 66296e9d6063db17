"""Installs a real torch into a virtual environment of its own, with pip.

The builds of PyPI for Linux are the CUDA builds that the data speaks of. Without the CUDA libraries
that they link, for which `stubs` stands in, one needs about 0.9 GB of downloads and 2 GB of disk; no
GPU is needed. The oldest releases need the real libraries: 3 GB of downloads, 5 GB of disk.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

from . import places, stubs, versions

_INSTALL_TIMEOUT_S = 3600
# What torch and its operator database import, and what builds an extension.
_LIBRARIES = ("typing_extensions", "sympy", "networkx", "jinja2", "fsspec", "filelock", "expecttest",
              "packaging", "pyyaml", "setuptools<80", "ninja")
# Earlier wheels crash while they are imported if stand-ins take the place of the CUDA libraries.
_FIRST_WITH_STAND_INS = (2, 2)
# Wheels before 2.3 were built against the first NumPy.
_FIRST_WITH_NUMPY_2 = (2, 3)


def python(version: str, *, install: bool = True) -> Path | None:
    """The interpreter that can import torch of this version; `None` where it is not installed."""
    home = places.RUNTIMES / version
    interpreter = home / "bin" / "python"
    if (home / "installed").is_file():
        return interpreter
    if not install:
        return None
    venv.EnvBuilder(with_pip=True, clear=True).create(home)
    stands_in = versions.parse(version) >= _FIRST_WITH_STAND_INS
    print(f"installing torch {version} into {home} (about {0.9 if stands_in else 3} GB)", file=sys.stderr)
    numpy = "numpy" if versions.parse(version) >= _FIRST_WITH_NUMPY_2 else "numpy<2"
    _pip(interpreter, version, *(["--no-deps"] if stands_in else []), f"torch=={version}")
    _pip(interpreter, version, numpy, *_LIBRARIES)
    if stands_in:
        stubs.add(next(home.glob("lib/python*/site-packages/torch/lib")))
    (home / "installed").write_text(version + os.linesep)
    return interpreter


def add(version: str, libraries: tuple[str, ...], over_torch: tuple[str, ...]) -> None:
    """Installs further libraries. Those that depend on torch come without what they need, since torch is there."""
    _pip(python(version), version, *libraries)
    _pip(python(version), version, "--no-deps", *over_torch)


def _pip(interpreter: Path, version: str, *what: str) -> None:
    done = subprocess.run([interpreter, "-m", "pip", "install", "--no-cache-dir", "--quiet", *what],
                          capture_output=True, text=True, timeout=_INSTALL_TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise SystemExit(f"torch {version} cannot be installed:\n{done.stderr.strip()}")
