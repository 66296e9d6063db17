"""What really runs: calls operators on a device with samples of the operator database.

A result is `["ok"]`, `["missing", OPERATOR]` (a kernel that nothing serves), `["wrong", TEXT]`
(another result than on the CPU) or `["error", TYPE, TEXT]`. Each is reported once per test.
"""

import json
import re
import sys
import warnings

import torch

from . import device, extension, places, samples

MOST_SAMPLES = 6
_TEXT = 160
_MISSING = (re.compile(r"Could not run '(aten::[\w.]+)'"),
            re.compile(r"(aten::[\w.]+): attempted to run this operator with Meta tensors"),
            re.compile(r"The operator '(aten::[\w.]+)' is not currently implemented for the MPS device"))
# Results that differ from run to run.
_RANDOM = re.compile(r"rand|normal|uniform|bernoulli|multinomial|dropout|empty|exponential|cauchy|geometric|poisson"
                     r"|rrelu|svd|eig|qr|lobpcg|new_empty|fractional|attention")


class Runner:
    """Runs tests on one device, such as `cuda:1`."""

    def __init__(self, name: str, kernels: list[str] | None = None) -> None:
        self.device = name
        self.kind = places.use(name)
        self.kernels = kernels
        # It records the operators that Python calls, and where an error arose that names no operator.
        self.extension = device.start_bare(kernels or []) if name == device.BARE else extension.load()
        self.every_operator = [f"aten::{each}" for each in device.operators()]

    def test(self, op: object) -> dict | None:
        """Roots and results of a test; `None` where its samples have no tensor or name the CPU."""
        every = samples.samples(op, most=MOST_SAMPLES, gradients=False)
        every = [sample for sample in every if _moves(sample)]
        if not every:
            return None
        roots: set[str] = set()
        results = []
        for sample in every:
            expected, called = self._on_cpu(op, sample)
            roots.update(called)
            result = self._on_device(op, sample, expected)
            if result not in results:
                results.append(result)
        return {"opinfo": op.name, "variant": op.variant_test_name, "roots": sorted(roots),
                "results": sorted(results)}

    def _on_cpu(self, op: object, sample: object) -> tuple[object, list[str]]:
        torch.manual_seed(0)
        with torch.no_grad():
            self.extension.start(self.every_operator, "cpu")
            try:
                result = op(sample.input, *sample.args, **sample.kwargs)
            except Exception as error:  # noqa: BLE001: some samples are made to fail
                result = error
            self.extension.stop()
            names, rows = self.extension.take()
            called = [names[row[0]].removeprefix("aten::") for row in rows if row[1] < 0 and not row[3]]
        return result, called

    def _on_device(self, op: object, sample: object, expected: object) -> list:
        torch.manual_seed(0)
        try:
            given = [samples.moved(each, self.device) for each in (sample.input, sample.args, sample.kwargs)]
            self.extension.start([], self.kind)
            with torch.no_grad():
                result = op(given[0], *given[1], **given[2])
        except Exception as error:  # noqa: BLE001: this is what is measured
            self.extension.stop()
            return self.failure(error)
        self.extension.stop()
        return self._compared(op, result, expected)

    def failure(self, error: Exception) -> list:
        """What an error means: an operator that is missing, or another error."""
        text = str(error)
        if isinstance(error, NotImplementedError) or "Could not run" in text:
            for pattern in _MISSING:
                if found := pattern.search(text):
                    return ["missing", found[1]]
            if place := self._raised_last():
                return ["missing", place]
        return ["error", type(error).__name__, text.split("\n")[0][:_TEXT]]

    def _raised_last(self) -> str | None:
        names, rows = self.extension.take()
        raised = [names[row[0]] for row in rows if row[4] == 2 and not row[3]]
        return raised[-1] if raised else None

    def _compared(self, op: object, result: object, expected: object) -> list:
        if self.device == "meta" or _RANDOM.search(samples.name_of(op)) or isinstance(expected, Exception):
            return ["ok"]
        try:
            for one, other in zip(samples.tensors(result), samples.tensors(expected), strict=True):
                torch.testing.assert_close(one.cpu(), other, equal_nan=True, rtol=1e-3, atol=1e-3)
        except NotImplementedError:
            return ["ok"]
        except (AssertionError, ValueError, RuntimeError) as error:
            return ["wrong", str(error).split("\n")[0][:_TEXT]]
        return ["ok"]


def _moves(sample: object) -> bool:
    """Whether a sample has tensors and leaves the device to them."""
    given = [sample.input, sample.args, sample.kwargs]
    names_cpu = any(isinstance(each, torch.device) or each == "cpu"
                    for each in [*sample.args, *sample.kwargs.values()] if not isinstance(each, torch.Tensor))
    return not names_cpu and next(samples.tensors(given), None) is not None


def main() -> None:
    """Runs the tests named on standard input: `runs DEVICE [KERNEL...]`."""
    out, sys.stdout = sys.stdout, sys.stderr
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    every = samples.named(samples.database())
    runner = Runner(sys.argv[1], sys.argv[2:])
    for item in json.load(sys.stdin):
        print(json.dumps({"begin": item}), file=out, flush=True)
        row = error = None
        try:
            row = runner.test(every[item])
        except Exception as raised:  # noqa: BLE001: a broken sample is not the end of the run
            error = f"{type(raised).__name__}: {str(raised)[:_TEXT]}"
        print(json.dumps({"end": item, "row": row, "error": error}),
              file=out, flush=True)


if __name__ == "__main__":
    main()
