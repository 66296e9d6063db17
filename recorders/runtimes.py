"""Installs a real torch into a virtual environment of its own, with pip.

The builds of PyPI for Linux are the CUDA builds that the data speaks of. One needs about 3 GB of
downloads and 7 GB of disk; no GPU is needed.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

from . import places

_INSTALL_TIMEOUT_S = 3600


def python(version: str, *, install: bool = True) -> Path | None:
    """The interpreter that can import torch of this version; `None` where it is not installed."""
    home = places.RUNTIMES / version
    interpreter = home / "bin" / "python"
    if (home / "installed").is_file():
        return interpreter
    if not install:
        return None
    venv.EnvBuilder(with_pip=True, clear=True).create(home)
    print(f"installing torch {version} into {home} (about 3 GB)", file=sys.stderr)
    done = subprocess.run([interpreter, "-m", "pip", "install", "--no-cache-dir", "--quiet",
                           f"torch=={version}"],
                          capture_output=True, text=True, timeout=_INSTALL_TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise SystemExit(f"torch {version} cannot be installed:\n{done.stderr.strip()}")
    (home / "installed").write_text(version + os.linesep)
    return interpreter
