"""Runs a probe: a script of `probes/` in an interpreter that imports one release.

Two releases cannot live in one process, and torchgen keeps state, so each recording has a process
of its own. The request is JSON on standard input, the answer JSON on standard output.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from . import generators, places, runtimes

_PROBE_TIMEOUT_S = 3600


def torchgen(version: str, probe: str, request: object) -> object:
    """The answer of a probe that imports the torchgen of a release."""
    return _run(Path(sys.executable), generators.folder(version), probe, request)


def torch(version: str, probe: str, request: object) -> object:
    """The answer of a probe that imports torch, in a process of that release."""
    return _run(runtimes.python(version), None, probe, request)


def alone(probe: str, request: object) -> object:
    """The answer of a probe that imports no PyTorch."""
    return _run(Path(sys.executable), None, probe, request)


def alone_in(interpreter: Path, probe: str, request: object) -> object:
    """The answer of a probe in an interpreter that has what it imports."""
    return _run(interpreter, None, probe, request)


def opatlas_probe(version: str, module: str, *arguments: object) -> None:
    """Runs a module of the probe package in a process of a release."""
    interpreter = runtimes.python(version)
    environment = {**os.environ, "PYTHONPATH": str(places.PROBE), "PYTHONDONTWRITEBYTECODE": "1",
                   "PATH": f"{interpreter.parent}:{os.environ['PATH']}",
                   "OPATLAS_PROBE_CACHE": str(places.CACHE / "probe")}
    done = subprocess.run([interpreter, "-m", f"opatlas_probe.{module}", *map(str, arguments)], text=True,
                          stdout=sys.stderr, env=environment, check=False)
    if done.returncode != 0:
        raise SystemExit(f"opatlas_probe.{module} failed with torch {version}: status {done.returncode}")


def _run(python: Path, path: Path | None, probe: str, request: object) -> object:
    environment = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1",
                   "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": str(path or "")}
    done = subprocess.run([python, places.PROBES / f"{probe}.py"], input=json.dumps(request),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment, timeout=_PROBE_TIMEOUT_S, check=False)
    if done.returncode != 0:
        raise SystemExit(f"probe {probe} failed with {python}:\n{done.stderr[-4000:]}")
    return json.loads(done.stdout)
