"""Every way in which a worker fails ends in an exception with a message, which torchrun's error record takes."""

import contextlib
import io
import os
import sys
import types
import unittest
from unittest import mock

from opatlas_probe import __main__ as program
from opatlas_probe import places, worker, workers
from opatlas_probe.failure import USAGE, Failure
from opatlas_probe.ledger import Refused

_SHARD = {"shard": 0, "lease": "x", "seconds": 60, "part": "runs", "items": [], "quarantined": [], "kills": {}}


def fake_torch(devices: int) -> types.ModuleType:
    """A torch with this number of CUDA devices; `used` has what the process chose."""
    torch = types.ModuleType("torch")
    torch.used = []
    torch.cuda = types.SimpleNamespace(device_count=lambda: devices, set_device=torch.used.append,
                                       is_available=lambda: devices > 0)
    return torch


class FailuresTest(unittest.TestCase):
    def failure(self, *arguments: str) -> Failure:
        """How the program fails with these arguments."""
        with mock.patch.object(sys, "argv", ["opatlas_probe", *arguments]), self.assertRaises(Failure) as raised:
            program.main()
        return raised.exception

    def test_mistakes_in_the_arguments_are_exceptions(self) -> None:
        for arguments, text in (((), "required: --device"), (("--device", "xyz"), "invalid choice"),
                                (("--device", "cpu"), "give either --server or --out"),
                                (("--device", "cpu", "--server", "x"), "--server needs --project"),
                                (("--device", "cpu", "--out", "x", "--parts", "walks"), "parts are tables"),
                                (("--device", "cpu", "--out", "x", "--parts", "calls"), "--device bare")):
            failure = self.failure(*arguments)
            self.assertIn(text, str(failure))
            self.assertEqual(failure.status, USAGE)

    def test_without_torchrun_a_failure_is_a_line_and_a_status(self) -> None:
        said = io.StringIO()
        with (mock.patch.object(sys, "argv", ["opatlas_probe"]), mock.patch.dict(os.environ),
              contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as raised):
            os.environ.pop("TORCHELASTIC_RUN_ID", None)
            program._recorded_main()
        self.assertEqual(raised.exception.code, USAGE)
        self.assertIn("usage: opatlas_probe", said.getvalue())
        self.assertNotIn("Traceback", said.getvalue())

    def test_a_child_that_does_not_start_is_an_exception(self) -> None:
        command = [sys.executable, "-c", "import sys; sys.exit('no compiler')"]
        with self.assertRaisesRegex(Failure, "(?s)before its first item.*no compiler"):
            workers.run(command, ["a"], workers.Events())

    def worker(self, **answers: object) -> worker.Worker:
        client = mock.Mock(**{"lease.return_value": _SHARD, **answers})
        return worker.Worker(client, "k", {"runs": [sys.executable, "-c", "pass"]}, program.outcome)

    def test_a_worker_that_loses_every_lease_fails(self) -> None:
        lost = self.worker(**{"result.side_effect": Refused(409, "lease-lost", "it ended")})
        with contextlib.redirect_stderr(io.StringIO()), self.assertRaisesRegex(Failure, "20 leases of run k ended"):
            lost.work()
        # A worker that hands in results loses few of them in a row.
        answers = [*[Refused(409, "lease-lost", "it ended")] * 19, None] * 2
        steady = self.worker(**{"result.side_effect": answers, "lease.side_effect": [*[_SHARD] * 40, {"done": True}]})
        with contextlib.redirect_stderr(io.StringIO()):
            steady.work()

    def test_refusals_other_than_a_lost_lease_end_the_worker(self) -> None:
        gone = Refused(404, "unknown-run", "there is no run k")
        for call in ("lease", "result"):
            with self.assertRaises(Refused):
                self.worker(**{f"{call}.side_effect": gone}).work()

    def test_an_error_of_the_renewing_thread_reaches_the_worker(self) -> None:
        client = mock.Mock(**{"renew.side_effect": ValueError("not JSON")})
        lease = worker.Lease(client, "k", {**_SHARD, "seconds": 0.01})
        lease._thread.join(10)
        with self.assertRaisesRegex(ValueError, "not JSON"):
            lease.check()
        lease.stop()


class PlacesTest(unittest.TestCase):
    def of_worker(self, rank: str | None, devices: int, name: str = "cuda") -> str:
        named = {} if rank is None else {"LOCAL_RANK": rank}
        with mock.patch.dict(sys.modules, torch=fake_torch(devices)), mock.patch.dict(os.environ, named):
            if rank is None:
                os.environ.pop("LOCAL_RANK", None)
            return places.of_worker(name)

    def test_the_local_rank_chooses_the_device(self) -> None:
        chosen = [self.of_worker(str(rank), 2) for rank in range(4)]
        self.assertEqual(chosen, ["cuda:0", "cuda:1", "cuda:0", "cuda:1"])
        self.assertEqual(self.of_worker(None, 4), "cuda:0")
        for name in ("cpu", "mps", "meta", "bare"):
            self.assertEqual(self.of_worker("3", 4, name), name)

    def test_the_process_that_runs_operators_uses_it(self) -> None:
        with mock.patch.dict(sys.modules, torch=fake_torch(4)), mock.patch.dict(os.environ, LOCAL_RANK="3"):
            given = types.SimpleNamespace(device="cuda", kernels="")
            command = program._commands(given)["runs"]
            self.assertEqual(command[-2:], ["opatlas_probe.runs", "cuda:3"])
            self.assertEqual(places.use(command[-1]), "cuda")
            self.assertEqual(sys.modules["torch"].used, [3])
            self.assertEqual(places.use("cpu"), "cpu")
            self.assertEqual(sys.modules["torch"].used, [3])
