"""A worker without torch: `fake_worker URL RUN`. It opens the run, works until it is done, and ends."""

import json
import sys
from pathlib import Path

from opatlas_probe import worker
from opatlas_probe.__main__ import outcome
from opatlas_probe.client import Client

from .server import PROJECT

_CHILD = Path(__file__).with_name("fake_child.py")

if __name__ == "__main__":
    client = Client(sys.argv[1], PROJECT)
    asked = json.loads(sys.argv[2])
    run = client.open(asked)["run"]
    worker.Worker(client, run, {"runs": [sys.executable, str(_CHILD)]}, outcome).work()
