"""The server that tests speak to: the double of `server.py`, or Opatlas itself.

`OPATLAS_PROBE_SERVER` chooses: the path of the program `opatlas`, else the double.
"""

import json
import os
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

from opatlas_probe.client import Client
from opatlas_probe.ledger import Ledger

from .server import PROJECT, Server

PROGRAM = os.environ.get("OPATLAS_PROBE_SERVER")
_FILE = "- func: abs(Tensor self) -> Tensor\n"


class Double:
    """The double, in a thread."""

    def __init__(self, releases: dict[str, str]) -> None:
        self.server = Server(Ledger(releases)).start()
        self.url = self.server.url
        self.client = Client(self.url, PROJECT)

    def dumps(self, revision: str) -> int:
        """How many dumps are stored."""
        return len(self.server.ledger.tables)

    def close(self) -> None:
        """Ends it."""
        self.server.shutdown()
        self.server.server_close()


class Real:
    """Opatlas in a process of its own, with a project and a revision for each label."""

    def __init__(self, releases: dict[str, str]) -> None:
        self.folder = tempfile.mkdtemp()
        command = [PROGRAM, "serve", "--listen", "127.0.0.1:0", "--database", f"sqlite://{self.folder}/opatlas.db"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        listens = next(line for line in self.process.stdout if line.startswith("Opatlas listens on "))
        self.url = listens.removeprefix("Opatlas listens on ").strip()
        self.client = Client(self.url, PROJECT)
        self._post("/v1/projects", json.dumps({"name": PROJECT}), "application/json")
        for label, release in releases.items():
            path = f"/v1/projects/{PROJECT}/revisions?label={label}&release={release}"
            self._post(path, f"# {label}\n{_FILE}", "application/yaml")

    def dumps(self, revision: str) -> int:
        """How many dumps are stored."""
        path = f"{self.url}/v1/projects/{PROJECT}/revisions/{revision}/dumps"
        with urllib.request.urlopen(path, timeout=30) as answer:
            return len(json.loads(answer.read())["items"])

    def close(self) -> None:
        """Ends it."""
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder)

    def _post(self, path: str, body: str, media: str) -> None:
        request = urllib.request.Request(self.url + path, data=body.encode(), headers={"Content-Type": media})
        with urllib.request.urlopen(request, timeout=30):
            pass


def start(releases: dict[str, str]) -> Double | Real:
    """Starts the chosen server, which has these revisions."""
    if PROGRAM:
        assert Path(PROGRAM).exists(), f"{PROGRAM} does not exist; `cargo build` makes it"
        return Real(releases)
    return Double(releases)
