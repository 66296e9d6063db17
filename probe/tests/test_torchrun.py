"""The probe under a real torchrun: members that join, leave and die, and refusals that reach torchrun.

It needs a torch: this interpreter's, the one that OPATLAS_PROBE_PYTHON names, or one that
`python3 -m recorders install` installed. Without one it is skipped, and says so.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from opatlas_probe.ledger import Refused

from . import servers
from .server import PROJECT

_PROBE = Path(__file__).resolve().parent.parent
_DEADLINE_S = 900
_TESTS = ("abs,add,sub,mul,div.no_rounding_mode,chunk,cat,mm,sin,cos,exp,log,sum,mean,sort,nn.functional.linear,"
          "nn.functional.relu,masked_fill,unsqueeze,tril")


def interpreter() -> Path | None:
    """An interpreter that has torch."""
    cache = Path(os.environ.get("OPATLAS_RECORDERS_CACHE", _PROBE.parent / ".cache" / "recorders"))
    named = [os.environ[name] for name in ("OPATLAS_PROBE_PYTHON",) if name in os.environ]
    installed = sorted(path.parent / "bin" / "python" for path in cache.glob("runtimes/*/installed"))
    for each in (*map(Path, named), *reversed(installed), Path(sys.executable)):
        if each.exists() and subprocess.run([each, "-c", "import torch"], capture_output=True, check=False).returncode == 0:
            return each
    return None


_PYTHON = interpreter()


@unittest.skipUnless(_PYTHON, "no torch is installed; `python3 -m recorders install` installs one")
class TorchrunTest(unittest.TestCase):
    def setUp(self) -> None:
        said = subprocess.run([_PYTHON, "-c", "import torch; print(torch.__version__.split('+')[0])"],
                              capture_output=True, text=True, check=True)
        self.release = said.stdout.strip()
        self.server = servers.start({"here": self.release, "other": "2.0.1"})
        self.addCleanup(self.server.close)
        self.client = self.server.client
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

    def node(self, run: str, *, revision: str = "here", nodes: str = "1:2", workers: int = 2,
             only: str = _TESTS, shard_seconds: float = 4) -> subprocess.Popen:
        """A node: torchrun with its workers."""
        logs = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115: it lives as long as the node
        self.addCleanup(logs.close)
        command = [_PYTHON, "-m", "torch.distributed.run", f"--nnodes={nodes}", f"--nproc-per-node={workers}",
                   "--max-restarts=3", "--rdzv-backend=c10d", f"--rdzv-endpoint=127.0.0.1:{self.port}",
                   f"--rdzv-id={run}", "--rdzv-conf=last_call_timeout=2,join_timeout=120", "-m", "opatlas_probe",
                   "--server", self.server.url, "--project", PROJECT, "--revision", revision, "--device", "meta",
                   "--name", run, "--shard-seconds", str(shard_seconds), "--only", only]
        node = subprocess.Popen(command, stdout=logs, stderr=logs, text=True, start_new_session=True,
                                env={**os.environ, "PYTHONPATH": str(_PROBE), "OMP_NUM_THREADS": "1",
                                     # Otherwise torchrun (2.4 to 2.9 at least) refuses nodes that join after a restart.
                                     "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",
                                     "PATH": f"{_PYTHON.parent}:{os.environ['PATH']}"})
        node.logs = logs
        self.addCleanup(self.end, node)
        return node

    def end(self, node: subprocess.Popen) -> None:
        if node.poll() is None:
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()

    def said(self, node: subprocess.Popen) -> str:
        node.logs.seek(0)
        return node.logs.read()

    def ended(self, node: subprocess.Popen) -> None:
        status = node.wait(_DEADLINE_S)
        self.assertEqual(status, 0, self.said(node)[-4000:])

    def wait_for(self, ready: object) -> object:
        deadline = time.monotonic() + _DEADLINE_S
        while time.monotonic() < deadline:
            if found := ready():
                return found
            time.sleep(0.1)
        self.fail("it did not come")
        return None

    def working(self, run: str) -> list[dict]:
        """Who has a shard of a run."""
        try:
            return self.client.progress(run)["working"]
        except Refused:
            return []

    def begun(self, run: str) -> list[dict]:
        """Those of them who run an item."""
        return [each for each in self.working(run) if each["item"]]

    def undisturbed(self) -> list[dict]:
        node = self.node("undisturbed", nodes="1", workers=1)
        self.ended(node)
        self.assertIn("rank 0:", self.said(node))
        return self.client.results("undisturbed")

    def test_members_die_join_and_leave(self) -> None:
        rows = self.undisturbed()
        self.assertEqual({row["outcome"] for row in rows}, {"runs"})
        self.assertEqual(self.server.dumps("here"), 1)

        # Items are known to be quick by now, so smaller shards make several.
        first = self.node("disturbed", shard_seconds=0.2)
        worker = self.wait_for(lambda: self.begun("disturbed"))[0]["worker"]
        os.kill(worker["process"], signal.SIGKILL)
        self.wait_for(lambda: any(each["worker"]["restart"] >= 1 for each in self.begun("disturbed")))
        second = self.node("disturbed", shard_seconds=0.2)
        self.wait_for(lambda: any(each["worker"]["world"] == 4 for each in self.working("disturbed"))
                      or self.client.progress("disturbed")["done"])
        os.killpg(second.pid, signal.SIGTERM)
        self.ended(first)
        self.assertEqual(self.client.results("disturbed"), rows)
        self.assertEqual(self.server.dumps("here"), 1)

    def test_a_worker_with_another_torch_is_refused_and_torchrun_says_why(self) -> None:
        node = self.node("refused", revision="other", nodes="1", workers=1, only="abs")
        self.assertNotEqual(node.wait(_DEADLINE_S), 0)
        # The summary that torchrun prints after all workers have ended, from the error record of the first.
        _, _, summary = self.said(node).partition("Root Cause")
        self.assertIn("Failure: the server refuses: revision", summary)
        self.assertIn("is of PyTorch 2.0", summary)
        self.assertIn("error.json", summary)
        with self.assertRaises(Refused):
            self.client.progress("refused")

    def test_two_workers_have_one_record_each(self) -> None:
        node = self.node("unknown", nodes="1", workers=2, only="no-such-test")
        self.assertNotEqual(node.wait(_DEADLINE_S), 0)
        _, _, summary = self.said(node).partition("FAILED")
        self.assertIn("the operator database has no test no-such-test", summary)

    def recorded(self, *arguments: str, **environment: str) -> dict:
        """What a worker that fails leaves in torchrun's error file."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "error.json"
            ended = subprocess.run([_PYTHON, "-m", "opatlas_probe", *arguments], capture_output=True, text=True, check=False,
                                   env={**os.environ, "PYTHONPATH": str(_PROBE), "TORCHELASTIC_RUN_ID": "r",
                                        "TORCHELASTIC_ERROR_FILE": str(file), **environment})
            self.assertNotEqual(ended.returncode, 0)
            self.assertTrue(file.exists(), ended.stderr[-4000:])
            return json.loads(file.read_text())["message"]

    def test_every_failure_is_recorded(self) -> None:
        there = ("--device", "cpu", "--parts", "runs", "--only", "abs", "--project", PROJECT, "--server")
        here = (*there, self.server.url, "--revision", "here")
        compiler = tempfile.TemporaryDirectory()
        self.addCleanup(compiler.cleanup)
        broken = {"CXX": "/bin/false", "OPATLAS_PROBE_CACHE": compiler.name}
        for message, arguments, environment in (
                ("Failure: usage: opatlas_probe", ("--device", "cpu"), {}),
                ("has no mps device", ("--device", "mps", "--out", "x"), {}),
                ("has no test nothing", (*here, "--only", "nothing"), {}),
                ("the server refuses: revision", (*there, self.server.url, "--revision", "other"), {}),
                ("cannot be reached", (*there, "http://127.0.0.1:9", "--revision", "here"), {}),
                ("ended with status 1 before its first item", here, broken),
                ("ValueError: invalid literal", (*here, "--name", "rank"), {"RANK": "x"})):
            record = self.recorded(*arguments, **environment)
            self.assertIn(message, record["message"])
            self.assertIn("Traceback (most recent call last)", record["extraInfo"]["py_callstack"])

    def alone(self, *arguments: str) -> dict:
        """What the probe writes into a file."""
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out.json"
            subprocess.run([_PYTHON, "-m", "opatlas_probe", *arguments, "--out", out], check=True,
                           env={**os.environ, "PYTHONPATH": str(_PROBE),
                                "PATH": f"{_PYTHON.parent}:{os.environ['PATH']}"})
            return json.loads(out.read_text())

    def test_a_bare_device_says_what_is_missing(self) -> None:
        found = self.alone("--device", "bare", "--kernels", "add.out,_copy_from_and_resize", "--only", "abs,add,chunk")
        outcomes = {row["item"]: (row["outcome"], row["results"][0][-1]) for row in found["runs"]}
        self.assertEqual(outcomes, {"abs": ("missing", "aten::abs.out"), "add": ("runs", "ok"), "chunk": ("runs", "ok")})
        chunk = next(row for row in found["calls"] if row["item"] == "forward:chunk")
        called = {(operator, callee) for operator, _, _, always, *_ in chunk["rows"] for callee in always}
        self.assertIn(("slice.Tensor", "as_strided"), called)

    def test_alone_into_a_file(self) -> None:
        found = self.alone("--device", "cpu", "--only", "abs,mm")
        self.assertEqual(found["torch"], self.release)
        self.assertEqual({row["item"]: row["outcome"] for row in found["runs"]}, {"abs": "runs", "mm": "runs"})
        self.assertIn("aten::add.Tensor", found["tables"]["operators"])
